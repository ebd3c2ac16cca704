// Generated from js/src/crawl/content.ts by js/build.mjs.
(() => {
"use strict";
// src/crawl/content.ts
function content(maxText, maxLinks) {
  const isRoute = (fragment) => /^[/!]+[^/!]/.test(fragment) && document.getElementById(fragment) === null;
  const pageOf = (href) => {
    const at = href.indexOf("#");
    return at < 0 || isRoute(href.slice(at + 1)) ? href : href.slice(0, at);
  };
  const shadows = (root2) => [...root2.querySelectorAll("*")].flatMap(
    ({ shadowRoot }) => shadowRoot ? [shadowRoot, ...shadows(shadowRoot)] : []
  );
  const parentOf = (node) => node.assignedSlot || node.parentElement || node.getRootNode().host;
  const isShown = (node) => node.getClientRects().length > 0 || getComputedStyle(node).display === "contents" && isShown(parentOf(node));
  const isText = (node) => node.nodeType === Node.TEXT_NODE;
  const textOf = (node) => {
    if (isText(node)) return node.data;
    const { innerText } = node;
    return innerText && isShown(node) ? innerText : "";
  };
  const root = document.body || document.documentElement;
  const trees = shadows(document);
  const texts = trees.filter(({ host }) => isShown(host)).flatMap((tree) => [...tree.childNodes].map(textOf));
  const text = [root ? root.innerText || root.textContent || "" : "", ...texts.filter((each) => each.trim())].join(
    "\n"
  );
  const links = /* @__PURE__ */ new Set();
  const listed = [
    ...document.links,
    ...trees.flatMap((tree) => [...tree.querySelectorAll("a[href], area[href]")])
  ];
  for (const { protocol, href } of listed) {
    if (protocol === "http:" || protocol === "https:") links.add(pageOf(href));
    if (links.size > maxLinks) break;
  }
  return {
    url: location.href,
    title: document.title || "",
    text: text.slice(0, maxText),
    links: [...links].slice(0, maxLinks),
    textTruncated: text.length > maxText,
    linksTruncated: links.size > maxLinks
  };
}
return content;
})()
