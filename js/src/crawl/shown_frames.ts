// Returns the elements of the frames that `content` has found, in its order.
export default function shownFrames(): Element[] {
  return globalThis.__sfShownFrames || [];
}
