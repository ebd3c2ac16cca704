// Carries texts from the page's own world to Python and back. It runs in the isolated world of a document; the two worlds
// talk by events on `performance`, whose type is random.
((key) => {
  "use strict";
  if (globalThis.__sfChannel) return;
  const KEPT = 1000; // texts of a document that comes before its bindings
  const waiting = [];
  const flush = () => {
    if (globalThis.__sfPage) for (const text of waiting.splice(0)) globalThis.__sfPage(text);
  };
  performance.addEventListener(key, ({ detail }) => {
    if (typeof detail !== "string" || waiting.length >= KEPT) return;
    waiting.push(detail);
    flush();
  });
  const before = globalThis.__sfBound;
  globalThis.__sfBound = () => {
    before?.();
    flush();
  };
  globalThis.__sfChannel = (topic, detail) => {
    performance.dispatchEvent(new CustomEvent(`${key}${topic}`, { detail }));
  };
})
