// Generated from js/src/crawl/attributes.ts by js/build.mjs.
(() => {
"use strict";
// src/crawl/attributes.ts
function attributes(selector, attribute) {
  const trees = (root) => [
    root,
    ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ? trees(shadowRoot) : [])
  ];
  const found = trees(document).flatMap((tree) => [...tree.querySelectorAll(selector)]);
  return { base: document.baseURI, values: found.map((element) => element.getAttribute(attribute)) };
}
return attributes;
})()
