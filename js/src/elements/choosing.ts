// Lists that a page draws itself: the options that a combobox or listbox offers, and the choice that it shows.

import type { Root } from "../dom/nodes.ts";
import {
  attr,
  bodyOf,
  boxOf,
  childrenOf,
  has,
  inElement,
  isConnected,
  isElement,
  lastItem,
  listen,
  matches,
  parentOf,
  queryIn,
  rootOf,
  tagOf,
  walkerIn,
} from "../dom/nodes.ts";
import { checkedness, isDisabled, isEditable, kindOf, listIn } from "./control.ts";
import { get, hold, recall } from "./held.ts";
import { valueOf } from "./identity.ts";
import { nameOf } from "./names.ts";
import { idIn } from "./relations.ts";
import { roleOf } from "./roles.ts";
import { isOutOfReach, letsThrough, optionLabel, selectContents, takeFocus } from "./state.ts";
import {
  SILENT,
  activeElement,
  closestAcross,
  collapse,
  isInside,
  isRendered,
  loose,
  plainText,
  renderedParent,
  roots,
  shadowOf,
  shorten,
} from "./tree.ts";
import { lastChoice, selectOnly } from "./values.ts";
import { frame, until } from "./waiting.ts";

const POPUP_ROLES = '[role="listbox"], [role="tree"], [role="grid"], [role="menu"]';
const OPTION_ROLES = new Set(["option", "treeitem", "row", "menuitemradio", "menuitemcheckbox"]);
const OPENS = new Set(["listbox", "tree", "grid"]);
const VALUE_ATTRIBUTES = ["data-value", "value", "data-key", "data-id"];
const MAX_WALK = 20000;
const MAX_REGIONS = 500;
const MAX_OFFERED = 10;
// How many ancestors of a combobox hold its parts (the chosen text, hidden inputs, chips), unless another field comes first.
export const MAX_AROUND = 6;
export const FIELDS = "input:not([type=hidden]), select, textarea, [role=combobox], [aria-haspopup], [contenteditable]";
export const UNREACHED = "[aria-hidden=true], [tabindex='-1'], [readonly]";
const MAX_TEXTS = 2000;

const isWritable = (element: Element) => kindOf(element) === "text" || kindOf(element) === "editable";

// Returns "datalist", "combobox", "listbox" or ""; a native list has none of these kinds.
export function widgetOf(element: Element) {
  if (!(element instanceof HTMLElement) || element instanceof HTMLSelectElement) return "";
  const role = roleOf(element);
  if (element instanceof HTMLInputElement && element.list && !has(element, "role")) return "datalist";
  if (role === "combobox" || OPENS.has(attr(element, "aria-haspopup")!) || has(element, "aria-autocomplete"))
    return "combobox";
  return role === "listbox" && has(element, "role") ? "listbox" : "";
}

// Of an element, through its shadow root or slot, or of a shadow root itself.
const childElementsOf = (node: Element | ShadowRoot): ArrayLike<Element> & Iterable<Element> => {
  if (!isElement(node)) return node.children;
  const slotted = tagOf(node) === "slot" ? (node as HTMLSlotElement).assignedElements() : [];
  if (slotted.length) return slotted;
  const root = shadowOf(node);
  return root ? root.children : childrenOf(node);
};

// Yields the rendered descendants of elements, through shadow roots and slots.
function* within(tops: Iterable<Element>) {
  const stack = [...tops].reverse();
  for (let left = MAX_WALK; stack.length && left > 0; left--) {
    const element = stack.pop()!;
    yield element;
    const children = childElementsOf(element);
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
}

// -- what opens ----------------------------------------------------------------------------------------

// If no attribute says what a combobox opens, its list is whatever appears when it is opened.
type Watched = {
  observer: MutationObserver;
  regions: Set<Element>;
  hidden: Element[];
  toggled: (event: Event) => void;
  listed: WeakSet<Element>;
  // Once an option has been found: the lists that it is in.
  lists?: Element[];
};
let watched: Watched | null = null;

export function watch(token: number) {
  unwatch();
  const widget = get(token);
  const regions = new Set<Element>();
  const take = (node: Node) => {
    if (regions.size < MAX_REGIONS && isElement(node)) regions.add(node);
  };
  const observer = new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      if (type === "attributes") take(target);
      else addedNodes.forEach(take);
    }
  });
  for (const root of roots()) {
    observer.observe(root, {
      subtree: true,
      childList: true,
      attributeFilter: ["class", "style", "hidden", "open"],
    });
  }
  const toggled = (event: Event) => take(event.target as Node);
  listen(document, "toggle", toggled, true);
  // Near the widget it is enough to record what is hidden now.
  const hidden = around(widget)
    .flatMap((holder) => [...childElementsOf(holder)])
    .filter((child) => !isRendered(child));
  watched = { observer, regions, hidden, toggled, listed: new WeakSet(everyList().filter(isRendered)) };
}

