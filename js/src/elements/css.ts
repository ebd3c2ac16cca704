// CSS across shadow roots. The browser matches within one tree; where there are several, or a chain has a scope that its
// selector names, compounds are matched by the browser and everything between them here. A host is the parent of the top
// of its shadow tree, for every combinator and inside `:is()`, `:where()`, `:not()` and `:has()`.

import type { Link, Links, Scope } from "./types.ts";
import type { Inside } from "./searching.ts";
import { childrenOf, inElement, inFragment, matches, queryIn, topOf } from "../dom/nodes.ts";
import { nextOf, previousOf } from "./roles.ts";
import { amongThose, climber, elementsUnder, inOrder, topmost } from "./searching.ts";
import { hostOrParent, roots, shadowOf } from "./tree.ts";

// A link is [combinator, compound, base, tests]: with tests, the browser matches `base` only.
const lastOfLinks = (links: Links) => links[links.length - 1];
const cssOf = ([, compound, base, tests]: Link) => (tests.length ? base : compound);

export function findByCss(css: string, parts: Links[], scope: Scope): Element[] {
  const named = parts.map(namesScope);
  if (roots().length === 1 && !(scope && named.some(Boolean))) return inOneTree(css, parts, scope);
  inFragment(document.createDocumentFragment(), css); // throws the browser's own message about the whole selector
  const fits = matcher(scope);
  const tops = scope && topmost(scope);
  const inside =
    tops &&
    amongThose(tops.flatMap((top: Element) => [...childrenOf(top), ...(shadowOf(top) ? shadowOf(top)!.children : [])]));
  const found = parts.flatMap((links: Links, at: number) =>
    elementsUnder(named[at] ? null : tops, cssOf(lastOfLinks(links))).filter((element: Element) =>
      fits(element, links, named[at] ? null : inside),
    ),
  );
  return inOrder(found, true);
}

// Returns whether a complex selector names its scope, and so may match outside of it.
const namesScope = (links: Links): boolean =>
  links.some(([, , , tests]) =>
    tests.some(([name, parts]) => name === "scope" || (name !== "anchor" && parts.some(namesScope))),
  );

function inOneTree(css: string, parts: Links[], scope: Scope) {
  if (!scope) return [...queryIn(document, css)];
  const inScope = parts.map(selectorInScope).join(", ");
  return inOrder(topmost(scope).flatMap((top: Element) => [...inElement(top, inScope)]));
}

// The whole selector must match inside the scope. A selector without ancestors cannot leave it, and is faster without.
function selectorInScope(links: Links) {
  const whole = links.map(([combinator, compound]) => combinator + compound).join("");
  return links.length === 1 ? whole : `:scope ${whole}`;
}

// Returns a function: whether an element matches a complex selector, all of whose compounds match inside `inside`. What is
// known of an element and its ancestors or siblings is kept, so that many elements cost no more than one walk.
function matcher(scope: Scope) {
  const scopes = new Set<Element>(scope || [topOf(document)]);
  const climbers = new Map<Link, Inside>();

  const TESTS = {
    scope: (element: Element, _: Links[]) => scopes.has(element),
    is: (element: Element, parts: Links[]): boolean => parts.some((links: Links) => fits(element, links, null)),
    where: (element: Element, parts: Links[]): boolean => TESTS.is(element, parts),
    not: (element: Element, parts: Links[]): boolean => !TESTS.is(element, parts),
    has: (element: Element, parts: Links[]) => parts.some((links: Links) => hasSuch(element, links)),
  };

  const isSuch = (element: Element, link: Link) =>
    matches(element, cssOf(link)) &&
    link[3].every((test) => (test[0] === "anchor" ? element === test[1] : TESTS[test[0]](element, test[1])));

  function reaches(element: Element, links: Links, i: number, inside: Inside | null): boolean {
    if ((inside && !inside(element)) || !isSuch(element, links[i])) return false;
    return (
      i === 0 || BEFORE[links[i][0] || " "](element, (other: Element) => reaches(other, links, i - 1, inside), links[i])
    );
  }

  // The first element that a climb reaches is the parent or the sibling before.
  const climb =
    (next: (element: Element) => Element | null) =>
    (element: Element, test: (element: Element) => boolean, link: Link) => {
      if (!climbers.has(link)) climbers.set(link, climber(next, test));
      const first = next(element);
      return first !== null && climbers.get(link)!(first);
    };
  const step =
    (next: (element: Element) => Element | null) => (element: Element, test: (element: Element) => boolean) => {
      const first = next(element);
      return first !== null && test(first);
    };
  const BEFORE: Record<string, (element: Element, test: (element: Element) => boolean, link: Link) => boolean> = {
    " ": climb(hostOrParent),
    "~": climb(previousOf),
    ">": step(hostOrParent),
    "+": step(previousOf),
  };

  function hasSuch(element: Element, links: Links): boolean {
    const beside = /[+~]/.test(links[0][0]);
    const tops = beside ? siblingsAfter(element) : [element];
    const css = cssOf(lastOfLinks(links));
    const [first, ...others] = links;
    const anchored: Links = [
      ["", "*", "*", [["anchor", element]]],
      [first[0] || " ", first[1], first[2], first[3]],
      ...others,
    ];
    const found = [...(beside ? tops.filter((top) => matches(top, css)) : []), ...elementsUnder(tops, css)];
    return found.some((inner) => reaches(inner, anchored, anchored.length - 1, null));
  }

  const fits = (element: Element, links: Links, inside: Inside | null) =>
    reaches(element, links, links.length - 1, inside);
  return fits;
}

function siblingsAfter(element: Element): Element[] {
  const after: Element[] = [];
  for (let at = nextOf(element); at; at = nextOf(at)) after.push(at);
  return after;
}
