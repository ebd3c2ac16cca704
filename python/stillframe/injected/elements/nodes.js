// Access to the document that named properties cannot spoof, and timers that the page cannot notice.

// A form exposes its controls as its own properties (<input name="parentNode"> hides form.parentNode, in every world), so
// elements are read through their prototypes, never through their own properties.
const getter = (proto, name) => {
  const { get } = Object.getOwnPropertyDescriptor(proto, name);
  return (node) => get.call(node);
};
const method = (proto, name) => {
  const call = proto[name];
  return (node, ...args) => call.apply(node, args);
};
const typeOf = getter(Node.prototype, "nodeType");
const parentOf = getter(Node.prototype, "parentNode");
const listen = method(EventTarget.prototype, "addEventListener");
const rootOf = method(Node.prototype, "getRootNode");
const isConnected = getter(Node.prototype, "isConnected");
const rawText = getter(Node.prototype, "textContent");
const childNodesOf = getter(Node.prototype, "childNodes");
const childrenOf = getter(Element.prototype, "children");
const tagOf = getter(Element.prototype, "localName");
const idOf = getter(Element.prototype, "id");
const openRootOf = getter(Element.prototype, "shadowRoot");
const slotOf = getter(Element.prototype, "assignedSlot");
const writtenAttr = method(Element.prototype, "getAttribute");
const isWritten = method(Element.prototype, "hasAttribute");
const matches = method(Element.prototype, "matches");
const inElement = method(Element.prototype, "querySelectorAll");
const closest = method(Element.prototype, "closest");
const boxOf = method(Element.prototype, "getBoundingClientRect");
const boxesOf = method(Element.prototype, "getClientRects");
const isShown = "checkVisibility" in Element.prototype ? method(Element.prototype, "checkVisibility") : isShownByStyles;
const scrollTo = method(Element.prototype, "scrollIntoView");
const contains = method(Node.prototype, "contains");
const isElement = (node) => typeOf(node) === 1; // works across documents

// A shadow root that was resolved in the world of another frame of the process has that frame's prototype, so `instanceof`
// does not tell.
const isShadowRoot = (node) => typeOf(node) === 11 && "host" in node;
const documentOf = getter(Node.prototype, "ownerDocument");
const isRootHere = (node) => isShadowRoot(node) && documentOf(node) === document;

// A custom element tells its role, states and name by attributes or by ElementInternals, which count where it has no
// attribute; the observer knows them.
function attr(element, name) {
  const written = writtenAttr(element, name);
  return written === null && isAria(name) ? internalOf(element, name) : written;
}
const has = (element, name) => isWritten(element, name) || isAria(name) && internalOf(element, name) !== null;
const isAria = (name) => name === "role" || name.startsWith("aria-");

const NO_INTERNALS = new Map();
const everyInternalHere = () => globalThis.__sfSettle ? __sfSettle.everyInternal() : NO_INTERNALS;

function internalOf(element, name) {
  const values = tagOf(element).includes("-") && everyInternalHere().get(element);
  return values && owns(values, name) ? values[name] : null;
}

// The document exposes named forms, images and frames as properties that hide its own.
const stateOfDocument = getter(Document.prototype, "readyState");
const titleOf = getter(Document.prototype, "title");
const bodyOf = getter(Document.prototype, "body");
const topOf = getter(Document.prototype, "documentElement");
const walkerIn = method(Document.prototype, "createTreeWalker");
const listsAnimations = "getAnimations" in Document.prototype;
const animationsIn = listsAnimations ? method(Document.prototype, "getAnimations") : animationsHeardIn;
const animationsWithin = listsAnimations ? method(ShadowRoot.prototype, "getAnimations") : animationsHeardIn;
const animationsOf = listsAnimations ? method(Element.prototype, "getAnimations") : animationsHeardOf;
const allOf = method(Document.prototype, "getElementsByTagName");
const focusedIn = getter(Document.prototype, "activeElement");
const hasFocus = method(Document.prototype, "hasFocus");
const hitIn = method(Document.prototype, "elementFromPoint");
const allIn = method(Document.prototype, "elementsFromPoint");
const scrollerOf = getter(Document.prototype, "scrollingElement");
const rangeIn = method(Document.prototype, "createRange");
const inDocument = method(Document.prototype, "querySelectorAll");
const inFragment = method(DocumentFragment.prototype, "querySelectorAll");
const queryIn = (root, selector) => root === document ? inDocument(root, selector) : inFragment(root, selector);

const { hasOwnProperty } = Object.prototype;
const owns = (object, name) => hasOwnProperty.call(object, name);
const lastItem = (array) => array[array.length - 1];

// Prioritized tasks came with Chrome 94.
const postTask = globalThis.scheduler && scheduler.postTask && scheduler.postTask.bind(scheduler);

// All worlds of a window share one counter of timer ids, so a timer set here would leave a gap that the page can see. The
// highest priority gets through even if the page keeps its queues full. Returns a function that cancels: an unneeded
// callback would still run as a script, which could not be told apart from a script of the page.
function after(ms, then) {
  if (!postTask) {
    const id = setTimeout(then, ms);
    return () => clearTimeout(id);
  }
  const off = new AbortController();
  postTask(then, { delay: ms, priority: "user-blocking", signal: off.signal }).catch(() => {});
  return () => off.abort();
}
