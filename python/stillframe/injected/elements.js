// Generated from js/src/elements/index.ts by js/build.mjs.
() => {
"use strict";
// src/dom/nodes.ts
var getter = (proto, name) => {
  const { get: get2 } = Object.getOwnPropertyDescriptor(proto, name);
  return (node) => get2.call(node);
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
var scrollTo2 = method(Element.prototype, "scrollIntoView");
var contains = method(Node.prototype, "contains");
var isElement = (node) => typeOf(node) === 1;
var isShadowRoot = (node) => typeOf(node) === 11 && "host" in node;
var documentOf = getter(Node.prototype, "ownerDocument");
var isRootHere = (node) => isShadowRoot(node) && documentOf(node) === document;
function attr(element, name) {
  const written = writtenAttr(element, name);
  return written === null && isAria(name) ? internalOf(element, name) : written;
}
var has = (element, name) => isWritten(element, name) || isAria(name) && internalOf(element, name) !== null;
var isAria = (name) => name === "role" || name.startsWith("aria-");
var NO_INTERNALS = /* @__PURE__ */ new Map();
var everyInternalHere = () => globalThis.__sfSettle ? globalThis.__sfSettle.everyInternal() : NO_INTERNALS;
function internalOf(element, name) {
  const values = tagOf(element).includes("-") && everyInternalHere().get(element);
  return values && owns(values, name) ? values[name] : null;
}
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
var owns = (object, name) => hasOwnProperty.call(object, name);
var lastItem = (array) => array[array.length - 1];
var postTask = globalThis.scheduler && scheduler.postTask && scheduler.postTask.bind(scheduler);
function after(ms, then) {
  if (!postTask) {
    const id = setTimeout(then, ms);
    return () => clearTimeout(id);
  }
  const off = new AbortController();
  postTask(then, { delay: ms, priority: "user-blocking", signal: off.signal }).catch(() => {
  });
  return () => off.abort();
}

// src/elements/events.ts
var eventPath = method(Event.prototype, "composedPath");
var isTrusted = (event) => event.isTrusted;
var unlisten = method(EventTarget.prototype, "removeEventListener");
var inCapture = { capture: true, passive: false };
function block(event) {
  event.stopImmediatePropagation();
  if (event.cancelable) event.preventDefault();
}
var HOLDS_FRAME = /* @__PURE__ */ new Set(["iframe", "frame", "object", "embed"]);

// src/dom/older.ts
var StrongReference = class {
  node;
  constructor(node) {
    this.node = node;
  }
  deref() {
    return this.node;
  }
};
var Reference = globalThis.WeakRef || StrongReference;
var isShown = "checkVisibility" in Element.prototype ? method(Element.prototype, "checkVisibility") : isShownByStyles;
function isShownByStyles(element, { checkVisibilityCSS = false, checkOpacity = false } = {}) {
  if (!boxesOf(element).length) return false;
  if (checkVisibilityCSS && getComputedStyle(element).visibility !== "visible") return false;
  if (!checkOpacity) return true;
  let up = element;
  while (up && getComputedStyle(up).opacity !== "0") up = slotOf(up) || elementOver(up);
  return !up;
}
function elementOver(node) {
  const parent = parentOf(node);
  return parent && (isElement(parent) ? parent : isShadowRoot(parent) ? parent.host : null);
}
var listsAnimations = "getAnimations" in Document.prototype;
var animationsIn = listsAnimations ? method(Document.prototype, "getAnimations") : animationsHeardIn;
var animationsWithin = listsAnimations ? method(ShadowRoot.prototype, "getAnimations") : animationsHeardIn;
var animationsOf = listsAnimations ? method(Element.prototype, "getAnimations") : animationsHeardOf;
var heard = /* @__PURE__ */ new Map();
var hearing = /* @__PURE__ */ new WeakSet();
var BEGINS = ["transitionrun", "animationstart"];
var ENDS = ["transitionend", "transitioncancel", "animationend", "animationcancel"];
function animationsHeardIn(root) {
  hear(root);
  return animationsHeard((element) => rootOf(element) === root);
}
function animationsHeardOf(element) {
  hear(rootOf(element));
  return animationsHeard((other) => other === element);
}
function animationsHeard(accept) {
  const found = [];
  for (const [element, animations] of heard) {
    for (const [name, animation] of animations) if (!goesOn(animation)) animations.delete(name);
    if (!animations.size) heard.delete(element);
    else if (accept(element)) found.push(...animations.values());
  }
  return found;
}
function hear(root) {
  if (hearing.has(root)) return;
  hearing.add(root);
  for (const type of BEGINS) listen(root, type, onBegin, true);
  for (const type of ENDS) listen(root, type, onEnd, true);
}
var targetOfEvent = getter(Event.prototype, "target");
function onBegin(event) {
  const element = targetOfEvent(event);
  if (!event.isTrusted || !isElement(element) || event.pseudoElement) return;
  const transition = event.propertyName !== void 0;
  const name = transition ? event.propertyName : event.animationName;
  const timing = transition ? { endTime: longestTransition(element), iterations: 1 } : timingOf(element, name);
  const began = performance.now() - (transition ? 0 : event.elapsedTime * 1e3);
  if (!heard.has(element)) heard.set(element, /* @__PURE__ */ new Map());
  heard.get(element).set(name, {
    playState: "running",
    playbackRate: 1,
    name: transition ? null : name,
    effect: { target: element, getComputedTiming: () => timing },
    get currentTime() {
      return performance.now() - began;
    }
  });
}
function onEnd(event) {
  const animations = heard.get(targetOfEvent(event));
  if (animations)
    animations.delete(event.propertyName === void 0 ? event.animationName : event.propertyName);
}
function goesOn(animation) {
  const { target, getComputedTiming } = animation.effect;
  if (!isConnected(target) || animation.currentTime >= getComputedTiming().endTime || !boxesOf(target).length)
    return false;
  if (animation.name === null) return true;
  const { animationName, animationPlayState } = getComputedStyle(target);
  animation.playState = animationPlayState.includes("paused") ? "paused" : "running";
  return animationName.split(", ").includes(animation.name);
}
var timesIn = (list) => list.split(", ").map((time) => parseFloat(time) * (time.endsWith("ms") ? 1 : 1e3));
var cycled = (list, at) => list[at % list.length];
function longestTransition(element) {
  const { transitionDuration, transitionDelay } = getComputedStyle(element);
  const durations = timesIn(transitionDuration), delays = timesIn(transitionDelay);
  return Math.max(...durations.map((duration, at) => duration + cycled(delays, at)));
}
function timingOf(element, name) {
  const { animationName, animationDuration, animationIterationCount } = getComputedStyle(element);
  const at = animationName.split(", ").indexOf(name);
  if (at < 0) return { endTime: 0, duration: 0, iterations: 1 };
  const turns = cycled(animationIterationCount.split(", "), at);
  const duration = cycled(timesIn(animationDuration), at), iterations = turns === "infinite" ? Infinity : Number(turns);
  return { endTime: duration * iterations, duration, iterations };
}
if (!listsAnimations) hear(document);

// src/elements/tree.ts
var closedRoots = /* @__PURE__ */ new WeakMap();
var shadowOf = (element) => openRootOf(element) || closedRoots.get(element) || null;
function adoptRoot(inside) {
  const root = rootOf(inside);
  if (!isRootHere(root) || shadowOf(root.host)) return false;
  closedRoots.set(root.host, root);
  return true;
}
var knownRoots = null;
function roots() {
  if (knownRoots) return knownRoots;
  const found = knownRoots = [document];
  for (const root of found) {
    const walker = walkerIn(document, root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const shadow = shadowOf(node);
      if (shadow) found.push(shadow);
    }
  }
  return found;
}
var lookAgain = () => {
  knownRoots = null;
};
function hostOrParent(node) {
  const parent = parentOf(node);
  if (isShadowRoot(parent)) return parent.host;
  return parent instanceof Element ? parent : null;
}
function renderedParent(element) {
  const slot = slotOf(element);
  if (slot) return slot;
  const parent = hostOrParent(element);
  const closed = parent && parentOf(element) === parent ? closedRoots.get(parent) : null;
  if (!closed) return parent;
  for (const inner of closed.querySelectorAll("slot")) {
    if (inner.assignedElements().includes(element)) return inner;
  }
  return parent;
}
function closestAcross(element, selector) {
  for (let at = element; at; at = renderedParent(at)) if (matches(at, selector)) return at;
  return null;
}
function isInside(element, container) {
  for (let at = element; at; at = renderedParent(at)) if (at === container) return true;
  return false;
}
var deepestAt = (x, y) => deeper(hitIn(document, x, y), x, y);
function deeper(hit, x, y) {
  for (let shadow = hit && shadowOf(hit); shadow; shadow = hit && shadowOf(hit)) {
    const inner = innerHit(shadow, x, y);
    if (!inner) break;
    hit = inner;
  }
  return hit;
}
function innerHit(shadow, x, y) {
  const one = shadow.elementFromPoint(x, y);
  if (!one || rootOf(one) === shadow) return one;
  const [first] = shadow.elementsFromPoint(x, y);
  return first && rootOf(first) === shadow ? first : null;
}
function allAt(x, y) {
  const found = /* @__PURE__ */ new Set();
  const pending = [allIn(document, x, y)];
  for (const elements of pending) {
    for (const element of elements) {
      if (found.has(element)) continue;
      found.add(element);
      const shadow = shadowOf(element);
      if (shadow) pending.push(shadow.elementsFromPoint(x, y));
    }
  }
  return found;
}
function activeElement() {
  let active = focusedIn(document);
  for (let shadow = active && shadowOf(active); shadow && shadow.activeElement; shadow = shadowOf(active)) {
    active = shadow.activeElement;
  }
  return active;
}
var isBoxless = (element) => getComputedStyle(element).display === "contents";
function boxes(element) {
  let all = [...boxesOf(element)];
  if (!all.length && isArea(element)) all = boxesOfArea(element);
  else if (!all.length && isBoxless(element)) all = contentOf(element).flatMap(boxesOfContent);
  return all.filter((box) => box.width > 0 && box.height > 0);
}
function contentOf(element) {
  const slotted = tagOf(element) === "slot" ? element.assignedNodes() : [];
  return [...slotted.length ? slotted : childNodesOf(shadowOf(element) || element)];
}
function boxesOfContent(node) {
  if (isElement(node)) return boxes(node);
  if (typeOf(node) !== 3) return [];
  const range = rangeIn(document);
  range.selectNodeContents(node);
  return [...range.getClientRects()];
}
function extentOf(element) {
  const box = boxOf(element);
  const [first, ...others] = box.width || box.height || !(isBoxless(element) || isArea(element)) ? [] : boxes(element);
  if (!first) return box;
  const sides = others.reduce(
    (all, one) => ({
      left: Math.min(all.left, one.left),
      top: Math.min(all.top, one.top),
      right: Math.max(all.right, one.right),
      bottom: Math.max(all.bottom, one.bottom)
    }),
    first
  );
  return new DOMRect(sides.left, sides.top, sides.right - sides.left, sides.bottom - sides.top);
}
var isRendered = (element) => (isShown(element, { checkVisibilityCSS: true }) || isBoxless(element) || isArea(element)) && boxes(element).length > 0;
var isArea = (element) => element instanceof HTMLAreaElement;
function pictureOf(area) {
  const map = closest(area, "map");
  const name = map && attr(map, "name");
  if (!name) return null;
  return [...queryIn(rootOf(area), "img[usemap]")].find(
    (image) => attr(image, "usemap") === `#${name}` && isRendered(image)
  ) || null;
}
function boxesOfArea(area) {
  const image = pictureOf(area);
  if (!image) return [];
  const box = boxOf(image);
  const style = getComputedStyle(image);
  const [scaleX, scaleY] = [box.width / (image.offsetWidth || 1), box.height / (image.offsetHeight || 1)];
  const left = box.left + (image.clientLeft + parseFloat(style.paddingLeft)) * scaleX;
  const top = box.top + (image.clientTop + parseFloat(style.paddingTop)) * scaleY;
  const [x1, y1, x2, y2] = sidesOfArea(area, image.width, image.height);
  return [new DOMRect(left + x1 * scaleX, top + y1 * scaleY, (x2 - x1) * scaleX, (y2 - y1) * scaleY)];
}
function sidesOfArea(area, width, height) {
  const at = (attr(area, "coords") || "").split(/[\s,;]+/).map(Number);
  const shape = (attr(area, "shape") || "rect").toLowerCase();
  if (shape === "default") return [0, 0, width, height];
  if (shape.startsWith("circ")) return [at[0] - at[2], at[1] - at[2], at[0] + at[2], at[1] + at[2]];
  const [xs, ys] = [
    at.filter((_, i) => i % 2 === 0),
    at.filter((_, i) => i % 2 === 1)
  ];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
var SILENT = /* @__PURE__ */ new Set(["script", "style", "noscript", "template", "head"]);
var collapse = (text2) => text2.replace(/\s+/g, " ").trim();
var loose = (text2) => collapse(text2).toLowerCase();
var breaksLine = (element) => !/^(inline|ruby|contents|none)/.test(getComputedStyle(element).display);
function pushReversed(stack, nodes) {
  for (let i = nodes.length - 1; i >= 0; i--) stack.push(nodes[i]);
}
function plainText(element) {
  if (element instanceof HTMLInputElement) return isButtonInput(element) ? inputValue(element) : "";
  const parts = [];
  const stack = [element];
  while (stack.length) {
    const node = stack.pop();
    if (typeof node === "string") {
      parts.push(node);
      continue;
    }
    if (typeOf(node) === 3) parts.push(node.data);
    if (!isElement(node) || SILENT.has(tagOf(node)) || tagOf(node) === "textarea") continue;
    if (tagOf(node) === "br") parts.push(" ");
    if (node !== element && breaksLine(node)) {
      parts.push(" ");
      stack.push(" ");
    }
    pushReversed(stack, childNodesOf(node));
  }
  return collapse(parts.join(""));
}
var inputValue = getter(HTMLInputElement.prototype, "value");
var inputType = getter(HTMLInputElement.prototype, "type");
var isButtonInput = (element) => ["button", "submit", "reset", "image"].includes(inputType(element));
var shorten = (text2, limit = 40) => {
  const letters = [...text2];
  return letters.length > limit ? letters.slice(0, limit - 1).join("") + "…" : text2;
};
function parentsOf(element) {
  const found = [];
  for (let up = hostOrParent(element); up; up = hostOrParent(up)) found.push(up);
  return found;
}

// src/elements/held.ts
var held = /* @__PURE__ */ new Map();
var recall = (token) => held.has(token) ? held.get(token).deref() : void 0;
var MAX_HELD = 16;
var tokenOf = /* @__PURE__ */ new WeakMap();
var lastToken = 0;
function hold(element) {
  const known = tokenOf.get(element);
  if (known !== void 0 && held.has(known)) return known;
  held.set(++lastToken, new Reference(element));
  held.delete(lastToken - MAX_HELD);
  tokenOf.set(element, lastToken);
  return lastToken;
}
function get(token) {
  const element = recall(token);
  if (!element || !isConnected(element)) throw new Error("detached");
  return element;
}
function attached(element) {
  if (!isConnected(element)) return { fault: "detached", final: true };
  for (let at = element; at; at = rootOf(at).host) adoptRoot(at);
  return { element };
}

// src/elements/relations.ts
var GAPS = /[ \t\n\f\r]+/;
var relations = null;
function relationsNow() {
  const all = roots();
  if (!relations || relations.roots !== all) relations = { roots: all, labels: labelsIn(all), owners: ownersIn(all) };
  return relations;
}
var LABELABLE = /* @__PURE__ */ new Set(["button", "input", "meter", "output", "progress", "select", "textarea"]);
var controlOf = getter(HTMLLabelElement.prototype, "control");
var isLabelable = (element) => LABELABLE.has(tagOf(element)) || tagOf(element).includes("-");
var CONTROLS_OF_LABELS = "button, input:not([type=hidden]), meter, output, progress, select, textarea";
var LABELS_AND_CONTROLS = `label, ${CONTROLS_OF_LABELS}`;
function labelsIn(all) {
  const labels = /* @__PURE__ */ new Map();
  for (const root of all) {
    const found = [...queryIn(root, LABELS_AND_CONTROLS)];
    if (found.some((element) => tagOf(element) === "label")) pairLabels(found, labels);
  }
  return labels;
}
function pairLabels(found, labels) {
  const add2 = (control, label, at) => {
    if (!labels.has(control)) labels.set(control, []);
    labels.get(control).push({ label, at });
  };
  const open = [];
  const close = ({ label, at, taken: taken2 }) => {
    const control = taken2 ? null : controlOf(label);
    if (control) add2(control, label, at);
  };
  for (const [at, element] of found.entries()) {
    while (open.length && !contains(open[open.length - 1].label, element)) close(open.pop());
    if (tagOf(element) !== "label") {
      for (let i = open.length - 1; i >= 0 && !open[i].taken; i--) {
        open[i].taken = true;
        add2(element, open[i].label, open[i].at);
      }
    } else if (has(element, "for")) {
      const control = controlOf(element);
      if (control) add2(control, element, at);
    } else {
      open.push({ label: element, at, taken: false });
    }
  }
  while (open.length) close(open.pop());
}
function labelsOf(element) {
  if (!isLabelable(element)) return [];
  const found = relationsNow().labels.get(element) || [];
  if (found.length) return [...found].sort((one, other) => one.at - other.at).map(({ label }) => label);
  const root = rootOf(element);
  const ofHost = isShadowRoot(root) && tagOf(root.host).includes("-") ? labelsOf(root.host) : [];
  return ofHost.length && queryIn(root, CONTROLS_OF_LABELS)[0] === element ? ofHost : [];
}
var MAX_IDS = 100;
function byIds(element, attribute) {
  const given = attr(element, attribute);
  if (!given) return [];
  const ids = given.split(GAPS, MAX_IDS).filter(Boolean);
  const root = rootOf(element);
  return ids.map((id) => idIn(root, id)).filter((found) => found !== null);
}
var idInDocument = method(Document.prototype, "getElementById");
var idInFragment = method(DocumentFragment.prototype, "getElementById");
var idIn = (root, id) => root instanceof Document ? idInDocument(root, id) : root instanceof DocumentFragment ? idInFragment(root, id) : null;
var labellers = (element) => byIds(element, has(element, "aria-labelledby") ? "aria-labelledby" : "aria-labeledby");
function ownersIn(all) {
  const owners = /* @__PURE__ */ new Map();
  for (const root of all) {
    for (const owner of queryIn(root, "[aria-owns]")) {
      for (const owned of byIds(owner, "aria-owns")) {
        if (!owners.has(owned) && !goesRound(owners, owner, owned)) owners.set(owned, owner);
      }
    }
  }
  return owners;
}
var MAX_OWNERS = 1e3;
function goesRound(owners, owner, owned) {
  let at = owner;
  for (let steps = 0; at && steps < MAX_OWNERS; steps++) {
    if (at === owned) return true;
    at = owners.get(at) || hostOrParent(at);
  }
  return Boolean(at);
}
var ownerOf = (element) => relationsNow().owners.get(element);
var ownedBy = (element) => has(element, "aria-owns") ? [...new Set(byIds(element, "aria-owns"))].filter((owned) => ownerOf(owned) === element) : [];

// src/elements/role_table.ts
var ROLES = {
  alert: {},
  alertdialog: {},
  application: {},
  article: {},
  banner: {},
  blockquote: {},
  button: { content: true, leaf: true, control: true },
  caption: { prohibited: true },
  cell: { content: true },
  checkbox: { content: true, leaf: true, control: true },
  code: { prohibited: true },
  columnheader: { content: true },
  combobox: { control: true },
  comment: {},
  complementary: {},
  contentinfo: {},
  definition: { prohibited: true },
  deletion: { prohibited: true },
  dialog: {},
  "doc-abstract": {},
  "doc-acknowledgments": {},
  "doc-afterword": {},
  "doc-appendix": {},
  "doc-backlink": { content: true, control: true },
  "doc-biblioentry": {},
  "doc-bibliography": {},
  "doc-biblioref": { content: true, control: true },
  "doc-chapter": {},
  "doc-colophon": {},
  "doc-conclusion": {},
  "doc-cover": {},
  "doc-credit": {},
  "doc-credits": {},
  "doc-dedication": {},
  "doc-endnote": {},
  "doc-endnotes": {},
  "doc-epigraph": {},
  "doc-epilogue": {},
  "doc-errata": {},
  "doc-example": {},
  "doc-footnote": {},
  "doc-foreword": {},
  "doc-glossary": {},
  "doc-glossref": { content: true, control: true },
  "doc-index": {},
  "doc-introduction": {},
  "doc-noteref": { content: true, control: true },
  "doc-notice": {},
  "doc-pagebreak": { leaf: true },
  "doc-pagefooter": { prohibited: true },
  "doc-pageheader": { prohibited: true },
  "doc-pagelist": {},
  "doc-part": {},
  "doc-preface": {},
  "doc-prologue": {},
  "doc-pullquote": { prohibited: true },
  "doc-qna": {},
  "doc-subtitle": { content: true },
  "doc-tip": {},
  "doc-toc": {},
  document: {},
  emphasis: { prohibited: true },
  feed: {},
  figure: {},
  form: {},
  generic: { prohibited: true },
  "graphics-document": {},
  "graphics-object": { content: true },
  "graphics-symbol": { leaf: true },
  grid: {},
  gridcell: { content: true, control: true },
  group: {},
  heading: { content: true },
  iframe: {},
  img: { leaf: true },
  insertion: { prohibited: true },
  link: { content: true, control: true },
  list: {},
  listbox: { control: true },
  listitem: {},
  log: {},
  main: {},
  mark: { prohibited: true },
  marquee: {},
  math: { content: true },
  menu: {},
  menubar: {},
  menuitem: { content: true, control: true },
  menuitemcheckbox: { content: true, leaf: true, control: true },
  menuitemradio: { content: true, leaf: true, control: true },
  meter: { leaf: true },
  navigation: {},
  none: { prohibited: true },
  note: {},
  option: { content: true, leaf: true, control: true },
  paragraph: { prohibited: true },
  progressbar: { leaf: true },
  radio: { content: true, leaf: true, control: true },
  radiogroup: {},
  region: {},
  row: { content: true },
  rowgroup: {},
  rowheader: { content: true },
  scrollbar: { leaf: true, control: true },
  search: {},
  searchbox: { control: true },
  sectionfooter: {},
  sectionheader: {},
  separator: { leaf: true },
  slider: { leaf: true, control: true },
  spinbutton: { control: true },
  status: {},
  strong: { prohibited: true },
  subscript: { prohibited: true },
  suggestion: { prohibited: true },
  superscript: { prohibited: true },
  switch: { content: true, leaf: true, control: true },
  tab: { content: true, leaf: true, control: true },
  table: {},
  tablist: {},
  tabpanel: {},
  term: { content: true, prohibited: true },
  textbox: { control: true },
  time: { prohibited: true },
  timer: {},
  toolbar: {},
  tooltip: { content: true },
  tree: {},
  treegrid: {},
  treeitem: { content: true, control: true },
  directory: { synonym: "list" },
  image: { leaf: true, synonym: "img" },
  presentation: { prohibited: true, synonym: "none" }
};
var STATEFUL_ROLES = {
  checked: ["checkbox", "menuitemcheckbox", "menuitemradio", "option", "radio", "switch", "treeitem"],
  pressed: ["button"],
  selected: ["columnheader", "gridcell", "option", "row", "rowheader", "tab", "treeitem"],
  expanded: [
    "application",
    "button",
    "checkbox",
    "columnheader",
    "combobox",
    "gridcell",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "row",
    "rowheader",
    "switch",
    "tab",
    "treeitem"
  ],
  level: ["heading", "listitem", "row", "treeitem"],
  disabled: [
    "application",
    "button",
    "checkbox",
    "columnheader",
    "combobox",
    "grid",
    "gridcell",
    "group",
    "link",
    "listbox",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "radiogroup",
    "row",
    "rowheader",
    "scrollbar",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "tablist",
    "textbox",
    "toolbar",
    "tree",
    "treegrid",
    "treeitem"
  ]
};

// src/elements/roles.ts
var roleFacts = (role) => ROLES[role] || NO_FACTS;
var NO_FACTS = {};
var isWord = (word) => owns(ROLES, word) && word !== "iframe";
function roleOf(element) {
  const given = attr(element, "role");
  const explicit = given ? explicitRole(element, given) : null;
  return explicit === null ? nativeRole(element) : explicit;
}
var MAX_ROLE_WORDS = 32;
function explicitRole(element, given) {
  for (const word of given.toLowerCase().split(GAPS, MAX_ROLE_WORDS)) {
    if (!isWord(word)) continue;
    const role = ROLES[word].synonym || word;
    if ((role === "form" || role === "region") && !hasOwnName(element) && !has(element, "aria-roledescription"))
      continue;
    if (role === "none" && undoesNone(element)) return null;
    if (role === "combobox" && tagOf(element) === "select" && !isListBox(element)) return null;
    return role === "none" || role === "generic" ? "" : role;
  }
  return null;
}
var MAX_DEPTH = 512;
function firstWord(element) {
  const words = (attr(element, "role") || "").toLowerCase().split(GAPS, MAX_ROLE_WORDS);
  const word = words.find(isWord);
  return word ? ROLES[word].synonym || word : "";
}
var GLOBAL = [
  "atomic",
  "braillelabel",
  "brailleroledescription",
  "busy",
  "controls",
  "current",
  "describedby",
  "description",
  "details",
  "dropeffect",
  "flowto",
  "grabbed",
  "keyshortcuts",
  "label",
  "labelledby",
  "live",
  "owns",
  "relevant",
  "roledescription"
].map((name) => `aria-${name}`);
var undoesNone = (element) => isFocusable(element) || GLOBAL.some((name) => has(element, name)) && !tagOf(element).includes("-");
var FOCUSABLE = "a[href], area[href], iframe, summary:first-of-type, audio[controls], video[controls], button:enabled, input:not([type=hidden]):enabled, select:enabled, textarea:enabled";
function isFocusable(element) {
  if (has(element, "tabindex") && /^\s*-?\d/.test(attr(element, "tabindex"))) return !matches(element, ":disabled");
  return matches(element, FOCUSABLE) || isEditingHost(element);
}
var isEditingHost = (element) => has(element, "contenteditable") && matches(element, ":read-write") && !(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement);
var hasOwnName = (element) => has(element, "aria-label") && /\S/.test(attr(element, "aria-label")) || has(element, "aria-labelledby") && labellers(element).length > 0 || has(element, "title") && /\S/.test(attr(element, "title"));
var TAG_ROLES = {
  address: "group",
  article: "article",
  blockquote: "blockquote",
  button: "button",
  caption: "caption",
  code: "code",
  datalist: "listbox",
  dd: "definition",
  del: "deletion",
  details: "group",
  dfn: "term",
  dialog: "dialog",
  dt: "term",
  em: "emphasis",
  fieldset: "group",
  figure: "figure",
  form: "form",
  frame: "iframe",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  h5: "heading",
  h6: "heading",
  hgroup: "group",
  hr: "separator",
  iframe: "iframe",
  ins: "insertion",
  main: "main",
  mark: "mark",
  math: "math",
  menu: "list",
  meter: "meter",
  nav: "navigation",
  ol: "list",
  optgroup: "group",
  option: "option",
  output: "status",
  p: "paragraph",
  progress: "progressbar",
  s: "deletion",
  search: "search",
  strong: "strong",
  sub: "subscript",
  sup: "superscript",
  textarea: "textbox",
  time: "time",
  ul: "list"
};
var INPUT_ROLES = {
  button: "button",
  checkbox: "checkbox",
  file: "button",
  hidden: "",
  image: "button",
  number: "spinbutton",
  radio: "radio",
  range: "slider",
  reset: "button",
  search: "searchbox",
  submit: "button"
};
var LISTED_INPUTS = /* @__PURE__ */ new Set([
  "date",
  "datetime-local",
  "email",
  "month",
  "number",
  "search",
  "tel",
  "text",
  "time",
  "url",
  "week"
]);
var SECTIONS = /* @__PURE__ */ new Set(["article", "complementary", "navigation", "region"]);
var GRIDS = /* @__PURE__ */ new Set(["grid", "treegrid"]);
var TABLES = /* @__PURE__ */ new Set(["table", ...GRIDS]);
var SPECIAL_ROLES = {
  a: (e) => has(e, "href") || has(e, "onclick") ? "link" : "",
  area: (e) => has(e, "href") ? "link" : "",
  aside: (e) => hasOwnName(e) || !isSectioned(e) ? "complementary" : "",
  footer: (e) => isSectioned(e, "main") ? "sectionfooter" : "contentinfo",
  header: (e) => isSectioned(e, "main") ? "sectionheader" : "banner",
  img: (e) => attr(e, "alt") === "" && !undoesNone(e) && !attr(e, "title") ? "" : "img",
  input: inputRole,
  li: itemRole,
  section: (e) => hasOwnName(e) ? "region" : "",
  select: (e) => isListBox(e) ? "listbox" : "combobox",
  summary: (e) => isSummary(e) ? "button" : "",
  table: () => "table",
  tbody: (e) => tableRole(e) ? "rowgroup" : "",
  td: (e) => cellRole(e, () => "cell"),
  tfoot: (e) => tableRole(e) ? "rowgroup" : "",
  th: (e) => cellRole(e, headerRole),
  thead: (e) => tableRole(e) ? "rowgroup" : "",
  tr: (e) => tableRole(e) ? "row" : ""
};
var SVG_ROLES = {
  a: "group",
  foreignObject: "group",
  g: "group",
  text: "group",
  use: "graphics-object"
};
var SVG_SHAPES = /* @__PURE__ */ new Set(["circle", "ellipse", "line", "path", "polygon", "polyline", "rect"]);
var isSvg = (element) => element instanceof SVGElement;
function nativeRole(element) {
  const tag = tagOf(element);
  if (isSvg(element)) return svgRole(element, tag);
  const role = owns(SPECIAL_ROLES, tag) ? SPECIAL_ROLES[tag](element) : owns(TAG_ROLES, tag) ? TAG_ROLES[tag] : "";
  return role || (isEditingHost(element) ? "textbox" : "");
}
function svgRole(element, tag) {
  if (tag === "a" && (has(element, "href") || has(element, "xlink:href"))) return "link";
  if (tag === "svg") return "img";
  if (!titleIn(element) && !hasOwnName(element)) return "";
  if (tag === "image") return "img";
  return SVG_SHAPES.has(tag) ? "graphics-symbol" : owns(SVG_ROLES, tag) ? SVG_ROLES[tag] : "";
}
var titleIn = (element) => childOf(element, "title");
var childOf = (element, tag) => {
  for (const child2 of childrenOf(element)) if (tagOf(child2) === tag) return child2;
  return null;
};
var sizeOf = getter(HTMLSelectElement.prototype, "size");
var isListBox = (select) => has(select, "multiple") || sizeOf(select) > 1;
var listOf = getter(HTMLInputElement.prototype, "list");
function inputRole(element) {
  const type = inputType(element);
  if (LISTED_INPUTS.has(type) && has(element, "list") && listOf(element)) return "combobox";
  return owns(INPUT_ROLES, type) ? INPUT_ROLES[type] : "textbox";
}
function itemRole(element) {
  const list = hostOrParent(element);
  const isOther = list && LIST_TAGS.has(tagOf(list)) && has(list, "role") && roleOf(list) !== "list";
  return isOther ? "" : "listitem";
}
var LIST_TAGS = /* @__PURE__ */ new Set(["ul", "ol", "menu"]);
function isSummary(element) {
  const parent = hostOrParent(element);
  return parent !== null && tagOf(parent) === "details" && childOf(parent, "summary") === element;
}
function isSectioned(element, more = "") {
  let at = hostOrParent(element);
  for (let depth = 0; at && depth < MAX_DEPTH; depth++, at = hostOrParent(at)) {
    const role = has(at, "role") ? roleOf(at) : "";
    if (role ? SECTIONS.has(role) || role === more : isSection(at, more)) return true;
  }
  return false;
}
var SECTION_TAGS = /* @__PURE__ */ new Set(["article", "aside", "nav", "section"]);
var isSection = (element, more) => (SECTION_TAGS.has(tagOf(element)) || tagOf(element) === more) && !(has(element, "role") && firstWord(element) === "none");
var tableOf = (element) => closest(element, "table");
function tableRole(element) {
  const table = tableOf(element);
  const role = table ? roleOf(table) : "";
  return TABLES.has(role) ? role : "";
}
function cellRole(element, fallback) {
  const table = tableRole(element);
  if (!table) return "";
  const row = hostOrParent(element);
  if (!row || tagOf(row) !== "tr" || has(row, "role") && roleOf(row) !== "row") return "";
  const role = fallback(element);
  return role === "cell" && GRIDS.has(table) ? "gridcell" : role;
}
var SCOPES = {
  row: "rowheader",
  rowgroup: "rowheader",
  col: "columnheader",
  colgroup: "columnheader"
};
var isHeader = (cell) => cell !== null && tagOf(cell) === "th";
var isFilled = (cell) => cell !== null && tagOf(cell) === "td" && childNodesOf(cell).length > 0;
var nextOf = getter(Element.prototype, "nextElementSibling");
var previousOf = getter(Element.prototype, "previousElementSibling");
var firstOf = getter(Element.prototype, "firstElementChild");
var lastOf = getter(Element.prototype, "lastElementChild");
function headerRole(cell) {
  const scope = (attr(cell, "scope") || "").toLowerCase();
  if (owns(SCOPES, scope)) return SCOPES[scope];
  const [before, behind] = [previousOf(cell), nextOf(cell)];
  if (!before && !behind || isHeader(before) && isHeader(behind)) return "columnheader";
  if (isFilled(before) || isFilled(behind)) return "rowheader";
  const row = hostOrParent(cell);
  const [first, last] = [firstOf(row), lastOf(row)];
  const ends = [first, last, first && nextOf(first), last && previousOf(last)];
  return ends.some(isFilled) ? "rowheader" : "columnheader";
}

// src/elements/words.ts
var INVISIBLE = /[\u00ad\u200b\u2060\ufeff\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;
var visibleText = (text2) => text2.replace(INVISIBLE, "");
function fold(text2) {
  const lower = text2.toLowerCase();
  if (lower.length === text2.length) return lower;
  return [...text2].map((letter) => {
    const small = letter.toLowerCase();
    return small.length === letter.length ? small : letter;
  }).join("");
}
var CASES = {
  uppercase: (text2) => text2.toUpperCase(),
  lowercase: (text2) => text2.toLowerCase(),
  capitalize: (text2) => text2.replace(WORD_STARTS, (letter) => letter.toUpperCase())
};
var WORD_STARTS = new RegExp("(?<![\\p{L}\\p{M}\\p{N}'\\u2019_])\\p{L}", "gu");
var inCase = (text2, { textTransform }) => owns(CASES, textTransform) ? CASES[textTransform](text2) : text2;
var shownText = (text2, element) => /\S/.test(text2) ? inCase(text2, getComputedStyle(element)) : text2;
var Prose = class {
  parts = [];
  length = 0;
  starts = [];
  ends = [];
  gap = false;
  // whether white space comes before the next text
  whole;
  say(data) {
    const words = visibleText(data).replace(/\s+/g, " ");
    if (words[0] === " ") this.gap = true;
    const body = words.trim();
    if (!body) return;
    this.put((this.gap && this.length ? " " : "") + body);
    this.gap = words.endsWith(" ");
  }
  put(text2) {
    this.parts.push(text2);
    this.length += text2.length;
    this.gap = false;
  }
  all() {
    if (this.whole === void 0) this.whole = this.parts.join("");
    return this.whole;
  }
  textOf(i) {
    return this.all().slice(this.starts[i], this.ends[i]);
  }
  // Returns a predicate for element numbers: whether the element's text is, or contains, these words.
  test(words, exact) {
    const text2 = this.all();
    const found = occurrences(exact ? text2 : fold(text2), words);
    return (i) => {
      const end = this.ends[i];
      const start = this.starts[i] + (text2[this.starts[i]] === " " ? 1 : 0);
      const next = found[lowerBound(found, start)];
      if (next === void 0 || next + words.length > end) return false;
      return !exact || next === start && next + words.length === end;
    };
  }
};
function occurrences(text2, words) {
  const first = text2.indexOf(words);
  if (first < 0) return [];
  const borders = new Uint32Array(words.length);
  for (let i = 1, k = 0; i < words.length; i++) {
    while (k && words[i] !== words[k]) k = borders[k - 1];
    if (words[i] === words[k]) k++;
    borders[i] = k;
  }
  const found = [];
  for (let i = first, k = 0; i < text2.length; i++) {
    while (k && text2[i] !== words[k]) k = borders[k - 1];
    if (text2[i] === words[k]) k++;
    if (k === words.length) {
      found.push(i - k + 1);
      k = borders[k - 1];
    }
  }
  return found;
}
function lowerBound(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
var WALL = "\0";
var FIELD_TAGS = /* @__PURE__ */ new Set(["input", "select", "textarea"]);
function read(top, labels = false) {
  const elements = [];
  const last = [];
  const seen = new Prose();
  const source = new Prose();
  const part = (element) => {
    if (!seen.gap && seen.length && breaksLine(element)) seen.gap = true;
  };
  const leave = (i) => {
    seen.ends[i] = seen.length;
    source.ends[i] = source.length;
    last[i] = elements.length - 1;
    part(elements[i]);
  };
  const stack = [top];
  while (stack.length) {
    const node = stack.pop();
    if (typeof node === "number") {
      leave(node);
      continue;
    }
    if (typeof node === "string") {
      seen.put(WALL);
      source.put(WALL);
      continue;
    }
    if (typeOf(node) === 3) {
      const { data } = node;
      seen.say(shownText(data, hostOrParent(node)));
      source.say(data);
      continue;
    }
    if (!isElement(node) || SILENT.has(tagOf(node))) continue;
    part(node);
    const i = elements.push(node) - 1;
    seen.starts[i] = seen.length;
    source.starts[i] = source.length;
    if (tagOf(node) === "br") seen.gap = source.gap = true;
    if (labels && FIELD_TAGS.has(tagOf(node))) {
      leave(i);
      continue;
    }
    if (node instanceof HTMLInputElement && isButtonInput(node)) {
      seen.gap = true;
      seen.say(inputValue(node));
      leave(i);
      seen.gap = true;
      continue;
    }
    if (tagOf(node) === "textarea") {
      leave(i);
      source.say(rawText(node) || "");
      continue;
    }
    stack.push(i);
    const shadow = shadowOf(node);
    if (shadow) {
      stack.push(WALL);
      pushReversed(stack, childNodesOf(shadow));
      stack.push(WALL);
    }
    pushReversed(stack, childNodesOf(node));
  }
  return { elements, last, seen, source };
}
function havingText({ elements, seen, source }, wanted) {
  const tests = [wanted.testOf(seen), wanted.testOf(source)];
  return [...elements.keys()].filter((i) => tests.some((test) => test(i)));
}
function innermostHaving(reading, wanted) {
  const holders = havingText(reading, wanted);
  return holders.filter((i, at) => !(holders[at + 1] <= reading.last[i])).map((i) => reading.elements[i]);
}
function withOwnLine({ elements }, words) {
  return elements.filter((element) => {
    if (element instanceof HTMLTextAreaElement) return false;
    let line = "";
    for (const node of childNodesOf(element)) {
      if (typeOf(node) === 3) line += node.data;
      else if (typeOf(node) === 1) {
        if (collapse(visibleText(line)) === words) return true;
        line = "";
      }
    }
    return collapse(visibleText(line)) === words;
  });
}
function mayRead(words) {
  const squeeze = (text2) => fold(visibleText(text2)).replace(/\s+/g, "");
  const wanted = squeeze(words);
  return roots().some((root) => {
    const top = root === document ? topOf(document) : root;
    if (top && squeeze(rawText(top) || "").includes(wanted)) return true;
    return [...queryIn(root, "input")].filter(isButtonInput).map((input) => squeeze(inputValue(input))).some((value) => value && (value.includes(wanted) || wanted.includes(value)));
  });
}

// src/elements/generated.ts
var GENERATED = ["::before", "::after"];
var PIECE = /"((?:[^"\\]|\\[\s\S])*)"|([a-z-]+)(?:\((?:"(?:[^"\\]|\\[\s\S])*"|[^"()])*\))?|(\/)/gi;
var ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi;
var QUOTES = ["open-quote", "close-quote"];
var ENGLISH_QUOTES = ["“", "”", "‘", "’"];
var MAX_CONTENT = 1e5;
var unescaped = (text2) => text2.replace(ESCAPE, (_, hex, other) => {
  if (!hex) return other === "\n" ? "" : other;
  const code = parseInt(hex, 16);
  return code && code <= 1114111 ? String.fromCodePoint(code) : "�";
});
function wordsOf({ content: content2, quotes }, depth) {
  if (!content2 || content2 === "none" || content2 === "normal") return null;
  const sides = [""];
  for (const [, string, word, slash] of content2.slice(0, MAX_CONTENT).matchAll(PIECE)) {
    if (slash) sides.push("");
    else sides[sides.length - 1] += word ? quote(word, quotes, depth) : unescaped(string);
  }
  return { text: sides[sides.length - 1], isAlternative: sides.length > 1 };
}
function quote(word, quotes, depth) {
  const side = QUOTES.indexOf(word);
  if (side < 0 || depth === NOT_QUOTED) return "";
  const own = [...quotes.matchAll(PIECE)].flatMap(([, mark]) => mark === void 0 ? [] : [unescaped(mark)]);
  const marks = quotes === "auto" ? ENGLISH_QUOTES : own;
  return marks[Math.min(2 * depth, marks.length - 2) + side] || "";
}
function quotesRound(element, which) {
  const isOpened = which === "::before" || getComputedStyle(element, "::before").content.includes("open-quote");
  const outer = parentOf(element);
  return !isOpened ? NOT_QUOTED : outer instanceof Element && closest(outer, "q") ? 1 : 0;
}
var NOT_QUOTED = -1;
var REPLACED = /* @__PURE__ */ new Set([
  "audio",
  "br",
  "canvas",
  "embed",
  "frame",
  "iframe",
  "img",
  "input",
  "math",
  "meter",
  "object",
  "progress",
  "select",
  "svg",
  "textarea",
  "video",
  "wbr"
]);
function generatedBy(element, which) {
  if (isSvg(element) || REPLACED.has(tagOf(element))) return null;
  const style = getComputedStyle(element, which);
  const { content: content2 } = style;
  const words = wordsOf(style, content2.includes("quote") ? quotesRound(element, which) : 0);
  if (!words || style.display === "none" || style.visibility !== "visible") return null;
  const edge = !isInline(style.display);
  const [text2, from] = words.isAlternative ? [words.text, "attribute"] : [inCase(words.text, style), "content"];
  return { text: text2, from, starts: edge, ends: edge };
}
var isInline = (display) => display === "inline" || display === "ruby" || display === "ruby-text";

// src/elements/states.ts
var CHECKED_ROLES = /* @__PURE__ */ new Set(["checkbox", "menuitemcheckbox", "menuitemradio", "radio", "switch"]);
var MAY_BE_CHECKED = new Set(STATEFUL_ROLES.checked);
var MAY_BE_MIXED = /* @__PURE__ */ new Set(["checkbox", "menuitemcheckbox", "option", "treeitem"]);
var SELECTED_ROLES = /* @__PURE__ */ new Set(["option", "tab"]);
var MAY_BE_SELECTED = new Set(STATEFUL_ROLES.selected);
var LEVELLED_ROLES = new Set(STATEFUL_ROLES.level);
var COLLAPSIBLE_ROLES = new Set(STATEFUL_ROLES.expanded);
var isOnNow = getter(HTMLInputElement.prototype, "checked");
var isIndeterminate = getter(HTMLInputElement.prototype, "indeterminate");
var isChosen = getter(HTMLOptionElement.prototype, "selected");
var isOpen = getter(HTMLDetailsElement.prototype, "open");
var TRUTH = { true: true, false: false };
function ariaState(element, name, mayBeMixed = false) {
  const given = (attr(element, name) || "").trim().toLowerCase();
  if (given === "mixed") return mayBeMixed ? "mixed" : false;
  return owns(TRUTH, given) ? TRUTH[given] : void 0;
}
var STATE_READERS = {
  disabled: (element) => isDisabled(element),
  // For a native checkbox or radio button its own state counts, not an attribute.
  checked(element) {
    const role = roleOf(element);
    if (element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(inputType(element)) && role !== "button") {
      return inputType(element) === "checkbox" && isIndeterminate(element) ? "mixed" : isOnNow(element);
    }
    if (!MAY_BE_CHECKED.has(role)) return void 0;
    const checked = ariaState(element, "aria-checked", MAY_BE_MIXED.has(role));
    return checked === void 0 && CHECKED_ROLES.has(role) ? false : checked;
  },
  pressed: (element) => roleOf(element) === "button" ? ariaState(element, "aria-pressed", true) : void 0,
  selected(element) {
    if (element instanceof HTMLOptionElement) return isChosen(element);
    const role = roleOf(element);
    if (!MAY_BE_SELECTED.has(role)) return void 0;
    const selected = ariaState(element, "aria-selected");
    return selected === void 0 && SELECTED_ROLES.has(role) ? false : selected;
  },
  expanded(element) {
    if (element instanceof HTMLDetailsElement) return isOpen(element);
    if (tagOf(element) === "summary" && isSummary(element)) return isOpen(hostOrParent(element));
    const target = popoverOf(element);
    if (target) return matches(target, ":popover-open");
    if (element instanceof HTMLSelectElement && !isListBox(element)) return isPickerOpen(element);
    return COLLAPSIBLE_ROLES.has(roleOf(element)) ? ariaState(element, "aria-expanded") : void 0;
  },
  level(element) {
    const role = roleOf(element);
    if (!LEVELLED_ROLES.has(role)) return void 0;
    const given = Number(attr(element, "aria-level"));
    if (Number.isInteger(given) && given > 0) return given;
    const own = /^h([1-6])$/.exec(tagOf(element));
    return own ? Number(own[1]) : role === "heading" ? 2 : void 0;
  }
};
function popoverOf(element) {
  if (!("popover" in HTMLElement.prototype)) return null;
  if (!has(element, "popovertarget") || !(element instanceof HTMLButtonElement || element instanceof HTMLInputElement)) {
    return null;
  }
  const target = idIn(rootOf(element), attr(element, "popovertarget"));
  return target && has(target, "popover") ? target : null;
}
function isPickerOpen(select) {
  return CSS.supports("selector(:open)") && matches(select, ":open");
}
var stateOf = (element, state) => owns(STATE_READERS, state) ? STATE_READERS[state](element) : void 0;

// src/elements/content.ts
var isAriaHidden = (element) => /^\s*true\s*$/i.test(attr(element, "aria-hidden") || "") && !["body", "html", "option"].includes(tagOf(element));
function isHidden(element) {
  if (!isShown(element, { checkVisibilityCSS: true }) && !isBoxless(element)) return true;
  for (let at = element; at; at = renderedParent(at)) if (isPassedOver(at)) return true;
  return false;
}
var isPassedOver = (element) => has(element, "aria-hidden") && isAriaHidden(element) || has(element, "inert");
function renderedChildren(element) {
  const owned = ownedBy(element);
  const own = naturalChildren(element);
  return relationsNow().owners.size ? [...own, ...owned].filter((node) => !isElsewhere(node, element)) : own;
}
var assignedTo = method(HTMLSlotElement.prototype, "assignedNodes");
function naturalChildren(element) {
  if (element instanceof HTMLDetailsElement && !isOpen(element))
    return [childOf(element, "summary")].filter((child2) => child2 !== null);
  if (tagOf(element) === "slot" && element instanceof HTMLSlotElement) {
    const assigned = assignedTo(element);
    return assigned.length ? assigned : childNodesOf(element);
  }
  return childNodesOf(shadowOf(element) || element);
}
var isElsewhere = (node, element) => isElement(node) && ownerOf(node) !== void 0 && ownerOf(node) !== element;
function* content(element, state) {
  const gathered = { text: "", starts: false, ends: false, from: "" };
  add(gathered, generatedBy(element, "::before"));
  const silent = !state.referredHidden && state.silent === element;
  let before = null;
  for (const node of renderedChildren(element)) {
    if (isFull(state)) break;
    if (before && parentOf(before) !== parentOf(node)) add(gathered, GAP);
    before = node;
    if (typeOf(node) === 3) {
      if (silent) continue;
      const { data } = node;
      state.seen.count += Math.sign(data.length);
      const isWritten2 = state.written || state.referredHidden || tagOf(element) === "option";
      const text2 = isWritten2 ? data : shownText(data, element);
      add(gathered, { text: text2, from: "content", starts: state.referredHidden, ends: state.referredHidden });
    } else if (isElement(node)) {
      add(gathered, yield child(node, state));
    }
  }
  add(gathered, generatedBy(element, "::after"));
  return { ...gathered, from: "content" };
}
var ATOMIC = /* @__PURE__ */ new Set([
  "audio",
  "canvas",
  "embed",
  "iframe",
  "img",
  "input",
  "math",
  "meter",
  "object",
  "progress",
  "select",
  "svg",
  "textarea",
  "video"
]);
var NOT_DRAWN = /* @__PURE__ */ new Set([
  "clipPath",
  "defs",
  "desc",
  "filter",
  "linearGradient",
  "marker",
  "mask",
  "metadata",
  "pattern",
  "radialGradient",
  "symbol",
  "title"
]);
var BREAK = { text: "\n", from: "content", starts: true, ends: true };
var GAP = { text: "", from: "", starts: true, ends: true };
function lineBreak(state) {
  state.seen.count++;
  return BREAK;
}
function* child(element, state) {
  const tag = tagOf(element);
  if (tag === "br") return lineBreak(state);
  if (tag === "wbr") return GAP;
  if (SILENT.has(tag) || isSvg(element) && NOT_DRAWN.has(tag)) return NOTHING;
  const style = getComputedStyle(element);
  const edge = state.referredHidden || !isInline(style.display) || ATOMIC.has(tag) || tag === "text" && isSvg(element);
  if (!state.referredHidden) {
    if (style.display === "none" && !isOptionShown(element)) return NOTHING;
    if (isPassedOver(element)) return edge ? GAP : NOTHING;
    if (style.visibility !== "visible") return yield shownWithin(element, state, edge);
  }
  return yield text(element, state, edge);
}
var isOptionShown = (element) => tagOf(element) === "option" || tagOf(element) === "optgroup";
function* shownWithin(element, state, edge) {
  const inner = yield content(element, { ...state, silent: element });
  return { ...inner, starts: edge || inner.starts, ends: edge || inner.ends };
}
function* text(element, state, edge) {
  if (state.visited.has(element) && !state.referred) return edge ? GAP : NOTHING;
  const role = roleOf(element);
  if (role === "" && tagOf(element) === "img") return NOTHING;
  if (edge || role || attr(element, "aria-label") !== null || has(element, "title")) state.seen.count++;
  const part = yield alternative(element, role, state, true);
  const isApart = edge || CONTROL_TAGS.has(tagOf(element)) || has(element, "role") && roleFacts(role).control && role !== "link";
  return { text: part.text, from: part.from, starts: isApart || part.starts, ends: isApart || part.ends };
}
var CONTROL_TAGS = /* @__PURE__ */ new Set(["button", "fieldset", "input", "object", "output", "select", "textarea"]);
var isSpace = (letter) => letter === " " || letter === "\n" || letter === "	" || letter === "\f" || letter === "\r";
function add(gathered, part) {
  if (!part) return;
  const isFirst = gathered.from === "";
  if (part.text) {
    const apart = gathered.ends || part.starts || part.from !== "content" || gathered.from !== "content";
    const joined2 = gathered.text && !isSpace(gathered.text[gathered.text.length - 1]) && !isSpace(part.text[0]);
    if (!isFirst && apart && joined2) gathered.text += " ";
    gathered.text += part.text;
    gathered.starts = gathered.starts || isFirst && part.starts;
    gathered.from = part.from;
    gathered.ends = part.ends;
  } else if (part.starts) {
    if (isFirst) gathered.starts = true;
    gathered.ends = true;
  }
}

// src/elements/names.ts
function run(step) {
  const stack = [step];
  let value;
  while (stack.length) {
    const { done, value: next } = stack[stack.length - 1].next(value);
    if (done) {
      stack.pop();
      value = next;
    } else {
      stack.push(next);
      value = void 0;
    }
  }
  return value;
}
var NOTHING = { text: "", from: "", starts: false, ends: false };
var namePart = (text2, from) => ({ text: text2, from, starts: false, ends: false });
var MAX_VISITED = 100;
var MAX_WRAPPERS = 5e3;
var isFull = (state) => state.seen.count > MAX_VISITED || state.visited.size > MAX_WRAPPERS;
var isBlank = (text2) => !/[^ \t\n\f\r]/.test(text2);
var tidy = (text2) => text2.replace(/[ \t\n\f\r]+/g, " ").replace(/^ | $/g, "");
var isGap = (letter) => letter === " " || letter === " ";
function tidyContent(text2) {
  const tidied2 = tidy(text2);
  let [start, end] = [0, tidied2.length];
  while (start < end && isGap(tidied2[start])) start++;
  while (end > start && isGap(tidied2[end - 1])) end--;
  return tidied2.slice(start, end);
}
var computation = (written = false) => ({
  visited: /* @__PURE__ */ new Set(),
  seen: { count: 1 },
  referred: null,
  referredHidden: false,
  written
});
function named(element, role, written = false) {
  const { text: text2, from } = run(alternative(element, role, computation(written), false));
  return namePart(from === "content" ? tidyContent(text2) : tidy(text2), from);
}
var nameOf = (element, role = roleOf(element)) => named(element, role).text;
var legibleName = (element, role = roleOf(element)) => collapse(visibleText(nameOf(element, role)));
var writtenNameOf = (element, role) => named(element, role, true).text;
var isUnnamed = (element, role) => roleFacts(role || "generic").prohibited && !isFocusable(element) && !tagOf(element).includes("-") && !(role === "" && TITLED_TAGS.has(tagOf(element)));
var TITLED_TAGS = /* @__PURE__ */ new Set(["abbr", "audio", "canvas", "dl", "figcaption", "label", "legend", "ruby", "video"]);
function* alternative(element, role, state, isPart2) {
  const wasVisited = state.visited.has(element);
  if (isPart2 && !wasVisited) {
    const value = yield embeddedValue(element, role, state);
    if (value !== null) return namePart(value, "value");
  }
  state.visited.add(element);
  if (isPart2 && tagOf(element) === "slot") return yield content(element, state);
  if (!state.referred && !wasVisited) {
    const text2 = yield referredText(labellers(element), state);
    if (!isBlank(text2)) return namePart(text2, "related");
  }
  const label = attr(element, "aria-label");
  if (label && !isBlank(label)) return namePart(label, "attribute");
  const native = yield nativeName(element, role, state);
  if (native.text) return native;
  const inner = takesContent(element, role, state, isPart2) ? yield content(element, state) : NOTHING;
  if (!isBlank(inner.text)) return inner;
  const title2 = native.isFinal && !state.referred ? "" : attr(element, "title");
  if (!title2 || isBlank(title2) || !state.referred && isUnnamed(element, role)) return inner;
  return !isPart2 && !state.referred && collapse(title2) === plainText(element) ? inner : namePart(title2, "title");
}
var PASSING = /* @__PURE__ */ new Set([
  "",
  "caption",
  "code",
  "definition",
  "deletion",
  "emphasis",
  "insertion",
  "list",
  "listitem",
  "mark",
  "paragraph",
  "region",
  "strong",
  "subscript",
  "superscript",
  "term",
  "time"
]);
var PASSING_TAGS = /* @__PURE__ */ new Set(["address", "details", "footer"]);
var NOT_PASSING_TAGS = /* @__PURE__ */ new Set(["body", "html", "rp", "rt"]);
function takesContent(element, role, state, isPart2) {
  if (tagOf(element) === "select" || HOLDS_NOTHING.has(tagOf(element))) return false;
  if (isTextField(element, role)) return state.referred === element;
  if (state.referred) return true;
  if (role === "row" ? isGridRow(element) : isNamedByContent(element, role)) return true;
  if (!isPart2 || NOT_PASSING_TAGS.has(tagOf(element))) return false;
  if (PASSING.has(role)) return true;
  return !has(element, "role") && (PASSING_TAGS.has(tagOf(element)) || isSvg(element) || isLayout(element));
}
var isNamedByContent = (element, role) => roleFacts(role).content && tagOf(element) !== "math" || role === "term";
var ROUND_ROWS = /* @__PURE__ */ new Set(["", "group", "rowgroup"]);
function isGridRow(element) {
  let at = renderedParent(element);
  for (let depth = 0; at && depth < MAX_DEPTH; depth++, at = renderedParent(at)) {
    const role = roleOf(at);
    if (GRIDS.has(role)) return true;
    if (!ROUND_ROWS.has(role)) return false;
  }
  return false;
}
var HOLDS_NOTHING = /* @__PURE__ */ new Set(["audio", "embed", "iframe", "img", "input", "meter", "object", "progress", "video"]);
var DATA_PARTS = "th, thead, tfoot, caption, col, colgroup, [headers], [scope], [abbr], [axis]";
var MAX_LAYOUT_ROWS = 20;
var isTablePart = (tag) => tag === "table" || tag === "tbody" || tag === "tr";
function isLayout(element) {
  const table = isTablePart(tagOf(element)) && tableOf(element);
  if (!table || has(table, "role") || has(table, "summary") || has(table, "rules")) return false;
  return !inElement(table, DATA_PARTS).length && inElement(table, "tr").length < MAX_LAYOUT_ROWS;
}
function* referredText(elements, state) {
  const texts = [];
  for (const element of elements) {
    if (isFull(state)) break;
    const inner = { ...state, referred: element, referredHidden: isHidden(element) };
    state.seen.count++;
    const { text: text2 } = yield alternative(element, roleOf(element), inner, true);
    state.visited.add(element);
    if (text2) texts.push(text2);
  }
  return texts.join(" ");
}
var TEXT_ROLES = /* @__PURE__ */ new Set(["textbox", "searchbox"]);
var TEXT_TYPES = /* @__PURE__ */ new Set(["email", "number", "password", "search", "tel", "text", "url"]);
var isTextInput = (element) => element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement && TEXT_TYPES.has(inputType(element));
var isTextField = (element, role) => isTextInput(element) || !(element instanceof HTMLInputElement) && (TEXT_ROLES.has(role) || isEditingHost(element));
var RANGES = /* @__PURE__ */ new Set(["meter", "progressbar", "scrollbar", "slider", "spinbutton"]);
var isRange = (element, role) => RANGES.has(role) || role === "separator" && isFocusable(element);
var areaText = getter(HTMLTextAreaElement.prototype, "value");
var optionsOf = getter(HTMLSelectElement.prototype, "selectedOptions");
function* embeddedValue(element, role, state) {
  if (isRange(element, role)) return rangeText(element, role);
  if (isTextField(element, role)) return textIn(element) || null;
  if (role === "combobox" || role === "listbox") return yield chosenText(element, role, state);
  return null;
}
function textIn(element) {
  if (element instanceof HTMLTextAreaElement) return areaText(element);
  if (!(element instanceof HTMLInputElement)) return plainText(element);
  const value = inputValue(element);
  return inputType(element) === "password" ? "•".repeat(value.length) : value;
}
var numberIn = (element, name) => {
  const given = attr(element, name);
  const number = given === null || isBlank(given) ? NaN : Number(given);
  return Number.isFinite(number) ? number : null;
};
var DEFAULTS = { meter: 0, scrollbar: 50, separator: 50, slider: 50, spinbutton: 0 };
function rangeText(element, role) {
  const text2 = attr(element, "aria-valuetext");
  if (text2 !== null) return text2;
  const now = numberIn(element, "aria-valuenow");
  if (now !== null) {
    const low = numberIn(element, "aria-valuemin"), high = numberIn(element, "aria-valuemax");
    return String(Math.min(Math.max(now, low === null ? -Infinity : low), high === null ? Infinity : high));
  }
  if (element instanceof HTMLInputElement) return inputValue(element) || null;
  if (element instanceof HTMLMeterElement) return String(meterValue(element));
  if (element instanceof HTMLProgressElement && has(element, "value")) return String(progressValue(element));
  return owns(DEFAULTS, role) ? String(DEFAULTS[role]) : null;
}
var meterValue = getter(HTMLMeterElement.prototype, "value");
var progressValue = getter(HTMLProgressElement.prototype, "value");
function* chosenText(element, role, state) {
  const chosen = element instanceof HTMLSelectElement ? [...optionsOf(element)] : selectedIn(element, role);
  const texts = [];
  for (const option of chosen) {
    if (state.visited.has(option)) continue;
    state.visited.add(option);
    const { text: text3 } = yield alternative(option, "option", computation(state.written), false);
    if (text3) texts.push(tidy(text3));
  }
  if (chosen.length) return texts.join(" ");
  if (role === "listbox" || element instanceof HTMLSelectElement || !isFocusable(element)) return null;
  const { text: text2 } = yield content(element, state);
  return text2 || null;
}
function selectedIn(element, role) {
  let list = element;
  if (role === "combobox") {
    const held2 = [...inElement(element, "[role]"), ...ownedBy(element)];
    list = held2.find((inner) => roleOf(inner) === "listbox");
  }
  return list ? [...inElement(list, "[aria-selected=true]"), ...ownedBy(list).filter(isSelectedOption)].slice(0, MAX_VISITED) : [];
}
var isSelectedOption = (element) => attr(element, "aria-selected") === "true";
function* nativeName(element, role, state) {
  if (isSvg(element)) return svgName(element);
  if (isLabelable(element)) {
    const text2 = yield labelText(element, state);
    if (text2) return namePart(text2, "related");
  }
  const source = owns(NATIVE_NAMES, tagOf(element)) ? NATIVE_NAMES[tagOf(element)] : null;
  const native = source ? yield* source(element, state) : NOTHING;
  if (native.text || native.isFinal || !isTextField(element, role)) return native;
  const hint = attr(element, "aria-placeholder");
  return hint && !isBlank(hint) ? namePart(hint, "placeholder") : NOTHING;
}
function* labelText(element, state) {
  const texts = [];
  for (const label of labelsOf(element)) {
    if (isFull(state)) break;
    const hidden = isHidden(label);
    if (state.visited.has(label) || hidden && !isHidden(element)) continue;
    const inner = { ...state, referred: null, referredHidden: hidden };
    state.seen.count++;
    const { text: text2 } = yield alternative(label, roleOf(label), inner, true);
    state.visited.add(label);
    if (!isBlank(text2)) texts.push(tidy(text2));
  }
  return texts.join(" ");
}
var byAttribute = (element, name) => {
  const given = attr(element, name);
  return given && !isBlank(given) ? namePart(given, "attribute") : NOTHING;
};
var FINAL = { ...NOTHING, isFinal: true };
var NATIVE_NAMES = {
  *area(element) {
    return alternativeText(element);
  },
  *fieldset(element, state) {
    return yield childName(element, "legend", state);
  },
  *img(element) {
    return alternativeText(element);
  },
  *input(element) {
    return inputName(element);
  },
  *optgroup(element) {
    return byAttribute(element, "label");
  },
  *option(element) {
    return byAttribute(element, "label");
  },
  *table(element, state) {
    const caption = yield childName(element, "caption", state);
    return caption.text ? caption : byAttribute(element, "summary");
  },
  *textarea(element) {
    return fieldName(element);
  }
};
var alternativeText = (element) => attr(element, "alt") === "" ? FINAL : byAttribute(element, "alt");
var BUTTON_LABELS = { submit: "Submit", reset: "Reset" };
function inputName(element) {
  const type = inputType(element);
  if (type === "image") return firstOfAttributes(element, ["alt", "value", "title"]) || namePart("Submit", "value");
  if (type === "file") {
    return namePart(has(element, "multiple") ? "Choose Files" : "Choose File", "content");
  }
  if (!isButtonInput(element)) return isTextInput(element) ? fieldName(element) : NOTHING;
  const value = attr(element, "value");
  return namePart(value === null ? BUTTON_LABELS[type] || "" : value, "value");
}
var firstOfAttributes = (element, names) => {
  for (const name of names) {
    const given = attr(element, name);
    if (given && !isBlank(given)) return namePart(given, name === "title" ? "title" : "attribute");
  }
  return void 0;
};
var fieldName = (element) => firstOfAttributes(element, ["title", "placeholder"]) || NOTHING;
function* childName(element, tag, state) {
  const child2 = childOf(element, tag);
  if (!child2 || state.visited.has(child2)) return NOTHING;
  const { text: text2 } = yield alternative(child2, roleOf(child2), state, true);
  return namePart(text2, "related");
}
function svgName(element) {
  const title2 = titleIn(element);
  const text2 = title2 && rawText(title2) || "";
  if (!isBlank(text2)) return namePart(text2, "related");
  return tagOf(element) === "a" ? byAttribute(element, "xlink:title") : NOTHING;
}
function descriptionOf(element, role = roleOf(element)) {
  const referred = run(referredText(byIds(element, "aria-describedby"), computation()));
  if (!isBlank(referred)) return tidyContent(referred);
  const own = attr(element, "aria-description");
  if (own !== null) return tidy(own);
  const { text: name, from } = named(element, role);
  const native = nativeDescription(element, from);
  if (native) return native;
  const title2 = from === "title" ? "" : tidy(attr(element, "title") || "");
  return title2 === name ? "" : title2;
}
function nativeDescription(element, from) {
  if (isSvg(element)) {
    const source = childOf(element, "desc") || (from === "attribute" || from === "related" && labellers(element).length) && titleIn(element);
    return source ? tidy(rawText(source) || "") : "";
  }
  if (element instanceof HTMLInputElement && isButtonInput(element) && from !== "value")
    return tidy(attr(element, "value") || "");
  const caption = tagOf(element) === "table" && from !== "related" && childOf(element, "caption");
  return caption ? tidyContent(run(alternative(caption, "caption", computation(), true)).text) : "";
}

// src/elements/in_view.ts
var CLIPS = /hidden|clip|scroll|auto/;
var CREATES = [
  "transform",
  "translate",
  "rotate",
  "scale",
  "perspective",
  "filter",
  "backdropFilter"
];
var clips = (style) => style.display !== "inline" && style.display !== "contents" && (CLIPS.test(style.overflowX) || CLIPS.test(style.overflowY) || /paint|strict|content/.test(style.contain));
var holdsFixed = (style) => CREATES.some((name) => style[name] && style[name] !== "none") || /paint|layout|strict|content/.test(style.contain) || /transform|perspective|filter/.test(style.willChange);
var isViewport = (element) => element === topOf(document) || element === bodyOf(document) && getComputedStyle(topOf(document)).overflow === "visible";
var meetOf = (a, b) => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom)
});
function insideOf(element) {
  const box = boxOf(element);
  const scaleX = box.width / (element.offsetWidth || box.width || 1);
  const scaleY = box.height / (element.offsetHeight || box.height || 1);
  const left = box.left + element.clientLeft * scaleX;
  const top = box.top + element.clientTop * scaleY;
  return { left, top, right: left + element.clientWidth * scaleX, bottom: top + element.clientHeight * scaleY };
}
function clippersOf(element) {
  const found = [];
  let { position } = getComputedStyle(element);
  for (let up = renderedParent(element); up && !isViewport(up); up = renderedParent(up)) {
    const style = getComputedStyle(up);
    const holds = position === "fixed" ? holdsFixed(style) : position !== "absolute" || style.position !== "static" || holdsFixed(style);
    if (!holds) continue;
    if (clips(style)) found.push(up);
    position = style.position;
  }
  return found;
}
var drawnBy = (element) => isArea(element) && pictureOf(element) || element;
var viewOf = (element) => clippersOf(drawnBy(element)).reduce((view, up) => meetOf(view, insideOf(up)), {
  left: 0,
  top: 0,
  right: innerWidth,
  bottom: innerHeight
});
var scrollPointIntoView = (token, x, y) => scrollToPoint(get(token), x, y);
function scrollToPoint(element, x, y) {
  const page = scrollerOf(document);
  for (const up of [...clippersOf(drawnBy(element)), page]) {
    const inside = up === page ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : insideOf(up);
    const dx = x < inside.left || x >= inside.right ? x - (inside.left + inside.right) / 2 : 0;
    const dy = y < inside.top || y >= inside.bottom ? y - (inside.top + inside.bottom) / 2 : 0;
    if (!dx && !dy) continue;
    const before = [up.scrollLeft, up.scrollTop];
    up.scrollBy({ left: dx, top: dy, behavior: "instant" });
    if (up.scrollLeft !== before[0] || up.scrollTop !== before[1]) return false;
  }
  return true;
}
var HEIGHTS = [0.75, 0.5, 0.25];
function moveCovered(token, y, turn) {
  const page = scrollerOf(document);
  for (const up of [...clippersOf(get(token)), page]) {
    const { top, bottom } = up === page ? { top: 0, bottom: innerHeight } : insideOf(up);
    const before = up.scrollTop;
    up.scrollBy({ top: y - top - (bottom - top) * HEIGHTS[turn], behavior: "instant" });
    if (up.scrollTop !== before) return;
  }
}
var MAX_SCROLLERS = 8;
function scrollToShow(element, block2) {
  let at = isArea(element) ? null : element;
  while (at && !boxesOf(at).length && isBoxless(at))
    at = contentOf(at).find((node) => isElement(node) && boxes(node).length > 0);
  if (at) scrollTo2(at, { block: block2, inline: "center", behavior: "instant" });
  else for (let left = MAX_SCROLLERS; left > 0 && !showMiddle(element); left--) ;
}
function showMiddle(element) {
  const { left, right, top, bottom } = extentOf(element);
  return scrollToPoint(element, (left + right) / 2, (top + bottom) / 2);
}

// src/elements/describe.ts
var TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-qa", "data-cy"];
var ID_ATTRIBUTES = ["id", "name", "content-desc", "resource-id", "accessibility-id", ...TEST_IDS];
var CONTROLS = /* @__PURE__ */ new Set([
  "columnheader",
  "dialog",
  "heading",
  "img",
  "rowheader",
  "tooltip",
  ...Object.keys(ROLES).filter((role) => ROLES[role].control && !ROLES[role].synonym)
]);
function describe(element) {
  const id = attr(element, "id");
  const mark = id ? `#${id}` : ["name", "data-testid", "type", "role"].filter((name2) => attr(element, name2)).slice(0, 1).map((name2) => `[${name2}=${JSON.stringify(attr(element, name2))}]`).join("");
  const first = id || mark ? "" : (attr(element, "class") || "").trim().split(/\s+/).filter(Boolean).slice(0, 2).map((name2) => `.${name2}`).join("");
  const name = legibleName(element) || tidy(attr(element, "aria-label") || "") || (isEditingHost(element) || tagOf(element) === "select" ? "" : plainText(element));
  return `${tagOf(element)}${shorten(mark, 80)}${first}${name ? ` ${JSON.stringify(shorten(name))}` : ""}`;
}
var listed = (element) => describe(element) + (isRendered(element) ? "" : " (not rendered)");

// src/elements/receiving.ts
var ROLES_THAT_ACT = [
  "button",
  "link",
  "tab",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "treeitem",
  "checkbox",
  "radio",
  "switch",
  "combobox"
];
var ACTIVATES = "a[href], button, summary, input, select, option, textarea, " + ROLES_THAT_ACT.map((role) => `[role=${role}]`).join(", ");
var receives = (hit, element) => Boolean(hit) && (belongsTo(hit, element) || isInWidgetOf(hit, element));
function belongsTo(hit, element) {
  if (isInside(hit, element)) return true;
  const control = activatedAt(element);
  return Boolean(control) && activatedAt(hit) === control;
}
function activatedAt(element) {
  let bare = null;
  for (let at = element; at; at = renderedParent(at)) {
    if (matches(at, ACTIVATES)) return at;
    if (!(at instanceof HTMLLabelElement)) continue;
    const control = controlOf(at);
    if (control) return control;
    bare = bare || at;
  }
  return bare;
}
function isInWidgetOf(hit, element) {
  const widget = answersFor(hit);
  return widget !== null && isInside(element, widget) && isWidgetOf(widget, element) && (takesValue(activatedAt(element)) || isExamined(element) && answersFor(element) === widget);
}
function isWidgetOf(widget, element) {
  const control = activatedAt(element);
  if (control && control !== widget && !takesValue(control)) return false;
  return ![...inElement(widget, `${FIELDS}, ${ACTIVATES}`)].some(
    (other) => other !== control && !matches(other, UNREACHED) && isRendered(other) && !isInside(element, other)
  );
}
var takesValue = (control) => Boolean(control) && (FIELD_KINDS.has(kindOf(control)) || widgetOf(control) !== "");
function widgetAround(hit, element) {
  let widget = null;
  for (let at = renderedParent(element), left = MAX_AROUND; at && left > 0; at = renderedParent(at), left--) {
    if (at === bodyOf(document) || !isWidgetOf(at, element)) break;
    widget = at;
  }
  return widget && hit && isInside(hit, widget) ? widget : null;
}
var listening = /* @__PURE__ */ new WeakSet();
var examined = /* @__PURE__ */ new WeakSet();
var noteListener = (element) => void listening.add(element);
var noteExamined = (widget) => void examined.add(widget);
function isExamined(element) {
  for (let at = element; at; at = renderedParent(at)) if (examined.has(at)) return true;
  return false;
}
var FIELD_KINDS = /* @__PURE__ */ new Set(["text", "editable", "picker", "select", "check", "file"]);
var ANSWERING = ["onclick", "onmousedown", "onmouseup", "onpointerdown", "onpointerup"];
var SIGNS = /* @__PURE__ */ new Set(["pointer", "text"]);
function answersFor(part) {
  for (let at = part, up; at && at !== bodyOf(document) && at !== topOf(document); at = up) {
    up = renderedParent(at);
    if (matches(at, ACTIVATES) || ANSWERING.some((name) => has(at, name)) || listening.has(at)) return at;
    const { cursor } = getComputedStyle(at);
    if (SIGNS.has(cursor) && up && getComputedStyle(up).cursor !== cursor) return at;
  }
  return null;
}
function coverOf(hit, element) {
  if (!hit) return "nothing";
  let top = hit;
  for (let up = renderedParent(top); up && !isInside(element, up); up = renderedParent(up)) top = up;
  return top === hit ? describe(hit) : `${describe(hit)} in ${describe(top)}`;
}

// src/elements/waiting.ts
var FRAME_MS = 200;
var frame = () => new Promise((done) => {
  const off = after(FRAME_MS, done);
  requestAnimationFrame(() => {
    off();
    done();
  });
});
var LOOK_MS = 100;
var AMBIGUOUS_MS = 500;
function change(ms) {
  return new Promise((done) => {
    const observer = new MutationObserver(finish2);
    let over = false;
    const off = after(ms, finish2);
    function finish2() {
      if (over) return;
      over = true;
      off();
      observer.disconnect();
      frame().then(done);
    }
    for (const root of roots()) {
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    }
  });
}
async function until(ms, attempt) {
  const start = performance.now();
  for (let round = 0; ; round++) {
    lookAgain();
    const report = await attempt(round);
    const now = performance.now();
    const limit = report.fault === "many" ? Math.min(ms, AMBIGUOUS_MS) : ms;
    if (!report.fault || report.final || now - start >= limit) return report;
    await (report.soon ? frame() : change(Math.min(LOOK_MS, start + limit - now)));
  }
}

// src/elements/press.ts
var PRESSES = ["pointerdown", "mousedown", "touchstart"];
var RELEASES = ["pointerup", "mouseup"];
var AFTER_RELEASE = ["touchend", "click", "auxclick", "dblclick", "contextmenu"];
var TOUCHES = ["touchstart", "touchend"];
var AIMED_MS = 1e4;
var aimed = null;
var spent = null;
var lastMove = null;
function listenFor(types) {
  for (const type of types) listen(globalThis, type, onInput, inCapture);
}
var listenForPresses = () => listenFor([...PRESSES, ...RELEASES, ...AFTER_RELEASE].filter((type) => !TOUCHES.includes(type)));
function listenForTouches(on) {
  if (on) listenFor(TOUCHES);
  else for (const type of TOUCHES) unlisten(globalThis, type, onInput, inCapture);
}
var lastOver = 0;
var stirred = false;
var listensPassively = { capture: true, passive: true };
function listenForMoves() {
  for (const [type, react] of [
    ["pointermove", onMove],
    ["mouseover", onOver]
  ]) {
    unlisten(globalThis, type, react, listensPassively);
    listen(globalThis, type, react, listensPassively);
  }
}
function expectMove() {
  lastMove = null;
  listenForMoves();
}
function onMove(event) {
  if (!isTrusted(event)) return;
  lastMove = targetOf(event);
  compareOver(event, 0);
}
function onOver(event) {
  if (isTrusted(event)) compareOver(event, event.timeStamp);
}
function compareOver({ timeStamp }, next) {
  const { userActivation } = navigator;
  if (lastOver && lastOver !== timeStamp && userActivation && userActivation.hasBeenActive) stirred = true;
  lastOver = next;
}
function takeStirred() {
  const was = stirred;
  stirred = false;
  return was;
}
function targetOf(event) {
  const [hit] = eventPath(event);
  const { clientX, clientY } = event.touches && event.touches[0] || event;
  return isElement(hit) ? deeper(hit, clientX, clientY) : topOf(document);
}
function onInput(event) {
  if (!aimed || !isTrusted(event) || performance.now() > aimed.until) return;
  if (aimed.blocked) block(event);
  else if (PRESSES.includes(event.type)) judgePress(event);
  else if (RELEASES.includes(event.type)) judgeRelease(event);
}
function judgePress(event) {
  if (event.type === "pointerdown") {
    aimed.presses++;
    aimed.events = [];
    if (aimed.ends) aimed.before = stateAt(event);
  }
  const hit = targetOf(event);
  if (!arrives(hit, event) && !isExcused(hit)) {
    aimed.blocked = true;
    reportPress({ kind: "wrong", hit: receiver(hit), heard: aimed.passed > 0 });
    block(event);
    return;
  }
  aimed.passed++;
  aimed.events.push(event);
  if (aimed.events.length === 1) reportPress({ kind: "press" });
}
function judgeRelease(event) {
  if (aimed.released >= aimed.presses) return;
  aimed.released = aimed.presses;
  const hit = targetOf(event);
  const strayed = aimed.ends && !arrives(hit, event) && !isExcused(hit) && !hasAnswered(hit, event);
  reportPress(strayed ? { kind: "strayed", hit: receiver(hit), heard: true } : { kind: "release" });
  if (aimed.released === aimed.wanted) finish();
}
function finish() {
  spent = aimed;
  aimed = null;
  listenForTouches(false);
}
var arrives = (hit, event) => Boolean(aimed.element) && (receives(hit, aimed.element) || isCaptured(event) && receives(deepestAt(event.clientX, event.clientY), aimed.element));
var captured = method(Element.prototype, "hasPointerCapture");
var isCaptured = (event) => event.type === "pointerup" && isElement(eventPath(event)[0]) && captured(eventPath(event)[0], event.pointerId);
var isExcused = (hit) => aimed.passed > 0 && Boolean(aimed.element) && (!isConnected(aimed.element) || !isRendered(aimed.element) || hasClosed(hit) || aimed.events.some((event) => event.defaultPrevented));
var stateAt = ({ clientX, clientY }) => ({
  all: allAt(clientX, clientY),
  focus: activeElement(),
  open: takesMouse()
});
var hasClosed = (hit) => Boolean(aimed.before) && aimed.before.open && !takesMouse() && isInside(aimed.element, hit);
function takesMouse() {
  const { element } = aimed;
  return Boolean(element) && getComputedStyle(element).pointerEvents !== "none" && ![element, ...parentsOf(element)].some((each) => has(each, "inert"));
}
var hasAnswered = (hit, event) => aimed.passed > 0 && Boolean(aimed.element) && (hasOpened(hit, event) || hasTakenFocus());
var hasOpened = (hit, { clientX: x, clientY: y }) => !aimed.before.all.has(hit) && boxes(aimed.element).some((box) => x >= box.left && x < box.right && y >= box.top && y < box.bottom);
function hasTakenFocus() {
  const focus2 = activeElement();
  return focus2 !== aimed.before.focus && TAKES_FOCUS.has(kindOf(aimed.element)) && isInside(focus2, aimed.element);
}
var TAKES_FOCUS = /* @__PURE__ */ new Set(["text", "editable", "picker", "select"]);
var receiver = (hit) => aimed.element ? coverOf(hit, aimed.element) : describe(hit);
function reportPress(report) {
  aimed.reports.push(report);
  if (globalThis.__sfPress) globalThis.__sfPress(JSON.stringify({ id: aimed.id, ...report }));
}
async function expectPress(token, x, y, want) {
  const element = recall(token);
  if (want.by !== "touch") await arrival(want.role);
  if (!element || !isConnected(element)) return { fault: "detached" };
  const fault = moveFault(element, want.still) || hitFault(element, x, y, want) || drawFault(x, y);
  if (fault) return { what: describe(element), ...fault };
  if (want.by !== "hover") aimAt(want.role === "target" ? element : null, want);
  return { kind: HOLDS_FRAME.has(tagOf(deepestAt(x, y) || element)) ? "frame" : "", stirred: takeStirred() };
}
var UNDRAWN_MS = 3e3;
var undrawnSince = /* @__PURE__ */ new WeakMap();
function drawFault(x, y) {
  const frame2 = lastMove;
  if (!frame2 || !DRAWS_FRAME.has(tagOf(frame2)) || !isWithinBorder(frame2, x, y)) return null;
  if (!undrawnSince.has(frame2)) undrawnSince.set(frame2, performance.now());
  return performance.now() - undrawnSince.get(frame2) < UNDRAWN_MS ? { fault: "undrawn" } : null;
}
function isWithinBorder(frame2, x, y) {
  const { left, top: upper, right, bottom } = insideOf(frame2);
  return x >= left && x < right && y >= upper && y < bottom;
}
var DRAWS_FRAME = /* @__PURE__ */ new Set(["iframe", "frame"]);
async function arrival(role) {
  await frame();
  if (role === "target" && !lastMove) await frame();
}
var moveFault = (element, still) => still && [extentOf(element)].some((box) => Math.abs(box.left - still[0]) > 0.5 || Math.abs(box.top - still[1]) > 0.5) ? { fault: "unstable" } : null;
function hitFault(element, x, y, want) {
  if (want.by === "hover" && lastMove && receives(lastMove, element)) return null;
  const hit = deepestAt(x, y);
  const reached2 = want.role === "owner" ? hit === element : receives(hit, element);
  return reached2 ? null : { fault: "covered", detail: coverOf(hit, element) };
}
function aimAt(element, want) {
  listenForPresses();
  listenForTouches(want.by === "touch");
  aimed = {
    id: want.id,
    element,
    ends: want.ends,
    wanted: want.presses,
    until: performance.now() + AIMED_MS,
    presses: 0,
    passed: 0,
    released: 0,
    blocked: false,
    events: [],
    before: null,
    reports: []
  };
}
function forgetPress(id) {
  if (aimed && aimed.id === id) finish();
}
function pressReports(id) {
  if (aimed && aimed.id === id && !aimed.blocked) finish();
  const { reports } = [aimed, spent].find((each) => each && each.id === id) || { reports: [] };
  return reports;
}
function elementAt(token, x, y) {
  const element = recall(token);
  const hit = deepestAt(x, y);
  return !hit || element && receives(hit, element) ? "" : describe(hit);
}

// src/elements/spots.ts
var SPOTS = [
  [0.5, 0.5],
  [0.25, 0.25],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.75, 0.75]
];
var TENTHS = [0.1, 0.3, 0.5, 0.7, 0.9];
var GRID = TENTHS.flatMap((y) => TENTHS.map((x) => [x, y]));
var MAX_MIDDLES = 32;
var MAX_BOXES = 4;
function partsInView(element) {
  const view = viewOf(element);
  return boxes(element).map((box) => meetOf(box, view)).filter((box) => box.right > box.left && box.bottom > box.top);
}
var spotIn = (box, [fx, fy]) => ({
  x: box.left + (box.right - box.left) * fx,
  y: box.top + (box.bottom - box.top) * fy
});
var spread = (items, most) => items.length <= most ? items : Array.from({ length: most }, (_, i) => items[Math.round(i * (items.length - 1) / (most - 1))]);
function freeSpot(element, passed = 0, toggle = null) {
  const parts = partsInView(element);
  const few = spread(parts, MAX_BOXES);
  const [middle, ...others] = SPOTS;
  const spots = [
    ...spread(parts, MAX_MIDDLES).map((part) => spotIn(part, middle)),
    ...others.flatMap((spot) => few.map((part) => spotIn(part, spot)))
  ];
  const isOurs = (hit) => !(toggle && hit && isOtherControl(hit, element, toggle));
  const free = [];
  const covers2 = [];
  const takes2 = ({ x, y }) => {
    const hit = deepestAt(x, y);
    if (!hit || !belongsTo(hit, element) || !isOurs(hit)) covers2.push({ x, y, hit });
    else if (free.push({ x, y }) > passed) return true;
    return false;
  };
  const further = () => {
    if (toggle) return LINES.flatMap((spot) => few.map((part) => spotIn(part, spot)));
    const isEmpty = covers2.every(({ hit }) => !hit || isInside(element, hit));
    return [
      ...few.slice(0, 1).flatMap((part) => GRID.map((spot) => spotIn(part, spot))),
      ...isEmpty ? spotsInside(element) : []
    ];
  };
  if (spots.some(takes2) || parts.length && further().some(takes2)) return free[passed];
  if (!free.length) free.push(...covers2.filter(({ hit }) => receives(hit, element) && isOurs(hit)));
  if (free.length) return free[passed % free.length];
  return parts.length ? coveredBy(covers2[0].hit, element) : { fault: "outside" };
}
var MAX_INSIDE = 32;
var ALONG = [0.5, 0.25, 0.75, 0.1, 0.9];
function spotsInside(element) {
  const view = viewOf(element);
  const isInView = ({ x, y }) => x >= view.left && x < view.right && y >= view.top && y < view.bottom;
  const inner = spread([element, ...inElement(element, "*")], MAX_INSIDE);
  return inner.flatMap((each) => [...spotsOnLine(each), ...boxes(each).map((box) => spotIn(box, SPOTS[0]))]).filter(isInView);
}
function spotsOnLine(shape) {
  const toScreen = shape instanceof SVGGeometryElement && boxesOf(shape).length && shape.getScreenCTM();
  if (!toScreen) return [];
  const length = shape.getTotalLength();
  return ALONG.map((part) => shape.getPointAtLength(length * part).matrixTransform(toScreen));
}
var LINES = [0.5, 0.2, 0.8].flatMap((y) => Array.from({ length: 24 }, (_, i) => [(i + 0.5) / 24, y]));
function isOtherControl(hit, element, toggle) {
  const control = activatedAt(hit);
  return Boolean(control) && control !== toggle && control !== element && isInside(control, element);
}
function coveredBy(cover, element) {
  const widget = widgetAround(cover, element);
  return { fault: "covered", cover, detail: coverOf(cover, element), ...widget && { widget: hold(widget) } };
}
function centre(element) {
  const [part] = partsInView(element);
  return part ? spotIn(part, SPOTS[0]) : { fault: "outside" };
}

// src/elements/point.ts
var sameBox = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
var ALIGNMENTS = ["center", "end", "start"];
var ANIMATED_FRAMES = 3;
function runningOn(element) {
  const running = [];
  for (let up = element; up; up = renderedParent(up)) {
    running.push(...animationsOf(up).filter((animation) => animation.playState === "running"));
  }
  return running;
}
var PATIENCE_MS = 500;
function movesForever({ at, scrolling }) {
  const running = runningOn(at);
  scrolling.movedAt = scrolling.movedAt || performance.now();
  return running.length > 0 && running.every(({ effect }) => effect && effect.getComputedTiming().endTime === Infinity) && performance.now() - scrolling.movedAt >= PATIENCE_MS;
}
async function aim(ctx, find) {
  let spot = find();
  const scrolled2 = !("x" in spot) && scrollOnce(ctx);
  const before = extentOf(ctx.at);
  for (let left = runningOn(ctx.at).length ? ANIMATED_FRAMES : 1; left > 0; left--) {
    await frame();
    if (!isConnected(ctx.at)) return { fault: "detached" };
    if (!sameBox(before, extentOf(ctx.at)) && !movesForever(ctx)) return { fault: "unstable", soon: true };
  }
  spot = find();
  if (!("x" in spot)) {
    const { cover, ...fault } = spot;
    if (scrolled2) noteRest(ctx, cover);
    return { soon: ctx.scrolling.turn < ALIGNMENTS.length, ...fault };
  }
  ctx.report.x = spot.x;
  ctx.report.y = spot.y;
  ctx.report.box = onScreen(extentOf(ctx.at));
  ctx.report.still = [before.left, before.top];
  ctx.report.view = [innerWidth, innerHeight, devicePixelRatio];
  ctx.report.at = hold(ctx.at);
  expectMove();
  return null;
}
function scrollOnce({ at, scrolling }) {
  const { rest, covers: covers2 } = scrolling;
  if (scrolling.turn === ALIGNMENTS.length && rest && (!sameBox(rest, extentOf(at)) || covers2.some((each) => hasGone(each, at)))) {
    Object.assign(scrolling, { turn: 0, covers: [] });
  }
  if (scrolling.turn === ALIGNMENTS.length) return false;
  scrollToShow(at, ALIGNMENTS[scrolling.turn++]);
  return true;
}
function noteRest({ at, scrolling }, cover) {
  scrolling.rest = extentOf(at);
  if (cover) scrolling.covers.push({ cover, box: boxOf(cover), beside: scrolling.rest });
}
function hasGone({ cover, box, beside }, element) {
  if (!isConnected(cover) || !isRendered(cover) || getComputedStyle(cover).pointerEvents === "none") return true;
  const now = boxOf(cover);
  const { left, top } = extentOf(element);
  const isBeside = Math.abs(now.left - left - box.left + beside.left) < 1 && Math.abs(now.top - top - box.top + beside.top) < 1;
  return !isBeside && !sameBox(now, box);
}
function awaitedDocument(element) {
  if (!(element instanceof HTMLIFrameElement) || element.loading !== "lazy" || !/^http/.test(element.src)) return null;
  const shown = element.contentDocument;
  return shown && shown.URL === "about:blank" ? { url: element.src, name: element.name } : null;
}
function onScreen(box) {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  return [left, top, Math.min(box.right, innerWidth) - left, Math.min(box.bottom, innerHeight) - top];
}
function paddingSize(element) {
  const box = extentOf(element);
  if (!(element instanceof HTMLElement) || !element.offsetWidth) return [box.width, box.height];
  const style = getComputedStyle(element);
  const both = (one, other) => parseFloat(style[one]) + parseFloat(style[other]);
  return [
    element.offsetWidth - both("borderLeftWidth", "borderRightWidth"),
    element.offsetHeight - both("borderTopWidth", "borderBottomWidth")
  ];
}
async function aimWithin(ctx, { x, y }) {
  const size = paddingSize(ctx.at);
  if (!(x >= 0 && y >= 0 && x < size[0] && y < size[1])) {
    const shown = size.map((side) => Math.round(side * 100) / 100).join(" × ");
    return {
      fault: "unsuitable",
      detail: `measures ${shown} CSS pixels, so the position ${x}, ${y} is outside`,
      final: true
    };
  }
  ctx.report.size = size;
  return aim(ctx, () => centre(ctx.at));
}
var WHEEL_SPOTS = [
  [0.5, 0.5],
  [0.5, 0.22],
  [0.5, 0.78],
  [0.22, 0.5],
  [0.78, 0.5],
  [0.02, 0.5],
  [0.98, 0.5]
];
function scrollerAt(x, y, vertical) {
  for (let at = deepestAt(x, y); at; at = renderedParent(at)) {
    if (tagOf(at) === "iframe" || at === scrollerOf(document)) return at;
    const style = getComputedStyle(at);
    const room = vertical ? at.scrollHeight - at.clientHeight : at.scrollWidth - at.clientWidth;
    if (room > 0 && /auto|scroll/.test(vertical ? style.overflowY : style.overflowX)) return at;
  }
  return scrollerOf(document);
}
function wheelSpot(vertical) {
  const page = scrollerOf(document);
  const turns = page && (vertical ? page.scrollHeight > page.clientHeight : page.scrollWidth > page.clientWidth);
  const free = turns && WHEEL_SPOTS.find(([x2, y2]) => scrollerAt(x2 * innerWidth, y2 * innerHeight, vertical) === page);
  const [x, y] = free || WHEEL_SPOTS[0];
  return { x: x * innerWidth, y: y * innerHeight, width: innerWidth, height: innerHeight };
}
var FAR = 1e9;
function scrollerFor(element, vertical) {
  const room = (at) => vertical ? at.scrollHeight - at.clientHeight : at.scrollWidth - at.clientWidth;
  const page = scrollerOf(document);
  if (!element) return page && room(page) > 0 ? page : scrollerAt(innerWidth / 2, innerHeight / 2, vertical);
  for (let at = element; at; at = renderedParent(at)) {
    if (isViewport(at)) break;
    const style = getComputedStyle(at);
    if (room(at) > 0 && /auto|scroll/.test(vertical ? style.overflowY : style.overflowX)) return at;
  }
  return page;
}
function scrollToEdge(token, edge) {
  const vertical = edge === "top" || edge === "bottom";
  const scroller = scrollerFor(token === null ? null : get(token), vertical);
  const far = edge === "top" || edge === "left" ? -FAR : FAR;
  if (scroller) scroller.scrollBy({ left: vertical ? 0 : far, top: vertical ? far : 0, behavior: "instant" });
}

// src/elements/typed.ts
var HIDING_WORDS = /* @__PURE__ */ new Set(["current-password", "new-password", "one-time-code"]);
var MAX_TYPED = 1e4;
var BOX_CHARACTERS = 2;
var NEW_PART = 1 / 64;
var hiding = /* @__PURE__ */ new WeakSet();
var hidingNames = /* @__PURE__ */ new Set();
var typedBefore = /* @__PURE__ */ new WeakMap();
var HIDING_MAX = 1e3;
var numbers = /* @__PURE__ */ new WeakMap();
var lastNumber = 0;
function numberOf(element) {
  if (!numbers.has(element)) numbers.set(element, ++lastNumber);
  return numbers.get(element);
}
var isField = (element) => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
var identifierOf = (element) => `${idOf(element)} ${attr(element, "name") || ""}`.trim();
var fillsHidden = (element) => (attr(element, "autocomplete") || "").toLowerCase().split(/\s+/).some((word) => HIDING_WORDS.has(word));
var hidesNow = (element) => element instanceof HTMLInputElement && inputType(element) === "password" || isField(element) && fillsHidden(element) || !["", "none", void 0].includes(getComputedStyle(element).webkitTextSecurity);
function hides(element) {
  if (!isElement(element) || !isField(element) && !isEditable(element)) return false;
  if (hiding.has(element)) return true;
  const name = identifierOf(element);
  if (!hidesNow(element) && !(name && isField(element) && hidingNames.has(name))) return false;
  if (hidingNames.size < HIDING_MAX && name) hidingNames.add(name);
  hiding.add(element);
  return true;
}
var inputsOf = (root) => root === document ? allOf(document, "input") : queryIn(root, "input");
var knownInputs = () => (knownRoots || [document]).flatMap((root) => [...inputsOf(root)]);
function recordHidingFields() {
  listenForTyping();
  for (const input of knownInputs()) if (inputType(input) === "password") hides(input);
}
var mostOf = getter(HTMLInputElement.prototype, "maxLength");
var isBox = (element) => element instanceof HTMLInputElement && mostOf(element) > 0 && mostOf(element) <= BOX_CHARACTERS;
var codeOf = () => knownInputs().filter((input) => isBox(input) && hides(input)).map(inputValue).join("");
function reportTyped(element, whole) {
  const text2 = valueOf(element).slice(0, MAX_TYPED);
  const before = typedBefore.get(element) || "";
  if (!text2 || text2 === before) return;
  if (!whole && text2.startsWith(before) && text2.length - before.length < text2.length * NEW_PART) return;
  typedBefore.set(element, text2);
  const content2 = isBox(element) ? { field: 0, text: codeOf() } : { field: numberOf(element), text: text2 };
  if (globalThis.__sfTyped) globalThis.__sfTyped(JSON.stringify(content2));
}
function reportFocusedField() {
  recordHidingFields();
  const element = activeElement();
  if (element && keeps(element)) reportTyped(element, true);
}
var keeps = (element) => hides(element) || typing !== null && typing.secret && (isField(element) || isEditable(element)) && isInside(element, typing.at);
function onTyped(event) {
  if (!isTrusted(event)) return;
  const [hit] = eventPath(event);
  const element = isElement(hit) && shadowOf(hit) ? activeElement() : hit;
  if (element && isElement(element) && keeps(element)) reportTyped(element, event.type !== "input");
}
function listenForTyping() {
  for (const type of ["input", "change", "keydown", "focusout"]) listen(globalThis, type, onTyped, inCapture);
}

// src/elements/identity.ts
var PLACES = /* @__PURE__ */ new Set([
  "alertdialog",
  "article",
  "banner",
  "complementary",
  "contentinfo",
  "dialog",
  "form",
  "grid",
  "group",
  "list",
  "listbox",
  "listitem",
  "main",
  "menu",
  "menubar",
  "navigation",
  "radiogroup",
  "region",
  "row",
  "rowgroup",
  "search",
  "table",
  "tablist",
  "tabpanel",
  "toolbar",
  "tree",
  "treeitem"
]);
var PLACE_TAGS = /* @__PURE__ */ new Set(["footer", "form", "header", "section"]);
var MAX_PLACES = 6;
var MAX_NAME = 300;
var MAX_TEXT = 100;
var MAX_VALUE = 1e3;
function placeOf(element) {
  const path = [];
  let at = element;
  let holder = null;
  while ((at = hostOrParent(at)) && path.length < MAX_PLACES) {
    const role = roleOf(at);
    if (!PLACES.has(role) && !PLACE_TAGS.has(tagOf(at)) && !shadowOf(at)) continue;
    holder = holder || at;
    path.unshift((role || tagOf(at)) + ordinal(at, siblingsOf(at)));
  }
  const inside = holder && rootOf(holder) === rootOf(element) ? inElement(holder, tagOf(element)) : queryIn(rootOf(element), tagOf(element));
  path.push((roleOf(element) || tagOf(element)) + ordinal(element, [...inside]));
  return path.join(" > ");
}
var siblingsOf = (element) => [...childNodesOf(parentOf(element))].filter((node) => isElement(node) && tagOf(node) === tagOf(element));
var ordinal = (element, alike) => alike.length > 1 ? `[${alike.indexOf(element) + 1}]` : "";
function valueOf(element) {
  if (element instanceof HTMLInputElement) return isButtonInput(element) ? "" : inputValue(element);
  if (element instanceof HTMLTextAreaElement) return areaText(element);
  if (element instanceof HTMLSelectElement)
    return [...element.selectedOptions].map((option) => option.value).join(", ");
  return isEditable(element) ? rawText(element) : "";
}
var STATES = ["checked", "disabled", "expanded", "pressed", "selected"];
var STATE_ATTRIBUTES = [
  "aria-activedescendant",
  "aria-checked",
  "aria-current",
  "aria-invalid",
  "aria-pressed",
  "aria-sort",
  "aria-valuenow",
  "aria-valuetext",
  "open"
];
function stateText(element) {
  const on = STATES.filter((state) => stateOf(element, state));
  return [...on, ...STATE_ATTRIBUTES.map((name) => has(element, name) ? `${name}=${attr(element, name)}` : "")].filter(Boolean).join(" ");
}
function identityOf(element) {
  const role = roleOf(element);
  const value = valueOf(element);
  const text2 = value || kindOf(element) !== "other" ? "" : plainText(element);
  const name = nameOf(element, role) || (text2.length > MAX_TEXT ? "" : text2);
  return {
    role: role || tagOf(element),
    name: shorten(name, MAX_NAME),
    place: placeOf(element),
    value: value.slice(0, MAX_VALUE) + (value.length > MAX_VALUE ? `…${value.length}` : ""),
    hidden: hides(element),
    state: stateText(element)
  };
}
var MIN_DRAWING = 100;
var MAX_DRAWINGS = 4;
function drawings(hits) {
  const all = /* @__PURE__ */ new Set([
    ...allOf(document, "canvas"),
    ...hits.filter((element) => tagOf(element) === "canvas")
  ]);
  return [...all].filter(isRendered).map((element) => onScreen(boxOf(element))).filter(([, , width, height]) => width >= MIN_DRAWING && height >= MIN_DRAWING).slice(0, MAX_DRAWINGS).map(([left, top, width, height]) => [left + scrollX, top + scrollY, width, height]);
}
function attention() {
  lookAgain();
  const active = activeElement();
  const focus2 = active && active !== bodyOf(document) ? active : null;
  const offsets = /* @__PURE__ */ new Set();
  for (let at = focus2; at; at = renderedParent(at)) offsets.add(at);
  const middle = deepestAt(innerWidth / 2, innerHeight / 2);
  for (let at = middle; at; at = renderedParent(at)) offsets.add(at);
  const scroller = scrollerOf(document);
  if (scroller) offsets.add(scroller);
  const scroll = [...offsets].map((at) => [Math.round(at.scrollLeft), Math.round(at.scrollTop)]).filter(([x, y]) => x || y).join(" ");
  return { scroll, focus: focus2 && identityOf(focus2), drawings: drawings(middle ? [middle] : []) };
}
function focusAndModals() {
  lookAgain();
  const active = activeElement();
  const modals = CSS.supports("selector(:modal)") ? roots().flatMap((root) => [...queryIn(root, "dialog:modal")]) : [];
  return [active && active !== bodyOf(document) && active !== topOf(document) ? active : document, ...frontOf(modals)];
}
function frontOf(modals) {
  if (modals.length < 2) return modals;
  const inFront = [deepestAt(1, 1), deepestAt(innerWidth / 2, innerHeight / 2), activeElement()];
  const isIn = (at) => modals.filter((modal) => isInside(at, modal));
  return inFront.filter((at) => at !== null).map(isIn).find((around2) => around2.length) || modals;
}

// src/elements/searching.ts
function elementsUnder(scope, css) {
  if (!scope) return roots().flatMap((root) => [...queryIn(root, css)]);
  const tops = topmost(scope);
  return [
    ...tops.flatMap((top) => [...inElement(top, css)]),
    ...rootsIn(tops).flatMap((root) => [...queryIn(root, css)])
  ];
}
function climber(parent, test) {
  const known = /* @__PURE__ */ new Map();
  return (element) => {
    const path = [];
    let at = element;
    for (; at && !known.has(at) && !test(at); at = parent(at)) path.push(at);
    const answer = at !== null && known.get(at) !== false;
    for (const passed of path) known.set(passed, answer);
    return answer;
  };
}
function amongThose(scopes) {
  const marked = new Set(scopes);
  return climber(hostOrParent, (element) => marked.has(element));
}
function topmost(scopes) {
  if (scopes.length < 2) return scopes;
  const inside = amongThose(scopes);
  return scopes.filter((scope) => !inside(hostOrParent(scope)));
}
function rootsIn(tops) {
  const inside = amongThose(tops);
  return roots().filter((root) => root !== document && inside(root.host));
}
var MAX_NESTED = 1e3;
function fromEach(scopes, look, isShallow = false) {
  const nested = isShallow ? 0 : scopes.length - topmost(scopes).length;
  if (nested > MAX_NESTED) throw new Error(`its scope has ${nested} matches nested inside other matches`);
  const found = scopes.flatMap((scope) => [...look(scope)]);
  return scopes.length > 1 ? inOrder(found, true) : found;
}
function inOrder(found, scattered = false) {
  const wanted = new Set(found);
  if (wanted.size < 2 || roots().length === 1 && !scattered) return [...wanted];
  const sorted = [];
  const stack = [topOf(document)];
  while (stack.length && sorted.length < wanted.size) {
    const element = stack.pop();
    if (wanted.has(element)) sorted.push(element);
    const shadow = shadowOf(element);
    if (shadow) pushReversed(stack, shadow.children);
    pushReversed(stack, childrenOf(element));
  }
  return sorted;
}

// src/elements/css.ts
var lastOfLinks = (links) => links[links.length - 1];
var cssOf = ([, compound, base, tests]) => tests.length ? base : compound;
function findByCss(css, parts, scope) {
  const named2 = parts.map(namesScope);
  if (roots().length === 1 && !(scope && named2.some(Boolean))) return inOneTree(css, parts, scope);
  inFragment(document.createDocumentFragment(), css);
  const fits = matcher(scope);
  const tops = scope && topmost(scope);
  const inside = tops && amongThose(tops.flatMap((top) => [...childrenOf(top), ...shadowOf(top) ? shadowOf(top).children : []]));
  const found = parts.flatMap(
    (links, at) => elementsUnder(named2[at] ? null : tops, cssOf(lastOfLinks(links))).filter(
      (element) => fits(element, links, named2[at] ? null : inside)
    )
  );
  return inOrder(found, true);
}
var namesScope = (links) => links.some(
  ([, , , tests]) => tests.some(([name, parts]) => name === "scope" || name !== "anchor" && parts.some(namesScope))
);
function inOneTree(css, parts, scope) {
  if (!scope) return [...queryIn(document, css)];
  const inScope = parts.map(selectorInScope).join(", ");
  return inOrder(topmost(scope).flatMap((top) => [...inElement(top, inScope)]));
}
function selectorInScope(links) {
  const whole = links.map(([combinator, compound]) => combinator + compound).join("");
  return links.length === 1 ? whole : `:scope ${whole}`;
}
function matcher(scope) {
  const scopes = new Set(scope || [topOf(document)]);
  const climbers = /* @__PURE__ */ new Map();
  const TESTS = {
    scope: (element, _) => scopes.has(element),
    is: (element, parts) => parts.some((links) => fits(element, links, null)),
    where: (element, parts) => TESTS.is(element, parts),
    not: (element, parts) => !TESTS.is(element, parts),
    has: (element, parts) => parts.some((links) => hasSuch(element, links))
  };
  const isSuch = (element, link) => matches(element, cssOf(link)) && link[3].every((test) => test[0] === "anchor" ? element === test[1] : TESTS[test[0]](element, test[1]));
  function reaches(element, links, i, inside) {
    if (inside && !inside(element) || !isSuch(element, links[i])) return false;
    return i === 0 || BEFORE[links[i][0] || " "](element, (other) => reaches(other, links, i - 1, inside), links[i]);
  }
  const climb = (next) => (element, test, link) => {
    if (!climbers.has(link)) climbers.set(link, climber(next, test));
    const first = next(element);
    return first !== null && climbers.get(link)(first);
  };
  const step = (next) => (element, test) => {
    const first = next(element);
    return first !== null && test(first);
  };
  const BEFORE = {
    " ": climb(hostOrParent),
    "~": climb(previousOf),
    ">": step(hostOrParent),
    "+": step(previousOf)
  };
  function hasSuch(element, links) {
    const beside = /[+~]/.test(links[0][0]);
    const tops = beside ? siblingsAfter(element) : [element];
    const css = cssOf(lastOfLinks(links));
    const [first, ...others] = links;
    const anchored = [
      ["", "*", "*", [["anchor", element]]],
      [first[0] || " ", first[1], first[2], first[3]],
      ...others
    ];
    const found = [...beside ? tops.filter((top) => matches(top, css)) : [], ...elementsUnder(tops, css)];
    return found.some((inner) => reaches(inner, anchored, anchored.length - 1, null));
  }
  const fits = (element, links, inside) => reaches(element, links, links.length - 1, inside);
  return fits;
}
function siblingsAfter(element) {
  const after2 = [];
  for (let at = nextOf(element); at; at = nextOf(at)) after2.push(at);
  return after2;
}

// src/elements/wanted.ts
var compared = (text2, exact) => exact ? collapse(visibleText(text2)) : fold(collapse(visibleText(text2)));
function says(value, text2, exact) {
  const own = compared(value || "", exact);
  return exact ? own === compared(text2, exact) : own.includes(compared(text2, exact));
}
function wantedOf({ text: text2, exact, pattern }) {
  if (!pattern) {
    const words = compared(text2, exact);
    return { says: (value) => says(value, text2, exact), testOf: (prose) => prose.test(words, exact) };
  }
  const regex = new RegExp(pattern[0], pattern[1]);
  return {
    says: (value) => regex.test(compared(value || "", true)),
    testOf: (prose) => (i) => partsOf(prose.textOf(i)).some((part) => regex.test(part))
  };
}
function partsOf(text2) {
  const parts = text2.split(WALL).map((part) => part.trim());
  return parts.length > 1 ? parts.filter(Boolean) : parts;
}
function namedSo(elements, role, step) {
  const { exact, pattern } = step;
  const text2 = step.name || "";
  const wanted = wantedOf({ text: text2, exact, pattern });
  const named2 = elements.map((element) => [element, nameOf(element, role)]);
  const alike = pattern ? named2 : named2.filter(([, name]) => says(name, text2, false));
  const shown = exact || pattern ? alike.filter(([, name]) => wanted.says(name)) : alike;
  const isWritten2 = pattern ? wanted.says : (name) => says(name, text2, true);
  const found = shown.length ? shown : alike.filter(([element]) => isWritten2(writtenNameOf(element, role)));
  return found.map(([element]) => element);
}

// src/elements/filters.ts
var FILTERS = {
  nth: ({ index }, found) => found.slice(index).slice(0, found.length + index < 0 ? 0 : 1),
  visible: ({ visible }, found) => found.filter((element) => isRendered(element) === visible),
  "has-text": (step, found) => {
    const wanted = wantedOf({ text: step.text, exact: false, pattern: step.pattern });
    const having = new Set(
      topmost(found).flatMap((top) => {
        const reading = read(top);
        return havingText(reading, wanted).map((i) => reading.elements[i]);
      })
    );
    return found.filter((element) => having.has(element) === step.wanted);
  },
  has: ({ steps, wanted }, found) => found.filter((element) => matchesIn(steps, element).length > 0 === wanted),
  and: ({ steps }, found, root) => {
    const others = new Set(inSteps(steps, root, root).found);
    return found.filter((element) => others.has(element));
  }
};

// src/elements/find.ts
var FINDERS = {
  css: ({ css, parts }, scope) => findByCss(css, parts, scope),
  xpath: ({ xpath }, scope) => {
    if (!scope) return elementsOf(xpath, document);
    const relative = xpath.startsWith("/") ? `.${xpath}` : xpath;
    const look = (top) => elementsOf(relative, top);
    return fromEach(relative.startsWith(".//") ? topmost(scope) : scope, look, !DESCENDS.test(relative));
  },
  text: (step, scope) => {
    if (!scope && !step.pattern && !mayRead(step.text)) return [];
    const wanted = wantedOf(step);
    const tops = scope ? topmost(scope) : [bodyOf(document) || topOf(document)].filter(Boolean);
    const readings = tops.map((top) => read(top));
    const found = readings.flatMap((reading) => innermostHaving(reading, wanted));
    const hasLines = step.exact && !step.pattern && !found.length;
    const lines = hasLines ? readings.flatMap((reading) => withOwnLine(reading, compared(step.text, true))) : [];
    return preferred([...found, ...lines], isRendered);
  },
  role: (step, scope) => {
    const { role, states } = step;
    const alike = heardIn(
      scope,
      (element) => roleOf(element) === role && Object.keys(states).every((state) => isInState(element, state, states[state]))
    );
    return withoutHosts(asHeard(step.name === null ? alike : namedSo(alike, role, step), step.hidden));
  },
  label: (step, scope) => {
    const named2 = labelled(step);
    return withoutHosts(
      preferred(
        every(scope, (element) => named2.has(element)),
        isRendered
      )
    );
  },
  attribute: (step, scope) => {
    const { says: isSaid } = wantedOf(step);
    const { attribute } = step;
    const found = elementsUnder(scope, `[${attribute}]`).filter((element) => isSaid(attr(element, attribute) || ""));
    return withoutHosts(preferred(inOrder(found), isRendered));
  },
  testid: ({ id, pattern }, scope) => {
    const regex = pattern && new RegExp(pattern[0], pattern[1]);
    const isIt = (value) => value !== null && (regex ? regex.test(value) : value === id);
    return inOrder(
      elementsUnder(scope, TEST_IDS.map((name) => `[${name}]`).join()).filter(
        (element) => TEST_IDS.some((name) => isIt(attr(element, name)))
      )
    );
  },
  id: ({ id }, scope) => withoutHosts(
    perceived(
      every(scope, (element) => {
        if (ID_ATTRIBUTES.some((name) => attr(element, name) === id)) return true;
        const role = roleOf(element);
        return CONTROLS.has(role) && says(nameOf(element, role), id, true);
      })
    )
  ),
  // What is on the left of an `or` may begin in a scope; what is on its right begins where the whole selector does.
  or: ({ left, right }, scope, root) => {
    const found = [...inSteps(left, scope, root).found || [], ...inSteps(right, root, root).found];
    return inOrder(found, true);
  },
  // Each scope is searched by itself, so that `nth=` and the like count in it.
  chain: ({ steps }, scope, root) => scope ? fromEach(scope, (each) => matchesIn(steps, each)) : inSteps(steps, root, root).found
};
var isInState = (element, state, wanted) => {
  const own = stateOf(element, state);
  return (own === void 0 && state !== "expanded" && state !== "level" ? false : own) === wanted;
};
function preferred(found, test) {
  const seen = found.filter(test);
  return seen.length ? seen : found;
}
function perceived(found) {
  const isUntold = climber(renderedParent, (element) => attr(element, "aria-hidden") === "true");
  return preferred(found, (element) => isRendered(element) && !isUntold(element));
}
function asHeard(found, hidden) {
  if (hidden === null) return perceived(found);
  if (hidden) return found;
  const isUntold = climber(renderedParent, isAriaHidden);
  const told = found.filter((element) => isDrawn(listAround(element)) && !isUntold(element));
  untold = told.length ? [] : found;
  return told;
}
var untold = [];
var isDrawn = (element) => isShown(element, { checkVisibilityCSS: true }) || isBoxless(element);
var listAround = (element) => ["option", "optgroup"].includes(tagOf(element)) && closest(element, "select") || element;
function withoutHosts(found) {
  const isHost = (element) => shadowOf(element) !== null || tagOf(element).includes("-");
  const inside = new Map(found.filter(isHost).map((host) => [host, []]));
  if (!inside.size) return found;
  for (const element of found) {
    for (let at = hostOrParent(element); at; at = hostOrParent(at)) if (inside.has(at)) inside.get(at).push(element);
  }
  const left = new Set(found);
  for (const [host, parts] of [...inside].reverse()) {
    const [part, ...others] = parts.filter((each) => left.has(each));
    if (part && !others.length && (rootOf(part) !== rootOf(host) || takesValue(part))) left.delete(host);
  }
  return [...left];
}
var every = (scope, test) => inOrder(elementsUnder(scope, "*").filter(test));
function heardIn(scope, test) {
  const owned = scope ? ownedUnder(scope) : [];
  if (!owned.length) return every(scope, test);
  return inOrder([...elementsUnder(scope, "*"), ...owned, ...elementsUnder(owned, "*")].filter(test), true);
}
function ownedUnder(scope) {
  const owned = /* @__PURE__ */ new Set();
  for (let tops = scope; tops.length; ) {
    tops = [...tops, ...elementsUnder(tops, "[aria-owns]")].flatMap(ownedBy).filter((each) => !owned.has(each));
    for (const each of tops) owned.add(each);
  }
  return [...owned];
}
var DESCENDS = /\/\/|::|\(/;
function elementsOf(xpath, context) {
  const found = document.evaluate(xpath, context, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  return Array.from({ length: found.snapshotLength }, (_, i) => found.snapshotItem(i)).filter(isElement);
}
var MAX_JOINED = 1e3;
var pointedAt = (element, attribute) => (attr(element, attribute) || "").split(/\s+/).filter(Boolean).map((id) => idIn(rootOf(element), id)).filter((found) => found !== null);
var labelsFound = { roots: null, byStep: /* @__PURE__ */ new Map() };
function labelled(step) {
  const all = roots();
  if (labelsFound.roots !== all) labelsFound = { roots: all, byStep: /* @__PURE__ */ new Map() };
  const key = JSON.stringify([step.text, step.exact, step.pattern]);
  if (!labelsFound.byStep.has(key)) labelsFound.byStep.set(key, labelledNow(step));
  return labelsFound.byStep.get(key);
}
function labelledNow(step) {
  const wanted = wantedOf(step);
  const pointing = elementsUnder(null, "[aria-labelledby]").map((element) => [
    element,
    pointedAt(element, "aria-labelledby")
  ]);
  const labels = elementsUnder(null, "label");
  const texts = readLabels([...labels, ...pointing.flatMap(([, ids]) => ids)], wanted);
  const own = labels.filter((label) => texts.having.has(label)).map((label) => label.control);
  const named2 = new Set(own.filter((control) => control !== null));
  for (const [element, ids] of pointing) {
    const isNamed = ids.some((id) => texts.having.has(id)) || ids.length > 1 && wanted.says(texts.joined(ids));
    if (isNamed) named2.add(element);
  }
  for (const element of /* @__PURE__ */ new Set([...elementsUnder(null, "[aria-label]"), ...everyInternalHere().keys()])) {
    const label = attr(element, "aria-label");
    if (label !== null && wanted.says(label)) named2.add(element);
  }
  return named2;
}
function readLabels(labels, wanted) {
  const all = new Set(labels);
  const having = /* @__PURE__ */ new Set();
  const places = /* @__PURE__ */ new Map();
  for (const top of topmost([...all])) {
    const reading = read(top, true);
    reading.elements.forEach((element, i) => {
      if (all.has(element)) places.set(element, [reading.seen, i]);
    });
    const found = havingText(reading, wanted).map((i) => reading.elements[i]);
    for (const element of found) if (all.has(element)) having.add(element);
  }
  return {
    having,
    joined: (ids) => joined(ids.map((id) => places.get(id)).filter((place) => place !== void 0))
  };
}
function joined(places) {
  const length = places.reduce((sum, [prose, i]) => sum + prose.ends[i] - prose.starts[i], 0);
  if (length > MAX_JOINED) return "";
  return places.map(([prose, i]) => prose.textOf(i)).join(" ");
}
var whyUntold = (step) => step.kind === "role" && step.hidden === false && untold.length ? `${listed(untold[0])}${untold.length > 1 ? ` and ${untold.length - 1} more` : ""} would match, but assistive technology does not show such; [include-hidden=true] takes them` : "";
function whyNoControl(step) {
  if (step.kind !== "label") return "";
  const labels = elementsUnder(null, "label").filter((label2) => !label2.control);
  const { having } = readLabels(labels, wantedOf(step));
  const [label] = having;
  if (!label) return "";
  const reason = has(label, "for") ? `its for=${JSON.stringify(shorten(attr(label, "for")))} names no element that can be labelled` : "it has no for= and contains no control";
  return `${describe(label)} labels no control: ${reason}`;
}
var MAX_LISTED = 5;
var isChain = (target) => Array.isArray(target.steps);
function search({ steps, scope = null }) {
  if (scope && !isConnected(scope)) return { found: [], at: 0, before: null };
  return inSteps(steps, scope && [scope], null);
}
function inSteps(steps, scope, root) {
  let found = scope;
  for (const [at, step] of steps.entries()) {
    const before = found;
    found = taken(step, found, root);
    if (!found.length) return { found, at, before };
  }
  return { found };
}
var taken = (step, found, root) => {
  const table = step.kind in FILTERS ? FILTERS : FINDERS;
  return table[step.kind](step, found, root);
};
var matchesIn = (steps, element) => inSteps(steps, [element], [element]).found;
function findOne(target) {
  if (target.scope) {
    const scope = attached(target.scope);
    if (scope.fault) return scope;
  }
  let result;
  untold = [];
  try {
    result = search(target);
  } catch (error) {
    return { fault: "syntax", detail: String(error.message || error), final: true };
  }
  const { found, at = 0, before } = result;
  if (found.length === 1) return { element: found[0] };
  if (!found.length)
    return {
      fault: "none",
      step: at,
      count: before ? before.length : 0,
      detail: whyNoControl(target.steps[at]) || whyUntold(target.steps[at])
    };
  return { fault: "many", count: found.length, matches: found.slice(0, MAX_LISTED).map(listed) };
}
function containsHeld(target, token) {
  lookAgain();
  try {
    return { done: amongThose(search(target).found)(get(token)) };
  } catch (error) {
    return { fault: "syntax", detail: String(error.message || error) };
  }
}
var SUGGESTED = "a[href], button, input, select, textarea, summary, iframe, label, h1, h2, h3, [id], [role], [tabindex], [contenteditable], [placeholder], [title], [alt], " + TEST_IDS.map((name) => `[${name}]`).join(", ");
var MAX_SUGGESTED = 300;
var MAX_ROLES = 2e4;
function suggestions(target, at) {
  lookAgain();
  const { steps, scope } = target;
  const { found } = at ? search({ steps: steps.slice(0, at), scope }) : { found: scope ? [scope] : null };
  const step = steps[at];
  if (step.kind in FILTERS) return found.slice(0, MAX_SUGGESTED).map(suggestion);
  const alike = step.kind === "role" ? elementsUnder(found, "*").slice(0, MAX_ROLES).filter((e) => roleOf(e) === step.role) : [];
  const all = /* @__PURE__ */ new Set([...alike.slice(0, MAX_SUGGESTED), ...elementsUnder(found, SUGGESTED)]);
  return [...all].filter(isNotable).slice(0, 2 * MAX_SUGGESTED).map(suggestion);
}
var isNotable = (element) => !SILENT.has(tagOf(element)) && !(element instanceof HTMLInputElement && inputType(element) === "hidden");
function suggestion(element) {
  const role = roleOf(element);
  const short = (name) => shorten(attr(element, name) || "", 80);
  return {
    shown: listed(element),
    ids: ID_ATTRIBUTES.map((name) => attr(element, name)).filter(Boolean),
    role,
    name: shorten(legibleName(element, role), 80),
    text: shorten(plainText(element), 80),
    tag: tagOf(element),
    classes: (attr(element, "class") || "").trim(),
    placeholder: short("placeholder"),
    title: short("title"),
    alt: short("alt")
  };
}

// src/elements/ready.ts
var edited = /* @__PURE__ */ new WeakSet();
function expectEdit(element) {
  edited.delete(element);
  const receiver2 = isEditable(element) ? editingHost(element) : element;
  receiver2.addEventListener("beforeinput", () => edited.add(element), { capture: true, once: true });
}
var waitForFiles = (input, ms) => until(ms, async () => input.files.length ? {} : { fault: "state" });
var textArrived = (token) => edited.has(recall(token));
function prepare(target, need, args, ms) {
  const scrolling = { turn: 0, rest: null, covers: [], movedAt: 0 };
  return until(ms, async (round) => {
    const found = isChain(target) ? findOne(target) : attached(target);
    if (found.fault !== void 0) return found;
    const { element, fault } = controlFor(found.element, need.control);
    return fault && !(need.byKind && need.byKind.other) ? { what: describe(element), ...fault } : readied(element, found.element, need, args, round, scrolling);
  });
}
async function readied(element, named2, need, args, round, scrolling) {
  const kind = kindFor(element, need.control);
  const what = describe(element);
  if (round === 0) recordHidingFields();
  const stages = need.byKind && need.byKind[kind] || need.any;
  if (!stages) return { fault: "kind", kind, detail: roleOf(element), what, final: true };
  const ctx = { element, named: named2, at: element, kind, args, scrolling, report: {} };
  for (const stage of stages) {
    const fault = await STAGES[stage](ctx);
    if (fault) return { what, kind, ...fault };
    if (ctx.report.done) break;
  }
  const hidden = ["text", "editable"].includes(kind) && hides(element);
  return { token: hold(element), what, kind, hidden, ...ctx.report };
}
var CONDITIONS = {
  visible: (found) => found.some(isRendered),
  hidden: (found) => !found.some(isRendered),
  attached: (found) => found.length > 0,
  detached: (found) => found.length === 0
};
function waitFor(target, state, ms) {
  return until(ms, async () => {
    try {
      const { found } = search(target);
      return CONDITIONS[state](found) ? {} : { fault: "state", count: found.length, matches: found.slice(0, MAX_LISTED).map(listed) };
    } catch (error) {
      return { fault: "syntax", detail: String(error.message || error), final: true };
    }
  });
}
var waitForState = (token, on, was, ms) => until(ms, async (round) => {
  const state = checkedness(get(token));
  if (state === (on ? "on" : "off")) return { detail: state };
  const between = state !== was && (state === "mixed" || was === "mixed") && round > 0;
  return { fault: "state", detail: state, final: between };
});

// src/elements/state.ts
function drawnFor(element) {
  if (!isNativeToggle(element)) return null;
  const labels = [...element.labels || []].filter(isRendered);
  const near = labels.find((label) => isInside(element, label) || label === element.nextElementSibling);
  const beside = [...childNodesOf(parentOf(element))].filter(
    (node) => isElement(node) && node !== element
  );
  return near || beside.find(isDrawnToggle) || labels[0];
}
var isDrawnToggle = (part) => isRendered(part) && getComputedStyle(part).cursor === "pointer" && (kindOf(part) === "check" || !matches(part, `${INTERACTIVE}, ${ACTIVATES}`)) && !isNativeToggle(part);
function isOutOfReach(element) {
  const box = boxOf(element);
  const page = boxOf(topOf(document));
  return box.width > 0 && (box.right <= Math.min(0, page.left) || box.bottom <= Math.min(0, page.top));
}
var letsThrough = (element) => getComputedStyle(element).pointerEvents === "none";
var MAX_OPENERS = 4;
var isFree = (element) => "x" in freeSpot(element);
var STAGES = {
  rendered: (ctx) => {
    const drawn = drawnFor(ctx.element);
    if (isRendered(ctx.element)) {
      if (drawn && (isOutOfReach(ctx.element) || letsThrough(ctx.element))) ctx.at = drawn;
      return null;
    }
    if (ctx.element instanceof HTMLOptionElement) {
      const select = closest(ctx.element, "select"), widget = select && widgetFor(select);
      return { fault: "kind", kind: "option", final: !widget };
    }
    if (!drawn) return { fault: "hidden", detail: whyHidden(ctx.element) };
    ctx.at = drawn;
    return null;
  },
  // Enough for the keyboard: an element without an area may still take keys.
  shown: ({ element }) => isShown(element, { checkVisibilityCSS: true }) || isBoxless(element) ? null : { fault: "hidden", detail: whyHidden(element) },
  enabled: ({ element }) => {
    const by = disabledBy(element);
    if (!by) return null;
    const group = matches(by, ":disabled") && !has(by, "disabled") && closest(by, "fieldset:disabled, optgroup:disabled");
    const holder = group || by;
    const word = has(by, "inert") ? "inert" : "disabled";
    return { fault: "disabled", detail: holder === element ? word : `${word} through ${describe(holder)}` };
  },
  editable: ({ element }) => {
    const readOnly = attr(element, "aria-readonly") === "true" || "readOnly" in element && element.readOnly;
    return readOnly ? { fault: "disabled", detail: "read-only" } : null;
  },
  // A copy of the field shows whether it accepts the value, before the field itself is touched.
  value: ({ element, args, kind }) => {
    const value = String(args.value);
    const { maxLength } = element;
    if (maxLength >= 0 && value.length > maxLength) {
      return { fault: "unsuitable", detail: `takes at most ${maxLength} characters`, final: true };
    }
    const type = element instanceof HTMLInputElement ? inputType(element) : "";
    if (kind !== "picker" && type !== "number" || value === "") return null;
    const copy = element.cloneNode();
    copy.value = value;
    const same = type === "color" ? copy.value === value.toLowerCase() : type === "range" ? Number(copy.value) === Number(value) : copy.value !== "";
    return same ? null : { fault: "unsuitable", detail: `takes ${FORMATS[type](element)}`, final: true };
  },
  option: ({ element, args }) => {
    const select = element;
    const values = [].concat(args.value).map(String);
    const count2 = select.multiple ? null : oneOption(values);
    if (count2) return count2;
    for (const [index, value] of values.entries()) {
      const option = optionFor(select, value);
      const shown = [...select.options].slice(0, 10).map((o) => o.label || o.value);
      if (!option) return { fault: "option", count: index, matches: shown };
      if (option.disabled || closest(option, "optgroup:disabled"))
        return { fault: "disabled", detail: "a disabled option" };
    }
    return null;
  },
  // Options that a page draws are clicked one after the other; nothing takes back what was chosen before.
  someOption: ({ args }) => [].concat(args.value).length ? null : oneOption([]),
  // The value that a field with suggestions takes for an option, which may be shown by another name.
  suggestion: (ctx) => {
    const values = [].concat(ctx.args.value);
    const count2 = oneOption(values);
    if (count2) return count2;
    const { list } = ctx.element;
    const option = optionFor(list, values[0]);
    ctx.report.detail = option && option.value;
    return option ? null : { fault: "option", matches: [...list.options].slice(0, 10).map((o) => o.label || o.value) };
  },
  // The point where a click only opens the list: on the widget's field if it has one, not on chips of chosen options.
  opener: (ctx) => {
    const field = fieldOf(ctx.element, []) || ctx.element;
    ctx.at = [field, ...around(ctx.element).slice(1, MAX_OPENERS)].find(isFree) || field;
    return null;
  },
  toggle: (ctx) => {
    const wanted = ctx.args.on ? "on" : "off";
    ctx.report.detail = checkedness(ctx.element);
    if (ctx.report.detail === wanted) {
      ctx.report.done = true;
      return null;
    }
    if (ctx.args.position && ctx.named !== ctx.element) ctx.at = ctx.named;
    else if (ctx.at === ctx.element) ctx.at = rowOf(ctx.element);
    return isRadio(ctx.element) && wanted === "off" ? {
      fault: "unsuitable",
      detail: "is a radio button, which is unchecked by checking another one",
      final: true
    } : null;
  },
  files: ({ element, args }) => refusesFiles(element, args),
  focus: ({ element }) => takeFocus(element),
  selectAll: async ({ element }) => {
    const fault = await takeFocus(element);
    if (fault) return fault;
    if (isEditable(element)) selectContents(element);
    else element.select();
    expectEdit(element);
    return null;
  },
  // Selects what a user would see as selected: a field's content, or the text of any other element.
  selectText: async ({ element }) => {
    if (isEditable(element) || kindOf(element) === "text") {
      const fault = await takeFocus(element);
      if (fault) return fault;
    }
    if (kindOf(element) === "text") {
      element.select();
      return null;
    }
    const selected = String(selectContents(element));
    return selected.trim() || !plainText(element) ? null : { fault: "unsuitable", detail: "does not let its text be selected (user-select: none)", final: true };
  },
  // Puts the caret at the end, as a click behind the text does; keeps a caret that is already there.
  caret: async ({ element }) => {
    const has2 = isInside(activeElement(), isEditable(element) ? editingHost(element) : element);
    if (has2 && !(isDesigned() && !(hasFocus(document) && getSelection().rangeCount))) return null;
    const fault = await takeFocus(element);
    if (fault) return fault;
    if (isEditable(element)) selectContents(element).collapseToEnd();
    else if (kindOf(element) === "text") caretToEnd(element);
    return null;
  },
  // Identifies the element before any input.
  identity: (ctx) => {
    try {
      ctx.report.identity = identityOf(ctx.element);
    } catch {
      ctx.report.identity = null;
    }
    return null;
  },
  point: (ctx) => {
    const toggle = isNativeToggle(ctx.element) ? ctx.element : null;
    return ctx.args.position ? aimWithin(ctx, ctx.args.position) : aim(ctx, () => freeSpot(ctx.at, ctx.args.passed, toggle));
  },
  // For the end of a drag, when the dragged element may be between the pointer and the target, and for a frame element,
  // where only Python knows the point inside the frame.
  spot: (ctx) => ctx.args.position ? aimWithin(ctx, ctx.args.position) : aim(ctx, () => centre(ctx.at))
};
var oneOption = (values) => {
  if (values.length === 1) return null;
  const given = values.length ? "several" : "an empty list; choose the option that stands for none, if it has one";
  return { fault: "unsuitable", detail: `takes one option, not ${given}`, final: true };
};
function refusesFiles(input, counts) {
  const { files = 0, folders = 0 } = counts;
  const refused = has(input, "webkitdirectory") ? (files || folders > 1) && "takes one folder, not files" : folders ? "takes files, not a folder: name the files in it" : files > 1 && !input.multiple && "takes one file, not several";
  return refused ? { fault: "unsuitable", detail: String(refused), what: describe(input), final: true } : null;
}
var limitsOf = (element) => ["min", "max", "step"].filter((name) => has(element, name)).map((name) => `${name} ${attr(element, name)}`).join(", ");
var FORMATS = {
  number: () => "a number",
  range: (element) => `a number it can stand on (${limitsOf(element) || "min 0, max 100"})`,
  color: () => "a color such as #1a2b3c",
  date: () => "a date such as 2025-12-31",
  time: () => "a time such as 23:59",
  month: () => "a month such as 2025-12",
  week: () => "a week such as 2025-W52",
  "datetime-local": () => "a date and time such as 2025-12-31T23:59"
};
function whyHidden(element) {
  if (!isShown(element)) {
    const host = hostWithoutSlot(element);
    if (host) return `not rendered (${describe(host)} has no slot for it)`;
    const holder = closestAcross(element, "[hidden], dialog:not([open]), details:not([open])");
    return holder && holder !== element ? `not rendered (inside ${describe(holder)})` : "not rendered (display: none)";
  }
  if (!isShown(element, { checkVisibilityCSS: true })) return "visibility: hidden";
  return "without any area";
}
function hostWithoutSlot(element) {
  for (let at = element, up; at; at = up) {
    up = renderedParent(at);
    if (up && shadowOf(up) && parentOf(at) === up) return up;
  }
  return null;
}
var optionLabel = (option) => collapse(option.label || option.text);
function optionFor(select, value) {
  const options = [...select.options];
  return options.find((option) => option.value === value) || options.find((option) => optionLabel(option) === collapse(value));
}
function editingHost(element) {
  let host = element;
  while (host.parentElement && host.parentElement.isContentEditable) host = host.parentElement;
  return host;
}
var isDesigned = () => document.designMode === "on";
function takeFocus(element) {
  if (isEditable(element)) {
    if (isDesigned()) globalThis.focus();
    return takeFocusItself(editingHost(element));
  }
  if (element !== bodyOf(document)) return takeFocusItself(element);
  const active = activeElement();
  if (active) active.blur();
  return null;
}
var FOCUS_FRAMES = 60;
async function takeFocusItself(element) {
  element.focus();
  if (!isInside(activeElement(), element)) {
    return canFocus(element) ? { fault: "focus" } : { fault: "unsuitable", detail: "cannot take the keyboard focus", final: true };
  }
  for (let left = FOCUS_FRAMES; left > 0 && !hasFocus(document); left--) await frame();
  return isInside(activeElement(), element) ? null : { fault: "focus" };
}
function rowOf(element) {
  const nested = '[role="treeitem"], [role="group"]';
  if (roleOf(element) !== "treeitem" || !inElement(element, nested).length) return element;
  const own = [...childrenOf(element)].find(
    (child2) => isRendered(child2) && !matches(child2, nested) && !inElement(child2, nested).length
  );
  return own || element;
}
function caretToEnd(field) {
  const { selectionEnd } = field;
  if (typeof selectionEnd === "number") field.setSelectionRange(1e9, 1e9);
  else getSelection().modify("move", "forward", "documentboundary");
}
function selectContents(element) {
  const root = rootOf(element);
  const selection = root.getSelection && root.getSelection() || getSelection();
  selection.selectAllChildren(element);
  return selection;
}

// src/elements/values.ts
var dispatch = (element, ...types) => {
  for (const type of types) element.dispatchEvent(new Event(type, { bubbles: true, composed: type === "input" }));
};
function choose(token, values) {
  const select = get(token);
  const wanted = values.map((value) => optionFor(select, value));
  lastChoice = { before: [...select.selectedOptions], wanted };
  selectOnly(select, wanted);
  const widget = widgetFor(select);
  return widget ? hold(widget) : 0;
}
var lastChoice = { before: [], wanted: [] };
function selectOnly(select, wanted) {
  const before = [...select.options].map((option) => option.selected);
  for (const option of select.options) option.selected = wanted.includes(option);
  if ([...select.options].some((option, i) => option.selected !== before[i])) dispatch(select, "input", "change");
}
var setInputValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
function setValue(token, value) {
  const input = get(token);
  input.focus();
  if (inputValue(input) === value) return;
  setInputValue.call(input, value);
  dispatch(input, "input", "change");
}

// src/elements/choosing.ts
var POPUP_ROLES = '[role="listbox"], [role="tree"], [role="grid"], [role="menu"]';
var OPTION_ROLES = /* @__PURE__ */ new Set(["option", "treeitem", "row", "menuitemradio", "menuitemcheckbox"]);
var OPENS = /* @__PURE__ */ new Set(["listbox", "tree", "grid"]);
var VALUE_ATTRIBUTES = ["data-value", "value", "data-key", "data-id"];
var MAX_WALK = 2e4;
var MAX_REGIONS = 500;
var MAX_OFFERED = 10;
var MAX_AROUND = 6;
var FIELDS = "input:not([type=hidden]), select, textarea, [role=combobox], [aria-haspopup], [contenteditable]";
var UNREACHED = "[aria-hidden=true], [tabindex='-1'], [readonly]";
var MAX_TEXTS = 2e3;
var isWritable = (element) => kindOf(element) === "text" || kindOf(element) === "editable";
function widgetOf(element) {
  if (!(element instanceof HTMLElement) || element instanceof HTMLSelectElement) return "";
  const role = roleOf(element);
  if (element instanceof HTMLInputElement && element.list && !has(element, "role")) return "datalist";
  if (role === "combobox" || OPENS.has(attr(element, "aria-haspopup")) || has(element, "aria-autocomplete"))
    return "combobox";
  return role === "listbox" && has(element, "role") ? "listbox" : "";
}
var childElementsOf = (node) => {
  if (!isElement(node)) return node.children;
  const slotted = tagOf(node) === "slot" ? node.assignedElements() : [];
  if (slotted.length) return slotted;
  const root = shadowOf(node);
  return root ? root.children : childrenOf(node);
};
function* within(tops) {
  const stack = [...tops].reverse();
  for (let left = MAX_WALK; stack.length && left > 0; left--) {
    const element = stack.pop();
    yield element;
    const children = childElementsOf(element);
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
}
var watched = null;
function watch(token) {
  unwatch();
  const widget = get(token);
  const regions = /* @__PURE__ */ new Set();
  const take = (node) => {
    if (regions.size < MAX_REGIONS && isElement(node)) regions.add(node);
  };
  const observer = new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      if (type === "attributes") take(target);
      else addedNodes.forEach(take);
    }
  });
  for (const root of roots()) {
    observer.observe(root, {
      subtree: true,
      childList: true,
      attributeFilter: ["class", "style", "hidden", "open"]
    });
  }
  const toggled = (event) => take(event.target);
  listen(document, "toggle", toggled, true);
  const hidden = around(widget).flatMap((holder) => [...childElementsOf(holder)]).filter((child2) => !isRendered(child2));
  watched = { observer, regions, hidden, toggled, listed: new WeakSet(everyList().filter(isRendered)) };
}
function unwatch() {
  if (!watched) return;
  watched.observer.disconnect();
  document.removeEventListener("toggle", watched.toggled, true);
  watched = null;
}
var everyList = () => roots().flatMap((root) => [...queryIn(root, POPUP_ROLES)]);
function around(widget) {
  const found = [widget];
  const isOther = (field) => !isInside(field, widget) && !isInside(widget, field) && !matches(field, UNREACHED) && !isArrowOf(field, widget) && isRendered(field) && !openLists().some((list) => isInside(field, list));
  for (let at = renderedParent(widget); at && at !== bodyOf(document) && found.length <= MAX_AROUND; at = renderedParent(at)) {
    if ([...inElement(at, FIELDS)].some(isOther)) break;
    found.push(at);
  }
  return found;
}
var isArrowOf = (button, widget) => roleOf(button) === "button" && has(button, "aria-haspopup") && attr(button, "aria-haspopup") === attr(widget, "aria-haspopup") && plainText(button) === "";
var idsOf = (element, attribute) => (attr(element, attribute) || "").split(/\s+/).filter(Boolean).map((id) => idIn(rootOf(element), id)).filter((found) => found !== null);
function listsByAttribute(widget) {
  const speakers = [widget, ...inElement(widget, "[aria-controls], [aria-owns], [aria-activedescendant]")];
  const wrapper = closestAcross(widget, "[role=combobox]");
  if (wrapper) speakers.push(wrapper);
  const lists = speakers.flatMap((each) => [
    ...idsOf(each, "aria-controls"),
    ...idsOf(each, "aria-owns"),
    ...idsOf(each, "aria-activedescendant").map((option) => closestAcross(option, POPUP_ROLES))
  ]);
  return [...new Set(lists)].filter((list) => list !== null && !isInside(widget, list));
}
function appearedLists(widget) {
  const inWidget = [...inElement(lastItem(around(widget)), POPUP_ROLES)];
  return [.../* @__PURE__ */ new Set([...everyList().filter((list) => !(watched && watched.listed.has(list))), ...inWidget])].filter(
    (list) => isRendered(list) && !isInside(widget, list)
  );
}
function appearedRegions(widget) {
  const all = [...watched && watched.regions || [], ...watched && watched.hidden || []].filter(isConnected);
  const shown = all.filter((region) => isRendered(region) && !isInside(widget, region) && !isInside(region, widget));
  return shown.filter((region) => !shown.some((other) => other !== region && isInside(region, other)));
}
var isOption = (element) => OPTION_ROLES.has(roleOf(element)) && isRendered(element);
var isLeaf = (element) => isRendered(element) && plainText(element) !== "" && !isWritable(element) && ![...childElementsOf(element)].some((child2) => plainText(child2) !== "");
function opened(widget) {
  if (widgetOf(widget) === "listbox") return { lists: [widget], options: [...within([widget])].filter(isOption) };
  for (const lists2 of [listsByAttribute(widget), appearedLists(widget)]) {
    const options2 = [...new Set(within(lists2))].filter(isOption);
    if (options2.length) return { lists: lists2, options: options2 };
  }
  const lists = appearedRegions(widget);
  const options = [...within(lists)].filter(isOption);
  return { lists, options: options.length ? options : [...within(lists)].filter(isLeaf) };
}
var optionName = (option) => nameOf(option) || plainText(option);
var optionValues = (option) => VALUE_ATTRIBUTES.map((name) => attr(option, name)).filter((value) => value !== null);
var ANSWERS = [
  (option, wanted) => optionValues(option).includes(wanted),
  (option, wanted) => collapse(optionName(option)) === collapse(wanted),
  (option, wanted) => loose(optionName(option)) === loose(wanted),
  (option, wanted) => loose(plainText(option)) === loose(wanted),
  (option, wanted) => [...within([option])].some((part) => isLeaf(part) && loose(plainText(part)) === loose(wanted))
];
function answering(options, wanted) {
  for (const answers2 of ANSWERS) {
    const found = options.filter((option) => answers2(option, wanted));
    if (found.length)
      return found.filter((option) => !found.some((other) => other !== option && isInside(other, option)));
  }
  return [];
}
function fieldOf(widget, lists) {
  if (isWritable(widget)) return widget;
  const active = activeElement();
  if (active && isWritable(active) && [widget, ...lists, ...around(widget)].some((part) => isInside(active, part)))
    return active;
  const inside = [...within([widget, ...lists])].filter((part) => isWritable(part) && isRendered(part));
  return inside.length === 1 ? inside[0] : null;
}
var isListOpen = (widget, lists) => widgetOf(widget) === "listbox" || attr(widget, "aria-expanded") === "true" || attr(widget, "aria-expanded") !== "false" && lists.length > 0;
var isMany = (widget, lists) => [widget, ...lists].some((list) => attr(list, "aria-multiselectable") === "true");
function listState(widget, wanted) {
  const { lists, options } = opened(widget);
  const found = answering(options, wanted);
  const field = fieldOf(widget, lists);
  const many = isMany(widget, lists);
  const [match] = found;
  if (match && watched) watched.lists = lists.filter((list) => isInside(match, list));
  return {
    open: isListOpen(widget, options.length ? lists : []),
    editable: Boolean(field && !field.readOnly && !isDisabled(field)),
    count: options.length,
    options: options.slice(0, MAX_OFFERED).map((option) => shorten(optionName(option))),
    found: found.length,
    many,
    shown: shownBy(widget),
    option: match ? hold(match) : 0,
    disabled: Boolean(match) && isDisabled(match),
    chosen: Boolean(match) && many && isPicked(widget, match)
  };
}
function isPicked(widget, option) {
  const seen = evidence(widget, { name: collapse(optionName(option)), values: optionValues(option) }, option);
  return seen.selected && (widgetOf(widget) === "listbox" || seen.own || seen.text || seen.hidden);
}
function waitForOptions(token, wanted, ms, calm, seen) {
  const before = seen ? JSON.stringify(seen) : "";
  let last = "";
  let since = performance.now();
  return until(ms, async () => {
    const now = listState(get(token), wanted);
    const sight = JSON.stringify(now.options);
    if (sight !== last) since = performance.now();
    last = sight;
    const isStable = now.count > 0 && performance.now() - since >= calm || before && sight !== before;
    return now.found && !now.disabled || isStable ? now : { ...now, fault: "option" };
  });
}
async function focusFilter(token) {
  const widget = get(token);
  const field = fieldOf(widget, opened(widget).lists);
  if (!field || await takeFocus(field)) return false;
  if (isEditable(field)) selectContents(field);
  else field.select();
  return true;
}
async function scrollList(token, first) {
  const { lists } = opened(get(token));
  const scroller = [...within(lists), ...lists.map(renderedParent)].find((at) => at && overflows(at));
  if (!scroller) return { moved: false };
  const by = Math.round(scroller.clientHeight * 0.8);
  if (!/auto|scroll/.test(getComputedStyle(scroller).overflowY))
    return { moved: true, wheel: hold(scroller), by: first ? 0 : by };
  const before = scroller.scrollTop;
  scroller.scrollTop = first ? 0 : before + by;
  await frame();
  await frame();
  return { moved: first || scroller.scrollTop !== before };
}
var overflows = (element) => element.scrollHeight > element.clientHeight + 1 && element.clientHeight > 0 && getComputedStyle(element).overflowY !== "visible";
function shownBy(widget) {
  const field = isWritable(widget) ? widget : fieldOf(widget, []);
  if (field) return valueOf(field) || shorten(textsIn(lastItem(around(widget))).join(" "), 80);
  return textsIn(widget).join(" ") || attr(widget, "aria-label") || "";
}
function textsIn(element) {
  const lists = openLists();
  const texts = [];
  const walker = walkerIn(document, element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), left = MAX_TEXTS; node && left > 0; node = walker.nextNode(), left--) {
    const text2 = collapse(node.data);
    const holder = parentOf(node);
    if (!text2 || !isElement(holder) || SILENT.has(tagOf(holder)) || tagOf(holder) === "option" || !isRendered(holder))
      continue;
    if (!lists.some((list) => isInside(holder, list))) texts.push(text2);
  }
  return texts;
}
var openLists = () => (watched && watched.lists || []).filter((list) => isConnected(list) && isRendered(list));
function hiddenValues(widget) {
  const fields = inElement(lastItem(around(widget)), "input, select");
  return [...fields].flatMap((field) => field === widget ? [] : valueOf(field).split(", ")).filter(Boolean);
}
function evidence(widget, { name, values }, option) {
  const names = [name, ...values].map(loose);
  const field = isWritable(widget) ? widget : fieldOf(widget, []);
  const texts = [textsIn(widget).join(" "), attr(widget, "aria-label") || "", attr(widget, "aria-valuetext") || ""];
  return {
    own: Boolean(field) && names.includes(loose(valueOf(field))) || field !== widget && texts.some((text2) => loose(text2).includes(names[0])),
    text: textsIn(lastItem(around(widget))).some((text2) => names.includes(loose(text2))),
    hidden: hiddenValues(widget).some((value) => values.includes(value)),
    selected: Boolean(option) && isConnected(option) && checkedness(option) === "on"
  };
}
function showsChoice(widget, choice, option) {
  const now = evidence(widget, choice, option);
  if (widgetOf(widget) === "listbox") return now.selected;
  const lists = openLists();
  if (isMany(widget, lists) && now.selected) return true;
  const stillOffered = lists.length > 0 && option && isConnected(option) && isRendered(option);
  if (!stillOffered) return now.own || now.text || now.hidden;
  return now.text && !choice.before.text || now.hidden && !choice.before.hidden;
}
function describeOption(token, optionToken) {
  const option = get(optionToken);
  const choice = { name: collapse(optionName(option)), values: optionValues(option) };
  return { ...choice, before: evidence(get(token), choice, option) };
}
var verifyChoice = (token, optionToken, choice, ms) => until(ms, async () => {
  const widget = get(token);
  const option = recall(optionToken);
  const shows = showsChoice(widget, choice, option);
  const undone = choice.before.selected && option && isConnected(option) && checkedness(option) === "off" && isMany(widget, openLists());
  if (undone) return { undone: true };
  return shows ? {} : { fault: "state", detail: shownBy(widget) };
});
function isLeftOpen(token) {
  const widget = get(token);
  if (activeElement() === bodyOf(document)) (fieldOf(widget, []) || widget).focus();
  return widgetOf(widget) === "combobox" && openLists().length > 0 && attr(widget, "aria-expanded") !== "false" && !closestAcross(widget, "dialog[open], [role=dialog], [aria-modal=true]");
}
var UNSEEN_PX = 4;
function widgetFor(select) {
  const box = boxOf(select);
  const isUnseen = letsThrough(select) || isOutOfReach(select) || Math.min(box.width, box.height) <= UNSEEN_PX;
  if (!isUnseen) return null;
  const next = select.nextElementSibling;
  const widget = closestAcross(select, "[role=combobox]") || next && (widgetOf(next) ? next : listIn(next, ["combobox", "listbox"]));
  return widget && isRendered(widget) ? widget : null;
}
async function unfollowed(selectToken, token, ms) {
  const select = get(selectToken);
  const { before, wanted } = lastChoice;
  const isChosen2 = (option) => wanted.every(isConnected) ? option.selected : wanted.some((one) => optionLabel(one) === optionLabel(option));
  const names = (chosen) => [...select.options].filter((option) => isChosen2(option) === chosen).map(optionName).filter(Boolean);
  const isShown2 = (name) => {
    const seen = evidence(get(token), { name, values: [] }, null);
    return seen.own || seen.text;
  };
  const { absent, present } = await until(ms, async () => {
    const absent2 = names(true).filter((name) => !isShown2(name));
    const texts = select.multiple ? textsIn(get(token)).map(loose) : [];
    const present2 = names(false).filter((name) => texts.includes(loose(name)));
    return { absent: absent2, present: present2, fault: absent2.length || present2.length ? "state" : "" };
  });
  if ((absent.length || present.length) && before.every(isConnected)) selectOnly(select, before);
  return { absent, present };
}

