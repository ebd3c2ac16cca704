// The identity of an element for loop guards: whether the same thing is done to it again.

import type { Root } from "../dom/nodes.ts";
import {
  allOf,
  attr,
  bodyOf,
  boxOf,
  childNodesOf,
  has,
  inElement,
  isElement,
  parentOf,
  queryIn,
  rawText,
  rootOf,
  scrollerOf,
  tagOf,
  topOf,
} from "../dom/nodes.ts";
import { isEditable, kindOf } from "./control.ts";
import { areaText, nameOf } from "./names.ts";
import { onScreen } from "./point.ts";
import { roleOf } from "./roles.ts";
import { stateOf } from "./states.ts";
import {
  activeElement,
  deepestAt,
  hostOrParent,
  inputValue,
  isButtonInput,
  isInside,
  isRendered,
  lookAgain,
  plainText,
  renderedParent,
  roots,
  shadowOf,
  shorten,
} from "./tree.ts";
import { hides } from "./typed.ts";

// Ancestors that describe a place. Others come and go with the layout and say nothing.
const PLACES = new Set([
  "alertdialog",
  "article",
  "banner",
  "complementary",
  "contentinfo",
  "dialog",
  "form",
  "grid",
  "group",
  "list",
  "listbox",
  "listitem",
  "main",
  "menu",
  "menubar",
  "navigation",
  "radiogroup",
  "region",
  "row",
  "rowgroup",
  "search",
  "table",
  "tablist",
  "tabpanel",
  "toolbar",
  "tree",
  "treeitem",
]);
const PLACE_TAGS = new Set(["footer", "form", "header", "section"]);
const MAX_PLACES = 6;
const MAX_NAME = 300;
const MAX_TEXT = 100;
const MAX_VALUE = 1000;

// Returns the path of such ancestors and the element's index by tag in the nearest one: never a snapshot's number.
function placeOf(element: Element) {
  const path: string[] = [];
  let at: Element | null = element;
  let holder: Element | null = null;
  while ((at = hostOrParent(at)) && path.length < MAX_PLACES) {
    const role = roleOf(at);
    if (!PLACES.has(role) && !PLACE_TAGS.has(tagOf(at)) && !shadowOf(at)) continue;
    holder = holder || at;
    path.unshift((role || tagOf(at)) + ordinal(at, siblingsOf(at)));
  }
  const inside =
    holder && rootOf(holder) === rootOf(element)
      ? inElement(holder, tagOf(element))
      : queryIn(rootOf(element), tagOf(element));
  path.push((roleOf(element) || tagOf(element)) + ordinal(element, [...inside]));
  return path.join(" > ");
}

const siblingsOf = (element: Element) =>
  [...childNodesOf(parentOf(element)!)].filter((node) => isElement(node) && tagOf(node) === tagOf(element));

const ordinal = (element: Element, alike: Node[]) => (alike.length > 1 ? `[${alike.indexOf(element) + 1}]` : "");

export function valueOf(element: Element): string {
  if (element instanceof HTMLInputElement) return isButtonInput(element) ? "" : inputValue(element);
  if (element instanceof HTMLTextAreaElement) return areaText(element);
  if (element instanceof HTMLSelectElement)
    return [...element.selectedOptions].map((option) => option.value).join(", ");
  return isEditable(element) ? rawText(element)! : "";
}

const STATES = ["checked", "disabled", "expanded", "pressed", "selected"];
const STATE_ATTRIBUTES = [
  "aria-activedescendant",
  "aria-checked",
  "aria-current",
  "aria-invalid",
  "aria-pressed",
  "aria-sort",
  "aria-valuenow",
  "aria-valuetext",
  "open",
];

function stateText(element: Element) {
  const on = STATES.filter((state) => stateOf(element, state));
  return [...on, ...STATE_ATTRIBUTES.map((name) => (has(element, name) ? `${name}=${attr(element, name)}` : ""))]
    .filter(Boolean)
    .join(" ");
}

export function identityOf(element: Element) {
  const role = roleOf(element);
  const value = valueOf(element);
  // A field's text is its value, and half a page of text identifies nothing; for others the text serves as the name.
  const text = value || kindOf(element) !== "other" ? "" : plainText(element);
  const name = nameOf(element, role) || (text.length > MAX_TEXT ? "" : text);
  return {
    role: role || tagOf(element),
    name: shorten(name, MAX_NAME),
    place: placeOf(element),
    value: value.slice(0, MAX_VALUE) + (value.length > MAX_VALUE ? `…${value.length}` : ""),
    hidden: hides(element),
    state: stateText(element),
  };
}

// Smaller canvases are ornaments; a larger number of them is not one picture.
const MIN_DRAWING = 100;
const MAX_DRAWINGS = 4;

// Returns the positions of visible canvases, whose content is not in the DOM.
function drawings(hits: Element[]) {
  const all = new Set([
    ...allOf(document, "canvas"),
    ...hits.filter((element: Element) => tagOf(element) === "canvas"),
  ]);
  return [...all]
    .filter(isRendered)
    .map((element) => onScreen(boxOf(element)))
    .filter(([, , width, height]) => width >= MIN_DRAWING && height >= MIN_DRAWING)
    .slice(0, MAX_DRAWINGS)
    .map(([left, top, width, height]) => [left + scrollX, top + scrollY, width, height]);
}

// Returns the scroll offsets that the wheel or a key would change, the focus, and the positions of canvases.
export function attention() {
  lookAgain();
  const active = activeElement();
  const focus = active && active !== bodyOf(document) ? active : null;
  const offsets = new Set<Element>();
  for (let at: Element | null = focus; at; at = renderedParent(at)) offsets.add(at);
  const middle = deepestAt(innerWidth / 2, innerHeight / 2);
  for (let at: Element | null = middle; at; at = renderedParent(at)) offsets.add(at);
  const scroller = scrollerOf(document);
  if (scroller) offsets.add(scroller);
  const scroll = [...offsets]
    .map((at) => [Math.round(at.scrollLeft), Math.round(at.scrollTop)])
    .filter(([x, y]) => x || y)
    .join(" ");
  return { scroll, focus: focus && identityOf(focus), drawings: drawings(middle ? [middle] : []) };
}

// Returns the focused element, or the document if none has the focus, and the modal dialogs, behind which nothing can be used.
// `:modal` came with Chrome 105; before, no selector tells them from others.
export function focusAndModals() {
  lookAgain();
  const active = activeElement();
  const modals = CSS.supports("selector(:modal)")
    ? roots().flatMap((root: Root) => [...queryIn(root, "dialog:modal")])
    : [];
  return [active && active !== bodyOf(document) && active !== topOf(document) ? active : document, ...frontOf(modals)];
}

// Returns the modal dialog in front of all others, with those around it. Everything else is inert, so that neither the mouse
// nor the focus gets there; its backdrop takes the mouse where it does not stand itself.
function frontOf(modals: Element[]) {
  if (modals.length < 2) return modals;
  const inFront = [deepestAt(1, 1), deepestAt(innerWidth / 2, innerHeight / 2), activeElement()];
  const isIn = (at: Element) => modals.filter((modal: Element) => isInside(at, modal));
  return (
    inFront
      .filter((at) => at !== null)
      .map(isIn)
      .find((around) => around.length) || modals
  );
}
