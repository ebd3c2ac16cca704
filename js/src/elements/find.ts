// Finders: one function per kind of step. A finder takes the step and the scopes (null: the document) and returns all
// matches in document order; a filter takes the matches so far.

import type { Chain, Fault, Scope, Step, Steps, Target, Worded } from "./types.ts";
import type { Root } from "../dom/nodes.ts";
import type { Wanted } from "./wanted.ts";
import type { Prose } from "./words.ts";
import {
  attr,
  bodyOf,
  closest,
  everyInternalHere,
  has,
  isConnected,
  isElement,
  rootOf,
  tagOf,
  topOf,
} from "../dom/nodes.ts";
import { isShown } from "../dom/older.ts";
import { isAriaHidden } from "./content.ts";
import { findByCss } from "./css.ts";
import { CONTROLS, ID_ATTRIBUTES, TEST_IDS, describe, listed } from "./describe.ts";
import { FILTERS } from "./filters.ts";
import { attached, get } from "./held.ts";
import { legibleName, nameOf } from "./names.ts";
import { takesValue } from "./receiving.ts";
import { idIn, ownedBy } from "./relations.ts";
import { roleOf } from "./roles.ts";
import { amongThose, climber, elementsUnder, fromEach, inOrder, topmost } from "./searching.ts";
import { stateOf } from "./states.ts";
import {
  SILENT,
  hostOrParent,
  inputType,
  isBoxless,
  isRendered,
  lookAgain,
  plainText,
  renderedParent,
  roots,
  shadowOf,
  shorten,
} from "./tree.ts";
import { compared, namedSo, says, wantedOf } from "./wanted.ts";
import { havingText, innermostHaving, mayRead, read, withOwnLine } from "./words.ts";

type Finders = Exclude<keyof Steps, keyof typeof FILTERS>;

export const FINDERS: { [K in Finders]: (step: Steps[K], scope: Scope, root: Scope) => Element[] } = {
  css: ({ css, parts }, scope) => findByCss(css, parts, scope),

  xpath: ({ xpath }, scope) => {
    if (!scope) return elementsOf(xpath, document);
    const relative = xpath.startsWith("/") ? `.${xpath}` : xpath;
    const look = (top: Element) => elementsOf(relative, top);
    // Descendants of a scope are also descendants of the scope around it.
    return fromEach(relative.startsWith(".//") ? topmost(scope) : scope, look, !DESCENDS.test(relative));
  },

  text: (step, scope) => {
    if (!scope && !step.pattern && !mayRead(step.text)) return [];
    const wanted = wantedOf(step);
    const tops = scope ? topmost(scope) : [bodyOf(document) || topOf(document)].filter(Boolean);
    const readings = tops.map((top: Element) => read(top));
    const found = readings.flatMap((reading) => innermostHaving(reading, wanted));
    const hasLines = step.exact && !step.pattern && !found.length;
    const lines = hasLines ? readings.flatMap((reading) => withOwnLine(reading, compared(step.text, true))) : [];
    return preferred([...found, ...lines], isRendered);
  },

  role: (step, scope) => {
    const { role, states } = step;
    const alike = heardIn(
      scope,
      (element: Element) =>
        roleOf(element) === role && Object.keys(states).every((state) => isInState(element, state, states[state])),
    );
    return withoutHosts(asHeard(step.name === null ? alike : namedSo(alike, role, step), step.hidden));
  },

  label: (step, scope) => {
    const named = labelled(step);
    return withoutHosts(
      preferred(
        every(scope, (element: Element) => named.has(element)),
        isRendered,
      ),
    );
  },

  attribute: (step, scope) => {
    const { says: isSaid } = wantedOf(step);
    const { attribute } = step;
    const found = elementsUnder(scope, `[${attribute}]`).filter((element) => isSaid(attr(element, attribute) || ""));
    return withoutHosts(preferred(inOrder(found), isRendered));
  },

  testid: ({ id, pattern }, scope) => {
    const regex = pattern && new RegExp(pattern[0], pattern[1]);
    const isIt = (value: string | null) => value !== null && (regex ? regex.test(value) : value === id);
    return inOrder(
      elementsUnder(scope, TEST_IDS.map((name) => `[${name}]`).join()).filter((element: Element) =>
        TEST_IDS.some((name) => isIt(attr(element, name))),
      ),
    );
  },

  id: ({ id }, scope) =>
    withoutHosts(
      perceived(
        every(scope, (element: Element) => {
          if (ID_ATTRIBUTES.some((name) => attr(element, name) === id)) return true;
          const role = roleOf(element);
          return CONTROLS.has(role) && says(nameOf(element, role), id, true);
        }),
      ),
    ),

  // What is on the left of an `or` may begin in a scope; what is on its right begins where the whole selector does.
  or: ({ left, right }, scope, root) => {
    const found = [...(inSteps(left, scope, root).found || []), ...inSteps(right, root, root).found];
    return inOrder(found, true);
  },

  // Each scope is searched by itself, so that `nth=` and the like count in it.
  chain: ({ steps }, scope, root) =>
    scope ? fromEach(scope, (each: Element) => matchesIn(steps, each)) : inSteps(steps, root, root).found,
};

