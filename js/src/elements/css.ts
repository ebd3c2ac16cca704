// CSS across shadow roots. The browser matches within one tree; where there are several, or a chain has a scope that its
// selector names, compounds are matched by the browser and everything between them here. A host is the parent of the top
// of its shadow tree, for every combinator and inside `:is()`, `:where()`, `:not()` and `:has()`.

import { childrenOf, inElement, inFragment, matches, queryIn, topOf } from "../dom/nodes.ts";
import { nextOf, previousOf } from "./roles.ts";
import { amongThose, climber, elementsUnder, inOrder, topmost } from "./searching.ts";
import { hostOrParent, roots, shadowOf } from "./tree.ts";

// A link is [combinator, compound, base, tests]: with tests, the browser matches `base` only.
const lastOfLinks = (links) => links[links.length - 1];
const cssOf = ([, compound, base, tests]) => (tests.length ? base : compound);

export function findByCss(css, parts, scope) {
  const named = parts.map(namesScope);
  if (roots().length === 1 && !(scope && named.some(Boolean))) return inOneTree(css, parts, scope);
  inFragment(document.createDocumentFragment(), css); // throws the browser's own message about the whole selector
  const fits = matcher(scope);
  const tops = scope && topmost(scope);
  const inside =
    tops && amongThose(tops.flatMap((top) => [...childrenOf(top), ...(shadowOf(top) ? shadowOf(top).children : [])]));
  const found = parts.flatMap((links, at) =>
    elementsUnder(named[at] ? null : tops, cssOf(lastOfLinks(links))).filter((element) =>
      fits(element, links, named[at] ? null : inside),
    ),
  );
  return inOrder(found, true);
}

// Returns whether a complex selector names its scope, and so may match outside of it.
const namesScope = (links) =>
  links.some(([, , , tests]) => tests.some(([name, parts]) => name === "scope" || parts.some(namesScope)));

function inOneTree(css, parts, scope) {
  if (!scope) return [...queryIn(document, css)];
  const inScope = parts.map(selectorInScope).join(", ");
  return inOrder(topmost(scope).flatMap((top) => [...inElement(top, inScope)]));
}

// The whole selector must match inside the scope. A selector without ancestors cannot leave it, and is faster without.
function selectorInScope(links) {
  const whole = links.map(([combinator, compound]) => combinator + compound).join("");
  return links.length === 1 ? whole : `:scope ${whole}`;
}

// Returns a function: whether an element matches a complex selector, all of whose compounds match inside `inside`. What is
// known of an element and its ancestors or siblings is kept, so that many elements cost no more than one walk.
function matcher(scope) {
  const scopes = new Set(scope || [topOf(document)]);
  const climbers = new Map();

  const TESTS = {
    anchor: (element, anchor) => element === anchor,
    scope: (element) => scopes.has(element),
    is: (element, parts) => parts.some((links) => fits(element, links, null)),
    where: (element, parts) => TESTS.is(element, parts),
    not: (element, parts) => !TESTS.is(element, parts),
    has: (element, parts) => parts.some((links) => hasSuch(element, links)),
  };

  const isSuch = (element, link) =>
    matches(element, cssOf(link)) && link[3].every(([name, parts]) => TESTS[name](element, parts));

  function reaches(element, links, i, inside) {
    if ((inside && !inside(element)) || !isSuch(element, links[i])) return false;
    return i === 0 || BEFORE[links[i][0] || " "](element, (other) => reaches(other, links, i - 1, inside), links[i]);
  }

  // The first element that a climb reaches is the parent or the sibling before.
  const climb = (next) => (element, test, link) => {
    if (!climbers.has(link)) climbers.set(link, climber(next, test));
    const first = next(element);
    return Boolean(first) && climbers.get(link)(first);
  };
  const step = (next) => (element, test) => {
    const first = next(element);
    return Boolean(first) && test(first);
  };
  const BEFORE = { " ": climb(hostOrParent), "~": climb(previousOf), ">": step(hostOrParent), "+": step(previousOf) };

  function hasSuch(element, links) {
    const beside = /[+~]/.test(links[0][0]);
    const tops = beside ? siblingsAfter(element) : [element];
    const css = cssOf(lastOfLinks(links));
    const anchored = [
      ["", "*", "*", [["anchor", element]]],
      [links[0][0] || " ", ...links[0].slice(1)],
      ...links.slice(1),
    ];
    const found = [...(beside ? tops.filter((top) => matches(top, css)) : []), ...elementsUnder(tops, css)];
    return found.some((inner) => reaches(inner, anchored, anchored.length - 1, null));
  }

  const fits = (element, links, inside) => reaches(element, links, links.length - 1, inside);
  return fits;
}

function siblingsAfter(element) {
  const after = [];
  for (let at = nextOf(element); at; at = nextOf(at)) after.push(at);
  return after;
}
