// Generated from js/src/crawl/directives.ts by js/build.mjs.
(() => {
"use strict";
// src/crawl/directives.ts
function directives() {
  const contents = (selector) => [...document.querySelectorAll(selector)].map(({ content }) => content);
  const resolved = (url) => Object.assign(document.createElement("a"), { href: url }).href;
  const refresh = contents("meta[http-equiv=refresh i]").map((content) => /^\s*[\d.]+[\s;,]+(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|([^"'].*))/is.exec(content)).map((found) => found && (found.slice(1).find(Boolean) || "").trim()).find(Boolean);
  const canonical = document.querySelector("link[rel~=canonical i][href]");
  const isHtml = (link) => link instanceof HTMLElement;
  const links = [...document.querySelectorAll("a[href], area[href]")].filter(isHtml);
  const isMarked = ({ rel }) => /(^|\s)nofollow(\s|$)/i.test(rel);
  const plain = new Set(links.filter((link) => !isMarked(link)).map(({ href }) => href));
  return {
    robots: contents("meta[name=robots i]"),
    canonical: canonical && resolved(canonical.getAttribute("href") || ""),
    refresh: refresh ? resolved(refresh) : null,
    nofollow: links.map(({ href }) => href).filter((href) => !plain.has(href))
  };
}
return directives;
})()
