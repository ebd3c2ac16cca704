// Finding elements in scopes, through shadow roots, in document order.

import { childrenOf, inElement, queryIn, topOf } from "../dom/nodes.ts";
import { hostOrParent, pushReversed, roots, shadowOf } from "./tree.ts";

export function elementsUnder(scope, css) {
  if (!scope) return roots().flatMap((root) => [...queryIn(root, css)]);
  const tops = topmost(scope);
  return [
    ...tops.flatMap((top) => [...inElement(top, css)]),
    ...rootsIn(tops).flatMap((root) => [...queryIn(root, css)]),
  ];
}

// Returns a predicate: whether a test holds for an element or one of its ancestors. Each climb ends where an earlier one
// passed, so that all of them together cost no more than the elements they visit.
export function climber(parent, test) {
  const known = new Map();
  return (element) => {
    const path = [];
    let at = element;
    for (; at && !known.has(at) && !test(at); at = parent(at)) path.push(at);
    const answer = Boolean(at) && known.get(at) !== false;
    for (const passed of path) known.set(passed, answer);
    return answer;
  };
}

// Returns a predicate: whether an element is one of these or inside one of them.
export function amongThose(scopes) {
  const marked = new Set(scopes);
  return climber(hostOrParent, (element) => marked.has(element));
}

// Returns the scopes that are inside no other, so that each subtree is searched once.
export function topmost(scopes) {
  if (scopes.length < 2) return scopes;
  const inside = amongThose(scopes);
  return scopes.filter((scope) => !inside(hostOrParent(scope)));
}

export function rootsIn(tops) {
  const inside = amongThose(tops);
  return roots().filter((root) => root !== document && inside(root.host));
}

// Steps that depend on each scope are searched in each one, which takes long for nested scopes.
export const MAX_NESTED = 1000;

export function fromEach(scopes, look, isShallow = false) {
  const nested = isShallow ? 0 : scopes.length - topmost(scopes).length;
  if (nested > MAX_NESTED) throw new Error(`its scope has ${nested} matches nested inside other matches`);
  const found = scopes.flatMap((scope) => [...look(scope)]);
  return scopes.length > 1 ? inOrder(found, true) : found;
}

// Sorts into document order through shadow roots: an element's content comes before its shadow tree. The result of one
// query or walk is in order already, unless several trees or scopes were searched.
export function inOrder(found, scattered = false) {
  const wanted = new Set(found);
  if (wanted.size < 2 || (roots().length === 1 && !scattered)) return [...wanted];
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
