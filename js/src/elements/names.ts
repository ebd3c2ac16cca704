// Accessible names and descriptions: accname 1.2 with HTML-AAM and SVG-AAM, in the order and with the joins of Chrome.
//
// The steps are generators that yield the steps they need: `run` keeps them on its own stack, so that a document ten
// thousand elements deep does not overflow the JavaScript stack. A step returns one part of a name: its text, its source
// ("content" or another one), and whether a line breaks before or after it.

import type { Computing, Naming, Part } from "./types.ts";
import { attr, getter, has, inElement, owns, rawText, tagOf } from "../dom/nodes.ts";
import { content, isHidden } from "./content.ts";
import { byIds, isLabelable, labellers, labelsOf, ownedBy } from "./relations.ts";
import {
  GRIDS,
  MAX_DEPTH,
  childOf,
  isEditingHost,
  isFocusable,
  isSvg,
  roleFacts,
  roleOf,
  tableOf,
  titleIn,
} from "./roles.ts";
import { collapse, inputType, inputValue, isButtonInput, plainText, renderedParent } from "./tree.ts";
import { visibleText } from "./words.ts";

export function run<T>(step: Computing<T>): T {
  const stack: Computing<unknown>[] = [step];
  let value: unknown;
  while (stack.length) {
    const { done, value: next } = stack[stack.length - 1].next(value);
    if (done) {
      stack.pop();
      value = next;
    } else {
      stack.push(next);
      value = undefined;
    }
  }
  return value as T;
}

export const NOTHING: Part = { text: "", from: "", starts: false, ends: false };
const namePart = (text: string, from: string): Part => ({ text, from, starts: false, ends: false });

// Chrome has the same limit: otherwise the name of a tree or a grid row would be all of its text, repeated at every level.
// It counts the element itself, texts and elements, but not wrappers that only style their content.
const MAX_VISITED = 100;
const MAX_WRAPPERS = 5000;
export const isFull = (state: Naming) => state.seen.count > MAX_VISITED || state.visited.size > MAX_WRAPPERS;

const isBlank = (text: string) => !/[^ \t\n\f\r]/.test(text);
export const tidy = (text: string) => text.replace(/[ \t\n\f\r]+/g, " ").replace(/^ | $/g, "");
const isGap = (letter: string) => letter === " " || letter === "\u00a0";

// No-break spaces count inside a name, not at either end of an element's content.
export function tidyContent(text: string) {
  const tidied = tidy(text);
  let [start, end] = [0, tidied.length];
  while (start < end && isGap(tidied[start])) start++;
  while (end > start && isGap(tidied[end - 1])) end--;
  return tidied.slice(start, end);
}

// The state of one computation. `referred`: the element that aria-labelledby or aria-describedby refers to, or null.
// `written`: letters keep the case of the document.
export const computation = (written = false): Naming => ({
  visited: new Set(),
  seen: { count: 1 },
  referred: null,
  referredHidden: false,
  written,
});

function named(element: Element, role: string, written = false): Part {
  const { text, from } = run(alternative(element, role, computation(written), false));
  return namePart(from === "content" ? tidyContent(text) : tidy(text), from);
}

export const nameOf = (element: Element, role = roleOf(element)) => named(element, role).text;
export const legibleName = (element: Element, role = roleOf(element)) => collapse(visibleText(nameOf(element, role)));
export const writtenNameOf = (element: Element, role: string) => named(element, role, true).text;

// A title does not name an element whose role prohibits naming, unless it can get focus; custom elements are exempt. A
// label that an author put there is kept, as in Chrome.
const isUnnamed = (element: Element, role: string) =>
  roleFacts(role || "generic").prohibited &&
  !isFocusable(element) &&
  !tagOf(element).includes("-") &&
  !(role === "" && TITLED_TAGS.has(tagOf(element)));
const TITLED_TAGS = new Set(["abbr", "audio", "canvas", "dl", "figcaption", "label", "legend", "ruby", "video"]);

// -- the steps of accname, for one element ------------------------------------------------------------