// src/elements/control.ts
var PICKERS = /* @__PURE__ */ new Set(["date", "time", "month", "week", "datetime-local", "color", "range"]);
var CHECK_STATES = {
  checkbox: ["aria-checked"],
  radio: ["aria-checked"],
  switch: ["aria-checked"],
  menuitemcheckbox: ["aria-checked"],
  menuitemradio: ["aria-checked"],
  option: ["aria-checked", "aria-selected"],
  treeitem: ["aria-checked", "aria-selected"],
  gridcell: ["aria-selected"],
  row: ["aria-selected"],
  columnheader: ["aria-selected"],
  rowheader: ["aria-selected"],
  tab: ["aria-selected"],
  button: ["aria-pressed"]
};
var ALWAYS_CHECK = /* @__PURE__ */ new Set([
  "checkbox",
  "radio",
  "switch",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "treeitem"
]);
function checkStateOf(element, role = roleOf(element)) {
  const name = (CHECK_STATES[role] || []).find((state) => has(element, state));
  return name ? attr(element, name).trim().toLowerCase() : null;
}
var isNativeToggle = (element) => element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(inputType(element));
function kindOf(element) {
  if (element instanceof HTMLSelectElement) return "select";
  if (element instanceof HTMLOptionElement) return "option";
  if (element instanceof HTMLTextAreaElement) return "text";
  if (element instanceof HTMLInputElement) {
    const type = inputType(element);
    if (isNativeToggle(element)) return "check";
    if (type === "file" || type === "hidden") return type;
    return isButtonInput(element) ? buttonKind(element) : PICKERS.has(type) ? "picker" : "text";
  }
  const role = roleOf(element);
  if (ALWAYS_CHECK.has(role)) return "check";
  return isEditable(element) ? "editable" : buttonKind(element, role);
}
var buttonKind = (element, role = roleOf(element)) => checkStateOf(element, role) === null ? "other" : "check";
var isEditable = (element) => element instanceof HTMLElement && element.isContentEditable;
function checkedness(element) {
  if (isNativeToggle(element)) return element.indeterminate ? "mixed" : element.checked ? "on" : "off";
  const state = checkStateOf(element);
  return state === "true" ? "on" : state === "mixed" ? "mixed" : "off";
}
var isRadio = (element) => /radio$/.test(isNativeToggle(element) ? inputType(element) : roleOf(element));
var MAY_BE_DISABLED = new Set(STATEFUL_ROLES.disabled);
function disabledBy(element) {
  if (matches(element, ":disabled")) return element;
  const isOwn = matches(element, ":enabled");
  const role = roleOf(element);
  const isAffected = !role || MAY_BE_DISABLED.has(role);
  let ariaDisabled = "";
  for (let at = element; at; at = renderedParent(at)) {
    if (has(at, "inert") || !isOwn && matches(at, ":disabled:not(fieldset)")) return at;
    if (!ariaDisabled && has(at, "aria-disabled")) ariaDisabled = attr(at, "aria-disabled").trim().toLowerCase();
    if (ariaDisabled === "true" && (isAffected || at !== element && WHOLES.has(roleOf(at)))) return at;
  }
  return null;
}
var isDisabled = (element) => disabledBy(element) !== null;
var isInLink = (token) => closestAcross(get(token), "a[href], area[href]") !== null;
var INTERACTIVE = "a[href], audio[controls], button, details, embed, iframe, img[usemap], input:not([type=hidden]), object[usemap], select, textarea, video[controls]";
var WHOLES = /* @__PURE__ */ new Set([
  "checkbox",
  "radio",
  "switch",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "button",
  "tab",
  "combobox"
]);
var MAX_LABELS = 20;
var canFocus = (element) => element.tabIndex >= 0 || has(element, "tabindex") || isEditable(element) || element === bodyOf(document) || Boolean(shadowOf(element) && shadowOf(element).delegatesFocus);
var kindFor = (element, kinds) => kinds && kinds.includes("combobox") && widgetOf(element) || kindOf(element);
var takes = (element, kinds) => kinds.includes(kindFor(element, kinds)) || kinds.includes("focus") && canFocus(element);
function controlFor(element, kinds) {
  if (!kinds || takes(element, kinds)) return { element };
  const inside = partOf(element, kinds) || kinds.includes("combobox") && listIn(element, kinds);
  if (inside) return { element: inside };
  let bare = null;
  let labels = 0;
  for (let at = element; at && labels < MAX_LABELS; at = renderedParent(at)) {
    if (at instanceof HTMLLabelElement) {
      const { control } = at;
      if (control) return { element: takes(control, kinds) ? control : partOf(control, kinds) || control };
      bare = bare || at;
      labels++;
    } else if (WHOLES.has(roleOf(at)) && takes(at, kinds)) {
      return { element: at };
    } else if (matches(at, INTERACTIVE)) {
      break;
    }
  }
  return bare ? { element, fault: { fault: "label", detail: whyBare(bare) } } : { element };
}
var whyBare = (label) => has(label, "for") ? `its for=${JSON.stringify(shorten(attr(label, "for")))} names no field` : "it contains no field and has no for=";
function listIn(element, kinds) {
  if (matches(element, INTERACTIVE) || element instanceof HTMLLabelElement) return null;
  const found = [...inElement(element, "select, input, button, [role], [aria-haspopup]")].filter(
    (part) => takes(part, kinds) && isRendered(part)
  );
  const outer = found.filter((part) => !found.some((other) => other !== part && isInside(part, other)));
  return outer.length === 1 ? outer[0] : null;
}
function partOf(element, kinds) {
  if (!tagOf(element).includes("-") || !shadowOf(element)) return null;
  const found = [];
  const roots2 = [shadowOf(element)];
  for (const root of roots2) {
    for (const part of queryIn(root, "*")) {
      if (takes(part, kinds)) found.push(part);
      if (found.length > 1) return null;
      const inner = shadowOf(part);
      if (inner) roots2.push(inner);
    }
  }
  return found[0] || null;
}

