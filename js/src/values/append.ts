// Appends values to an array of the page, and needs no method of the page for it.
export default function append(this: unknown[], ...more: unknown[]) {
  for (let at = 0; at < more.length; at++) this[this.length] = more[at];
}