export function unwatch() {
  if (!watched) return;
  watched.observer.disconnect();
  document.removeEventListener("toggle", watched.toggled, true);
  watched = null;
}

const everyList = () => roots().flatMap((root: Root) => [...queryIn(root, POPUP_ROLES)]);

// Returns the widget and the ancestors that contain no other field.
export function around(widget: Element) {
  const found = [widget];
  const isOther = (field: Element) =>
    !isInside(field, widget) &&
    !isInside(widget, field) &&
    !matches(field, UNREACHED) &&
    !isArrowOf(field, widget) &&
    isRendered(field) &&
    !openLists().some((list) => isInside(field, list));
  for (
    let at = renderedParent(widget);
    at && at !== bodyOf(document) && found.length <= MAX_AROUND;
    at = renderedParent(at)
  ) {
    if ([...inElement(at, FIELDS)].some(isOther)) break;
    found.push(at);
  }
  return found;
}

// The button without words beside a combobox that opens the same list.
const isArrowOf = (button: Element, widget: Element) =>
  roleOf(button) === "button" &&
  has(button, "aria-haspopup") &&
  attr(button, "aria-haspopup") === attr(widget, "aria-haspopup") &&
  plainText(button) === "";

const idsOf = (element: Element, attribute: string) =>
  (attr(element, attribute) || "")
    .split(/\s+/)
    .filter(Boolean)
    .map((id: string) => idIn(rootOf(element), id))
    .filter((found) => found !== null);

// Returns the lists that attributes name: of the widget, of a field in it, and of its wrapper (ARIA 1.0, 1.1 and 1.2).
function listsByAttribute(widget: Element) {
  const speakers = [widget, ...inElement(widget, "[aria-controls], [aria-owns], [aria-activedescendant]")];
  const wrapper = closestAcross(widget, "[role=combobox]");
  if (wrapper) speakers.push(wrapper);
  const lists = speakers.flatMap((each) => [
    ...idsOf(each, "aria-controls"),
    ...idsOf(each, "aria-owns"),
    ...idsOf(each, "aria-activedescendant").map((option) => closestAcross(option, POPUP_ROLES)),
  ]);
  return [...new Set(lists)].filter((list): list is Element => list !== null && !isInside(widget, list));
}

function appearedLists(widget: Element) {
  const inWidget = [...inElement(lastItem(around(widget)), POPUP_ROLES)];
  return [...new Set([...everyList().filter((list) => !(watched && watched.listed.has(list))), ...inWidget])].filter(
    (list) => isRendered(list) && !isInside(widget, list),
  );
}

function appearedRegions(widget: Element) {
  const all = [...((watched && watched.regions) || []), ...((watched && watched.hidden) || [])].filter(isConnected);
  const shown = all.filter((region) => isRendered(region) && !isInside(widget, region) && !isInside(region, widget));
  return shown.filter((region) => !shown.some((other) => other !== region && isInside(region, other)));
}

const isOption = (element: Element) => OPTION_ROLES.has(roleOf(element)) && isRendered(element);

const isLeaf = (element: Element) =>
  isRendered(element) &&
  plainText(element) !== "" &&
  !isWritable(element) &&
  ![...childElementsOf(element)].some((child) => plainText(child) !== "");