// src/elements/typing.ts
var LETTER_EVENTS = ["keydown", "keypress", "beforeinput", "keyup"];
var LEAVING = /* @__PURE__ */ new Set(["Tab", "Enter"]);
var TAKES_TEXT = /* @__PURE__ */ new Set(["text", "editable", "picker", "select"]);
var TYPED_MS = 1e4;
var typing = null;
var listenForLetters = () => {
  for (const type of LETTER_EVENTS) listen(globalThis, type, onLetter, inCapture);
};
var listenForBlur = () => listen(globalThis, "blur", onBlur, inCapture);
function onBlur(event) {
  const active = focusedNow();
  if (!typing || !typing.at || !isTrusted(event) || !HOLDS_FRAME.has(tagOf(active)) || typing.frames.has(active))
    return;
  if (isInside(active, typing.at) || !isConnected(typing.at)) return;
  typing.strayed = typing.strayed || { kind: "strayed", hit: describe(active) };
  typing.taker = active;
  const { at } = typing;
  queueMicrotask(() => at.focus({ preventScroll: true }));
  reportTyping();
}
function onLetter(event) {
  if (!typing || !isTrusted(event) || performance.now() > typing.until) return;
  if (event.type === "keyup") {
    typing.pressed = false;
    if (!typing.strayed) reportLetters();
    return;
  }
  if (!typing.strayed) follow(event.type);
  if (typing.strayed) block(event);
  else count(event);
}
function count(event) {
  typing.until = performance.now() + TYPED_MS;
  if (event.type === "keydown") {
    typing.letters++;
    typing.heard = typing.pressed = true;
    typing.leaves = LEAVING.has(event.key);
  } else if (event.type === "beforeinput" && !typing.pressed) {
    typing.letters++;
    typing.heard = true;
    reportLetters();
  }
}
function reportLetters() {
  if (typing.letters % typing.every === 0 || typing.letters >= typing.total) reportTyping();
}
function reportTyping() {
  const { id, letters, heard: heard2, strayed } = typing;
  const report = { id, letters, heard: heard2, ...strayed || { kind: "typed", hit: "" } };
  if (globalThis.__sfTyping) __sfTyping(JSON.stringify(report));
  return report;
}
var focusedNow = () => activeElement() || bodyOf(document) || topOf(document);
var isNowhere = (element) => element === bodyOf(document) || element === topOf(document);
function follow(type) {
  const active = focusedNow();
  if (typing.role === "any" && !typing.at) remember(active);
  const received = receivesLetters(active);
  const closed = received && isClosed() ? closedBy(typing.at) : "";
  if (received && !closed) return;
  if (type !== "keydown" && typing.pressed) typing.letters--;
  typing.strayed = {
    kind: closed ? "refused" : "strayed",
    hit: closed || (isNowhere(active) ? "" : describe(active))
  };
  reportTyping();
}
var isClosed = () => typing.was.open && Boolean(closedBy(typing.at));
var closedBy = (field) => matches(field, ":disabled") ? "disabled" : field.readOnly ? "read-only" : "";
function receivesLetters(active) {
  const { at } = typing;
  if (!at) return false;
  if (isInside(active, at)) {
    if (active !== at && !takesText(at) && takesText(active)) remember(active);
    return true;
  }
  if (typing.stays || !isConnected(active) || !mayLeaveFor(active)) return false;
  remember(active);
  return true;
}
var framesNow = () => (knownRoots || [document]).flatMap((root) => [...queryIn(root, [...HOLDS_FRAME].join())]);
var takesText = (element) => TAKES_TEXT.has(kindOf(element));
function remember(element) {
  const at = isEditable(element) ? editingHost(element) : element;
  typing.at = at;
  typing.was = { hides: hides(at), open: !closedBy(at), words: fieldWords(at), parents: parentsOf(at) };
}
function mayLeaveFor(to) {
  if (isNowhere(to)) return false;
  if (typing.leaves) return !typing.secret;
  if (hides(to) !== typing.was.hides) return false;
  if (!takesText(typing.at)) return !typing.secret;
  lookAgain();
  return isInGroup(typing.at, to) || isNextSegment(typing.at, to) || hasReplaced(to);
}
var PART_CHARACTERS = 8;
var SQUARE = 2.5;
var fieldsNow = () => roots().flatMap((root) => [...inputsOf(root)]).filter((input) => kindOf(input) === "text" && isRendered(input));
function isPart(input) {
  if (!(input instanceof HTMLInputElement)) return false;
  if (isBox(input)) return true;
  if (mostOf(input) > 0 && mostOf(input) <= PART_CHARACTERS) return !labelsOf(input).length;
  const box = boxOf(input);
  return mostOf(input) < 0 && box.width <= SQUARE * box.height;
}
function groupOf(element) {
  if (!isPart(element)) return [];
  const fields = fieldsNow();
  const at = fields.indexOf(element);
  if (at < 0) return [];
  let [first, last] = [at, at];
  while (first > 0 && isPart(fields[first - 1])) first--;
  while (last < fields.length - 1 && isPart(fields[last + 1])) last++;
  return fields.slice(first, last + 1);
}
var isInGroup = (from, to) => groupOf(from).includes(to);
function isNextSegment(from, to) {
  const group = !typing.secret && isSegment(from) && isSegment(to) && closest(to, '[role="group"]');
  return Boolean(group) && isInside(from, group);
}
var isSegment = (element) => attr(element, "role") === "spinbutton" && kindOf(element) === "editable";
function fieldWords(element) {
  const id = (attr(element, "id") || "").replace(/:\w+:|\d+/g, "");
  const names = ["name", "type", "placeholder", "aria-label", "autocomplete"].map((name) => attr(element, name) || "");
  const labels = [...element.labels || []].map((label) => collapse(rawText(label)));
  return [id, ...names, ...labels].join(" ").trim();
}
function isSeen(element) {
  const box = boxOf(element);
  return isRendered(element) && !isOutOfReach(element) && isShown(element, { checkOpacity: true }) && box.width > 2 && box.height > 2;
}
function hasReplaced(to) {
  const { at, was } = typing;
  if (isConnected(at) && isSeen(at) || !takesText(to) || fieldWords(to) !== was.words) return false;
  return Boolean(was.words) || isAloneIn(was.parents.find(isConnected), to);
}
var TEXT_FIELDS = "input, textarea, select, [contenteditable]";
var isAloneIn = (container, field) => isInside(field, container) && [...inElement(container, TEXT_FIELDS)].every(
  (other) => [field, typing.at].includes(other) || !takesText(other) || !isSeen(other)
);
function expectLetters(token, want) {
  listenForLetters();
  typing = {
    ...want,
    at: null,
    was: null,
    letters: 0,
    heard: false,
    pressed: false,
    leaves: false,
    strayed: null,
    frames: new Set(framesNow()),
    taker: null,
    until: performance.now() + TYPED_MS
  };
  const active = focusedNow();
  const has2 = hasFocus(document) && !HOLDS_FRAME.has(tagOf(active));
  const at = want.role === "target" ? recall(token) : want.role === "any" && has2 && !isNowhere(active) ? active : null;
  if (!at) return { home: false, hides: false, boxes: 0, what: "" };
  remember(at);
  return { home: true, hides: typing.was.hides, boxes: groupOf(at).length, what: describe(at) };
}
function expectNoLetters(id) {
  if (typing && typing.id === id && !typing.at) typing.role = "other";
}
var BOX_MS = 200;
async function lettersTyped(id, parts) {
  if (!typing || typing.id !== id) return null;
  if (parts) {
    await frame();
    await frame();
    const end = performance.now() + BOX_MS;
    while (isFullPart(focusedNow()) && performance.now() < end) await frame();
  }
  return reportTyping();
}
var isFullPart = (element) => typing && element === typing.at && isPart(element) && mostOf(element) > 0 && inputValue(element).length >= mostOf(element);
async function lettersMayGoOn(id, ms, taken2) {
  if (taken2 && !(typing && typing.strayed && !typing.taker)) return false;
  const end = performance.now() + ms;
  while (typing && typing.id === id && typing.strayed) {
    if (receivesLetters(focusedNow()) && !isClosed()) typing.strayed = null;
    else if (performance.now() >= end) return false;
    else await frame();
  }
  return true;
}
var boxesTyped = (id) => typing && typing.id === id ? groupOf(typing.at).map(hold) : [];
function endLetters(id) {
  if (!typing || typing.id !== id) return;
  const { taker } = typing;
  typing = null;
  if (taker && isConnected(taker)) taker.focus({ preventScroll: true });
}

