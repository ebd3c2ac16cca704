// Generated from js/src/page/worker_hooks.ts by js/build.mjs.
(() => {
"use strict";
// src/page/worker_hooks.ts
function installInWorker(install, key) {
  const home = Object.getPrototypeOf(async function* () {
  });
  const start = () => {
    delete home[key];
    install(key);
  };
  if (typeof setTimeout === "function") start();
  else Object.defineProperty(home, key, { value: { start }, configurable: true });
}
return installInWorker;
})()
