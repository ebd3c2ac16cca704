// The document as one tree: walking through shadow roots, open and closed.

// A form shows its controls as properties of itself (<input name="parentNode"> hides form.parentNode, in every world),
// so elements are read through their prototypes, never through their own names.
const getter = (proto, name) => {
  const { get } = Object.getOwnPropertyDescriptor(proto, name);
  return (node) => get.call(node);
};
const method = (proto, name) => {
  const call = proto[name];
  return (node, ...args) => call.apply(node, args);
};
const parentOf = getter(Node.prototype, "parentNode");
const rootOf = method(Node.prototype, "getRootNode");
const isConnected = getter(Node.prototype, "isConnected");
const rawText = getter(Node.prototype, "textContent");
const childNodesOf = getter(Node.prototype, "childNodes");
const childrenOf = getter(Element.prototype, "children");
const tagOf = getter(Element.prototype, "localName");
const idOf = getter(Element.prototype, "id");
const openRootOf = getter(Element.prototype, "shadowRoot");
const slotOf = getter(Element.prototype, "assignedSlot");
const attr = method(Element.prototype, "getAttribute");
const has = method(Element.prototype, "hasAttribute");
const matches = method(Element.prototype, "matches");
const closest = method(Element.prototype, "closest");
const boxOf = method(Element.prototype, "getBoundingClientRect");
const boxesOf = method(Element.prototype, "getClientRects");
const isShown = method(Element.prototype, "checkVisibility");
const scrollTo = method(Element.prototype, "scrollIntoView");
const contains = method(Node.prototype, "contains");

// Ids of timers are given out to all worlds of a window in turn: one of ours would be a gap that the page can see. The
// highest priority gets through where the page keeps its queues full.
const after = (ms, then) => globalThis.scheduler?.postTask
  ? void scheduler.postTask(then, { delay: ms, priority: "user-blocking" })
  : void setTimeout(then, ms);

// Scripts cannot reach a closed root from its host, but can from a node inside it; the engine hands us one.
const closedRoots = new WeakMap();

const shadowOf = (element) => openRootOf(element) || closedRoots.get(element) || null;

function adoptRoot(inside) {
  const root = rootOf(inside);
  if (!(root instanceof ShadowRoot) || shadowOf(root.host)) return false;
  closedRoots.set(root.host, root);
  return true;
}

// The document and all shadow roots in it that can be known. Nothing announces a new root, so all elements are asked;
// a tree walker does that in half the time of a query (100,000 elements: 25 ms), and once is enough for one look.
let knownRoots = null;

function roots() {
  if (knownRoots) return knownRoots;
  knownRoots = [document];
  for (const root of knownRoots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const shadow = shadowOf(node);
      if (shadow) knownRoots.push(shadow);
    }
  }
  return knownRoots;
}

const lookAgain = () => { knownRoots = null; };

function hostOrParent(node) {
  const parent = parentOf(node);
  if (parent instanceof ShadowRoot) return parent.host;
  return parent instanceof Element ? parent : null;
}

// Where an element is rendered: in its slot if it has one. assignedSlot is null for the slots of closed roots.
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

function deepestAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  for (let shadow = hit && shadowOf(hit); shadow; shadow = shadowOf(hit)) {
    const inner = shadow.elementFromPoint(x, y);
    if (!inner || inner === hit || rootOf(inner) !== shadow) break;
    hit = inner;
  }
  return hit;
}

function activeElement() {
  let active = document.activeElement;
  for (let shadow = active && shadowOf(active); shadow && shadow.activeElement; shadow = shadowOf(active)) {
    active = shadow.activeElement;
  }
  return active;
}

// -- what is on the screen --------------------------------------------------------------------------

// display: contents has no box of its own and shows what is in it.
const isBoxless = (element) => getComputedStyle(element).display === "contents";

function boxes(element) {
  let all = boxesOf(element);
  if (!all.length && isBoxless(element)) {
    const range = document.createRange();
    range.selectNodeContents(element);
    all = range.getClientRects();
  }
  return [...all].filter((box) => box.width > 0 && box.height > 0);
}

// Opacity does not count: file inputs and custom checkboxes are made transparent and still take clicks.
const isRendered = (element) => (isShown(element, { visibilityProperty: true }) || isBoxless(element))
  && boxes(element).length > 0;

// -- words ------------------------------------------------------------------------------------------

const SILENT = new Set(["script", "style", "noscript", "template", "head"]);

const collapse = (text) => text.replace(/\s+/g, " ").trim();
const loose = (text) => collapse(text).toLowerCase();

function plainText(element) {
  if (element instanceof HTMLInputElement) return isButtonInput(element) ? inputValue(element) : "";
  if (element instanceof HTMLTextAreaElement) return "";
  const parts = [];
  const stack = [element];
  while (stack.length) {
    const node = stack.pop();
    if (node.nodeType === Node.TEXT_NODE) parts.push(node.data);
    if (!(node instanceof Element)) continue;
    if (SILENT.has(tagOf(node))) continue;
    if (tagOf(node) === "br") parts.push(" ");
    const children = childNodesOf(node);
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
  return collapse(parts.join(""));
}

const inputValue = getter(HTMLInputElement.prototype, "value");
const inputType = getter(HTMLInputElement.prototype, "type");
const isButtonInput = (element) => ["button", "submit", "reset", "image"].includes(inputType(element));

const shorten = (text, limit = 40) => {
  const letters = [...text];
  return letters.length > limit ? letters.slice(0, limit - 1).join("") + "…" : text;
};
