// Roles: the first valid word of `role`, else the role that HTML-AAM or SVG-AAM gives the element. "" stands for
// `generic` and `none`, which carry no meaning. An option, list item or tree item counts outside of its list, too, where
// Chrome drops its role: its author meant it. The core supplies ROLES, the table of all role words.

import type { RoleFacts } from "./role_table.ts";
import { attr, childNodesOf, childrenOf, closest, getter, has, matches, owns, tagOf } from "../dom/nodes.ts";
import { GAPS, labellers } from "./relations.ts";
import { ROLES } from "./role_table.ts";
import { hostOrParent, inputType } from "./tree.ts";

export const roleFacts = (role: string) => ROLES[role] || NO_FACTS;
const NO_FACTS: RoleFacts = {};
const isWord = (word: string) => owns(ROLES, word) && word !== "iframe";

export function roleOf(element: Element): string {
  const given = attr(element, "role");
  const explicit = given ? explicitRole(element, given) : null;
  return explicit === null ? nativeRole(element) : explicit;
}

// Enough for any real fallback list; a role attribute of a megabyte is garbage.
const MAX_ROLE_WORDS = 32;

function explicitRole(element: Element, given: string): string | null {
  for (const word of given.toLowerCase().split(GAPS, MAX_ROLE_WORDS)) {
    if (!isWord(word)) continue;
    const role = ROLES[word].synonym || word;
    if ((role === "form" || role === "region") && !hasOwnName(element) && !has(element, "aria-roledescription"))
      continue;
    if (role === "none" && undoesNone(element)) return null;
    if (role === "combobox" && tagOf(element) === "select" && !isListBox(element)) return null;
    return role === "none" || role === "generic" ? "" : role;
  }
  return null;
}

// The nesting limit of Chrome's parser; the search for ancestors stops there.
export const MAX_DEPTH = 512;

function firstWord(element: Element) {
  const words = (attr(element, "role") || "").toLowerCase().split(GAPS, MAX_ROLE_WORDS);
  const word = words.find(isWord);
  return word ? ROLES[word].synonym || word : "";
}

// ARIA's global attributes: an element that has one must not be ignored as presentational.
const GLOBAL = [
  "atomic",
  "braillelabel",
  "brailleroledescription",
  "busy",
  "controls",
  "current",
  "describedby",
  "description",
  "details",
  "dropeffect",
  "flowto",
  "grabbed",
  "keyshortcuts",
  "label",
  "labelledby",
  "live",
  "owns",
  "relevant",
  "roledescription",
].map((name) => `aria-${name}`);

const undoesNone = (element: Element) =>
  isFocusable(element) || (GLOBAL.some((name) => has(element, name)) && !tagOf(element).includes("-"));

const FOCUSABLE =
  "a[href], area[href], iframe, summary:first-of-type, audio[controls], video[controls], " +
  "button:enabled, input:not([type=hidden]):enabled, select:enabled, textarea:enabled";

export function isFocusable(element: Element) {
  if (has(element, "tabindex") && /^\s*-?\d/.test(attr(element, "tabindex")!)) return !matches(element, ":disabled");
  return matches(element, FOCUSABLE) || isEditingHost(element);
}

export const isEditingHost = (element: Element) =>
  has(element, "contenteditable") &&
  matches(element, ":read-write") &&
  !(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement);

// Returns whether an author named the element; blank names do not count.
const hasOwnName = (element: Element) =>
  (has(element, "aria-label") && /\S/.test(attr(element, "aria-label")!)) ||
  (has(element, "aria-labelledby") && labellers(element).length > 0) ||
  (has(element, "title") && /\S/.test(attr(element, "title")!));

// -- native roles -------------------------------------------------------------------------------------

