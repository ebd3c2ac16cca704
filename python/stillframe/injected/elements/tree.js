// The document as one tree: walking through shadow roots, open and closed.

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
    const walker = walkerIn(document, root, NodeFilter.SHOW_ELEMENT);
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

const deepestAt = (x, y) => deeper(hitIn(document, x, y), x, y);

// Goes from a host on into its shadow root, as hit tests and events of the document do not.
function deeper(hit, x, y) {
  for (let shadow = hit && shadowOf(hit); shadow; shadow = shadowOf(hit)) {
    const inner = shadow.elementFromPoint(x, y);
    if (!inner || inner === hit || rootOf(inner) !== shadow) break;
    hit = inner;
  }
  return hit;
}

function activeElement() {
  let active = focusedIn(document);
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
    const range = rangeIn(document);
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

// Whether a line of text ends at an element. What is not rendered parts nothing.
const standsApart = (element) => !/^(inline|ruby|contents|none)/.test(getComputedStyle(element).display);

function pushReversed(stack, nodes) {
  for (let i = nodes.length - 1; i >= 0; i--) stack.push(nodes[i]);
}

function plainText(element) {
  if (element instanceof HTMLInputElement) return isButtonInput(element) ? inputValue(element) : "";
  const parts = [];
  const stack = [element];
  while (stack.length) {
    const node = stack.pop();
    if (typeof node === "string") { parts.push(node); continue; }
    if (typeOf(node) === 3) parts.push(node.data);
    // What a field holds is its value, which may be a secret.
    if (typeOf(node) !== 1 || SILENT.has(tagOf(node)) || tagOf(node) === "textarea") continue;
    if (tagOf(node) === "br") parts.push(" ");
    if (node !== element && standsApart(node)) {
      parts.push(" ");
      stack.push(" ");
    }
    pushReversed(stack, childNodesOf(node));
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
