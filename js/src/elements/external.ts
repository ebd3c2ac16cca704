// Chrome asks in a window of its own whether to open another program for an address that only such a program takes. Nobody
// answers it in a headless browser, and the page takes no input until it is gone. So such a navigation ends before it
// begins. A mail program would start without a question, and nobody would see it. A frame that has not loaded anything
// tells its document nothing of its navigation.

import { isTrusted } from "./events.ts";

const stopped: string[] = []; // addresses that Python has not heard of: a document has no binding while its first scripts run

function onNavigate(event: NavigateEvent) {
  const { __sfOpenedByChrome: opened } = globalThis;
  if (!opened || !isTrusted(event) || !event.cancelable) return;
  const { url } = event.destination;
  if (opened.includes(url.slice(0, url.indexOf(":")).toLowerCase())) return;
  event.preventDefault();
  stopped.push(url);
  reportStopped();
}

function reportStopped() {
  if (globalThis.__sfExternal) for (const url of stopped.splice(0)) globalThis.__sfExternal(url);
}

// Chrome has had `navigation` since 102.
export function listenForNavigations() {
  if (globalThis.navigation) navigation.addEventListener("navigate", onNavigate, true);
  (globalThis.__sfBound = globalThis.__sfBound || []).push(reportStopped);
}