// Returns the open lists and their options: by roles, or else all text that has appeared.
function opened(widget: Element) {
  if (widgetOf(widget) === "listbox") return { lists: [widget], options: [...within([widget])].filter(isOption) };
  for (const lists of [listsByAttribute(widget), appearedLists(widget)]) {
    const options = [...new Set(within(lists))].filter(isOption);
    if (options.length) return { lists, options };
  }
  const lists = appearedRegions(widget);
  const options = [...within(lists)].filter(isOption);
  return { lists, options: options.length ? options : [...within(lists)].filter(isLeaf) };
}

// -- what is offered -----------------------------------------------------------------------------------

const optionName = (option: Element) => nameOf(option) || plainText(option);
const optionValues = (option: Element) =>
  VALUE_ATTRIBUTES.map((name) => attr(option, name)).filter((value) => value !== null);

// From certain to likely; the first test that any option passes decides.
const ANSWERS = [
  (option: Element, wanted: string) => optionValues(option).includes(wanted),
  (option: Element, wanted: string) => collapse(optionName(option)) === collapse(wanted),
  (option: Element, wanted: string) => loose(optionName(option)) === loose(wanted),
  (option: Element, wanted: string) => loose(plainText(option)) === loose(wanted),
  (option: Element, wanted: string) =>
    [...within([option])].some((part) => isLeaf(part) && loose(plainText(part)) === loose(wanted)),
];

function answering(options: Element[], wanted: string) {
  for (const answers of ANSWERS) {
    const found = options.filter((option) => answers(option, wanted));
    if (found.length)
      return found.filter((option) => !found.some((other) => other !== option && isInside(other, option)));
  }
  return [];
}

// Returns the field that receives text typed into the widget: itself, one inside it, or one that opened with the list.
export function fieldOf(widget: Element, lists: Element[]) {
  if (isWritable(widget)) return widget;
  const active = activeElement();
  if (active && isWritable(active) && [widget, ...lists, ...around(widget)].some((part) => isInside(active, part)))
    return active;
  const inside = [...within([widget, ...lists])].filter((part) => isWritable(part) && isRendered(part));
  return inside.length === 1 ? inside[0] : null;
}

const isListOpen = (widget: Element, lists: Element[]) =>
  widgetOf(widget) === "listbox" ||
  attr(widget, "aria-expanded") === "true" ||
  (attr(widget, "aria-expanded") !== "false" && lists.length > 0);

const isMany = (widget: Element, lists: Element[]) =>
  [widget, ...lists].some((list) => attr(list, "aria-multiselectable") === "true");

function listState(widget: Element, wanted: string) {
  const { lists, options } = opened(widget);
  const found = answering(options, wanted);
  const field = fieldOf(widget, lists);
  const many = isMany(widget, lists);
  const [match] = found;
  if (match && watched) watched.lists = lists.filter((list) => isInside(match, list));
  return {
    open: isListOpen(widget, options.length ? lists : []),
    editable: Boolean(field && !(field as HTMLInputElement).readOnly && !isDisabled(field)),
    count: options.length,
    options: options.slice(0, MAX_OFFERED).map((option) => shorten(optionName(option))),
    found: found.length,
    many,
    shown: shownBy(widget),
    option: match ? hold(match) : 0,
    disabled: Boolean(match) && isDisabled(match),
    chosen: Boolean(match) && many && isPicked(widget, match),
  };
}

// Below a field the active option may be marked as selected, so the widget must show the choice too.
function isPicked(widget: Element, option: Element) {
  const seen = evidence(widget, { name: collapse(optionName(option)), values: optionValues(option) }, option);
  return seen.selected && (widgetOf(widget) === "listbox" || seen.own || seen.text || seen.hidden);
}

// Resolves when an option matches, when the options have not changed for `calm` ms, or when time is up. With `seen`, the
// previous options, it also resolves when other options appear.
export function waitForOptions(token: number, wanted: string, ms: number, calm: number, seen: string[] | null) {
  const before = seen ? JSON.stringify(seen) : "";
  let last = "";
  let since = performance.now();
  return until(ms, async () => {
    const now = listState(get(token), wanted);
    const sight = JSON.stringify(now.options);
    if (sight !== last) since = performance.now();
    last = sight;
    const isStable = (now.count > 0 && performance.now() - since >= calm) || (before && sight !== before);
    return (now.found && !now.disabled) || isStable ? now : { ...now, fault: "option" };
  });
}