// What can be expanded or has a level says so; what can be checked, pressed or selected and does not say that is not.
const isInState = (element: Element, state: string, wanted: unknown) => {
  const own = stateOf(element, state);
  return (own === undefined && state !== "expanded" && state !== "level" ? false : own) === wanted;
};

// Imperceptible elements count only if no perceptible one matches.
function preferred(found: Element[], test: (element: Element) => boolean): Element[] {
  const seen = found.filter(test);
  return seen.length ? seen : found;
}

function perceived(found: Element[]) {
  const isUntold = climber(renderedParent, (element: Element) => attr(element, "aria-hidden") === "true");
  return preferred(found, (element: Element) => isRendered(element) && !isUntold(element));
}

// What a role selector says of elements that assistive technology does not show: true takes them as well, false never
// does, and null only if there are no others. A size does not matter for false, as it does not for assistive technology.
function asHeard(found: Element[], hidden: boolean | null): Element[] {
  if (hidden === null) return perceived(found);
  if (hidden) return found;
  const isUntold = climber(renderedParent, isAriaHidden);
  const told = found.filter((element: Element) => isDrawn(listAround(element)) && !isUntold(element));
  untold = told.length ? [] : found;
  return told;
}

let untold: Element[] = []; // what the last search left out, if it found nothing else

const isDrawn = (element: Element) => isShown(element, { checkVisibilityCSS: true }) || isBoxless(element);

// The options of a closed list have no boxes, and assistive technology tells them all the same.
export const listAround = (element: Element): Element =>
  (["option", "optgroup"].includes(tagOf(element)) && closest(element, "select")) || element;

// A host and its own field are one: a custom element, with a shadow root or as Angular has it, gives its label, placeholder
// or role to the one field inside, and is left out then. Innermost first, because a host may be the field of another one.
function withoutHosts(found: Element[]): Element[] {
  const isHost = (element: Element) => shadowOf(element) !== null || tagOf(element).includes("-");
  const inside = new Map(found.filter(isHost).map((host): [Element, Element[]] => [host, []]));
  if (!inside.size) return found;
  for (const element of found) {
    for (let at = hostOrParent(element); at; at = hostOrParent(at)) if (inside.has(at)) inside.get(at)!.push(element);
  }
  const left = new Set(found);
  for (const [host, parts] of [...inside].reverse()) {
    const [part, ...others] = parts.filter((each: Element) => left.has(each));
    if (part && !others.length && (rootOf(part) !== rootOf(host) || takesValue(part))) left.delete(host);
  }
  return [...left];
}

// -- scopes -------------------------------------------------------------------------------------------

const every = (scope: Scope, test: (element: Element) => boolean) => inOrder(elementsUnder(scope, "*").filter(test));

// Who hears the page finds in an element also what it owns (`aria-owns`), wherever that is in the document.
function heardIn(scope: Scope, test: (element: Element) => boolean): Element[] {
  const owned = scope ? ownedUnder(scope) : [];
  if (!owned.length) return every(scope, test);
  return inOrder([...elementsUnder(scope, "*"), ...owned, ...elementsUnder(owned, "*")].filter(test), true);
}

function ownedUnder(scope: Element[]): Element[] {
  const owned = new Set<Element>();
  for (let tops = scope; tops.length;) {
    tops = [...tops, ...elementsUnder(tops, "[aria-owns]")].flatMap(ownedBy).filter((each) => !owned.has(each));
    for (const each of tops) owned.add(each);
  }
  return [...owned];
}