const TAG_ROLES: Record<string, string> = {
  address: "group",
  article: "article",
  blockquote: "blockquote",
  button: "button",
  caption: "caption",
  code: "code",
  datalist: "listbox",
  dd: "definition",
  del: "deletion",
  details: "group",
  dfn: "term",
  dialog: "dialog",
  dt: "term",
  em: "emphasis",
  fieldset: "group",
  figure: "figure",
  form: "form",
  frame: "iframe",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  h5: "heading",
  h6: "heading",
  hgroup: "group",
  hr: "separator",
  iframe: "iframe",
  ins: "insertion",
  main: "main",
  mark: "mark",
  math: "math",
  menu: "list",
  meter: "meter",
  nav: "navigation",
  ol: "list",
  optgroup: "group",
  option: "option",
  output: "status",
  p: "paragraph",
  progress: "progressbar",
  s: "deletion",
  search: "search",
  strong: "strong",
  sub: "subscript",
  sup: "superscript",
  textarea: "textbox",
  time: "time",
  ul: "list",
};
// HTML-AAM gives the other types no role; all of them take some form of text.
const INPUT_ROLES: Record<string, string> = {
  button: "button",
  checkbox: "checkbox",
  file: "button",
  hidden: "",
  image: "button",
  number: "spinbutton",
  radio: "radio",
  range: "slider",
  reset: "button",
  search: "searchbox",
  submit: "button",
};
const LISTED_INPUTS = new Set([
  "date",
  "datetime-local",
  "email",
  "month",
  "number",
  "search",
  "tel",
  "text",
  "time",
  "url",
  "week",
]);
const SECTIONS = new Set(["article", "complementary", "navigation", "region"]);
export const GRIDS = new Set(["grid", "treegrid"]);
const TABLES = new Set(["table", ...GRIDS]);

const SPECIAL_ROLES: Record<string, (e: Element) => string> = {
  a: (e: Element) => (has(e, "href") || has(e, "onclick") ? "link" : ""),
  area: (e: Element) => (has(e, "href") ? "link" : ""),
  aside: (e: Element) => (hasOwnName(e) || !isSectioned(e) ? "complementary" : ""),
  footer: (e: Element) => (isSectioned(e, "main") ? "sectionfooter" : "contentinfo"),
  header: (e: Element) => (isSectioned(e, "main") ? "sectionheader" : "banner"),
  img: (e: Element) => (attr(e, "alt") === "" && !undoesNone(e) && !attr(e, "title") ? "" : "img"),
  input: inputRole,
  li: itemRole,
  section: (e: Element) => (hasOwnName(e) ? "region" : ""),
  select: (e: Element) => (isListBox(e) ? "listbox" : "combobox"),
  summary: (e: Element) => (isSummary(e) ? "button" : ""),
  table: () => "table",
  tbody: (e: Element) => (tableRole(e) ? "rowgroup" : ""),
  td: (e: Element) => cellRole(e, () => "cell"),
  tfoot: (e: Element) => (tableRole(e) ? "rowgroup" : ""),
  th: (e: Element) => cellRole(e, headerRole),
  thead: (e: Element) => (tableRole(e) ? "rowgroup" : ""),
  tr: (e: Element) => (tableRole(e) ? "row" : ""),
};

const SVG_ROLES: Record<string, string> = {
  a: "group",
  foreignObject: "group",
  g: "group",
  text: "group",
  use: "graphics-object",
};
const SVG_SHAPES = new Set(["circle", "ellipse", "line", "path", "polygon", "polyline", "rect"]);
export const isSvg = (element: Element) => element instanceof SVGElement;

function nativeRole(element: Element) {
  const tag = tagOf(element);
  if (isSvg(element)) return svgRole(element, tag);
  const role = owns(SPECIAL_ROLES, tag) ? SPECIAL_ROLES[tag](element) : owns(TAG_ROLES, tag) ? TAG_ROLES[tag] : "";
  return role || (isEditingHost(element) ? "textbox" : "");
}

// An svg element is an image, as in Chrome; its parts have a role only if they have a name.
function svgRole(element: Element, tag: string) {
  if (tag === "a" && (has(element, "href") || has(element, "xlink:href"))) return "link";
  if (tag === "svg") return "img";
  if (!titleIn(element) && !hasOwnName(element)) return "";
  if (tag === "image") return "img";
  return SVG_SHAPES.has(tag) ? "graphics-symbol" : owns(SVG_ROLES, tag) ? SVG_ROLES[tag] : "";
}

