// Access to the document that named properties cannot spoof, and timers that the page cannot notice.

// A form exposes its controls as its own properties (<input name="parentNode"> hides form.parentNode, in every world), so
// elements are read through their prototypes, never through their own properties.
export const getter = <T, K extends keyof T & string>(proto: T, name: K): ((node: T) => T[K]) => {
  const { get } = Object.getOwnPropertyDescriptor(proto, name)!;
  return (node) => get!.call(node);
};

type Taken<F> = F extends (...args: infer A) => unknown ? A : never;
type Given<F> = F extends (...args: never[]) => infer R ? R : never;

export const method = <T, K extends keyof T & string>(
  proto: T,
  name: K,
): ((node: T, ...args: Taken<T[K]>) => Given<T[K]>) => {
  const call = proto[name] as (...args: unknown[]) => Given<T[K]>;
  return (node, ...args) => call.apply(node, args);
};

// What holds elements and has none around it.
export type Root = Document | ShadowRoot;

// The parameter of a listener says which kind of event its type brings; the browser's types do not.
export type Listening = <E extends Event>(
  target: EventTarget,
  type: string,
  listener: (event: E) => void,
  options?: boolean | AddEventListenerOptions,
) => void;

export const typeOf = getter(Node.prototype, "nodeType");
export const parentOf = getter(Node.prototype, "parentNode");
export const listen = method(EventTarget.prototype, "addEventListener") as Listening;
export const rootOf = method(Node.prototype, "getRootNode") as (node: Node) => Root;
export const isConnected = getter(Node.prototype, "isConnected");
export const rawText = getter(Node.prototype, "textContent");
export const childNodesOf = getter(Node.prototype, "childNodes");
export const baseOf = getter(Node.prototype, "baseURI");
export const childrenOf = getter(Element.prototype, "children");
export const tagOf = getter(Element.prototype, "localName");
export const namespaceOf = getter(Element.prototype, "namespaceURI");
export const innerTextOf = getter(HTMLElement.prototype, "innerText");
export const idOf = getter(Element.prototype, "id");
export const openRootOf = getter(Element.prototype, "shadowRoot");
export const slotOf = getter(Element.prototype, "assignedSlot");
export const writtenAttr = method(Element.prototype, "getAttribute");
const isWritten = method(Element.prototype, "hasAttribute");
export const matches = method(Element.prototype, "matches");
export const inElement = method(Element.prototype, "querySelectorAll");
export const closest = method(Element.prototype, "closest");
export const boxOf = method(Element.prototype, "getBoundingClientRect");
export const boxesOf = method(Element.prototype, "getClientRects");
export const scrollTo = method(Element.prototype, "scrollIntoView");
export const contains = method(Node.prototype, "contains");
export const isElement = (node: Node): node is Element => typeOf(node) === 1; // works across documents

// A shadow root that was resolved in the world of another frame of the process has that frame's prototype, so `instanceof`
// does not tell.
export const isShadowRoot = (node: Node): node is ShadowRoot => typeOf(node) === 11 && "host" in node;
const documentOf = getter(Node.prototype, "ownerDocument");
export const isRootHere = (node: Node): node is ShadowRoot => isShadowRoot(node) && documentOf(node) === document;

// A custom element tells its role, states and name by attributes or by ElementInternals, which count where it has no
// attribute; the observer knows them.
export function attr(element: Element, name: string): string | null {
  const written = writtenAttr(element, name);
  return written === null && isAria(name) ? internalOf(element, name) : written;
}
export const has = (element: Element, name: string): boolean =>
  isWritten(element, name) || (isAria(name) && internalOf(element, name) !== null);
const isAria = (name: string) => name === "role" || name.startsWith("aria-");

// The values that a custom element has by ElementInternals, by the names of the attributes that they stand for.
export type Internals = Map<Element, Record<string, string>>;
export const NO_INTERNALS: Internals = new Map();
export const everyInternalHere = (): Internals =>
  globalThis.__sfSettle ? globalThis.__sfSettle.everyInternal() : NO_INTERNALS;

function internalOf(element: Element, name: string): string | null {
  const values = tagOf(element).includes("-") && everyInternalHere().get(element);
  return values && owns(values, name) ? values[name] : null;
}

// The document exposes named forms, images and frames as properties that hide its own.
export const stateOfDocument = getter(Document.prototype, "readyState");
export const titleOf = getter(Document.prototype, "title");
export const bodyOf = getter(Document.prototype, "body");
export const topOf = getter(Document.prototype, "documentElement");
export const walkerIn = method(Document.prototype, "createTreeWalker");
export const allOf = method(Document.prototype, "getElementsByTagName");
export const focusedIn = getter(Document.prototype, "activeElement");
export const hasFocus = method(Document.prototype, "hasFocus");
export const hitIn = method(Document.prototype, "elementFromPoint");
export const allIn = method(Document.prototype, "elementsFromPoint");
export const scrollerOf = getter(Document.prototype, "scrollingElement");
export const rangeIn = method(Document.prototype, "createRange");
const inDocument = method(Document.prototype, "querySelectorAll");
export const inFragment = method(DocumentFragment.prototype, "querySelectorAll");
export const queryIn = (root: Root, selector: string): NodeListOf<Element> =>
  root === document ? inDocument(root, selector) : inFragment(root as ShadowRoot, selector);

const { hasOwnProperty } = Object.prototype;
export const owns = <T extends object>(object: T, name: PropertyKey): name is keyof T =>
  hasOwnProperty.call(object, name);
export const lastItem = <T>(array: readonly T[]): T => array[array.length - 1];

// Prioritized tasks came with Chrome 94.
export const postTask: Scheduler["postTask"] | undefined =
  globalThis.scheduler && scheduler.postTask && scheduler.postTask.bind(scheduler);

// All worlds of a window share one counter of timer ids, so a timer set here would leave a gap that the page can see. The
// highest priority gets through even if the page keeps its queues full. Returns a function that cancels: an unneeded
// callback would still run as a script, which could not be told apart from a script of the page.
export function after(ms: number, then: () => void): () => void {
  if (!postTask) {
    const id = setTimeout(then, ms);
    return () => clearTimeout(id);
  }
  const off = new AbortController();
  postTask(then, { delay: ms, priority: "user-blocking", signal: off.signal }).catch(() => {});
  return () => off.abort();
}
