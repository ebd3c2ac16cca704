// Keeps the letters of an action in the field that they are meant for. A page may move the focus at any moment, so each
// letter is judged when its event arrives, before the page receives it. From the first one that would go into another
// field on, all are blocked.
//
// As in press.ts, the listeners are on the window from the start of the document. They do nothing while nobody types.

import type { Root } from "../dom/nodes.ts";
import {
  attr,
  bodyOf,
  boxOf,
  closest,
  hasFocus,
  inElement,
  isConnected,
  listen,
  matches,
  queryIn,
  rawText,
  tagOf,
  topOf,
} from "../dom/nodes.ts";
import { isShown } from "../dom/older.ts";
import { isEditable, kindOf } from "./control.ts";
import { describe } from "./describe.ts";
import { HOLDS_FRAME, block, inCapture, isTrusted } from "./events.ts";
import { hold, recall } from "./held.ts";
import { labelsOf } from "./relations.ts";
import { editingHost, isOutOfReach } from "./state.ts";
import {
  activeElement,
  collapse,
  inputValue,
  isInside,
  isRendered,
  knownRoots,
  lookAgain,
  parentsOf,
  roots,
} from "./tree.ts";
import { hides, inputsOf, isBox, mostOf } from "./typed.ts";
import { frame } from "./waiting.ts";

const LETTER_EVENTS = ["keydown", "keypress", "beforeinput", "keyup"];
const LEAVING = new Set(["Tab", "Enter"]); // the user who types them goes on elsewhere
const TAKES_TEXT = new Set(["text", "editable", "picker", "select"]);
const TYPED_MS = 10000; // a later key was not sent by stillframe

// The field that letters are meant for, when it was chosen.
type Field = { hides: boolean; open: boolean; words: string; parents: Element[] };

type Typing = {
  id: number;
  role: string;
  secret: boolean;
  stays: boolean;
  every: number;
  total: number;
  until: number;
  at: Element | null;
  was: Field | null;
  letters: number;
  heard: boolean;
  pressed: boolean;
  leaves: boolean;
  strayed: { kind: string; hit: string } | null;
  frames: Set<Element>;
  taker: Element | null;
};

export let typing: Typing | null = null;

export const listenForLetters = () => {
  for (const type of LETTER_EVENTS) listen(globalThis, type, onLetter, inCapture);
};

// A frame that comes while letters are typed cannot judge them at once, so it gets the focus only after the last one.
export const listenForBlur = () => listen(globalThis, "blur", onBlur, inCapture);

function onBlur(event: Event) {
  const active = focusedNow();
  if (!typing || !typing.at || !isTrusted(event) || !HOLDS_FRAME.has(tagOf(active)) || typing.frames.has(active))
    return;
  if (isInside(active, typing.at) || !isConnected(typing.at)) return;
  typing.strayed = typing.strayed || { kind: "strayed", hit: describe(active) };
  typing.taker = active;
  const { at } = typing;
  queueMicrotask(() => (at as HTMLElement).focus({ preventScroll: true })); // the browser is still moving the focus
  reportTyping();
}

function onLetter(event: Event) {
  if (!typing || !isTrusted(event) || performance.now() > typing.until) return;
  if (event.type === "keyup") {
    typing.pressed = false;
    if (!typing.strayed) reportLetters();
    return;
  }
  if (!typing.strayed) follow(event.type);
  if (typing.strayed) block(event);
  else count(event);
}

// A key is counted when it goes down. Text that an input method inserts has no key.
function count(event: Event & { key?: string }) {
  typing!.until = performance.now() + TYPED_MS;
  if (event.type === "keydown") {
    typing!.letters++;
    typing!.heard = typing!.pressed = true;
    typing!.leaves = LEAVING.has(event.key!);
  } else if (event.type === "beforeinput" && !typing!.pressed) {
    typing!.letters++;
    typing!.heard = true;
    reportLetters();
  }
}

function reportLetters() {
  if (typing!.letters % typing!.every === 0 || typing!.letters >= typing!.total) reportTyping();
}

function reportTyping() {
  const { id, letters, heard, strayed } = typing!;
  const report = { id, letters, heard, ...(strayed || { kind: "typed", hit: "" }) };
  if (globalThis.__sfTyping) __sfTyping!(JSON.stringify(report));
  return report;
}