export function* alternative(element: Element, role: string, state: Naming, isPart: boolean): Computing {
  const wasVisited = state.visited.has(element);
  if (isPart && !wasVisited) {
    const value = yield embeddedValue(element, role, state);
    if (value !== null) return namePart(value, "value");
  }
  state.visited.add(element);
  if (isPart && tagOf(element) === "slot") return yield content(element, state);
  if (!state.referred && !wasVisited) {
    const text = yield referredText(labellers(element), state);
    if (!isBlank(text)) return namePart(text, "related");
  }
  const label = attr(element, "aria-label");
  if (label && !isBlank(label)) return namePart(label, "attribute");
  const native = yield nativeName(element, role, state);
  if (native.text) return native;
  const inner = takesContent(element, role, state, isPart) ? yield content(element, state) : NOTHING;
  if (!isBlank(inner.text)) return inner;
  const title = native.isFinal && !state.referred ? "" : attr(element, "title");
  if (!title || isBlank(title) || (!state.referred && isUnnamed(element, role))) return inner;
  // Chrome does not use a title as the name if it only repeats the element's text.
  return !isPart && !state.referred && collapse(title) === plainText(element) ? inner : namePart(title, "title");
}

// Roles whose content contributes to the name of a surrounding element, though not to their own.
const PASSING = new Set([
  "",
  "caption",
  "code",
  "definition",
  "deletion",
  "emphasis",
  "insertion",
  "list",
  "listitem",
  "mark",
  "paragraph",
  "region",
  "strong",
  "subscript",
  "superscript",
  "term",
  "time",
]);
const PASSING_TAGS = new Set(["address", "details", "footer"]);
const NOT_PASSING_TAGS = new Set(["body", "html", "rp", "rt"]);

function takesContent(element: Element, role: string, state: Naming, isPart: boolean): boolean {
  if (tagOf(element) === "select" || HOLDS_NOTHING.has(tagOf(element))) return false;
  if (isTextField(element, role)) return state.referred === element;
  if (state.referred) return true;
  if (role === "row" ? isGridRow(element) : isNamedByContent(element, role)) return true;
  if (!isPart || NOT_PASSING_TAGS.has(tagOf(element))) return false;
  if (PASSING.has(role)) return true;
  return !has(element, "role") && (PASSING_TAGS.has(tagOf(element)) || isSvg(element) || isLayout(element));
}

// ARIA prohibits naming a term; screen readers and Chrome name it by its content.
const isNamedByContent = (element: Element, role: string) =>
  (roleFacts(role).content && tagOf(element) !== "math") || role === "term";

// Rows are named by their content only in grids, where they can get focus.
const ROUND_ROWS = new Set(["", "group", "rowgroup"]);

function isGridRow(element: Element) {
  let at = renderedParent(element);
  for (let depth = 0; at && depth < MAX_DEPTH; depth++, at = renderedParent(at)) {
    const role = roleOf(at);
    if (GRIDS.has(role)) return true;
    if (!ROUND_ROWS.has(role)) return false;
  }
  return false;
}

const HOLDS_NOTHING = new Set(["audio", "embed", "iframe", "img", "input", "meter", "object", "progress", "video"]);

// A layout table is not a data table: it has no header cells, columns or caption.
const DATA_PARTS = "th, thead, tfoot, caption, col, colgroup, [headers], [scope], [abbr], [axis]";
const MAX_LAYOUT_ROWS = 20;
const isTablePart = (tag: string) => tag === "table" || tag === "tbody" || tag === "tr";

function isLayout(element: Element) {
  const table = isTablePart(tagOf(element)) && tableOf(element);
  if (!table || has(table, "role") || has(table, "summary") || has(table, "rules")) return false;
  return !inElement(table, DATA_PARTS).length && inElement(table, "tr").length < MAX_LAYOUT_ROWS;
}

// Joins the texts of referenced elements; they and their content count even if hidden.
function* referredText(elements: Iterable<Element>, state: Naming): Computing<string> {
  const texts: string[] = [];
  for (const element of elements) {
    if (isFull(state)) break;
    const inner = { ...state, referred: element, referredHidden: isHidden(element) };
    state.seen.count++;
    const { text } = yield alternative(element, roleOf(element), inner, true);
    state.visited.add(element);
    if (text) texts.push(text);
  }
  return texts.join(" ");
}

// -- controls inside a name ---------------------------------------------------------------------------

const TEXT_ROLES = new Set(["textbox", "searchbox"]);
const TEXT_TYPES = new Set(["email", "number", "password", "search", "tel", "text", "url"]);
const isTextInput = (element: Element) =>
  element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && TEXT_TYPES.has(inputType(element)));
const isTextField = (element: Element, role: string) =>
  isTextInput(element) || (!(element instanceof HTMLInputElement) && (TEXT_ROLES.has(role) || isEditingHost(element)));
