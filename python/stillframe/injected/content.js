// Generated from js/src/crawl/content.ts by js/build.mjs.
(() => {
"use strict";
// src/dom/nodes.ts
var getter = (proto, name) => {
  const { get } = Object.getOwnPropertyDescriptor(proto, name);
  return (node) => get.call(node);
};
var method = (proto, name) => {
  const call = proto[name];
  return (node, ...args) => call.apply(node, args);
};
var typeOf = getter(Node.prototype, "nodeType");
var parentOf = getter(Node.prototype, "parentNode");
var listen = method(EventTarget.prototype, "addEventListener");
var rootOf = method(Node.prototype, "getRootNode");
var isConnected = getter(Node.prototype, "isConnected");
var rawText = getter(Node.prototype, "textContent");
var childNodesOf = getter(Node.prototype, "childNodes");
var baseOf = getter(Node.prototype, "baseURI");
var childrenOf = getter(Element.prototype, "children");
var tagOf = getter(Element.prototype, "localName");
var namespaceOf = getter(Element.prototype, "namespaceURI");
var innerTextOf = getter(HTMLElement.prototype, "innerText");
var idOf = getter(Element.prototype, "id");
var openRootOf = getter(Element.prototype, "shadowRoot");
var slotOf = getter(Element.prototype, "assignedSlot");
var writtenAttr = method(Element.prototype, "getAttribute");
var isWritten = method(Element.prototype, "hasAttribute");
var matches = method(Element.prototype, "matches");
var inElement = method(Element.prototype, "querySelectorAll");
var closest = method(Element.prototype, "closest");
var boxOf = method(Element.prototype, "getBoundingClientRect");
var boxesOf = method(Element.prototype, "getClientRects");
var scrollTo = method(Element.prototype, "scrollIntoView");
var contains = method(Node.prototype, "contains");
var isElement = (node) => typeOf(node) === 1;
var documentOf = getter(Node.prototype, "ownerDocument");
var stateOfDocument = getter(Document.prototype, "readyState");
var titleOf = getter(Document.prototype, "title");
var bodyOf = getter(Document.prototype, "body");
var topOf = getter(Document.prototype, "documentElement");
var walkerIn = method(Document.prototype, "createTreeWalker");
var allOf = method(Document.prototype, "getElementsByTagName");
var focusedIn = getter(Document.prototype, "activeElement");
var hasFocus = method(Document.prototype, "hasFocus");
var hitIn = method(Document.prototype, "elementFromPoint");
var allIn = method(Document.prototype, "elementsFromPoint");
var scrollerOf = getter(Document.prototype, "scrollingElement");
var rangeIn = method(Document.prototype, "createRange");
var inDocument = method(Document.prototype, "querySelectorAll");
var inFragment = method(DocumentFragment.prototype, "querySelectorAll");
var queryIn = (root, selector) => root === document ? inDocument(root, selector) : inFragment(root, selector);
var { hasOwnProperty } = Object.prototype;
var postTask = globalThis.scheduler && scheduler.postTask && scheduler.postTask.bind(scheduler);

// src/crawl/directives.ts
function directives() {
  const contents = (selector) => [...document.querySelectorAll(selector)].map(({ content: content2 }) => content2);
  const resolved = (url) => Object.assign(document.createElement("a"), { href: url }).href;
  const refresh = contents("meta[http-equiv=refresh i]").map((content2) => /^\s*[\d.]+[\s;,]+(?:url\s*=\s*|(?!url\s*=))(?:"([^"]*)|'([^']*)|([^"'].*))/is.exec(content2)).map((found) => found && (found.slice(1).find(Boolean) || "").trim()).find(Boolean);
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

// src/crawl/content.ts
var { contentOf, hostOrParent, inCase, isRendered, isShown, shadowOf } = globalThis.__sf;
var FRAMES = /* @__PURE__ */ new Set(["iframe", "frame", "object", "embed"]);
var SOURCES = /* @__PURE__ */ new Set(["script", "style", "template"]);
var XSLT_WARNING = "xslt-warning-banner";
var REPLACED = /* @__PURE__ */ new Set(["audio", "canvas", "img", "input", "meter", "progress", "textarea", "video", XSLT_WARNING]);
var BLOCKS = /* @__PURE__ */ new Set(["block", "flex", "flow-root", "grid", "list-item", "table"]);
var LINES = /* @__PURE__ */ new Set([...BLOCKS, "table-caption", "table-row"]);
var MAX_FRAMES = 100;
var REFERRED = /* @__PURE__ */ new Set(["clipPath", "defs", "desc", "marker", "mask", "metadata", "pattern", "symbol", "title"]);
var SVG = "http://www.w3.org/2000/svg";
var XLINK = "http://www.w3.org/1999/xlink";
var mediaTypeOf = getter(Document.prototype, "contentType");
var byId = method(Document.prototype, "getElementById");
function content(maxText, maxLinks) {
  const found = look(maxLinks);
  const root = treeOf(document) || bodyOf(document) || topOf(document);
  const text = new ShownText(maxText);
  if (root && isThere(root)) walk(root, found.around, text);
  globalThis.__sfShownFrames = text.frames;
  return {
    url: location.href,
    title: titleOf(document) || "",
    contentType: mediaTypeOf(document),
    texts: text.parts(),
    links: [...found.links].slice(0, maxLinks),
    textTruncated: text.isFull,
    linksTruncated: found.links.size > maxLinks,
    asks: window.parent === window ? directives() : null
  };
}
var treeOf = (shown) => byId(shown, "webkit-xml-viewer-source-xml") && mediaTypeOf(shown) !== "text/html" ? queryIn(shown, ".pretty-print")[0] : null;
function look(maxLinks) {
  const links = /* @__PURE__ */ new Set();
  const around = /* @__PURE__ */ new Set();
  const inside = (root) => {
    const walker = walkerIn(document, root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const tag = tagOf(node);
      const shadow = tag === XSLT_WARNING ? null : shadowOf(node);
      if ((tag === "a" || tag === "area") && links.size <= maxLinks) addLink(links, node);
      if (shadow || FRAMES.has(tag) || tag === "slot" || isShownSource(node, tag) || isDeferred(node)) {
        for (let up = node; up && !around.has(up); up = hostOrParent(up)) around.add(up);
      }
      if (shadow) inside(shadow);
    }
  };
  inside(document);
  return { links, around };
}
var isShownSource = (element, tag) => SOURCES.has(tag) && boxesOf(element).length > 0;
var isDeferred = (element) => CSS.supports("content-visibility", "auto") && getComputedStyle(element).contentVisibility === "auto";
function addLink(links, element) {
  const href = hrefOf(element);
  if (/^https?:/.test(href) && isUrl(href)) links.add(pageOf(href));
}
function isUrl(href) {
  try {
    return Boolean(new URL(href));
  } catch {
    return false;
  }
}
function hrefOf(element) {
  if (namespaceOf(element) !== SVG) return element.href || "";
  const written = writtenAttr(element, "href") || element.getAttributeNS(XLINK, "href");
  try {
    return written === null ? "" : new URL(written, baseOf(document)).href;
  } catch {
    return "";
  }
}
var isRoute = (fragment) => /^[/!]+[^/!]/.test(fragment) && byId(document, fragment) === null;
function pageOf(href) {
  const at = href.indexOf("#");
  return at < 0 || isRoute(href.slice(at + 1)) ? href : href.slice(0, at);
}
var isThere = (element) => {
  const { display } = getComputedStyle(element);
  if (display === "none") return false;
  if (display !== "contents") return isShown(element);
  const up = hostOrParent(element);
  return !up || isThere(up);
};
function walk(root, around, text) {
  const left = [{ node: root, deep: !(root instanceof HTMLElement), style: getComputedStyle(root) }];
  while (left.length && !text.isFull) {
    const next = left.pop();
    if ("ends" in next) text.end(next.ends);
    else if ("cell" in next) text.add("	");
    else if (typeOf(next.node) === 3 || typeOf(next.node) === 4) say(next.node, next.style, text);
    else if (isElement(next.node)) enter(next.node, next.deep, around, left, text);
  }
}
function enter(element, deep, around, left, text) {
  const tag = tagOf(element);
  const style = getComputedStyle(element);
  const { display } = style;
  if (SOURCES.has(tag) || display === "none" || !(display === "contents" || isShown(element))) return;
  if (tag === "br") return text.add("\n");
  const lines = tag === "p" ? 2 : LINES.has(display) ? 1 : 0;
  if (FRAMES.has(tag) && isInView(element)) text.frame(element);
  if (REPLACED.has(tag) || namespaceOf(element) === SVG && REFERRED.has(tag)) return;
  text.end(lines);
  if (tag === "select") {
    if (isRendered(element)) text.add([...element.options].map((each) => each.text).join("\n"));
  } else if (!deep && BLOCKS.has(display) && !around.has(element) && element instanceof HTMLElement) {
    text.add(innerTextOf(element));
  } else {
    if (lines) left.push({ ends: lines });
    if (display === "table-cell" && element.nextElementSibling) left.push({ cell: true });
    const within = deep || isDeferred(element);
    const children = tag === "iframe" || tag === "frame" ? [] : childrenShown(element, tag);
    for (let i = children.length - 1; i >= 0; i--) left.push({ node: children[i], deep: within, style });
    return;
  }
  text.end(lines);
}
var childrenShown = (element, tag) => tag === "slot" || shadowOf(element) ? contentOf(element) : childNodesOf(element);
function isInView(element) {
  return element.clientWidth > 1 && element.clientHeight > 1 && getComputedStyle(element).visibility === "visible";
}
function say(node, style, text) {
  const around = parentOf(node);
  if (style.visibility !== "visible") return;
  if (isElement(around) && isDoubtful(around) && !hasBox(node)) return;
  const { whiteSpace } = style;
  text.say(inCase(node.data, style), whiteSpace.startsWith("pre") || whiteSpace === "break-spaces", whiteSpace);
}
var isDoubtful = (element) => namespaceOf(element) === SVG || tagOf(element) === "object";
function hasBox(node) {
  const range = rangeIn(document);
  range.selectNodeContents(node);
  return range.getClientRects().length > 0;
}
var ShownText = class {
  frames = [];
  isFull = false;
  done = [];
  pieces = [];
  room;
  lines = 0;
  // that must be between what there is and what comes
  gap = false;
  // white space, which counts if more of the line comes
  isFresh = true;
  // whether a line begins
  constructor(room) {
    this.room = room;
  }
  // Adds text as it was written in the document.
  say(data, isKept, whiteSpace) {
    if (isKept && whiteSpace !== "pre-line") {
      if (data) this.add(data);
      return;
    }
    const words = whiteSpace === "pre-line" ? data.split("\n") : [data];
    words.forEach((line, at) => {
      if (at) this.add("\n");
      const joined = line.replace(/[ \t\n\r\f]+/g, " ");
      if (joined[0] === " ") this.gap = !this.isFresh;
      const body = joined.replace(/^ | $/g, "");
      if (!body) return;
      this.add(body);
      this.gap = joined.endsWith(" ");
    });
  }
  // Adds text as it is laid out.
  add(data) {
    if (!data) return;
    const isFirst = !this.pieces.length;
    const before = this.lines && !isFirst ? "\n".repeat(this.lines) : this.gap && data !== "\n" && !this.lines ? " " : "";
    const whole = before + data;
    this.pieces.push(whole.slice(0, this.room));
    this.isFull = whole.length > this.room;
    this.room -= Math.min(this.room, whole.length);
    this.lines = 0;
    this.gap = false;
    this.isFresh = /[\n\t]$/.test(data);
  }
  // Ends the line, and leaves `lines - 1` free if more comes.
  end(lines) {
    if (!lines) return;
    this.lines = Math.max(this.lines, lines);
    this.gap = false;
    this.isFresh = true;
  }
  frame(element) {
    if (this.frames.length >= MAX_FRAMES) {
      this.isFull = true;
      return;
    }
    this.done.push(this.pieces.join(""));
    this.pieces = [];
    this.lines = 0;
    this.gap = false;
    this.isFresh = true;
    this.frames.push(element);
  }
  parts() {
    return [...this.done, this.pieces.join("")];
  }
};
return content;
})()
