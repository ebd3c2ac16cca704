// Generated from js/src/page/no_service_workers.ts by js/build.mjs.
(() => {
"use strict";
// src/page/no_service_workers.ts
function refuseServiceWorkers() {
  if (!navigator.serviceWorker) return;
  const refuse = async () => {
    throw new DOMException("Service workers are blocked", "SecurityError");
  };
  try {
    Object.getPrototypeOf(navigator.serviceWorker).register = refuse;
  } catch {
  }
}
return refuseServiceWorkers;
})()
