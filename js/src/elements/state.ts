// Styled checkboxes and radio buttons hide the input and show another element, which users click: the label around or
// after it, a sibling with a pointer cursor, or else its label anywhere. Nothing else has such a stand-in: what is drawn
// beside a hidden option opens its list, and what is drawn beside a hidden menu item is another item.

import type { Context, Counts, Fault, Stage } from "./types.ts";
import {
  attr,
  bodyOf,
  boxOf,
  childNodesOf,
  childrenOf,
  closest,
  has,
  hasFocus,
  inElement,
  isElement,
  matches,
  parentOf,
  rootOf,
  topOf,
} from "../dom/nodes.ts";
import { isShown } from "../dom/older.ts";
import { around, fieldOf, widgetFor } from "./choosing.ts";
import {
  INTERACTIVE,
  canFocus,
  checkedness,
  disabledBy,
  isEditable,
  isNativeToggle,
  isRadio,
  kindOf,
} from "./control.ts";
import { describe } from "./describe.ts";
import { identityOf } from "./identity.ts";
import { aim, aimWithin } from "./point.ts";
import { expectEdit } from "./ready.ts";
import { ACTIVATES } from "./receiving.ts";
import { roleOf } from "./roles.ts";
import { centre, freeSpot } from "./spots.ts";
import {
  activeElement,
  closestAcross,
  collapse,
  inputType,
  isBoxless,
  isInside,
  isRendered,
  plainText,
  renderedParent,
  shadowOf,
} from "./tree.ts";
import { frame } from "./waiting.ts";

function drawnFor(element: Element): Element | null | undefined {
  if (!isNativeToggle(element)) return null;
  const labels = [...(element.labels || [])].filter(isRendered);
  const near = labels.find((label) => isInside(element, label) || label === element.nextElementSibling);
  const beside = [...childNodesOf(parentOf(element)!)].filter(
    (node): node is ChildNode & Element => isElement(node) && node !== element,
  );
  return near || beside.find(isDrawnToggle) || labels[0];
}

// A button, link or field beside the input does something of its own.
const isDrawnToggle = (part: Element) =>
  isRendered(part) &&
  getComputedStyle(part).cursor === "pointer" &&
  (kindOf(part) === "check" || !matches(part, `${INTERACTIVE}, ${ACTIVATES}`)) &&
  !isNativeToggle(part);

// Left of the page or above it: no scrolling gets there, which is why pages hide the inputs of styled controls there.
export function isOutOfReach(element: Element) {
  const box = boxOf(element);
  const page = boxOf(topOf(document));
  return box.width > 0 && (box.right <= Math.min(0, page.left) || box.bottom <= Math.min(0, page.top));
}

export const letsThrough = (element: Element) => getComputedStyle(element).pointerEvents === "none";

const MAX_OPENERS = 4;
const isFree = (element: Element) => "x" in freeSpot(element);

// Stages: the conditions for an action, one function each. A stage returns nothing if its condition holds, else a fault;
// waiting does not help with a `final` fault. ctx: element, named (what the selector found), at (what the pointer aims
// at), kind, args, scrolling, report.

