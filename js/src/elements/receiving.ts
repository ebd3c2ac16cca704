// Which element receives a press, and what answers it there.

import { bodyOf, has, inElement, matches, topOf } from "../dom/nodes.ts";
import { FIELDS, MAX_AROUND, UNREACHED, widgetOf } from "./choosing.ts";
import { kindOf } from "./control.ts";
import { describe } from "./describe.ts";
import { controlOf } from "./relations.ts";
import { isInside, isRendered, renderedParent } from "./tree.ts";

const ROLES_THAT_ACT = [
  "button",
  "link",
  "tab",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "treeitem",
  "checkbox",
  "radio",
  "switch",
  "combobox",
];
export const ACTIVATES =
  "a[href], button, summary, input, select, option, textarea, " +
  ROLES_THAT_ACT.map((role) => `[role=${role}]`).join(", ");

export const receives = (hit: Element | null, element: Element): boolean =>
  Boolean(hit) && (belongsTo(hit!, element) || isInWidgetOf(hit!, element));

export function belongsTo(hit: Element, element: Element) {
  if (isInside(hit, element)) return true;
  const control = activatedAt(element);
  return Boolean(control) && activatedAt(hit) === control;
}

// Returns the control that a press on an element activates, or null: text inside a button may let events pass through to
// it. A label without a control counts itself, but only outside of a control, since it activates nothing.
export function activatedAt(element: Element): Element | null {
  let bare: Element | null = null;
  for (let at: Element | null = element; at; at = renderedParent(at)) {
    if (matches(at, ACTIVATES)) return at;
    if (!(at instanceof HTMLLabelElement)) continue;
    const control = controlOf(at);
    if (control) return control;
    bare = bare || at;
  }
  return bare;
}

// Returns whether a part of a widget stands before another one or before the widget's only field (a placeholder, the
// chosen text, an arrow): what answers a press on the one answers it on the other.
function isInWidgetOf(hit: Element, element: Element) {
  const widget = answersFor(hit);
  return (
    widget !== null &&
    isInside(element, widget) &&
    isWidgetOf(widget, element) &&
    (takesValue(activatedAt(element)) || (isExamined(element) && answersFor(element) === widget))
  );
}

// Returns whether a widget holds no control but that of an element, which must be a field if there is one.
function isWidgetOf(widget: Element, element: Element) {
  const control = activatedAt(element);
  if (control && control !== widget && !takesValue(control)) return false;
  return ![...inElement(widget, `${FIELDS}, ${ACTIVATES}`)].some(
    (other) => other !== control && !matches(other, UNREACHED) && isRendered(other) && !isInside(element, other),
  );
}

export const takesValue = (control: Element | null): boolean =>
  Boolean(control) && (FIELD_KINDS.has(kindOf(control!)) || widgetOf(control!) !== "");

// Returns the outermost element around an element and its cover that may be the widget of both, for Python to ask the
// browser what listens there.
export function widgetAround(hit: Element | null, element: Element): Element | null {
  let widget: Element | null = null;
  for (let at = renderedParent(element), left = MAX_AROUND; at && left > 0; at = renderedParent(at), left--) {
    if (at === bodyOf(document) || !isWidgetOf(at, element)) break;
    widget = at;
  }
  return widget && hit && isInside(hit, widget) ? widget : null;
}

// The elements that listen for presses, as far as Python has asked, and the widgets that it has asked about: without that,
// a part that stands before another one might have a listener of its own.
const listening = new WeakSet();
const examined = new WeakSet();
export const noteListener = (element: Element) => void listening.add(element);
export const noteExamined = (widget: Element) => void examined.add(widget);

function isExamined(element: Element) {
  for (let at: Element | null = element; at; at = renderedParent(at)) if (examined.has(at)) return true;
  return false;
}

const FIELD_KINDS = new Set(["text", "editable", "picker", "select", "check", "file"]);
const ANSWERING = ["onclick", "onmousedown", "onmouseup", "onpointerdown", "onpointerup"];
const SIGNS = new Set(["pointer", "text"]);

// Returns the nearest element around a part that answers a press, by its role, an attribute, a listener or the cursor.
function answersFor(part: Element): Element | null {
  for (let at: Element | null = part, up; at && at !== bodyOf(document) && at !== topOf(document); at = up) {
    up = renderedParent(at);
    if (matches(at, ACTIVATES) || ANSWERING.some((name) => has(at, name)) || listening.has(at)) return at;
    const { cursor } = getComputedStyle(at);
    if (SIGNS.has(cursor) && up && getComputedStyle(up).cursor !== cursor) return at;
  }
  return null;
}

// The outermost cover says more than the innermost: "div#overlay", not "svg".
export function coverOf(hit: Element | null, element: Element): string {
  if (!hit) return "nothing";
  let top = hit;
  for (let up = renderedParent(top); up && !isInside(element, up); up = renderedParent(up)) top = up;
  return top === hit ? describe(hit) : `${describe(hit)} in ${describe(top)}`;
}