// Focuses the field that filters the options, ready for typing; returns false if there is none.
export async function focusFilter(token: number) {
  const widget = get(token);
  const field = fieldOf(widget, opened(widget).lists);
  if (!field || (await takeFocus(field))) return false;
  if (isEditable(field)) selectContents(field);
  else (field as HTMLInputElement).select();
  return true;
}

// Scrolls the list by a page, or to its beginning if `first`. Resolves after drawing to whether it `moved`. A list that
// moves its content by script needs the wheel: `wheel` is then the element to turn it on, and `by` the distance.
export async function scrollList(token: number, first: number) {
  const { lists } = opened(get(token));
  const scroller = [...within(lists), ...lists.map(renderedParent)].find((at) => at && overflows(at));
  if (!scroller) return { moved: false };
  const by = Math.round(scroller.clientHeight * 0.8);
  if (!/auto|scroll/.test(getComputedStyle(scroller).overflowY))
    return { moved: true, wheel: hold(scroller), by: first ? 0 : by };
  const before = scroller.scrollTop;
  scroller.scrollTop = first ? 0 : before + by;
  await frame();
  await frame();
  return { moved: first || scroller.scrollTop !== before };
}

const overflows = (element: Element) =>
  element.scrollHeight > element.clientHeight + 1 &&
  element.clientHeight > 0 &&
  getComputedStyle(element).overflowY !== "visible";

// -- what is chosen ------------------------------------------------------------------------------------

function shownBy(widget: Element) {
  const field = isWritable(widget) ? widget : fieldOf(widget, []);
  if (field) return valueOf(field) || shorten(textsIn(lastItem(around(widget))).join(" "), 80);
  return textsIn(widget).join(" ") || attr(widget, "aria-label") || "";
}

// Returns the visible texts in an element, except those of open lists.
function textsIn(element: Element) {
  const lists = openLists();
  const texts: string[] = [];
  const walker = walkerIn(document, element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), left = MAX_TEXTS; node && left > 0; node = walker.nextNode(), left--) {
    const text = collapse((node as Text).data);
    const holder = parentOf(node)!;
    if (!text || !isElement(holder) || SILENT.has(tagOf(holder)) || tagOf(holder) === "option" || !isRendered(holder))
      continue;
    if (!lists.some((list) => isInside(holder, list))) texts.push(text);
  }
  return texts;
}

// Returns the lists that contained the option, if they are still visible.
const openLists = () => ((watched && watched.lists) || []).filter((list) => isConnected(list) && isRendered(list));

function hiddenValues(widget: Element) {
  const fields = inElement(lastItem(around(widget)), "input, select");
  return [...fields].flatMap((field) => (field === widget ? [] : valueOf(field).split(", "))).filter(Boolean);
}

// What tells an option apart.
type Choice = { name: string; values: string[] };

// Returns the signs that an option is chosen; while a list is open, a text field's own value proves nothing.
function evidence(widget: Element, { name, values }: Choice, option: Element | null | undefined) {
  const names = [name, ...values].map(loose);
  const field = isWritable(widget) ? widget : fieldOf(widget, []);
  const texts = [textsIn(widget).join(" "), attr(widget, "aria-label") || "", attr(widget, "aria-valuetext") || ""];
  return {
    own:
      (Boolean(field) && names.includes(loose(valueOf(field!)))) ||
      (field !== widget && texts.some((text) => loose(text).includes(names[0]))),
    text: textsIn(lastItem(around(widget))).some((text) => names.includes(loose(text))),
    hidden: hiddenValues(widget).some((value) => values.includes(value)),
    selected: Boolean(option) && isConnected(option!) && checkedness(option!) === "on",
  };
}

// An option as it was described before the click.
type Described = Choice & { before: ReturnType<typeof evidence> };