export const focusedNow = () => activeElement() || bodyOf(document) || topOf(document);
const isNowhere = (element: Element) => element === bodyOf(document) || element === topOf(document);

function follow(type: string) {
  const active = focusedNow();
  if (typing!.role === "any" && !typing!.at) remember(active);
  const received = receivesLetters(active);
  const closed = received && isClosed() ? closedBy(typing!.at!) : "";
  if (received && !closed) return;
  // The focus left between the key and its text.
  if (type !== "keydown" && typing!.pressed) typing!.letters--;
  typing!.strayed = {
    kind: closed ? "refused" : "strayed",
    hit: closed || (isNowhere(active) ? "" : describe(active)),
  };
  reportTyping();
}

// Returns what keeps a field from taking text although it has the focus.
const isClosed = () => typing!.was!.open && Boolean(closedBy(typing!.at!));
const closedBy = (field: Element) =>
  matches(field, ":disabled") ? "disabled" : (field as HTMLInputElement).readOnly ? "read-only" : "";

// Returns whether letters may go into the focused element, and then keeps it as the one that they are meant for.
function receivesLetters(active: Element) {
  const { at } = typing!;
  if (!at) return false;
  if (isInside(active, at)) {
    if (active !== at && !takesText(at) && takesText(active)) remember(active);
    return true;
  }
  if (typing!.stays || !isConnected(active) || !mayLeaveFor(active)) return false;
  remember(active);
  return true;
}

const framesNow = () => (knownRoots || [document]).flatMap((root) => [...queryIn(root, [...HOLDS_FRAME].join())]);

export const takesText = (element: Element) => TAKES_TEXT.has(kindOf(element));

function remember(element: Element) {
  const at = isEditable(element) ? editingHost(element) : element;
  typing!.at = at;
  typing!.was = { hides: hides(at), open: !closedBy(at), words: fieldWords(at), parents: parentsOf(at) };
}

// Focus moves on purpose: the caller typed Tab or Enter, a widget opens its field, a code has a box for each letter, or an
// editor replaces its field. A secret never leaves its field and the boxes beside it.
function mayLeaveFor(to: Element) {
  if (isNowhere(to)) return false;
  if (typing!.leaves) return !typing!.secret;
  if (hides(to) !== typing!.was!.hides) return false;
  if (!takesText(typing!.at!)) return !typing!.secret;
  lookAgain();
  return isInGroup(typing!.at!, to) || isNextSegment(typing!.at!, to) || hasReplaced(to);
}

// -- the parts of one code ----------------------------------------------------------------------------

const PART_CHARACTERS = 8; // card numbers have parts of 4, licence keys and UUIDs of up to 8 that pages fill in a row
const SQUARE = 2.5; // a box for one letter is at most this much wider than high

const fieldsNow = () =>
  roots()
    .flatMap((root: Root) => [...inputsOf(root)])
    .filter((input) => kindOf(input) === "text" && isRendered(input));

function isPart(input: Element | null): input is HTMLInputElement {
  if (!(input instanceof HTMLInputElement)) return false;
  if (isBox(input)) return true;
  // A field that has a label of its own is a field of its own.
  if (mostOf(input) > 0 && mostOf(input) <= PART_CHARACTERS) return !labelsOf(input).length;
  const box = boxOf(input);
  return mostOf(input) < 0 && box.width <= SQUARE * box.height;
}

// Returns the parts in a row, in the order of the document, that an element is one of.
function groupOf(element: Element | null): Element[] {
  if (!isPart(element)) return []; // before all fields are looked at
  const fields = fieldsNow();
  const at = fields.indexOf(element);
  if (at < 0) return [];
  let [first, last] = [at, at];
  while (first > 0 && isPart(fields[first - 1])) first--;
  while (last < fields.length - 1 && isPart(fields[last + 1])) last++;
  return fields.slice(first, last + 1);
}

const isInGroup = (from: Element, to: Element) => groupOf(from).includes(to);

// Returns whether two elements are segments of one field, such as the month and the day of a date.
function isNextSegment(from: Element, to: Element) {
  const group = !typing!.secret && isSegment(from) && isSegment(to) && closest(to, '[role="group"]');
  return Boolean(group) && isInside(from, group as Element);
}

const isSegment = (element: Element) => attr(element, "role") === "spinbutton" && kindOf(element) === "editable";

// -- a field that replaces another ----------------------------------------------------------------------

