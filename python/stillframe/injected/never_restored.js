// Generated from js/src/page/never_restored.ts by js/build.mjs.
(() => {
"use strict";
// src/page/never_restored.ts
function keepFromCache() {
  const policy = document.featurePolicy;
  if (!policy || policy.allowsFeature("unload")) addEventListener("unload", () => {
  });
}
return keepFromCache;
})()