const RANGES = new Set(["meter", "progressbar", "scrollbar", "slider", "spinbutton"]);
const isRange = (element: Element, role: string) => RANGES.has(role) || (role === "separator" && isFocusable(element));
export const areaText = getter(HTMLTextAreaElement.prototype, "value");
const optionsOf = getter(HTMLSelectElement.prototype, "selectedOptions");

// Returns the value of a control inside a name; null if the element is not such a control or has no value.
function* embeddedValue(element: Element, role: string, state: Naming): Computing<string | null> {
  if (isRange(element, role)) return rangeText(element, role);
  if (isTextField(element, role)) return textIn(element) || null;
  if (role === "combobox" || role === "listbox") return yield chosenText(element, role, state);
  return null;
}

function textIn(element: Element) {
  if (element instanceof HTMLTextAreaElement) return areaText(element);
  if (!(element instanceof HTMLInputElement)) return plainText(element);
  const value = inputValue(element);
  return inputType(element) === "password" ? "\u2022".repeat(value.length) : value;
}

const numberIn = (element: Element, name: string) => {
  const given = attr(element, name);
  const number = given === null || isBlank(given) ? NaN : Number(given);
  return Number.isFinite(number) ? number : null;
};
const DEFAULTS: Record<string, number> = { meter: 0, scrollbar: 50, separator: 50, slider: 50, spinbutton: 0 };

function rangeText(element: Element, role: string): string | null {
  const text = attr(element, "aria-valuetext");
  if (text !== null) return text;
  const now = numberIn(element, "aria-valuenow");
  if (now !== null) {
    const low = numberIn(element, "aria-valuemin"),
      high = numberIn(element, "aria-valuemax");
    return String(Math.min(Math.max(now, low === null ? -Infinity : low), high === null ? Infinity : high));
  }
  if (element instanceof HTMLInputElement) return inputValue(element) || null;
  if (element instanceof HTMLMeterElement) return String(meterValue(element));
  if (element instanceof HTMLProgressElement && has(element, "value")) return String(progressValue(element));
  return owns(DEFAULTS, role) ? String(DEFAULTS[role]) : null;
}
const meterValue = getter(HTMLMeterElement.prototype, "value");
const progressValue = getter(HTMLProgressElement.prototype, "value");

function* chosenText(element: Element, role: string, state: Naming): Computing<string | null> {
  const chosen = element instanceof HTMLSelectElement ? [...optionsOf(element)] : selectedIn(element, role);
  const texts: string[] = [];
  for (const option of chosen) {
    if (state.visited.has(option)) continue;
    state.visited.add(option);
    const { text } = yield alternative(option, "option", computation(state.written), false);
    if (text) texts.push(tidy(text));
  }
  if (chosen.length) return texts.join(" ");
  // A focusable combobox without a list shows its value as its content.
  if (role === "listbox" || element instanceof HTMLSelectElement || !isFocusable(element)) return null;
  const { text } = yield content(element, state);
  return text || null;
}

function selectedIn(element: Element, role: string): Element[] {
  let list: Element | undefined = element;
  if (role === "combobox") {
    const held = [...inElement(element, "[role]"), ...ownedBy(element)];
    list = held.find((inner) => roleOf(inner) === "listbox");
  }
  return list
    ? [...inElement(list, "[aria-selected=true]"), ...ownedBy(list).filter(isSelectedOption)].slice(0, MAX_VISITED)
    : [];
}
const isSelectedOption = (element: Element) => attr(element, "aria-selected") === "true";

// -- what HTML and SVG have for a name ----------------------------------------------------------------

function* nativeName(element: Element, role: string, state: Naming): Computing {
  if (isSvg(element)) return svgName(element);
  if (isLabelable(element)) {
    const text = yield labelText(element, state);
    if (text) return namePart(text, "related");
  }
  const source = owns(NATIVE_NAMES, tagOf(element)) ? NATIVE_NAMES[tagOf(element)] : null;
  const native = source ? yield* source(element, state) : NOTHING;
  if (native.text || native.isFinal || !isTextField(element, role)) return native;
  const hint = attr(element, "aria-placeholder");
  return hint && !isBlank(hint) ? namePart(hint, "placeholder") : NOTHING;
}

