// Carries texts between the main world and Python. Runs in the isolated world of a document; the two worlds communicate
// by events of a random type on `performance`.
export default function relay(key: string) {
  if (globalThis.__sfChannel) return;
  const KEPT = 1000; // texts that arrive before the binding exists
  const waiting: string[] = [];
  const flush = () => {
    if (globalThis.__sfPage) for (const text of waiting.splice(0)) globalThis.__sfPage(text);
  };
  performance.addEventListener(key, (event) => {
    const { detail } = event as CustomEvent<unknown>;
    if (typeof detail !== "string" || waiting.length >= KEPT) return;
    waiting.push(detail);
    flush();
  });
  (globalThis.__sfBound = globalThis.__sfBound || []).push(flush);
  globalThis.__sfChannel = (topic: string, detail: string) => {
    performance.dispatchEvent(new CustomEvent(`${key}${topic}`, { detail }));
  };
}
