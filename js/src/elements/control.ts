// The kind of a control, whether it is checked, and the control behind a label or a part.

import type { Fault } from "./types.ts";
import { attr, bodyOf, has, inElement, matches, queryIn, tagOf } from "../dom/nodes.ts";
import { widgetOf } from "./choosing.ts";
import { get } from "./held.ts";
import { STATEFUL_ROLES } from "./role_table.ts";
import { roleOf } from "./roles.ts";
import {
  closestAcross,
  inputType,
  isButtonInput,
  isInside,
  isRendered,
  renderedParent,
  shadowOf,
  shorten,
} from "./tree.ts";

const PICKERS = new Set(["date", "time", "month", "week", "datetime-local", "color", "range"]);

// The attributes that say whether an element of a role is checked (ARIA 1.2, "Supported States"); the first present counts.
const CHECK_STATES: Record<string, string[]> = {
  checkbox: ["aria-checked"],
  radio: ["aria-checked"],
  switch: ["aria-checked"],
  menuitemcheckbox: ["aria-checked"],
  menuitemradio: ["aria-checked"],
  option: ["aria-checked", "aria-selected"],
  treeitem: ["aria-checked", "aria-selected"],
  gridcell: ["aria-selected"],
  row: ["aria-selected"],
  columnheader: ["aria-selected"],
  rowheader: ["aria-selected"],
  tab: ["aria-selected"],
  button: ["aria-pressed"],
};
// Elements of these roles can be checked without such an attribute; others only with one.
const ALWAYS_CHECK = new Set([
  "checkbox",
  "radio",
  "switch",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "treeitem",
]);

function checkStateOf(element: Element, role = roleOf(element)) {
  const name = (CHECK_STATES[role] || []).find((state: string) => has(element, state));
  return name ? attr(element, name)!.trim().toLowerCase() : null;
}

export const isNativeToggle = (element: Element): element is HTMLInputElement =>
  element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(inputType(element));

export function kindOf(element: Element) {
  if (element instanceof HTMLSelectElement) return "select";
  if (element instanceof HTMLOptionElement) return "option";
  if (element instanceof HTMLTextAreaElement) return "text";
  if (element instanceof HTMLInputElement) {
    const type = inputType(element);
    if (isNativeToggle(element)) return "check";
    if (type === "file" || type === "hidden") return type;
    return isButtonInput(element) ? buttonKind(element) : PICKERS.has(type) ? "picker" : "text";
  }
  const role = roleOf(element);
  if (ALWAYS_CHECK.has(role)) return "check";
  return isEditable(element) ? "editable" : buttonKind(element, role);
}

const buttonKind = (element: Element, role = roleOf(element)) =>
  checkStateOf(element, role) === null ? "other" : "check";

export const isEditable = (element: Element) => element instanceof HTMLElement && element.isContentEditable;

// Returns "on", "off" or "mixed".
export function checkedness(element: Element) {
  if (isNativeToggle(element)) return element.indeterminate ? "mixed" : element.checked ? "on" : "off";
  const state = checkStateOf(element);
  return state === "true" ? "on" : state === "mixed" ? "mixed" : "off";
}

export const isRadio = (element: Element) =>
  /radio$/.test(isNativeToggle(element) ? inputType(element) : roleOf(element));

// Returns the nearest element that disables this one: itself, a control that contains it, or an inert or aria-disabled one.
// Form controls are disabled by themselves and their groups alone. An aria-disabled element disables what it contains if
// it is a control, and else only what can be disabled.
const MAY_BE_DISABLED = new Set(STATEFUL_ROLES.disabled);

export function disabledBy(element: Element): Element | null {
  if (matches(element, ":disabled")) return element;
  const isOwn = matches(element, ":enabled");
  const role = roleOf(element);
  const isAffected = !role || MAY_BE_DISABLED.has(role);
  let ariaDisabled = "";
  for (let at: Element | null = element; at; at = renderedParent(at)) {
    if (has(at, "inert") || (!isOwn && matches(at, ":disabled:not(fieldset)"))) return at;
    if (!ariaDisabled && has(at, "aria-disabled")) ariaDisabled = attr(at, "aria-disabled")!.trim().toLowerCase();
    if (ariaDisabled === "true" && (isAffected || (at !== element && WHOLES.has(roleOf(at))))) return at;
  }
  return null;
}

