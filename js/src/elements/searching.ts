// Finding elements in scopes, through shadow roots, in document order.

import type { Scope } from "./types.ts";
import { childrenOf, inElement, queryIn, topOf } from "../dom/nodes.ts";
import { hostOrParent, pushReversed, roots, shadowOf } from "./tree.ts";

export function elementsUnder(scope: Scope, css: string): Element[] {
  if (!scope) return roots().flatMap((root) => [...queryIn(root, css)]);
  const tops = topmost(scope);
  return [
    ...tops.flatMap((top: Element) => [...inElement(top, css)]),
    ...rootsIn(tops).flatMap((root: ShadowRoot) => [...queryIn(root, css)]),
  ];
}

export type Inside = (element: Element | null) => boolean;

// Returns a predicate: whether a test holds for an element or one of its ancestors. Each climb ends where an earlier one
// passed, so that all of them together cost no more than the elements they visit.
export function climber(parent: (element: Element) => Element | null, test: (element: Element) => boolean): Inside {
  const known = new Map<Element, boolean>();
  return (element) => {
    const path: Element[] = [];
    let at: Element | null = element;
    for (; at && !known.has(at) && !test(at); at = parent(at)) path.push(at);
    const answer = at !== null && known.get(at) !== false;
    for (const passed of path) known.set(passed, answer);
    return answer;
  };
}

// Returns a predicate: whether an element is one of these or inside one of them.
export function amongThose(scopes: Iterable<Element>): Inside {
  const marked = new Set(scopes);
  return climber(hostOrParent, (element: Element) => marked.has(element));
}

// Returns the scopes that are inside no other, so that each subtree is searched once.
export function topmost(scopes: Element[]): Element[] {
  if (scopes.length < 2) return scopes;
  const inside = amongThose(scopes);
  return scopes.filter((scope) => !inside(hostOrParent(scope)));
}

export function rootsIn(tops: Element[]): ShadowRoot[] {
  const inside = amongThose(tops);
  return roots().filter((root): root is ShadowRoot => root !== document && inside((root as ShadowRoot).host));
}

// Steps that depend on each scope are searched in each one, which takes long for nested scopes.
export const MAX_NESTED = 1000;

export function fromEach(scopes: Element[], look: (scope: Element) => Iterable<Element>, isShallow = false): Element[] {
  const nested = isShallow ? 0 : scopes.length - topmost(scopes).length;
  if (nested > MAX_NESTED) throw new Error(`its scope has ${nested} matches nested inside other matches`);
  const found = scopes.flatMap((scope) => [...look(scope)]);
  return scopes.length > 1 ? inOrder(found, true) : found;
}

// Sorts into document order through shadow roots: an element's content comes before its shadow tree. The result of one
// query or walk is in order already, unless several trees or scopes were searched.
export function inOrder(found: Element[], scattered = false): Element[] {
  const wanted = new Set(found);
  if (wanted.size < 2 || (roots().length === 1 && !scattered)) return [...wanted];
  const sorted: Element[] = [];
  const stack: Element[] = [topOf(document)];
  while (stack.length && sorted.length < wanted.size) {
    const element = stack.pop()!;
    if (wanted.has(element)) sorted.push(element);
    const shadow = shadowOf(element);
    if (shadow) pushReversed(stack, shadow.children);
    pushReversed(stack, childrenOf(element));
  }
  return sorted;
}