// src/elements/answers.ts
var answers = null;
function watchAnswers() {
  if (answers) return;
  const observer = new MutationObserver((records) => {
    if (!answers) return;
    answers.at = performance.now();
    answers.rebuilt = answers.rebuilt || records.some((record) => record.type === "childList");
  });
  answers = { observer, at: 0, rebuilt: false };
  lookAgain();
  for (const root of roots()) {
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  }
}
function unwatchAnswers() {
  const { observer, rebuilt } = answers || { observer: null, rebuilt: false };
  if (observer) observer.disconnect();
  answers = null;
  return rebuilt;
}
var STILL_MS = 40;
async function answered(frames, ms) {
  const end = performance.now() + ms;
  for (let left = frames; left > 0; left--) await frame();
  while (answers && performance.now() - answers.at < STILL_MS && performance.now() < end) await frame();
}
async function keyAnswered(frames, ms, letter) {
  if (!hasFocus(document) || letter && takesText(focusedNow())) return;
  watchAnswers();
  await answered(frames, ms);
  unwatchAnswers();
}
var takesKeys = () => !HOLDS_FRAME.has(tagOf(focusedNow())) && !takesText(focusedNow());

// src/elements/dragging.ts
var lastDrag = {
  dragstart: null,
  drop: null,
  dragend: null,
  mouseup: null,
  pointerup: null
};
var DRAG_EVENTS = ["dragstart", "dragenter", "dragover", "dragleave", "drop", "dragend", "mouseup", "pointerup"];
var HIDDEN_DROP = /* @__PURE__ */ new Set(["dragenter", "dragover", "dragleave", "drop"]);
var ending = null;
var listenForDrags = () => {
  for (const type of DRAG_EVENTS) listen(globalThis, type, onDrag, inCapture);
};
function onDrag(event) {
  if (!isTrusted(event)) return;
  if (ending !== null && HIDDEN_DROP.has(event.type)) takeDrop(event);
  else if (owns(lastDrag, event.type)) lastDrag[event.type] = event;
}
function forgetDrag() {
  for (const type of Object.keys(lastDrag)) lastDrag[type] = null;
  ending = null;
}
function watchDrag() {
  listenForDrags();
  forgetDrag();
  watchAnswers();
}
var dragStart = () => !lastDrag.dragstart ? "none" : lastDrag.dragstart.defaultPrevented ? "prevented" : "started";
var viewSize = () => [innerWidth, innerHeight];
var scrollLeftOf = getter(Element.prototype, "scrollLeft");
var scrollTopOf = getter(Element.prototype, "scrollTop");
function scrolledAround(token) {
  let x = 0, y = 0;
  for (let at = hostOrParent(get(token)); at; at = hostOrParent(at)) {
    if (!isElement(at)) continue;
    x += scrollLeftOf(at);
    y += scrollTopOf(at);
  }
  return [x, y];
}
function expectDragEnd(effect) {
  ending = effect;
}
function takeDrop(event) {
  block(event);
  if (event.type === "dragenter" || event.type === "dragover") event.dataTransfer.dropEffect = ending;
}
function dragEnd() {
  const { drop, dragend, mouseup, pointerup } = lastDrag;
  forgetDrag();
  return {
    dropped: Boolean(drop),
    released: Boolean(mouseup || pointerup),
    effect: drop ? drop.dataTransfer.dropEffect : "",
    ended: Boolean(dragend),
    rebuilt: unwatchAnswers()
  };
}