export const isDisabled = (element: Element) => disabledBy(element) !== null;

export const isInLink = (token: number) => closestAcross(get(token), "a[href], area[href]") !== null;

// -- from a label or a part to its control -------------------------------------------------------------

// A click on such content inside a label does not activate the label's control (HTML, "interactive content").
export const INTERACTIVE =
  "a[href], audio[controls], button, details, embed, iframe, img[usemap], input:not([type=hidden]), " +
  "object[usemap], select, textarea, video[controls]";
// Roles whose children are presentational: a click on a part means the whole (ARIA 1.2, "Children Presentational").
const WHOLES = new Set([
  "checkbox",
  "radio",
  "switch",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "button",
  "tab",
  "combobox",
]);

// From a label without a control the search continues at the next outer label; each search walks the label's content.
const MAX_LABELS = 20;

export const canFocus = (element: Element) =>
  (element as HTMLElement).tabIndex >= 0 ||
  has(element, "tabindex") ||
  isEditable(element) ||
  element === bodyOf(document) ||
  Boolean(shadowOf(element) && shadowOf(element)!.delegatesFocus);

// A combobox may be a text field or a button too; its kind depends on what the action needs.
export const kindFor = (element: Element, kinds: string[] | undefined) =>
  (kinds && kinds.includes("combobox") && widgetOf(element)) || kindOf(element);

const takes = (element: Element, kinds: string[]) =>
  kinds.includes(kindFor(element, kinds)) || (kinds.includes("focus") && canFocus(element));

// kinds: the kinds that the action accepts; null for the element itself. Returns { element } or { element, fault }.
type Controlled = { element: Element; fault?: Fault };

export function controlFor(element: Element, kinds: string[] | undefined): Controlled {
  if (!kinds || takes(element, kinds)) return { element };
  const inside = partOf(element, kinds) || (kinds.includes("combobox") && listIn(element, kinds));
  if (inside) return { element: inside };
  let bare: HTMLLabelElement | null = null;
  let labels = 0;
  for (let at: Element | null = element; at && labels < MAX_LABELS; at = renderedParent(at)) {
    if (at instanceof HTMLLabelElement) {
      const { control } = at;
      if (control) return { element: takes(control, kinds) ? control : partOf(control, kinds) || control };
      bare = bare || at;
      labels++;
    } else if (WHOLES.has(roleOf(at)) && takes(at, kinds)) {
      return { element: at };
    } else if (matches(at, INTERACTIVE)) {
      break;
    }
  }
  return bare ? { element, fault: { fault: "label", detail: whyBare(bare) } } : { element };
}

const whyBare = (label: Element) =>
  has(label, "for")
    ? `its for=${JSON.stringify(shorten(attr(label, "for")!))} names no field`
    : "it contains no field and has no for=";

// Returns the only list inside an element that is not a control itself, such as a widget's frame around its field.
export function listIn(element: Element, kinds: string[]): Element | null {
  if (matches(element, INTERACTIVE) || element instanceof HTMLLabelElement) return null;
  const found = [...inElement(element, "select, input, button, [role], [aria-haspopup]")].filter(
    (part) => takes(part, kinds) && isRendered(part),
  );
  const outer = found.filter((part) => !found.some((other) => other !== part && isInside(part, other)));
  return outer.length === 1 ? outer[0] : null;
}

// Returns the only control in the shadow tree of a custom element.
function partOf(element: Element, kinds: string[]): Element | null {
  if (!tagOf(element).includes("-") || !shadowOf(element)) return null;
  const found: Element[] = [];
  const roots: ShadowRoot[] = [shadowOf(element)!];
  for (const root of roots) {
    for (const part of queryIn(root, "*")) {
      if (takes(part, kinds)) found.push(part);
      if (found.length > 1) return null;
      const inner = shadowOf(part);
      if (inner) roots.push(inner);
    }
  }
  return found[0] || null;
}