export const STAGES: Record<string, Stage> = {
  rendered: (ctx: Context) => {
    const drawn = drawnFor(ctx.element);
    if (isRendered(ctx.element)) {
      if (drawn && (isOutOfReach(ctx.element) || letsThrough(ctx.element))) ctx.at = drawn;
      return null;
    }
    if (ctx.element instanceof HTMLOptionElement) {
      const select = closest(ctx.element, "select"),
        widget = select && widgetFor(select as HTMLSelectElement);
      return { fault: "kind", kind: "option", final: !widget }; // the widget may be about to show an option of its own
    }
    if (!drawn) return { fault: "hidden", detail: whyHidden(ctx.element) };
    ctx.at = drawn;
    return null;
  },

  // Enough for the keyboard: an element without an area may still take keys.
  shown: ({ element }) =>
    isShown(element, { checkVisibilityCSS: true }) || isBoxless(element)
      ? null
      : { fault: "hidden", detail: whyHidden(element) },

  enabled: ({ element }) => {
    const by = disabledBy(element);
    if (!by) return null;
    const group =
      matches(by, ":disabled") && !has(by, "disabled") && closest(by, "fieldset:disabled, optgroup:disabled");
    const holder = group || by;
    const word = has(by, "inert") ? "inert" : "disabled";
    return { fault: "disabled", detail: holder === element ? word : `${word} through ${describe(holder)}` };
  },

  editable: ({ element }) => {
    const readOnly = attr(element, "aria-readonly") === "true" || ("readOnly" in element && element.readOnly);
    return readOnly ? { fault: "disabled", detail: "read-only" } : null;
  },

  // A copy of the field shows whether it accepts the value, before the field itself is touched.
  value: ({ element, args, kind }) => {
    const value = String(args.value);
    const { maxLength } = element as HTMLInputElement;
    if (maxLength >= 0 && value.length > maxLength) {
      return { fault: "unsuitable", detail: `takes at most ${maxLength} characters`, final: true };
    }
    const type = element instanceof HTMLInputElement ? inputType(element) : "";
    if ((kind !== "picker" && type !== "number") || value === "") return null;
    const copy = element.cloneNode() as HTMLInputElement;
    copy.value = value;
    const same =
      type === "color"
        ? copy.value === value.toLowerCase()
        : type === "range"
          ? Number(copy.value) === Number(value)
          : copy.value !== "";
    return same ? null : { fault: "unsuitable", detail: `takes ${FORMATS[type](element)}`, final: true };
  },

  option: ({ element, args }) => {
    const select = element as HTMLSelectElement;
    const values = ([] as unknown[]).concat(args.value).map(String);
    const count = select.multiple ? null : oneOption(values);
    if (count) return count;
    for (const [index, value] of values.entries()) {
      const option = optionFor(select, value);
      const shown = [...select.options].slice(0, 10).map((o) => o.label || o.value);
      if (!option) return { fault: "option", count: index, matches: shown };
      if (option.disabled || closest(option, "optgroup:disabled"))
        return { fault: "disabled", detail: "a disabled option" };
    }
    return null;
  },

  // Options that a page draws are clicked one after the other; nothing takes back what was chosen before.
  someOption: ({ args }) => (([] as unknown[]).concat(args.value).length ? null : oneOption([])),

  // The value that a field with suggestions takes for an option, which may be shown by another name.
  suggestion: (ctx: Context) => {
    const values = ([] as unknown[]).concat(ctx.args.value) as string[];
    const count = oneOption(values);
    if (count) return count;
    const { list } = ctx.element as HTMLInputElement;
    const option = optionFor(list!, values[0]);
    ctx.report.detail = option && option.value;
    return option ? null : { fault: "option", matches: [...list!.options].slice(0, 10).map((o) => o.label || o.value) };
  },

  // The point where a click only opens the list: on the widget's field if it has one, not on chips of chosen options.
  opener: (ctx: Context) => {
    const field = fieldOf(ctx.element, []) || ctx.element;
    // The text of the chosen option may cover the field: a click on it is a click on the widget.
    ctx.at = [field, ...around(ctx.element).slice(1, MAX_OPENERS)].find(isFree) || field;
    return null;
  },

  toggle: (ctx: Context) => {
    const wanted = ctx.args.on ? "on" : "off";
    ctx.report.detail = checkedness(ctx.element);
    if (ctx.report.detail === wanted) {
      ctx.report.done = true;
      return null;
    }
    if (ctx.args.position && ctx.named !== ctx.element) ctx.at = ctx.named;
    else if (ctx.at === ctx.element) ctx.at = rowOf(ctx.element);
    return isRadio(ctx.element) && wanted === "off"
      ? {
          fault: "unsuitable",
          detail: "is a radio button, which is unchecked by checking another one",
          final: true,
        }
      : null;
  },

  files: ({ element, args }) => refusesFiles(element, args),

  focus: ({ element }) => takeFocus(element),

  selectAll: async ({ element }) => {
    const fault = await takeFocus(element);
    if (fault) return fault;
    if (isEditable(element)) selectContents(element);
    else (element as HTMLInputElement).select();
    expectEdit(element);
    return null;
  },

  // Selects what a user would see as selected: a field's content, or the text of any other element.
  selectText: async ({ element }) => {
    if (isEditable(element) || kindOf(element) === "text") {
      const fault = await takeFocus(element);
      if (fault) return fault;
    }
    if (kindOf(element) === "text") {
      (element as HTMLInputElement).select();
      return null;
    }
    const selected = String(selectContents(element));
    return selected.trim() || !plainText(element)
      ? null
      : { fault: "unsuitable", detail: "does not let its text be selected (user-select: none)", final: true };
  },

  // Puts the caret at the end, as a click behind the text does; keeps a caret that is already there.
  caret: async ({ element }) => {
    const has = isInside(activeElement(), isEditable(element) ? editingHost(element) : element);
    if (has && !(isDesigned() && !(hasFocus(document) && getSelection()!.rangeCount))) return null;
    const fault = await takeFocus(element);
    if (fault) return fault;
    if (isEditable(element)) selectContents(element).collapseToEnd();
    else if (kindOf(element) === "text") caretToEnd(element);
    return null;
  },

  // Identifies the element before any input.
  identity: (ctx: Context) => {
    try {
      ctx.report.identity = identityOf(ctx.element);
    } catch {
      ctx.report.identity = null; // the selector identifies an element that cannot be read
    }
    return null;
  },

  point: (ctx: Context) => {
    const toggle = isNativeToggle(ctx.element) ? ctx.element : null;
    return ctx.args.position
      ? aimWithin(ctx, ctx.args.position)
      : aim(ctx, () => freeSpot(ctx.at, ctx.args.passed, toggle));
  },

  // For the end of a drag, when the dragged element may be between the pointer and the target, and for a frame element,
  // where only Python knows the point inside the frame.
  spot: (ctx: Context) => (ctx.args.position ? aimWithin(ctx, ctx.args.position) : aim(ctx, () => centre(ctx.at))),
};

