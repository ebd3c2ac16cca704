// Generated from js/src/crawl/shown_frames.ts by js/build.mjs.
(() => {
"use strict";
// src/crawl/shown_frames.ts
function shownFrames() {
  return globalThis.__sfShownFrames || [];
}
return shownFrames;
})()