const DESCENDS = /\/\/|::|\(/; // in XPath

function elementsOf(xpath: string, context: Node): Element[] {
  const found = document.evaluate(xpath, context, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  return Array.from({ length: found.snapshotLength }, (_, i) => found.snapshotItem(i)!).filter(isElement);
}

// -- labels -------------------------------------------------------------------------------------------

const MAX_JOINED = 1000;

export const pointedAt = (element: Element, attribute: string): Element[] =>
  (attr(element, attribute) || "")
    .split(/\s+/)
    .filter(Boolean)
    .map((id) => idIn(rootOf(element), id))
    .filter((found) => found !== null);

// Every search of a filter's selector, one for each element, asks for the same labels again.
let labelsFound: { roots: Root[] | null; byStep: Map<string, Set<Element>> } = { roots: null, byStep: new Map() };

function labelled(step: Worded): Set<Element> {
  const all = roots();
  if (labelsFound.roots !== all) labelsFound = { roots: all, byStep: new Map() };
  const key = JSON.stringify([step.text, step.exact, step.pattern]);
  if (!labelsFound.byStep.has(key)) labelsFound.byStep.set(key, labelledNow(step));
  return labelsFound.byStep.get(key)!;
}

// Returns every element that a <label>, aria-labelledby or aria-label names with these words.
function labelledNow(step: Worded): Set<Element> {
  const wanted = wantedOf(step);
  const pointing = elementsUnder(null, "[aria-labelledby]").map((element): [Element, Element[]] => [
    element,
    pointedAt(element, "aria-labelledby"),
  ]);
  const labels = elementsUnder(null, "label");
  const texts = readLabels([...labels, ...pointing.flatMap(([, ids]) => ids)], wanted);
  const own = labels.filter((label) => texts.having.has(label)).map((label) => (label as HTMLLabelElement).control);
  const named = new Set<Element>(own.filter((control) => control !== null));
  for (const [element, ids] of pointing) {
    const isNamed = ids.some((id) => texts.having.has(id)) || (ids.length > 1 && wanted.says(texts.joined(ids)));
    if (isNamed) named.add(element);
  }
  for (const element of new Set([...elementsUnder(null, "[aria-label]"), ...everyInternalHere().keys()])) {
    const label = attr(element, "aria-label");
    if (label !== null && wanted.says(label)) named.add(element);
  }
  return named;
}

// Reads nested labels only once.
function readLabels(labels: Element[], wanted: Wanted) {
  const all = new Set(labels);
  const having = new Set<Element>();
  const places = new Map<Element, [Prose, number]>();
  for (const top of topmost([...all])) {
    const reading = read(top, true);
    reading.elements.forEach((element, i) => {
      if (all.has(element)) places.set(element, [reading.seen, i]);
    });
    const found = havingText(reading, wanted).map((i) => reading.elements[i]);
    for (const element of found) if (all.has(element)) having.add(element);
  }
  return {
    having,
    joined: (ids: Element[]) => joined(ids.map((id) => places.get(id)).filter((place) => place !== undefined)),
  };
}

function joined(places: [Prose, number][]): string {
  const length = places.reduce((sum, [prose, i]) => sum + prose.ends[i] - prose.starts[i], 0);
  if (length > MAX_JOINED) return "";
  return places.map(([prose, i]) => prose.textOf(i)).join(" ");
}

// Explains why a role selector finds nothing: what it would find is hidden.
const whyUntold = (step: Step) =>
  step.kind === "role" && step.hidden === false && untold.length
    ? `${listed(untold[0])}${untold.length > 1 ? ` and ${untold.length - 1} more` : ""} would match, but assistive technology does` +
      " not show such; [include-hidden=true] takes them"
    : "";

// Explains why a label selector finds nothing: the label exists but labels no control.
function whyNoControl(step: Step): string {
  if (step.kind !== "label") return "";
  const labels = elementsUnder(null, "label").filter((label) => !(label as HTMLLabelElement).control);
  const { having } = readLabels(labels, wantedOf(step));
  const [label] = having;
  if (!label) return "";
  const reason = has(label, "for")
    ? `its for=${JSON.stringify(shorten(attr(label, "for")!))} names no element that can be labelled`
    : "it has no for= and contains no control";
  return `${describe(label)} labels no control: ${reason}`;
}

// -- chains -------------------------------------------------------------------------------------------

export const MAX_LISTED = 5;

// Whether a target is a chain to search and not an element, which may be of a document whose `Element` is another one.
export const isChain = (target: Target): target is Chain => Array.isArray((target as Chain).steps);

// What a chain finds; if that is nothing, the step that failed and the matches before it.
type Found = { found: Element[]; at?: number; before?: Scope };

export function search({ steps, scope = null }: Chain): Found {
  if (scope && !isConnected(scope)) return { found: [], at: 0, before: null };
  return inSteps(steps, scope && [scope], null);
}

// Returns all matches of a chain; if there are none, the step that failed and the matches before it. `root` is where the
// selectors inside a step begin: null for the document, or the elements that a filter asks about.
export function inSteps(steps: Step[], scope: Scope, root: Scope): Found {
  let found = scope;
  for (const [at, step] of steps.entries()) {
    const before = found;
    found = taken(step, found, root);
    if (!found.length) return { found, at, before };
  }
  return { found: found! };
}

type Taking = (step: Step, found: Scope, root: Scope) => Element[];

const taken: Taking = (step, found, root) => {
  const table = (step.kind in FILTERS ? FILTERS : FINDERS) as unknown as Record<string, Taking>;
  return table[step.kind](step, found, root);
};

export const matchesIn = (steps: Step[], element: Element) => inSteps(steps, [element], [element]).found;

// Returns { element } or { fault }: "syntax" with the browser's message, "none", or "many" with the first few matches.
export function findOne(target: Chain): { element: Element; fault?: undefined } | Fault {
  if (target.scope) {
    const scope = attached(target.scope);
    if (scope.fault) return scope;
  }
  let result: Found;
  untold = [];
  try {
    result = search(target);
  } catch (error) {
    return { fault: "syntax", detail: String((error as Error).message || error), final: true };
  }
  const { found, at = 0, before } = result;
  if (found.length === 1) return { element: found[0] };
  if (!found.length)
    return {
      fault: "none",
      step: at,
      count: before ? before.length : 0,
      detail: whyNoControl(target.steps[at]) || whyUntold(target.steps[at]),
    };
  return { fault: "many", count: found.length, matches: found.slice(0, MAX_LISTED).map(listed) };
}

// Returns whether a held frame element is inside a match of a chain.
export function containsHeld(target: Chain, token: number): { done: boolean } | Fault {
  lookAgain();
  try {
    return { done: amongThose(search(target).found)(get(token)) };
  } catch (error) {
    return { fault: "syntax", detail: String((error as Error).message || error) };
  }
}

// Returns the elements that a failed step may have meant: those that can be acted on or have a name, within the scopes
// reached, elements of the requested role first.
const SUGGESTED =
  "a[href], button, input, select, textarea, summary, iframe, label, h1, h2, h3, [id], [role], " +
  "[tabindex], [contenteditable], [placeholder], [title], [alt], " +
  TEST_IDS.map((name) => `[${name}]`).join(", ");
const MAX_SUGGESTED = 300;
const MAX_ROLES = 20000;

export function suggestions(target: Chain, at: number) {
  lookAgain();
  const { steps, scope } = target;
  const { found } = at ? search({ steps: steps.slice(0, at), scope }) : { found: scope ? [scope] : null };
  const step = steps[at];
  if (step.kind in FILTERS) return found!.slice(0, MAX_SUGGESTED).map(suggestion);
  const alike =
    step.kind === "role"
      ? elementsUnder(found, "*")
          .slice(0, MAX_ROLES)
          .filter((e: Element) => roleOf(e) === step.role)
      : [];
  const all = new Set([...alike.slice(0, MAX_SUGGESTED), ...elementsUnder(found, SUGGESTED)]);
  return [...all]
    .filter(isNotable)
    .slice(0, 2 * MAX_SUGGESTED)
    .map(suggestion);
}

const isNotable = (element: Element) =>
  !SILENT.has(tagOf(element)) && !(element instanceof HTMLInputElement && inputType(element) === "hidden");

function suggestion(element: Element) {
  const role = roleOf(element);
  const short = (name: string) => shorten(attr(element, name) || "", 80);
  return {
    shown: listed(element),
    ids: ID_ATTRIBUTES.map((name) => attr(element, name)).filter(Boolean),
    role,
    name: shorten(legibleName(element, role), 80),
    text: shorten(plainText(element), 80),
    tag: tagOf(element),
    classes: (attr(element, "class") || "").trim(),
    placeholder: short("placeholder"),
    title: short("title"),
    alt: short("alt"),
  };
}