// src/elements/external.ts
var stopped = [];
function onNavigate(event) {
  const { __sfOpenedByChrome: opened2 } = globalThis;
  if (!opened2 || !isTrusted(event) || !event.cancelable) return;
  const { url } = event.destination;
  if (opened2.includes(url.slice(0, url.indexOf(":")).toLowerCase())) return;
  event.preventDefault();
  stopped.push(url);
  reportStopped();
}
function reportStopped() {
  if (globalThis.__sfExternal) for (const url of stopped.splice(0)) globalThis.__sfExternal(url);
}
function listenForNavigations() {
  if (globalThis.navigation) navigation.addEventListener("navigate", onNavigate, true);
  (globalThis.__sfBound = globalThis.__sfBound || []).push(reportStopped);
}

// src/elements/resizes.ts
var resizesAreHidden = false;
var scrolled = [];
var hideResize = (event) => {
  if (resizesAreHidden) event.stopImmediatePropagation();
};
function listenForResizes() {
  for (const target of [window, window.visualViewport]) if (target) target.addEventListener("resize", hideResize, true);
  window.addEventListener("scroll", hideResize, true);
}
function hideResizes() {
  resizesAreHidden = true;
  scrolled = [...allOf(document, "*")].filter((element) => element.scrollTop || element.scrollLeft).map((element) => ({ element, left: element.scrollLeft, top: element.scrollTop }));
}
var beginToShowResizes = () => void showResizes();
async function showResizes() {
  await new Promise(
    (done) => requestAnimationFrame(() => {
      for (const { element, left, top } of scrolled) {
        if (element.scrollLeft !== left || element.scrollTop !== top)
          element.scrollTo({ left, top, behavior: "instant" });
      }
      scrolled = [];
      requestAnimationFrame(done);
    })
  );
  resizesAreHidden = false;
}

