// The document as one tree, through open and closed shadow roots.

import type { Root } from "../dom/nodes.ts";
import type { Box } from "./types.ts";
import {
  allIn,
  attr,
  boxOf,
  boxesOf,
  childNodesOf,
  closest,
  focusedIn,
  getter,
  hitIn,
  isElement,
  isRootHere,
  isShadowRoot,
  matches,
  openRootOf,
  parentOf,
  queryIn,
  rangeIn,
  rootOf,
  slotOf,
  tagOf,
  typeOf,
  walkerIn,
} from "../dom/nodes.ts";
import { isShown } from "../dom/older.ts";

// Scripts cannot reach a closed root from its host, but from a node inside it; Python passes one in.
const closedRoots = new WeakMap<Element, ShadowRoot>();

export const shadowOf = (element: Element): ShadowRoot | null =>
  openRootOf(element) || closedRoots.get(element) || null;

export function adoptRoot(inside: Node) {
  const root = rootOf(inside);
  if (!isRootHere(root) || shadowOf(root.host)) return false;
  closedRoots.set(root.host, root);
  return true;
}

// Returns the document and all known shadow roots in it. No event announces a new root, so every element is checked; a tree
// walker does that in half the time of a query (100,000 elements: 25 ms), and once per search is enough.
export let knownRoots: Root[] | null = null;

export function roots(): Root[] {
  if (knownRoots) return knownRoots;
  const found: Root[] = (knownRoots = [document]);
  for (const root of found) {
    const walker = walkerIn(document, root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const shadow = shadowOf(node as Element);
      if (shadow) found.push(shadow);
    }
  }
  return found;
}

export const lookAgain = () => {
  knownRoots = null;
};

export function hostOrParent(node: Node): Element | null {
  const parent = parentOf(node)!;
  if (isShadowRoot(parent)) return parent.host;
  return parent instanceof Element ? parent : null;
}

