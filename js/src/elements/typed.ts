// Reports text typed into fields that hide it to Python as it comes: a page may show it anywhere at any time, so it must
// be known before the field is cleared or the document goes away.

import type { Root } from "../dom/nodes.ts";
import { allOf, attr, getter, idOf, isElement, listen, queryIn } from "../dom/nodes.ts";
import { isEditable } from "./control.ts";
import { eventPath, inCapture, isTrusted } from "./events.ts";
import { valueOf } from "./identity.ts";
import { activeElement, inputType, inputValue, isInside, knownRoots, shadowOf } from "./tree.ts";
import { typing } from "./typing.ts";

// Autocomplete values whose content browsers hide (HTML, "autofill field").
const HIDING_WORDS = new Set(["current-password", "new-password", "one-time-code"]);
const MAX_TYPED = 10000;
// Fields that take so few characters each are the parts of one code.
const BOX_CHARACTERS = 2;
// A long text is reported again when this share of it is new: otherwise each of 10,000 keys would repeat all of it.
const NEW_PART = 1 / 64;

// Fields that have ever hidden their text: a button may reveal it, or did before it was typed. Frameworks replace fields,
// so the names of such fields count too.
const hiding = new WeakSet();
const hidingNames = new Set();
const typedBefore = new WeakMap();
const HIDING_MAX = 1000;

// Fields whose content was reported, by number.
const numbers = new WeakMap();
let lastNumber = 0;

function numberOf(element: Element) {
  if (!numbers.has(element)) numbers.set(element, ++lastNumber);
  return numbers.get(element);
}

export const isField = (element: Element) =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
const identifierOf = (element: Element) => `${idOf(element)} ${attr(element, "name") || ""}`.trim();
const fillsHidden = (element: Element) =>
  (attr(element, "autocomplete") || "")
    .toLowerCase()
    .split(/\s+/)
    .some((word: string) => HIDING_WORDS.has(word));

const hidesNow = (element: Element) =>
  (element instanceof HTMLInputElement && inputType(element) === "password") ||
  (isField(element) && fillsHidden(element)) ||
  !["", "none", undefined].includes((getComputedStyle(element) as { webkitTextSecurity?: string }).webkitTextSecurity);

// Returns whether an element hides what is typed into it, or is known to have done so.
export function hides(element: Element) {
  if (!isElement(element) || (!isField(element) && !isEditable(element))) return false;
  if (hiding.has(element)) return true;
  const name = identifierOf(element);
  if (!hidesNow(element) && !(name && isField(element) && hidingNames.has(name))) return false;
  if (hidingNames.size < HIDING_MAX && name) hidingNames.add(name);
  hiding.add(element);
  return true;
}

// Only known roots: finding others takes a walk through the whole document.
export const inputsOf = (root: Root) => (root === document ? allOf(document, "input") : queryIn(root, "input"));
const knownInputs = () => (knownRoots || [document]).flatMap((root) => [...inputsOf(root)] as HTMLInputElement[]);

// Records the fields that hide their text now, before an action may reveal it.
export function recordHidingFields() {
  listenForTyping();
  for (const input of knownInputs()) if (inputType(input) === "password") hides(input);
}

export const mostOf = getter(HTMLInputElement.prototype, "maxLength");
export const isBox = (element: Element) =>
  element instanceof HTMLInputElement && mostOf(element) > 0 && mostOf(element) <= BOX_CHARACTERS;

// Returns the joined content of all such fields: a single one is too short to be a secret.
const codeOf = () =>
  knownInputs()
    .filter((input) => isBox(input) && hides(input))
    .map(inputValue)
    .join("");

function reportTyped(element: Element, whole: boolean) {
  const text = valueOf(element).slice(0, MAX_TYPED);
  const before = typedBefore.get(element) || "";
  if (!text || text === before) return;
  if (!whole && text.startsWith(before) && text.length - before.length < text.length * NEW_PART) return;
  typedBefore.set(element, text);
  const content = isBox(element) ? { field: 0, text: codeOf() } : { field: numberOf(element), text };
  if (globalThis.__sfTyped) globalThis.__sfTyped(JSON.stringify(content));
}

// Reports the content of the focused field; the page may have stopped the events that report it.
export function reportFocusedField() {
  recordHidingFields();
  const element = activeElement();
  if (element && keeps(element)) reportTyped(element, true);
}

// A field that shows what is typed keeps it to itself while a secret is typed, whose beginning it may show.
const keeps = (element: Element) =>
  hides(element) ||
  (typing !== null && typing.secret && (isField(element) || isEditable(element)) && isInside(element, typing.at!));

function onTyped(event: Event) {
  if (!isTrusted(event)) return;
  const [hit] = eventPath(event) as Node[];
  const element = isElement(hit) && shadowOf(hit) ? activeElement() : hit;
  if (element && isElement(element) && keeps(element)) reportTyped(element, event.type !== "input");
}

// `input` reports new text; the other events come before a field loses focus or its form is submitted. Adding a present
// listener again does nothing; document.open() removes listeners.
export function listenForTyping() {
  for (const type of ["input", "change", "keydown", "focusout"]) listen(globalThis, type, onTyped, inCapture);
}