// Returns the words that tell fields apart; frameworks renumber their ids.
function fieldWords(element: Element) {
  const id = (attr(element, "id") || "").replace(/:\w+:|\d+/g, "");
  const names = ["name", "type", "placeholder", "aria-label", "autocomplete"].map((name) => attr(element, name) || "");
  const labels = [...((element as HTMLInputElement).labels || [])].map((label) => collapse(rawText(label)!));
  return [id, ...names, ...labels].join(" ").trim();
}

function isSeen(element: Element) {
  const box = boxOf(element);
  return (
    isRendered(element) &&
    !isOutOfReach(element) &&
    isShown(element, { checkOpacity: true }) &&
    box.width > 2 &&
    box.height > 2
  );
}

// The old field is gone or nobody sees it, as the inner field of an editor, and nothing tells the new one apart from it.
function hasReplaced(to: Element) {
  const { at, was } = typing!;
  if ((isConnected(at!) && isSeen(at!)) || !takesText(to) || fieldWords(to) !== was!.words) return false;
  return Boolean(was!.words) || isAloneIn(was!.parents.find(isConnected), to);
}

const TEXT_FIELDS = "input, textarea, select, [contenteditable]";

const isAloneIn = (container: Element | undefined, field: Element) =>
  isInside(field, container!) &&
  [...inElement(container!, TEXT_FIELDS)].every(
    (other) => [field, typing!.at].includes(other) || !takesText(other) || !isSeen(other),
  );

// -- called from Python -------------------------------------------------------------------------------

type Want = Pick<Typing, "id" | "secret" | "every" | "total" | "stays"> & { role: "target" | "any" | "other" };

// Begins to judge letters. want: id, secret, every and total (numbers of letters to report at), stays (whether no other
// element may follow the first), role: "target" (letters belong into the element of the token), "any" (into the element
// that has the focus when the first one comes) or "other" (none belongs into this document)
export function expectLetters(token: number, want: Want) {
  listenForLetters();
  typing = {
    ...want,
    at: null,
    was: null,
    letters: 0,
    heard: false,
    pressed: false,
    leaves: false,
    strayed: null,
    frames: new Set(framesNow()),
    taker: null,
    until: performance.now() + TYPED_MS,
  };
  const active = focusedNow();
  const has = hasFocus(document) && !HOLDS_FRAME.has(tagOf(active));
  const at = want.role === "target" ? recall(token) : want.role === "any" && has && !isNowhere(active) ? active : null;
  if (!at) return { home: false, hides: false, boxes: 0, what: "" };
  remember(at);
  return { home: true, hides: typing.was!.hides, boxes: groupOf(at).length, what: describe(at) };
}

// Lets no letter into this document: another one has the focus.
export function expectNoLetters(id: number) {
  if (typing && typing.id === id && !typing.at) typing.role = "other";
}

const BOX_MS = 200; // a page that goes on to the next box by a timer does so within this time

// Returns what came so far. With `parts`, waits until the page has gone on to the next part of a code.
export async function lettersTyped(id: number, parts: boolean) {
  if (!typing || typing.id !== id) return null;
  if (parts) {
    await frame();
    await frame();
    const end = performance.now() + BOX_MS;
    while (isFullPart(focusedNow()) && performance.now() < end) await frame();
  }
  return reportTyping();
}

const isFullPart = (element: Element) =>
  typing &&
  element === typing.at &&
  isPart(element) &&
  mostOf(element) > 0 &&
  inputValue(element).length >= mostOf(element);

// Waits until letters may go on, and then judges again: an editor may replace its field, a chat takes no text while it
// sends some, and another field may give back the focus that it took (`taken`).
export async function lettersMayGoOn(id: number, ms: number, taken: boolean) {
  if (taken && !(typing && typing.strayed && !typing.taker)) return false;
  const end = performance.now() + ms;
  while (typing && typing.id === id && typing.strayed) {
    if (receivesLetters(focusedNow()) && !isClosed()) typing.strayed = null;
    else if (performance.now() >= end) return false;
    else await frame();
  }
  return true;
}

// Returns the tokens of the boxes that letters went into.
export const boxesTyped = (id: number) => (typing && typing.id === id ? groupOf(typing.at).map(hold) : []);

export function endLetters(id: number) {
  if (!typing || typing.id !== id) return;
  const { taker } = typing;
  typing = null;
  if (taker && isConnected(taker)) (taker as HTMLElement).focus({ preventScroll: true });
}