// Returns the rendered parent: the slot of a slotted element. assignedSlot is null for slots in closed roots.
export function renderedParent(element: Element): Element | null {
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

export function closestAcross(element: Element | null, selector: string): Element | null {
  for (let at = element; at; at = renderedParent(at)) if (matches(at, selector)) return at;
  return null;
}

export function isInside(element: Element | null, container: Element): boolean {
  for (let at = element; at; at = renderedParent(at)) if (at === container) return true;
  return false;
}

export const deepestAt = (x: number, y: number) => deeper(hitIn(document, x, y), x, y);

// Descends from a host into its shadow root, which the document's hit tests and events do not.
export function deeper<T extends Element | null>(hit: T, x: number, y: number): T | Element {
  for (let shadow = hit && shadowOf(hit); shadow; shadow = hit && shadowOf(hit)) {
    const inner = innerHit(shadow, x, y);
    if (!inner) break;
    hit = inner as T;
  }
  return hit;
}

// Returns the topmost element of a shadow root at a point, or null. A single hit test takes slotted text for its own
// parent, which is the host or outside of it; the list of all elements there begins with the one that shows the text.
function innerHit(shadow: ShadowRoot, x: number, y: number): Element | null {
  const one = shadow.elementFromPoint(x, y);
  if (!one || rootOf(one) === shadow) return one;
  const [first] = shadow.elementsFromPoint(x, y);
  return first && rootOf(first) === shadow ? first : null;
}

// Returns all elements at a point, through shadow roots.
export function allAt(x: number, y: number) {
  const found = new Set<Element>();
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

export function activeElement(): Element | null {
  let active = focusedIn(document);
  for (let shadow = active && shadowOf(active); shadow && shadow.activeElement; shadow = shadowOf(active)) {
    active = shadow.activeElement;
  }
  return active;
}

// -- rendering --------------------------------------------------------------------------------------

// An element with display: contents has no box of its own but shows its content.
export const isBoxless = (element: Element) => getComputedStyle(element).display === "contents";

export function boxes(element: Element): DOMRect[] {
  let all = [...boxesOf(element)];
  if (!all.length && isArea(element)) all = boxesOfArea(element);
  else if (!all.length && isBoxless(element)) all = contentOf(element).flatMap(boxesOfContent);
  return all.filter((box) => box.width > 0 && box.height > 0);
}

// Returns the child nodes of an element as they are rendered, through its shadow root or slot.
export function contentOf(element: Element): Node[] {
  const slotted = tagOf(element) === "slot" ? (element as HTMLSlotElement).assignedNodes() : [];
  return [...(slotted.length ? slotted : childNodesOf(shadowOf(element) || element))];
}

function boxesOfContent(node: Node): DOMRect[] {
  if (isElement(node)) return boxes(node);
  if (typeOf(node) !== 3) return [];
  const range = rangeIn(document);
  range.selectNodeContents(node);
  return [...range.getClientRects()];
}

// Returns the bounding box of an element, or of its content if it has no box of its own.
export function extentOf(element: Element): DOMRect {
  const box = boxOf(element);
  const [first, ...others] = box.width || box.height || !(isBoxless(element) || isArea(element)) ? [] : boxes(element);
  if (!first) return box;
  const sides = others.reduce<Box>(
    (all, one) => ({
      left: Math.min(all.left, one.left),
      top: Math.min(all.top, one.top),
      right: Math.max(all.right, one.right),
      bottom: Math.max(all.bottom, one.bottom),
    }),
    first,
  );
  return new DOMRect(sides.left, sides.top, sides.right - sides.left, sides.bottom - sides.top);
}

// Opacity is ignored: transparent file inputs and custom checkboxes still receive clicks.
export const isRendered = (element: Element) =>
  (isShown(element, { checkVisibilityCSS: true }) || isBoxless(element) || isArea(element)) &&
  boxes(element).length > 0;

// -- image maps -------------------------------------------------------------------------------------

// An area has no box of its own: it is a part of the picture that uses its map.
export const isArea = (element: Element): element is HTMLAreaElement => element instanceof HTMLAreaElement;

export function pictureOf(area: HTMLAreaElement): HTMLImageElement | null {
  const map = closest(area, "map");
  const name = map && attr(map, "name");
  if (!name) return null;
  return (
    ([...queryIn(rootOf(area), "img[usemap]")].find(
      (image) => attr(image, "usemap") === `#${name}` && isRendered(image),
    ) as HTMLImageElement | undefined) || null
  );
}

function boxesOfArea(area: HTMLAreaElement) {
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

function sidesOfArea(area: HTMLAreaElement, width: number, height: number) {
  const at = (attr(area, "coords") || "").split(/[\s,;]+/).map(Number);
  const shape = (attr(area, "shape") || "rect").toLowerCase();
  if (shape === "default") return [0, 0, width, height];
  if (shape.startsWith("circ")) return [at[0] - at[2], at[1] - at[2], at[0] + at[2], at[1] + at[2]];
  const [xs, ys] = [
    at.filter((_: unknown, i: number) => i % 2 === 0),
    at.filter((_: unknown, i: number) => i % 2 === 1),
  ];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

// -- text -------------------------------------------------------------------------------------------

export const SILENT = new Set(["script", "style", "noscript", "template", "head"]);

export const collapse = (text: string) => text.replace(/\s+/g, " ").trim();
export const loose = (text: string) => collapse(text).toLowerCase();

// Returns whether a line of text ends at an element. An element that is not rendered separates nothing.
export const breaksLine = (element: Element) => !/^(inline|ruby|contents|none)/.test(getComputedStyle(element).display);

export function pushReversed<T>(stack: T[], nodes: ArrayLike<T>): void {
  for (let i = nodes.length - 1; i >= 0; i--) stack.push(nodes[i]);
}

export function plainText(element: Element): string {
  if (element instanceof HTMLInputElement) return isButtonInput(element) ? inputValue(element) : "";
  const parts: string[] = [];
  const stack: (Node | string)[] = [element];
  while (stack.length) {
    const node = stack.pop()!;
    if (typeof node === "string") {
      parts.push(node);
      continue;
    }
    if (typeOf(node) === 3) parts.push((node as Text).data);
    // The content of a field is its value, which may be a secret.
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

export const inputValue = getter(HTMLInputElement.prototype, "value");
export const inputType = getter(HTMLInputElement.prototype, "type");
export const isButtonInput = (element: HTMLInputElement) =>
  ["button", "submit", "reset", "image"].includes(inputType(element));

export const shorten = (text: string, limit = 40) => {
  const letters = [...text];
  return letters.length > limit ? letters.slice(0, limit - 1).join("") + "…" : text;
};

export function parentsOf(element: Element) {
  const found: Element[] = [];
  for (let up = hostOrParent(element); up; up = hostOrParent(up)) found.push(up);
  return found;
}