// src/elements/rows.ts
var LIKE = "button, a, input, select, textarea, summary, [role], [tabindex], [onclick]";
var MAX_ROW = 2e3;
function said(element) {
  const { innerText } = element;
  return (element.getAttribute("aria-label") || innerText || element.getAttribute("title") || "").trim();
}
var sign = (element) => `${element.type || ""}|${said(element)}`;
function rowText(element) {
  const own = sign(element);
  const alike = [...element.getRootNode().querySelectorAll(`${LIKE}, ${element.localName}`)];
  const twins = alike.filter(
    (each) => each !== element && !each.contains(element) && !element.contains(each) && sign(each) === own
  );
  let row = element;
  for (let up = row.parentElement; up && !twins.some((each) => up.contains(each)); up = row.parentElement) row = up;
  const text2 = row.innerText || row.textContent || "";
  return text2.replace(/\s+/g, " ").trim().slice(0, MAX_ROW);
}

// src/elements/dispatching.ts
var EVENT_CLASSES = [
  [
    "MouseEvent",
    "auxclick click dblclick mousedown mouseenter mouseleave mousemove mouseout mouseover mouseup mousewheel"
  ],
  ["KeyboardEvent", "keydown keyup keypress textInput"],
  ["TouchEvent", "touchstart touchmove touchend touchcancel"],
  [
    "PointerEvent",
    "pointerover pointerout pointerenter pointerleave pointerdown pointerup pointermove pointercancel gotpointercapture lostpointercapture contextmenu"
  ],
  ["FocusEvent", "focus blur focusin focusout"],
  ["DragEvent", "drag dragstart dragend dragover dragenter dragleave dragexit drop"],
  ["WheelEvent", "wheel"],
  ["InputEvent", "beforeinput input"],
  ["SubmitEvent", "submit"],
  ["CompositionEvent", "compositionstart compositionupdate compositionend"],
  ["ClipboardEvent", "copy cut paste"],
  ["DeviceOrientationEvent", "deviceorientation deviceorientationabsolute"],
  ["DeviceMotionEvent", "devicemotion"]
];
function classOfEvent(type, init) {
  const row = EVENT_CLASSES.find(([, types]) => types.split(" ").includes(type));
  const made = row && globalThis[row[0]];
  if (made) return made;
  return "detail" in init ? CustomEvent : Event;
}
function dispatchTo(token, type, given) {
  const init = { bubbles: true, cancelable: true, composed: true, ...given };
  let event;
  try {
    event = new (classOfEvent(type, init))(type, init);
  } catch (error) {
    return String(error.message || error);
  }
  sendEvent(get(token), event);
  return "";
}
var sendEvent = method(EventTarget.prototype, "dispatchEvent");
function blurElement(token) {
  const element = get(token);
  if (element.blur)
    (element instanceof HTMLElement ? HTMLElement : SVGElement).prototype.blur.call(element);
}

