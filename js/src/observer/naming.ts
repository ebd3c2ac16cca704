// Names of elements for people, and the limits of what a report names.

import { attr, closest, isElement, parentOf, tagOf } from "../dom/nodes.ts";

// while a page loads, its queue stays busy for longer
export const MAX_INDICATORS = 200,
  MAX_NAMED = 5;

// Returns a short selector for people: the nearest id, or the tag and its classes.
export function name(node: Node | null) {
  const element = node && (isElement(node) ? node : elementAbove(node) || (node as ShadowRoot).host);
  if (!element) return "the document";
  const id = attr(element, "id");
  if (id) return `#${CSS.escape(id)}`;
  const own =
    tagOf(element) +
    words(element)
      .slice(0, 3)
      .map((word: string) => `.${CSS.escape(word)}`)
      .join("");
  const holder = closest(element, "[id]");
  return holder ? `#${CSS.escape(attr(holder, "id")!)} ${own}` : own;
}

export const words = (element: Element) => (attr(element, "class") || "").split(/\s+/).filter(Boolean);

export function elementAbove(node: Node): Element | null {
  const parent = parentOf(node);
  return parent && isElement(parent) ? parent : null;
}

// Returns the nearest element around what an event hit, in its own tree, that matches a selector.
export function closestHit(event: Event, selector: string) {
  const [hit] = event.composedPath() as Node[];
  return hit && isElement(hit) ? closest(hit, selector) : null;
}
