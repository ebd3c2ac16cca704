// Reading from an element, without making it ready for an action, and from the document.

import type { Answer, Chain, Fault, Reader, Target } from "./types.ts";
import {
  attr,
  boxOf,
  boxesOf,
  getter,
  has,
  inElement,
  isConnected,
  isElement,
  matches,
  method,
  rawText,
  innerTextOf,
  topOf,
  typeOf,
  writtenAttr,
} from "../dom/nodes.ts";
import { isShown } from "../dom/older.ts";
import { INTERACTIVE, checkedness, controlFor, isDisabled, isEditable, kindOf } from "./control.ts";
import { listed } from "./describe.ts";
import { MAX_LISTED, isChain, search } from "./find.ts";
import { hold } from "./held.ts";
import { valueOf } from "./identity.ts";
import { roleOf } from "./roles.ts";
import { STAGES } from "./state.ts";
import { closestAcross, inputValue, isRendered, lookAgain } from "./tree.ts";
import { hides, isField, recordHidingFields } from "./typed.ts";

// The same text as in the core's redactor.
const REDACTED = "••••";
const contentMarkupOf = getter(Element.prototype, "innerHTML");
const markupOf = getter(Element.prototype, "outerHTML");
const doctypeOf = getter(Document.prototype, "doctype");
const importInto = method(Document.prototype, "importNode");
export const VALUED = ["text", "editable", "picker", "select", "check", "file", "hidden"];

export const unfit = (detail: string): Fault => ({ fault: "unsuitable", detail, final: true });
export const redacted = (text: string | null) => text && REDACTED;

// A field that hides its text only shows whether it is empty.
function valueRead(element: Element): Answer {
  const field = controlFor(element, VALUED).element;
  const isValued = isField(field) || field instanceof HTMLSelectElement || isEditable(field);
  if (!isValued) return unfit("has no value: it is not an input, a text area, a select or editable");
  if (hides(field)) return { read: redacted(valueOf(field)) };
  if (field instanceof HTMLInputElement) return { read: inputValue(field) };
  return { read: field instanceof HTMLSelectElement ? field.value : valueOf(field) };
}

function checkedRead(element: Element): Answer {
  const control = controlFor(element, ["check"]).element;
  return kindOf(control) === "check" ? { read: checkedness(control) === "on" } : unfit("cannot be checked");
}

// Frameworks keep the value attribute of a field equal to the typed text.
function attributeRead(element: Element, name: string) {
  const value = writtenAttr(element, name);
  return { read: name.toLowerCase() === "value" && hides(element) ? redacted(value) : value };
}

// Returns the control of the label that an element is or is in, unless the element can be used by itself.
function labelledControl(element: Element) {
  const label = kindOf(element) === "other" && !matches(element, INTERACTIVE) && closestAcross(element, "label");
  return (label && (label as HTMLLabelElement).control) || element;
}

function boxRead(element: Element) {
  const { x, y, width, height } = boxOf(element);
  return { read: isShown(element) && boxesOf(element).length ? [x, y, width, height] : null };
}

// What nobody could edit has no answer; a field that a label names is meant by the label.
function editableRead(element: Element): Answer {
  const field = controlFor(element, VALUED).element;
  const isOwnWidget = READONLY_ROLES.has(roleOf(field)) && has(field, "aria-readonly");
  if (!isField(field) && !(field instanceof HTMLSelectElement) && !isEditable(field) && !isOwnWidget) {
    return unfit("cannot be edited: it is not an input, a text area, a select or editable");
  }
  return {
    read:
      !isDisabled(field) && (field as HTMLInputElement).readOnly !== true && attr(field, "aria-readonly") !== "true",
  };
}
const READONLY_ROLES = new Set([
  "checkbox",
  "combobox",
  "grid",
  "gridcell",
  "listbox",
  "radiogroup",
  "searchbox",
  "slider",
  "spinbutton",
  "switch",
  "textbox",
  "treegrid",
]);

const readText = (element: Element) => (element instanceof HTMLElement ? innerTextOf(element) : rawText(element));

export const READINGS: Record<string, Reader> = {
  text: (element: Element) => ({ read: readText(element) }),
  content: (element: Element) => ({ read: rawText(withoutHidden(element)) }),
  html: (element: Element) => ({ read: contentMarkupOf(withoutHidden(element)) }),
  editable: editableRead,
  value: valueRead,
  attribute: attributeRead,
  enabled: (element: Element) => ({ read: !isDisabled(labelledControl(element)) }),
  checked: checkedRead,
  box: boxRead,
};

STAGES.read = ({ element, args, report }) => {
  const reading = READINGS[args.read!](element, args.name!);
  if (reading.fault !== undefined) return reading;
  report.read = reading.read;
  return null;
};

// The frame's viewport, for boxes in it; unlike `spot` it never scrolls.
STAGES.placed = ({ element, report }) => {
  report.at = hold(element);
  report.view = [innerWidth, innerHeight, devicePixelRatio];
  return null;
};

// Returns how many elements match now, whether the first of them is rendered, and what a reading returns for each.
export function tally(target: Target, reading: string | null = null) {
  lookAgain();
  try {
    const found = isChain(target) ? search(target).found : [target].filter(isConnected);
    if (reading) return { count: found.length, read: allRead(found, reading) };
    return {
      count: found.length,
      done: found.length > 0 && isRendered(found[0]),
      matches: found.slice(0, MAX_LISTED).map(listed),
    };
  } catch (error) {
    return { fault: "syntax", detail: String((error as Error).message || error), final: true };
  }
}

// Returns the elements that match now.
export function allFound(target: Chain) {
  lookAgain();
  return search(target).found;
}

function allRead(found: Element[], reading: string) {
  recordHidingFields();
  return found.map((element: Element) => READINGS[reading](element, "").read);
}

// Reads from an element that a caller holds, attached or not; of another node, only its text content.
export function readHeld(node: Node, what: string, name: string) {
  lookAgain();
  if (what === "content" && !isElement(node))
    return { read: rawText(typeOf(node) === 9 ? topOf(node as Document) || node : node) };
  if (!isElement(node)) return unfit("is a node that is not an element");
  const view = [innerWidth, innerHeight, devicePixelRatio];
  return what === "visible" ? { done: isConnected(node) && isRendered(node) } : { view, ...READINGS[what](node, name) };
}

// Returns the document as HTML, without the content of hiding fields.
export function markup() {
  const doctype = doctypeOf(document);
  const before = doctype ? new XMLSerializer().serializeToString(doctype) : "";
  const top = topOf(document);
  return top ? before + markupOf(withoutHidden(top)) : before;
}

// Returns an element, or a copy where fields hide their content. The copy is in a document that loads and runs nothing.
function withoutHidden(element: Element): Element {
  recordHidingFields();
  const isHiding = (field: Element) => hides(field) && (attr(field, "value") || rawText(field));
  const own = matches(element, "input, textarea") ? [element] : [];
  const fields = [...own, ...inElement(element, "input, textarea")];
  const hiding = fields.map((field, at) => (isHiding(field) ? at : -1)).filter((at) => at >= 0);
  if (!hiding.length && !hides(element)) return element;
  const copy = importInto(document.implementation.createHTMLDocument(""), element, true) as Element;
  const copies = [...own.map(() => copy), ...inElement(copy, "input, textarea")];
  for (const at of hiding) {
    if (has(copies[at], "value")) copies[at].setAttribute("value", REDACTED);
    if (rawText(copies[at])) copies[at].textContent = REDACTED;
  }
  if (hides(element) && rawText(copy)) copy.textContent = REDACTED;
  return copy;
}
