// Chrome asks in a window of its own whether to open another program for an address that only such a program takes. Nobody
// answers it in a headless browser, and the page takes no input until it is gone. So such a navigation ends before it begins.
// mailto: and news: are opened without a question. A frame that has not loaded anything tells nobody of its navigation.

const OPENED_BY_CHROME = new Set(["http:", "https:", "file:", "ftp:", "data:", "blob:", "about:", "javascript:", "filesystem:",
  "view-source:", "chrome:", "chrome-error:", "chrome-extension:", "chrome-untrusted:", "devtools:", "mailto:", "news:", "snews:"]);

// Chrome has had `navigation` since 102.
if (globalThis.navigation) navigation.addEventListener("navigate", onNavigate, true);

function onNavigate(event) {
  if (!globalThis.__sfExternal || !isTrusted(event) || !event.cancelable) return;
  const { url } = event.destination;
  if (OPENED_BY_CHROME.has(url.slice(0, url.indexOf(":") + 1).toLowerCase())) return;
  event.preventDefault();
  __sfExternal(url);
}