// src/elements/document.ts
function reached(until2) {
  const states = until2 === "load" ? ["complete"] : ["interactive", "complete"];
  return new Promise((done) => {
    const look = () => {
      if (states.includes(document.readyState)) done();
    };
    document.addEventListener("readystatechange", look);
    look();
  });
}
function addTag(kind, url, content2, type) {
  return new Promise((done, failed) => {
    const isLink = kind === "style" && url;
    const element = document.createElement(isLink ? "link" : kind);
    if (kind === "script" && type) element.type = type;
    if (isLink) element.rel = "stylesheet";
    if (url) {
      element[isLink ? "href" : "src"] = url;
      element.onload = () => done(true);
      element.onerror = () => failed(new Error(`it could not be loaded from ${url}`));
    } else {
      element.textContent = content2;
    }
    let error = "";
    const note = (event) => {
      error = error || event.violatedDirective;
    };
    document.addEventListener("securitypolicyviolation", note);
    (document.head || document.documentElement).append(element);
    if (url) return;
    setTimeout(() => {
      document.removeEventListener("securitypolicyviolation", note);
      if (error) failed(new Error(`the Content-Security-Policy of the page forbids it (${error})`));
      else done(true);
    });
  });
}
function addFrame(url) {
  const frame2 = document.createElement("iframe");
  const loaded = new Promise((done) => {
    frame2.onload = () => done();
  });
  frame2.src = url;
  document.documentElement.append(frame2);
  return loaded;
}
var nextTask = () => new Promise((done) => {
  if (postTask) return void postTask(() => done(), { priority: "background" });
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    done();
  };
  port2.postMessage(0);
});
var frameDrawn = () => new Promise((done) => requestAnimationFrame(() => done()));
var framesDrawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
var title = () => document.title;
var scrollPage = (x, y) => scrollTo({ left: x, top: y, behavior: "instant" });
var restoreUrl = (url) => history.replaceState(history.state, "", url);
var watched2 = false;
var focus = null;
function watchFocus() {
  if (watched2) return;
  watched2 = true;
  focus = document.activeElement;
  const clear = () => {
    focus = null;
  };
  document.addEventListener("mousedown", clear, true);
  document.addEventListener("focusin", (event) => void (focus = event.target), true);
}
function focusLost() {
  const now = document.activeElement;
  return focus !== null && !focus.isConnected && (!now || now === document.body);
}

