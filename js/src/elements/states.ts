// ARIA states: true, false or "mixed", a number for `level`; undefined if the element has no such state.

import { attr, getter, has, matches, owns, rootOf, tagOf } from "../dom/nodes.ts";
import { isDisabled } from "./control.ts";
import { idIn } from "./relations.ts";
import { isListBox, isSummary, roleOf } from "./roles.ts";
import { hostOrParent, inputType } from "./tree.ts";
import { STATEFUL_ROLES } from "./role_table.ts";

const CHECKED_ROLES = new Set(["checkbox", "menuitemcheckbox", "menuitemradio", "radio", "switch"]);
const MAY_BE_CHECKED = new Set(STATEFUL_ROLES.checked);
const MAY_BE_MIXED = new Set(["checkbox", "menuitemcheckbox", "option", "treeitem"]);
const SELECTED_ROLES = new Set(["option", "tab"]);
const MAY_BE_SELECTED = new Set(STATEFUL_ROLES.selected);
const LEVELLED_ROLES = new Set(STATEFUL_ROLES.level);
const COLLAPSIBLE_ROLES = new Set(STATEFUL_ROLES.expanded);

const isOnNow = getter(HTMLInputElement.prototype, "checked");
const isIndeterminate = getter(HTMLInputElement.prototype, "indeterminate");
const isChosen = getter(HTMLOptionElement.prototype, "selected");
export const isOpen = getter(HTMLDetailsElement.prototype, "open");

const TRUTH: Record<string, boolean> = { true: true, false: false };

// Returns the value of an ARIA state; undefined if it is missing or invalid.
function ariaState(element: Element, name: string, mayBeMixed = false): boolean | "mixed" | undefined {
  const given = (attr(element, name) || "").trim().toLowerCase();
  if (given === "mixed") return mayBeMixed ? "mixed" : false;
  return owns(TRUTH, given) ? TRUTH[given] : undefined;
}

type StateValue = boolean | "mixed" | number | undefined;

const STATE_READERS: Record<string, (element: Element) => StateValue> = {
  disabled: (element: Element) => isDisabled(element),

  // For a native checkbox or radio button its own state counts, not an attribute.
  checked(element: Element) {
    const role = roleOf(element);
    if (element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(inputType(element)) && role !== "button") {
      return inputType(element) === "checkbox" && isIndeterminate(element) ? "mixed" : isOnNow(element);
    }
    if (!MAY_BE_CHECKED.has(role)) return undefined;
    const checked = ariaState(element, "aria-checked", MAY_BE_MIXED.has(role));
    return checked === undefined && CHECKED_ROLES.has(role) ? false : checked;
  },

  pressed: (element: Element) => (roleOf(element) === "button" ? ariaState(element, "aria-pressed", true) : undefined),

  selected(element: Element) {
    if (element instanceof HTMLOptionElement) return isChosen(element);
    const role = roleOf(element);
    if (!MAY_BE_SELECTED.has(role)) return undefined;
    const selected = ariaState(element, "aria-selected");
    return selected === undefined && SELECTED_ROLES.has(role) ? false : selected;
  },

  expanded(element: Element) {
    if (element instanceof HTMLDetailsElement) return isOpen(element);
    if (tagOf(element) === "summary" && isSummary(element)) return isOpen(hostOrParent(element) as HTMLDetailsElement);
    const target = popoverOf(element);
    if (target) return matches(target, ":popover-open");
    if (element instanceof HTMLSelectElement && !isListBox(element)) return isPickerOpen(element);
    return COLLAPSIBLE_ROLES.has(roleOf(element)) ? ariaState(element, "aria-expanded") : undefined;
  },

  level(element: Element) {
    const role = roleOf(element);
    if (!LEVELLED_ROLES.has(role)) return undefined;
    const given = Number(attr(element, "aria-level"));
    if (Number.isInteger(given) && given > 0) return given;
    const own = /^h([1-6])$/.exec(tagOf(element));
    return own ? Number(own[1]) : role === "heading" ? 2 : undefined;
  },
};

// Popovers came with Chrome 114; before, the selector that finds an open one is a syntax error.
function popoverOf(element: Element) {
  if (!("popover" in HTMLElement.prototype)) return null;
  if (
    !has(element, "popovertarget") ||
    !(element instanceof HTMLButtonElement || element instanceof HTMLInputElement)
  ) {
    return null;
  }
  const target = idIn(rootOf(element), attr(element, "popovertarget")!);
  return target && has(target, "popover") ? target : null;
}

function isPickerOpen(select: HTMLSelectElement) {
  return CSS.supports("selector(:open)") && matches(select, ":open");
}

export const stateOf = (element: Element, state: string): StateValue =>
  owns(STATE_READERS, state) ? STATE_READERS[state](element) : undefined;