const oneOption = (values: unknown[]): Fault | null => {
  if (values.length === 1) return null;
  const given = values.length ? "several" : "an empty list; choose the option that stands for none, if it has one";
  return { fault: "unsuitable", detail: `takes one option, not ${given}`, final: true };
};

// Checks the upload's counts of files and folders against what the input accepts.
export function refusesFiles(input: Element, counts: Counts): Fault | null {
  const { files = 0, folders = 0 } = counts;
  const refused = has(input, "webkitdirectory")
    ? (files || folders > 1) && "takes one folder, not files"
    : folders
      ? "takes files, not a folder: name the files in it"
      : files > 1 && !(input as HTMLInputElement).multiple && "takes one file, not several";
  return refused ? { fault: "unsuitable", detail: String(refused), what: describe(input), final: true } : null;
}

const limitsOf = (element: Element) =>
  ["min", "max", "step"]
    .filter((name) => has(element, name))
    .map((name) => `${name} ${attr(element, name)}`)
    .join(", ");
const FORMATS: Record<string, (element: Element) => string> = {
  number: () => "a number",
  range: (element: Element) => `a number it can stand on (${limitsOf(element) || "min 0, max 100"})`,
  color: () => "a color such as #1a2b3c",
  date: () => "a date such as 2025-12-31",
  time: () => "a time such as 23:59",
  month: () => "a month such as 2025-12",
  week: () => "a week such as 2025-W52",
  "datetime-local": () => "a date and time such as 2025-12-31T23:59",
};

function whyHidden(element: Element) {
  if (!isShown(element)) {
    const host = hostWithoutSlot(element);
    if (host) return `not rendered (${describe(host)} has no slot for it)`;
    const holder = closestAcross(element, "[hidden], dialog:not([open]), details:not([open])");
    return holder && holder !== element ? `not rendered (inside ${describe(holder)})` : "not rendered (display: none)";
  }
  if (!isShown(element, { checkVisibilityCSS: true })) return "visibility: hidden";
  return "without any area";
}

// Returns the shadow host that leaves an element, or what holds it, out of its slots.
function hostWithoutSlot(element: Element): Element | null {
  for (let at: Element | null = element, up: Element | null; at; at = up) {
    up = renderedParent(at);
    if (up && shadowOf(up) && parentOf(at) === up) return up;
  }
  return null;
}

export const optionLabel = (option: HTMLOptionElement) => collapse(option.label || option.text);

export function optionFor(select: HTMLSelectElement | HTMLDataListElement, value: string) {
  const options = [...select.options];
  return (
    options.find((option) => option.value === value) ||
    options.find((option) => optionLabel(option) === collapse(value))
  );
}

// Returns the editing host of an editable element: it gets the focus and the events.
export function editingHost(element: Element): Element {
  let host = element;
  while (host.parentElement && host.parentElement.isContentEditable) host = host.parentElement;
  return host;
}

// In design mode no element has the focus, but the document: its body is the active element from the start.
const isDesigned = () => document.designMode === "on";

export function takeFocus(element: Element): Promise<Fault | null> | null {
  if (isEditable(element)) {
    if (isDesigned()) globalThis.focus();
    return takeFocusItself(editingHost(element));
  }
  if (element !== bodyOf(document)) return takeFocusItself(element);
  const active = activeElement();
  if (active) (active as HTMLElement).blur();
  return null;
}

// The focus event of a frame in another process comes after the browser has moved the focus there.
const FOCUS_FRAMES = 60;

async function takeFocusItself(element: Element): Promise<Fault | null> {
  (element as HTMLElement).focus();
  if (!isInside(activeElement(), element)) {
    return canFocus(element)
      ? { fault: "focus" }
      : { fault: "unsuitable", detail: "cannot take the keyboard focus", final: true };
  }
  for (let left = FOCUS_FRAMES; left > 0 && !hasFocus(document); left--) await frame();
  return isInside(activeElement(), element) ? null : { fault: "focus" };
}

// Returns the row of a tree item without its child items: a click there means the item alone.
function rowOf(element: Element) {
  const nested = '[role="treeitem"], [role="group"]';
  if (roleOf(element) !== "treeitem" || !inElement(element, nested).length) return element;
  const own = [...childrenOf(element)].find(
    (child) => isRendered(child) && !matches(child, nested) && !inElement(child, nested).length,
  );
  return own || element;
}

// Fields for numbers and addresses have no selection that scripts can set, but the caret in them moves like any other.
function caretToEnd(field: Element) {
  const { selectionEnd } = field as HTMLInputElement;
  if (typeof selectionEnd === "number") (field as HTMLInputElement).setSelectionRange(1e9, 1e9);
  else getSelection()!.modify("move", "forward", "documentboundary");
}

export function selectContents(element: Element) {
  const root = rootOf(element) as { getSelection?: () => Selection | null };
  const selection = ((root.getSelection && root.getSelection()) || getSelection())!;
  selection.selectAllChildren(element);
  return selection;
}
