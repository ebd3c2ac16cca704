// What is typed into fields that hide it, told to the engine as it comes: a page may show it anywhere and at any time,
// so it must be known before the field is cleared or the document goes.

// What browsers fill in by themselves and show to nobody (HTML, "autofill field").
const HIDING_WORDS = new Set(["current-password", "new-password", "one-time-code"]);
const MAX_TYPED = 10000;
// Boxes that take so few characters each are the parts of one code.
const BOX_CHARACTERS = 2;
// A long text is told again when this part of it is new: each of 10,000 keys would else tell all that was there before.
const NEW_PART = 1 / 64;

// Fields that hid their text at some time, by number: a button may show it later, or did before it was typed. Frameworks
// put another field in the place of one, so what such fields are called counts too.
const hidingNumbers = new WeakMap();
const hidingNames = new Set();
const typedBefore = new WeakMap();
const HIDING_MAX = 1000;
let lastHiding = 0;

const isField = (element) => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
const calledAs = (element) => `${idOf(element)} ${attr(element, "name") || ""}`.trim();
const fillsHidden = (element) => (attr(element, "autocomplete") || "").toLowerCase().split(/\s+/)
  .some((word) => HIDING_WORDS.has(word));

const hidesNow = (element) => element instanceof HTMLInputElement && inputType(element) === "password"
  || isField(element) && fillsHidden(element)
  || !["", "none", undefined].includes(getComputedStyle(element).webkitTextSecurity);

// Whether what is typed into an element is hidden, or was at any time that we know of.
function hides(element) {
  if (!isElement(element) || !isField(element) && !isEditable(element)) return false;
  if (hidingNumbers.has(element)) return true;
  const name = calledAs(element);
  if (!hidesNow(element) && !(name && isField(element) && hidingNames.has(name))) return false;
  if (hidingNames.size < HIDING_MAX && name) hidingNames.add(name);
  hidingNumbers.set(element, ++lastHiding);
  return true;
}

// The roots that are known: to look for others takes a walk through the whole document.
const inputsOf = (root) => root === document ? allOf(document, "input") : queryIn(root, "input");
const knownInputs = () => (knownRoots || [document]).flatMap((root) => [...inputsOf(root)]);

// Take note of the fields that hide their text now, before anything is done that may make them show it.
function noteHiding() {
  hearTyped();
  for (const input of knownInputs()) if (inputType(input) === "password") hides(input);
}

const mostOf = getter(HTMLInputElement.prototype, "maxLength");
const isBox = (element) => element instanceof HTMLInputElement && mostOf(element) > 0 && mostOf(element) <= BOX_CHARACTERS;

// What all boxes hold together: each alone says nothing, and what it holds may stand anywhere.
const codeOf = () => knownInputs().filter((input) => isBox(input) && hides(input)).map(inputValue).join("");

function tellTyped(element, whole) {
  const text = valueOf(element).slice(0, MAX_TYPED);
  const before = typedBefore.get(element) || "";
  if (!text || text === before) return;
  if (!whole && text.startsWith(before) && text.length - before.length < text.length * NEW_PART) return;
  typedBefore.set(element, text);
  const told = isBox(element) ? { field: 0, text: codeOf() } : { field: hidingNumbers.get(element), text };
  globalThis.__sfTyped?.(JSON.stringify(told));
}

// Tell what the field that has the focus holds; the page may have stopped the events that tell it.
function typed() {
  noteHiding();
  const element = activeElement();
  if (element && hides(element)) tellTyped(element, true);
}

const hidesFocus = () => Boolean(activeElement() && hides(activeElement()));

function onTyped(event) {
  if (!isTrusted(event)) return;
  const [hit] = eventPath(event);
  const element = isElement(hit) && shadowOf(hit) ? activeElement() : hit;
  if (element && isElement(element) && hides(element)) tellTyped(element, event.type !== "input");
}

// `input` tells what came in; the others come before a field is left, or its form is sent. Listeners that are there
// already are not added again; document.open() takes them away.
function hearTyped() {
  for (const type of ["input", "change", "keydown", "focusout"]) listen(globalThis, type, onTyped, inCapture);
}
hearTyped();
