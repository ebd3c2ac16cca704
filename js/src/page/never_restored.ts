// Keeps a document out of the back/forward cache, for which there is no command: a document with such a listener does not
// enter it. The script runs in the isolated world, where no page sees the listener; documents that forbid such listeners,
// which Chrome would report, stay restorable.
type Policed = { featurePolicy?: { allowsFeature(feature: string): boolean } };

export default function keepFromCache() {
  const policy = (document as Policed).featurePolicy;
  if (!policy || policy.allowsFeature("unload")) addEventListener("unload", () => {});
}