function showsChoice(widget: Element, choice: Described, option: Element | undefined) {
  const now = evidence(widget, choice, option);
  if (widgetOf(widget) === "listbox") return now.selected;
  const lists = openLists();
  if (isMany(widget, lists) && now.selected) return true;
  const stillOffered = lists.length > 0 && option && isConnected(option) && isRendered(option);
  if (!stillOffered) return now.own || now.text || now.hidden;
  // A list that stays open either allows several options or has not accepted this one: only new signs count.
  return (now.text && !choice.before.text) || (now.hidden && !choice.before.hidden);
}

// Describes an option before the click that may remove it.
export function describeOption(token: number, optionToken: number) {
  const option = get(optionToken);
  const choice = { name: collapse(optionName(option)), values: optionValues(option) };
  return { ...choice, before: evidence(get(token), choice, option) };
}

export const verifyChoice = (token: number, optionToken: number, choice: Described, ms: number) =>
  until(ms, async () => {
    const widget = get(token);
    const option = recall(optionToken);
    const shows = showsChoice(widget, choice, option);
    // A click on an option that was already chosen, without any sign of it, has deselected it.
    const undone =
      choice.before.selected &&
      option &&
      isConnected(option) &&
      checkedness(option) === "off" &&
      isMany(widget, openLists());
    if (undone) return { undone: true };
    return shows ? {} : { fault: "state", detail: shownBy(widget) };
  });

// Returns whether a list is still open and Escape would close only it: it would also close a surrounding dialog. A click
// on an option may have left nothing focused, and then nothing would receive the key.
export function isLeftOpen(token: number) {
  const widget = get(token);
  if (activeElement() === bodyOf(document)) ((fieldOf(widget, []) || widget) as HTMLElement).focus();
  return (
    widgetOf(widget) === "combobox" &&
    openLists().length > 0 &&
    attr(widget, "aria-expanded") !== "false" &&
    !closestAcross(widget, "dialog[open], [role=dialog], [aria-modal=true]")
  );
}

// -- a select behind a widget --------------------------------------------------------------------------

// A library that draws its own list hides the page's select where no pointer reaches it, and puts its widget around the
// select or right after it. Not all of them notice a choice that is made in the select.
// A select that is made one pixel wide may keep its borders.
const UNSEEN_PX = 4;

export function widgetFor(select: HTMLSelectElement) {
  const box = boxOf(select);
  const isUnseen = letsThrough(select) || isOutOfReach(select) || Math.min(box.width, box.height) <= UNSEEN_PX;
  if (!isUnseen) return null;
  const next = select.nextElementSibling;
  const widget =
    closestAcross(select, "[role=combobox]") ||
    (next && (widgetOf(next) ? next : listIn(next, ["combobox", "listbox"])));
  return widget && isRendered(widget) ? widget : null;
}

// Resolves to the names of the chosen options that the widget does not show, and to those that it still shows although
// they are not chosen: a widget for one choice drops the old one itself when it gets another. If there are any, the choice
// is taken back, so that the widget and the select agree again.
export async function unfollowed(selectToken: number, token: number, ms: number) {
  const select = get(selectToken) as HTMLSelectElement;
  const { before, wanted } = lastChoice;
  // A widget that makes the options again may have lost the choice; a page that sets its select back has taken it.
  const isChosen = (option: HTMLOptionElement) =>
    wanted.every(isConnected) ? option.selected : wanted.some((one) => optionLabel(one) === optionLabel(option));
  const names = (chosen: boolean) =>
    [...select.options]
      .filter((option) => isChosen(option) === chosen)
      .map(optionName)
      .filter(Boolean);
  const isShown = (name: string) => {
    const seen = evidence(get(token), { name, values: [] }, null);
    return seen.own || seen.text;
  };
  const { absent, present } = await until(ms, async () => {
    const absent = names(true).filter((name) => !isShown(name));
    const texts = select.multiple ? textsIn(get(token)).map(loose) : [];
    const present = names(false).filter((name) => texts.includes(loose(name)));
    return { absent, present, fault: absent.length || present.length ? "state" : "" };
  });
  if ((absent.length || present.length) && before.every(isConnected)) selectOnly(select, before);
  return { absent, present };
}
