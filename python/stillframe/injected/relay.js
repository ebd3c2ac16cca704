// Generated from js/src/page/relay.ts by js/build.mjs.
(() => {
"use strict";
// src/page/relay.ts
function relay(key) {
  if (globalThis.__sfChannel) return;
  const KEPT = 1e3;
  const waiting = [];
  const flush = () => {
    if (globalThis.__sfPage) for (const text of waiting.splice(0)) globalThis.__sfPage(text);
  };
  performance.addEventListener(key, (event) => {
    const { detail } = event;
    if (typeof detail !== "string" || waiting.length >= KEPT) return;
    waiting.push(detail);
    flush();
  });
  (globalThis.__sfBound = globalThis.__sfBound || []).push(flush);
  globalThis.__sfChannel = (topic, detail) => {
    performance.dispatchEvent(new CustomEvent(`${key}${topic}`, { detail }));
  };
}
return relay;
})()