export const titleIn = (element: Element) => childOf(element, "title");
export const childOf = (element: Element, tag: string): Element | null => {
  for (const child of childrenOf(element)) if (tagOf(child) === tag) return child;
  return null;
};

const sizeOf = getter(HTMLSelectElement.prototype, "size");
export const isListBox = (select: Element): boolean =>
  has(select, "multiple") || sizeOf(select as HTMLSelectElement) > 1;
const listOf = getter(HTMLInputElement.prototype, "list");

function inputRole(element: Element): string {
  const type = inputType(element as HTMLInputElement);
  if (LISTED_INPUTS.has(type) && has(element, "list") && listOf(element as HTMLInputElement)) return "combobox";
  return owns(INPUT_ROLES, type) ? INPUT_ROLES[type] : "textbox";
}

// Items of a list with another role are not list items, unless they have a role of their own.
function itemRole(element: Element) {
  const list = hostOrParent(element);
  const isOther = list && LIST_TAGS.has(tagOf(list)) && has(list, "role") && roleOf(list) !== "list";
  return isOther ? "" : "listitem";
}
const LIST_TAGS = new Set(["ul", "ol", "menu"]);

export function isSummary(element: Element): boolean {
  const parent = hostOrParent(element);
  return parent !== null && tagOf(parent) === "details" && childOf(parent, "summary") === element;
}

function isSectioned(element: Element, more = ""): boolean {
  let at = hostOrParent(element);
  for (let depth = 0; at && depth < MAX_DEPTH; depth++, at = hostOrParent(at)) {
    const role = has(at, "role") ? roleOf(at) : "";
    if (role ? SECTIONS.has(role) || role === more : isSection(at, more)) return true;
  }
  return false;
}

const SECTION_TAGS = new Set(["article", "aside", "nav", "section"]);
const isSection = (element: Element, more: string) =>
  (SECTION_TAGS.has(tagOf(element)) || tagOf(element) === more) &&
  !(has(element, "role") && firstWord(element) === "none");

// -- tables -----------------------------------------------------------------------------------------

export const tableOf = (element: Element) => closest(element, "table");

// Returns the role of the table that contains a row or cell; "" for a presentational table.
function tableRole(element: Element) {
  const table = tableOf(element);
  const role = table ? roleOf(table) : "";
  return TABLES.has(role) ? role : "";
}

function cellRole(element: Element, fallback: (cell: Element) => string): string {
  const table = tableRole(element);
  if (!table) return "";
  const row = hostOrParent(element);
  if (!row || tagOf(row) !== "tr" || (has(row, "role") && roleOf(row) !== "row")) return "";
  const role = fallback(element);
  return role === "cell" && GRIDS.has(table) ? "gridcell" : role;
}

const SCOPES: Record<string, string> = {
  row: "rowheader",
  rowgroup: "rowheader",
  col: "columnheader",
  colgroup: "columnheader",
};
const isHeader = (cell: Element | null) => cell !== null && tagOf(cell) === "th";
const isFilled = (cell: Element | null) => cell !== null && tagOf(cell) === "td" && childNodesOf(cell).length > 0;
export const nextOf = getter(Element.prototype, "nextElementSibling");
export const previousOf = getter(Element.prototype, "previousElementSibling");
const firstOf = getter(Element.prototype, "firstElementChild");
const lastOf = getter(Element.prototype, "lastElementChild");

// Without a scope, the neighbouring cells decide whether a header belongs to its row or its column.
function headerRole(cell: Element): string {
  const scope = (attr(cell, "scope") || "").toLowerCase();
  if (owns(SCOPES, scope)) return SCOPES[scope];
  const [before, behind] = [previousOf(cell), nextOf(cell)];
  if ((!before && !behind) || (isHeader(before) && isHeader(behind))) return "columnheader";
  if (isFilled(before) || isFilled(behind)) return "rowheader";
  const row = hostOrParent(cell)!;
  const [first, last] = [firstOf(row), lastOf(row)];
  const ends = [first, last, first && nextOf(first), last && previousOf(last)];
  return ends.some(isFilled) ? "rowheader" : "columnheader";
}