// A hidden label names only elements that are hidden too.
function* labelText(element: Element, state: Naming): Computing<string> {
  const texts: string[] = [];
  for (const label of labelsOf(element)) {
    if (isFull(state)) break;
    const hidden = isHidden(label);
    if (state.visited.has(label) || (hidden && !isHidden(element))) continue;
    const inner = { ...state, referred: null, referredHidden: hidden };
    state.seen.count++;
    const { text } = yield alternative(label, roleOf(label), inner, true);
    state.visited.add(label);
    if (!isBlank(text)) texts.push(tidy(text));
  }
  return texts.join(" ");
}

const byAttribute = (element: Element, name: string) => {
  const given = attr(element, name);
  return given && !isBlank(given) ? namePart(given, "attribute") : NOTHING;
};

const FINAL: Part = { ...NOTHING, isFinal: true };

const NATIVE_NAMES: Record<string, (element: Element, state: Naming) => Computing> = {
  *area(element: Element) {
    return alternativeText(element);
  },
  *fieldset(element: Element, state: Naming) {
    return yield childName(element, "legend", state);
  },
  *img(element: Element) {
    return alternativeText(element);
  },
  *input(element: Element) {
    return inputName(element as HTMLInputElement);
  },
  *optgroup(element: Element) {
    return byAttribute(element, "label");
  },
  *option(element: Element) {
    return byAttribute(element, "label");
  },
  *table(element: Element, state: Naming) {
    const caption = yield childName(element, "caption", state);
    return caption.text ? caption : byAttribute(element, "summary");
  },
  *textarea(element: Element) {
    return fieldName(element);
  },
};

// An empty `alt` marks the element as decorative, and also disables its title.
const alternativeText = (element: Element) => (attr(element, "alt") === "" ? FINAL : byAttribute(element, "alt"));

const BUTTON_LABELS: Record<string, string> = { submit: "Submit", reset: "Reset" };

function inputName(element: HTMLInputElement): Part {
  const type = inputType(element);
  if (type === "image") return firstOfAttributes(element, ["alt", "value", "title"]) || namePart("Submit", "value");
  if (type === "file") {
    return namePart(has(element, "multiple") ? "Choose Files" : "Choose File", "content");
  }
  if (!isButtonInput(element)) return isTextInput(element) ? fieldName(element) : NOTHING;
  const value = attr(element, "value");
  return namePart(value === null ? BUTTON_LABELS[type] || "" : value, "value");
}

const firstOfAttributes = (element: Element, names: string[]): Part | undefined => {
  for (const name of names) {
    const given = attr(element, name);
    if (given && !isBlank(given)) return namePart(given, name === "title" ? "title" : "attribute");
  }
  return undefined;
};

// The title takes precedence over the placeholder.
const fieldName = (element: Element) => firstOfAttributes(element, ["title", "placeholder"]) || NOTHING;

function* childName(element: Element, tag: string, state: Naming): Computing {
  const child = childOf(element, tag);
  if (!child || state.visited.has(child)) return NOTHING;
  const { text } = yield alternative(child, roleOf(child), state, true);
  return namePart(text, "related");
}

function svgName(element: Element): Part {
  const title = titleIn(element);
  const text = (title && rawText(title)) || "";
  if (!isBlank(text)) return namePart(text, "related");
  return tagOf(element) === "a" ? byAttribute(element, "xlink:title") : NOTHING;
}

// -- descriptions -------------------------------------------------------------------------------------

export function descriptionOf(element: Element, role = roleOf(element)): string {
  const referred = run(referredText(byIds(element, "aria-describedby"), computation()));
  if (!isBlank(referred)) return tidyContent(referred);
  const own = attr(element, "aria-description");
  if (own !== null) return tidy(own);
  const { text: name, from } = named(element, role);
  const native = nativeDescription(element, from);
  if (native) return native;
  const title = from === "title" ? "" : tidy(attr(element, "title") || "");
  return title === name ? "" : title;
}

// Returns a description from sources that could have been the name but are not.
function nativeDescription(element: Element, from: string): string {
  if (isSvg(element)) {
    const source =
      childOf(element, "desc") ||
      ((from === "attribute" || (from === "related" && labellers(element).length)) && titleIn(element));
    return source ? tidy(rawText(source) || "") : "";
  }
  if (element instanceof HTMLInputElement && isButtonInput(element) && from !== "value")
    return tidy(attr(element, "value") || "");
  const caption = tagOf(element) === "table" && from !== "related" && childOf(element, "caption");
  return caption ? tidyContent(run(alternative(caption, "caption", computation(), true)).text) : "";
}