// src/elements/reading.ts
var REDACTED = "••••";
var contentMarkupOf = getter(Element.prototype, "innerHTML");
var markupOf = getter(Element.prototype, "outerHTML");
var doctypeOf = getter(Document.prototype, "doctype");
var importInto = method(Document.prototype, "importNode");
var VALUED = ["text", "editable", "picker", "select", "check", "file", "hidden"];
var unfit = (detail) => ({ fault: "unsuitable", detail, final: true });
var redacted = (text2) => text2 && REDACTED;
function valueRead(element) {
  const field = controlFor(element, VALUED).element;
  const isValued = isField(field) || field instanceof HTMLSelectElement || isEditable(field);
  if (!isValued) return unfit("has no value: it is not an input, a text area, a select or editable");
  if (hides(field)) return { read: redacted(valueOf(field)) };
  if (field instanceof HTMLInputElement) return { read: inputValue(field) };
  return { read: field instanceof HTMLSelectElement ? field.value : valueOf(field) };
}
function checkedRead(element) {
  const control = controlFor(element, ["check"]).element;
  return kindOf(control) === "check" ? { read: checkedness(control) === "on" } : unfit("cannot be checked");
}
function attributeRead(element, name) {
  const value = writtenAttr(element, name);
  return { read: name.toLowerCase() === "value" && hides(element) ? redacted(value) : value };
}
function labelledControl(element) {
  const label = kindOf(element) === "other" && !matches(element, INTERACTIVE) && closestAcross(element, "label");
  return label && label.control || element;
}
function boxRead(element) {
  const { x, y, width, height } = boxOf(element);
  return { read: isShown(element) && boxesOf(element).length ? [x, y, width, height] : null };
}
function editableRead(element) {
  const field = controlFor(element, VALUED).element;
  const isOwnWidget = READONLY_ROLES.has(roleOf(field)) && has(field, "aria-readonly");
  if (!isField(field) && !(field instanceof HTMLSelectElement) && !isEditable(field) && !isOwnWidget) {
    return unfit("cannot be edited: it is not an input, a text area, a select or editable");
  }
  return {
    read: !isDisabled(field) && field.readOnly !== true && attr(field, "aria-readonly") !== "true"
  };
}
var READONLY_ROLES = /* @__PURE__ */ new Set([
  "checkbox",
  "combobox",
  "grid",
  "gridcell",
  "listbox",
  "radiogroup",
  "searchbox",
  "slider",
  "spinbutton",
  "switch",
  "textbox",
  "treegrid"
]);
var readText = (element) => element instanceof HTMLElement ? innerTextOf(element) : rawText(element);
var READINGS = {
  text: (element) => ({ read: readText(element) }),
  content: (element) => ({ read: rawText(withoutHidden(element)) }),
  html: (element) => ({ read: contentMarkupOf(withoutHidden(element)) }),
  editable: editableRead,
  value: valueRead,
  attribute: attributeRead,
  enabled: (element) => ({ read: !isDisabled(labelledControl(element)) }),
  checked: checkedRead,
  box: boxRead
};
STAGES.read = ({ element, args, report }) => {
  const reading = READINGS[args.read](element, args.name);
  if (reading.fault !== void 0) return reading;
  report.read = reading.read;
  return null;
};
STAGES.placed = ({ element, report }) => {
  report.at = hold(element);
  report.view = [innerWidth, innerHeight, devicePixelRatio];
  return null;
};
function tally(target, reading = null) {
  lookAgain();
  try {
    const found = isChain(target) ? search(target).found : [target].filter(isConnected);
    if (reading) return { count: found.length, read: allRead(found, reading) };
    return {
      count: found.length,
      done: found.length > 0 && isRendered(found[0]),
      matches: found.slice(0, MAX_LISTED).map(listed)
    };
  } catch (error) {
    return { fault: "syntax", detail: String(error.message || error), final: true };
  }
}
function allFound(target) {
  lookAgain();
  return search(target).found;
}
function allRead(found, reading) {
  recordHidingFields();
  return found.map((element) => READINGS[reading](element, "").read);
}
function readHeld(node, what, name) {
  lookAgain();
  if (what === "content" && !isElement(node))
    return { read: rawText(typeOf(node) === 9 ? topOf(node) || node : node) };
  if (!isElement(node)) return unfit("is a node that is not an element");
  const view = [innerWidth, innerHeight, devicePixelRatio];
  return what === "visible" ? { done: isConnected(node) && isRendered(node) } : { view, ...READINGS[what](node, name) };
}
function markup() {
  const doctype = doctypeOf(document);
  const before = doctype ? new XMLSerializer().serializeToString(doctype) : "";
  const top = topOf(document);
  return top ? before + markupOf(withoutHidden(top)) : before;
}
function withoutHidden(element) {
  recordHidingFields();
  const isHiding = (field) => hides(field) && (attr(field, "value") || rawText(field));
  const own = matches(element, "input, textarea") ? [element] : [];
  const fields = [...own, ...inElement(element, "input, textarea")];
  const hiding2 = fields.map((field, at) => isHiding(field) ? at : -1).filter((at) => at >= 0);
  if (!hiding2.length && !hides(element)) return element;
  const copy = importInto(document.implementation.createHTMLDocument(""), element, true);
  const copies = [...own.map(() => copy), ...inElement(copy, "input, textarea")];
  for (const at of hiding2) {
    if (has(copies[at], "value")) copies[at].setAttribute("value", REDACTED);
    if (rawText(copies[at])) copies[at].textContent = REDACTED;
  }
  if (hides(element) && rawText(copy)) copy.textContent = REDACTED;
  return copy;
}

// src/elements/aria.ts
var SHOWN_STATES = ["checked", "disabled", "expanded", "level", "pressed", "selected"];
var TYPED_ROLES = /* @__PURE__ */ new Set(["textbox", "searchbox", "combobox", "spinbutton"]);
function statesShown(element) {
  const states = {};
  for (const name of SHOWN_STATES) {
    const state = stateOf(element, name);
    if (state !== void 0 && state !== false) states[name] = state;
  }
  return states;
}
function ariaContent(element) {
  const generated = GENERATED.map((which) => generatedBy(element, which)).map(
    (made) => made ? made.starts ? ` ${made.text} ` : made.text : ""
  );
  const parts = [generated[0]];
  for (const node of renderedChildren(element)) {
    if (typeOf(node) === 3) parts.push(node.data);
    if (!isElement(node) || SILENT.has(tagOf(node)) || isHidden(listAround(node))) continue;
    parts.push(...ariaParts(node));
  }
  return merged([...parts, generated[1]]);
}
var UNSAID = /* @__PURE__ */ new Set(["sectionheader", "sectionfooter"]);
function ariaRole(element) {
  const role = roleOf(element);
  if (has(element, "role")) return role;
  return UNSAID.has(role) || tagOf(element) === "summary" || role === "form" && !writtenNameOf(element, role) ? "" : role;
}
function ariaParts(element) {
  const role = ariaRole(element);
  if (!role)
    return breaksLine(element) || tagOf(element) === "br" ? [" ", ...ariaContent(element), " "] : ariaContent(element);
  return [ariaNode(element, role)];
}
var ariaName = (element, role) => writtenNameOf(element, role) || (role === "row" ? tidyContent(run(content(element, computation(true))).text) : "");
function ariaNode(element, role) {
  const name = ariaName(element, role);
  const link = role === "link" ? attr(element, "href") : null;
  const hint = TYPED_ROLES.has(role) && isField(element) && attr(element, "placeholder");
  return {
    role,
    name,
    states: statesShown(element),
    children: ariaChildren(element, role, name),
    ...link === null ? {} : { url: link },
    ...hint && hint !== name ? { placeholder: hint } : {}
  };
}
function ariaChildren(element, role, name) {
  if (TYPED_ROLES.has(role) && (isField(element) || isEditable(element))) {
    const value = hides(element) ? redacted(valueOf(element)) : valueOf(element);
    return value ? [collapse(value)] : [];
  }
  if (isField(element)) return [];
  const children = tidied(ariaContent(element));
  return children.length === 1 && children[0] === name ? [] : children;
}
function merged(parts) {
  const all = [];
  for (const part of parts) {
    if (typeof part === "string" && typeof all[all.length - 1] === "string") all[all.length - 1] += part;
    else all.push(part);
  }
  return all;
}
var tidied = (parts) => parts.map((part) => typeof part === "string" ? collapse(part) : part).filter((part) => part !== "");
function ariaTree(element) {
  lookAgain();
  recordHidingFields();
  const parts = isHidden(element) ? [] : merged(ariaParts(element));
  return { role: "", name: "", states: {}, children: tidied(parts) };
}

// src/elements/expecting.ts
var STIRRINGS = [
  "input",
  "change",
  "reset",
  "focusin",
  "focusout",
  "scroll",
  "toggle",
  "load",
  "transitionend",
  "animationend"
];
function wholeText(element) {
  if (element instanceof HTMLInputElement) return isButtonInput(element) ? inputValue(element) : "";
  if (hides(element)) return redacted(rawText(element));
  const parts = [];
  const stack = [element];
  while (stack.length) {
    const node = stack.pop();
    if (typeOf(node) === 3) parts.push(node.data);
    const isSilent = isElement(node) && (SILENT.has(tagOf(node)) || node !== element && hides(node));
    if (isSilent) continue;
    const shadow = isElement(node) && shadowOf(node);
    if (shadow) stack.push(shadow);
    pushReversed(stack, childNodesOf(node));
  }
  return parts.join("");
}
var holdsText = (element) => isField(element) ? valueOf(element) !== "" : rawText(element).trim() !== "";
function shareInView(element) {
  const { width, height } = boxOf(element);
  if (!width || !height) return partsInView(element).length ? 1 : 0;
  const seen = partsInView(element).reduce((sum, part) => sum + (part.right - part.left) * (part.bottom - part.top), 0);
  return Math.min(1, seen / (width * height));
}
function chosenValues(element) {
  const select = controlFor(element, ["select"]).element;
  if (!(select instanceof HTMLSelectElement) || !select.multiple)
    return unfit("is not a select with the attribute multiple");
  return { read: [...select.selectedOptions].map((option) => option.value) };
}
function errorMessageOf(element) {
  const isInvalid = !["", "false", null].includes(attr(element, "aria-invalid")) || has(element, "required") && element.validity && !element.validity.valid;
  return isInvalid ? pointedAt(element, "aria-errormessage").map((each) => plainText(each)).join(" ") : "";
}
var EXPECTED = {
  whole: (element) => ({ read: wholeText(element) }),
  visible: (element) => ({ read: isRendered(element) }),
  filled: (element) => ({ read: holdsText(controlFor(element, VALUED).element) }),
  focused: (element) => ({ read: activeElement() === element }),
  in_view: (element) => ({ read: shareInView(element) }),
  values: chosenValues,
  state: (element) => {
    const control = controlFor(element, ["check"]).element;
    return kindOf(control) === "check" ? { read: checkedness(control) } : unfit("cannot be checked");
  },
  classes: (element) => ({ read: attr(element, "class") || "" }),
  style: (element, name) => ({ read: getComputedStyle(element).getPropertyValue(name) }),
  role: (element) => ({ read: roleOf(element) }),
  // As shown, and as written: text-transform changes letters.
  name: (element) => ({ read: [nameOf(element), writtenNameOf(element, roleOf(element))] }),
  description: (element) => ({ read: descriptionOf(element) }),
  error: (element) => ({ read: errorMessageOf(element) }),
  title: () => ({ read: document.title }),
  aria: (element) => ({ read: ariaTree(element) })
};
function nextStirring(ms) {
  return new Promise((done) => {
    const finish2 = () => {
      for (const name of STIRRINGS) removeEventListener(name, finish2, true);
      done();
    };
    for (const name of STIRRINGS) addEventListener(name, finish2, { capture: true, passive: true });
    change(ms).then(finish2);
  });
}
function seenNow(target, what, name) {
  lookAgain();
  const read2 = what && (EXPECTED[what] || READINGS[what]);
  try {
    const found = isChain(target) ? search(target).found : [target].filter(isConnected);
    if (read2) recordHidingFields();
    const readings = read2 ? found.map((element) => read2(element, name)) : [];
    const [unsuitable] = readings.filter((reading) => reading.fault);
    return {
      count: found.length,
      matches: found.slice(0, MAX_LISTED).map(listed),
      detail: unsuitable && unsuitable.detail || "",
      read: readings.map((reading) => reading.fault ? null : reading.read)
    };
  } catch (error) {
    return { fault: "syntax", detail: String(error.message || error) };
  }
}
async function whenOther(target, asked, ms) {
  const { what, name, known } = asked;
  const before = known && JSON.stringify(known);
  const end = performance.now() + ms;
  for (; ; ) {
    const seen = seenNow(target, what, name);
    const left = end - performance.now();
    if (seen.fault || left <= 0 || JSON.stringify([seen.count, seen.read]) !== before) return seen;
    await nextStirring(Math.min(LOOK_MS, left));
  }
}

// src/elements/payloads.ts
var bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
function fileOf({ name, mimeType, buffer }) {
  return new File([bytesOf(buffer)], name, { type: mimeType, lastModified: Date.now() });
}
function setPayloads(input, payloads) {
  const data = new DataTransfer();
  for (const payload of payloads) data.items.add(fileOf(payload));
  input.files = data.files;
  input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

// src/elements/picture.ts
var sheets = [];
var covers = [];
var HOST_STYLE = Object.entries({
  all: "initial",
  display: "block",
  position: "absolute",
  left: "0",
  top: "0",
  width: "0",
  height: "0",
  "z-index": "2147483647",
  "pointer-events": "none",
  overflow: "visible"
}).map(([name, value]) => `${name}: ${value} !important`).join("; ");
var stilled = [];
function rootsBelow(root, found = []) {
  found.push(root);
  for (const element of root.querySelectorAll("*")) if (element.shadowRoot) rootsBelow(element.shadowRoot, found);
  return found;
}
function addPictureStyle(css) {
  for (const root of rootsBelow(document)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    sheets.push([root, sheet]);
  }
}
function stillAnimations() {
  for (const root of rootsBelow(document)) {
    if (!("getAnimations" in root)) continue;
    for (const animation of root.getAnimations()) {
      if (animation.playState === "idle" || stilled.includes(animation)) continue;
      try {
        if (animation.effect && animation.effect.getComputedTiming().endTime === Infinity) {
          animation.cancel();
          stilled.push(animation);
        } else {
          animation.finish();
        }
      } catch {
        continue;
      }
    }
  }
}
function coverMatches(target, colour) {
  const found = isChain(target) ? search(target).found : [target];
  const host = document.createElement("div");
  host.style.cssText = HOST_STYLE;
  const root = host.attachShadow({ mode: "closed" });
  document.documentElement.append(host);
  if (host.showPopover) {
    host.popover = "manual";
    host.showPopover();
  }
  const origin = host.getBoundingClientRect();
  for (const element of found) {
    const { left, top, width, height } = boxOf(element);
    const cover = document.createElement("div");
    cover.style.cssText = `position: absolute; left: ${left - origin.left}px; top: ${top - origin.top}px; width: ${width}px; height: ${height}px; background: ${colour}`;
    root.append(cover);
  }
  covers.push(host);
  return found.length;
}
function endPicture() {
  for (const host of covers.splice(0)) host.remove();
  for (const [root, sheet] of sheets.splice(0)) {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((each) => each !== sheet);
  }
  for (const animation of stilled.splice(0)) animation.play();
}

// src/elements/placing.ts
function boxNearest(element) {
  element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x, y, width, height];
}
function contentPosition(element) {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const left = box.x + element.clientLeft + parseFloat(style.paddingLeft);
  return [left, box.y + element.clientTop + parseFloat(style.paddingTop)];
}
var showInMiddle = (element) => element.scrollIntoView({ block: "center", behavior: "instant" });
function presence(node) {
  if (node.ownerDocument !== document || !node.isConnected) return "no";
  return node.nodeType === Node.ELEMENT_NODE ? "yes" : "text";
}
function optionValuesAt(element, places) {
  const { options } = element;
  return places.map((place) => options && options[place] ? options[place].value : null);
}
var dropFocus = (element) => HTMLElement.prototype.blur.call(element);

// src/elements/ticks.ts
var FRAMELESS_MS = 100;
var stops = /* @__PURE__ */ new WeakMap();
var sendTo = method(EventTarget.prototype, "dispatchEvent");
var ticker = () => document.createComment("");
function startTicks(node, everyMs) {
  let stopped2 = false, cancelTimer = () => {
  }, frame2 = 0;
  const next = () => {
    cancelTimer = after(everyMs || FRAMELESS_MS, tick);
    if (!everyMs) frame2 = requestAnimationFrame(tick);
  };
  const cancel = () => {
    cancelTimer();
    cancelAnimationFrame(frame2);
  };
  function tick() {
    if (stopped2) return;
    cancel();
    sendTo(node, new Event("tick"));
    if (!stopped2) next();
  }
  stops.set(node, () => {
    stopped2 = true;
    cancel();
  });
  next();
}
function stopTicks(node) {
  const stop = stops.get(node);
  if (stop) stop();
  sendTo(node, new Event("stop"));
}

// src/elements/touched.ts
var ROLES2 = [
  "button",
  "checkbox",
  "link",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "switch",
  "tab",
  "treeitem"
];
var CONTROLS2 = "a,area,button,input,select,textarea,summary,label,option,iframe,frame,object,embed,[onclick]," + ROLES2.map((role) => `[role~=${role} i]`).join(",");
var MAX_TEXT2 = 300;
var buttonType = getter(HTMLButtonElement.prototype, "type");
var buttonForm = getter(HTMLButtonElement.prototype, "form");
var inputType2 = getter(HTMLInputElement.prototype, "type");
var inputForm = getter(HTMLInputElement.prototype, "form");
var isChecked = getter(HTMLInputElement.prototype, "checked");
var controlOf2 = getter(HTMLLabelElement.prototype, "control");
var withoutFragment = (url) => url.split("#")[0];
function linkOf(element) {
  const plain = writtenAttr(element, "href");
  const href = plain !== null ? plain : writtenAttr(element, "xlink:href");
  if (href === null || !["a", "area"].includes(tagOf(element))) return "";
  if (has(element, "download")) return "download";
  let url = "";
  try {
    url = new URL(href, baseOf(element)).href;
  } catch {
    return "document";
  }
  const target = (writtenAttr(element, "target") || "").toLowerCase();
  const stays = url.includes("#") && withoutFragment(url) === withoutFragment(location.href);
  return stays && ["", "_self"].includes(target) ? "fragment" : "document";
}
function pressedAs(element) {
  const isInput = tagOf(element) === "input" && element instanceof HTMLInputElement;
  if (!isInput && !(tagOf(element) === "button" && element instanceof HTMLButtonElement)) return "";
  const type = isInput ? inputType2(element) : buttonType(element);
  if (type === "file" || type === "reset" || type === "image") return type;
  if (has(element, "formaction")) return "submit";
  const isExplicit = (writtenAttr(element, "type") || "").trim().toLowerCase() === "submit";
  const form = isInput ? inputForm(element) : buttonForm(element);
  return type === "submit" && (isInput || isExplicit || form) ? "submit" : "";
}
function stateOf2(element) {
  const parent = parentOf(element);
  const states = ["aria-expanded", "aria-pressed", "aria-checked"].map((name) => writtenAttr(element, name));
  const checked = element instanceof HTMLInputElement && isChecked(element);
  const open = tagOf(element) === "summary" && parent && has(parent, "open");
  return [...states, checked, open].join();
}
var factOf = (element, place) => ({
  token: hold(element),
  place,
  tag: tagOf(element),
  link: linkOf(element),
  pressed: pressedAs(element),
  role: (writtenAttr(element, "role") || "").toLowerCase(),
  text: matches(element, CONTROLS2) ? rawText(element).slice(0, MAX_TEXT2) : "",
  state: stateOf2(element)
});
function controlsAround(element) {
  const found = [];
  let at = element;
  while (at = parentOf(at) || at.host) {
    if (isElement(at) && matches(at, CONTROLS2)) found.push(at);
  }
  return found;
}
function* controlsIn(root) {
  for (const element of isElement(root) ? inElement(root, "*") : root.querySelectorAll("*")) {
    if (element.getClientRects().length > 0 && matches(element, CONTROLS2)) yield element;
    const shadow = openRootOf(element);
    if (shadow) yield* controlsIn(shadow);
  }
}
function controlsWithin(element, most) {
  const found = [];
  const shadow = openRootOf(element);
  for (const root of shadow ? [element, shadow] : [element]) {
    for (const control of controlsIn(root)) {
      if (found.length > most) return found;
      found.push(control);
    }
  }
  return found;
}
function partsTouched(element, clicks, most) {
  const found = [[element, "self"]];
  for (const each of controlsAround(element)) found.push([each, "around"]);
  if (clicks) for (const each of controlsWithin(element, most - found.length)) found.push([each, "inside"]);
  for (const [each] of clicks ? [...found] : []) {
    const control = each instanceof HTMLLabelElement && controlOf2(each);
    if (control) found.push([control, "labelled"]);
  }
  return found.map(([each, place]) => factOf(each, place));
}

// src/elements/webmcp.ts
var contextOf = "modelContext" in Document.prototype ? getter(Document.prototype, "modelContext") : null;
var mayOfferTools = () => [isSecureContext, contextOf !== null];
async function offeredTools() {
  if (!contextOf) return [];
  const tools = await contextOf(document).getTools();
  return tools.filter((tool) => tool.window === window).map(described);
}
function described({ name, description, inputSchema, annotations }) {
  const hints = annotations || {};
  const form = [...queryIn(document, "form")].find((each) => writtenAttr(each, "toolname") === name);
  return {
    name,
    description,
    inputSchema: inputSchema || null,
    isForm: Boolean(form),
    annotations: {
      readOnly: Boolean(hints.readOnlyHint),
      untrustedContent: Boolean(hints.untrustedContentHint),
      consequential: Boolean(hints.consequentialHint),
      debugging: Boolean(hints.debugging),
      autosubmit: form !== void 0 && has(form, "toolautosubmit")
    }
  };
}
var formFilled = () => new Promise((resolve) => setTimeout(() => setTimeout(resolve)));

// src/elements/web_storage.ts
var METHODS = {
  // By number: an item with the name of a method is not a property.
  items: (storage) => Array.from({ length: storage.length }, (_, at) => storage.key(at)).map((name) => ({
    name,
    value: storage.getItem(name)
  })),
  get: (storage, name) => storage.getItem(name),
  set: (storage, name, value) => storage.setItem(name, value),
  remove: (storage, name) => storage.removeItem(name),
  clear: (storage) => storage.clear()
};
function webStorage(kind, method2, given) {
  const storage = kind === "localStorage" ? localStorage : sessionStorage;
  return JSON.stringify(METHODS[method2](storage, ...JSON.parse(given)));
}

// src/elements/index.ts
listenForPresses();
listenForMoves();
listenForNavigations();
listenForTyping();
listenForLetters();
listenForBlur();
listenForDrags();
listenForResizes();
return { activeElement, addFrame, addPictureStyle, addTag, adoptRoot, allFound, answered, attention, awaitedDocument, beginToShowResizes, blurElement, boxNearest, boxOf, boxesTyped, choose, closest, closestAcross, containsHeld, contentOf, contentPosition, coverMatches, deeper, deepestAt, describeOption, descriptionOf, dispatchTo, dragEnd, dragStart, dropFocus, editingHost, elementAt, endLetters, endPicture, eventPath, expectDragEnd, expectLetters, expectNoLetters, expectPress, focusAndModals, focusFilter, focusLost, forgetPress, formFilled, frameDrawn, framesDrawn, get, hideResizes, hides, hold, hostOrParent, inCase, isEditable, isElement, isInLink, isInside, isLeftOpen, isNativeToggle, isRendered, isShown, isTrusted, keyAnswered, kindOf, lettersMayGoOn, lettersTyped, listen, lookAgain, markup, matches, mayOfferTools, moveCovered, nameOf, nextTask, noteExamined, noteListener, offeredTools, optionValuesAt, partsTouched, prepare, presence, pressReports, reached, readHeld, refusesFiles, reportFocusedField, restoreUrl, roleOf, roots, rowText, scrollList, scrollPage, scrollPointIntoView, scrollToEdge, scrolledAround, setPayloads, setValue, shadowOf, showInMiddle, showResizes, startTicks, stateOf, stillAnimations, stopTicks, suggestions, takesKeys, tally, textArrived, ticker, title, topOf, unfollowed, unlisten, unwatch, valueOf, verifyChoice, viewSize, waitFor, waitForFiles, waitForOptions, waitForState, watch, watchDrag, watchFocus, webStorage, wheelSpot, whenOther };
}
