// Finds messages that come and go within one wait: a toast that is gone when the page is still is in neither of the two
// snapshots. What changes is read shortly afterwards; a text that looks like a message is announced once, and each report
// tells which of the announced texts nobody can see any more.
//
// A message is read whole, and each message of a live region by itself: what is put as one box into a region that may
// hold several is a message, and what changes in a message that was announced belongs to it.

import {
  after,
  attr,
  bodyOf,
  boxOf,
  childrenOf,
  closest,
  contains,
  inElement,
  innerTextOf,
  isElement,
  listen,
  matches,
  method,
  rawText,
  stateOfDocument,
  tagOf,
  topOf,
} from "../dom/nodes.ts";
import { isShown } from "../dom/older.ts";
import { isHere } from "./control_state.ts";
import { MAX_NAMED, elementAbove, name, words } from "./naming.ts";
import { isBusy } from "./observer.ts";
import { isHtml } from "./page_version.ts";
import { shared } from "./shared.ts";

const READ_AFTER_MS = 50; // nobody reads what is there for less
export const MAX_MESSAGES = 20,
  MAX_MESSAGE_LENGTH = 1000; // per wait, and characters of each
const MAX_WATCHED = 200,
  MAX_READINGS = 60,
  MAX_MESSAGE_NODES = 500,
  MAX_OVERLAYS = 20,
  MAX_TRANSPARENT = 5;
const SHORT_MESSAGE = 25; // characters of a text that may stand in any other one: it has to be a line of its own

// What speaks to the user by its role or its tag, and what is called a message; the names are those of the core's rows.
const SPEAKERS = [
  '[role="alert"]',
  '[role="status"]',
  '[role="log"]',
  '[role="dialog"]',
  '[role="alertdialog"]',
  '[aria-live="polite"]',
  '[aria-live="assertive"]',
  "output",
  "dialog",
  "[popover]",
].join(",");
const MESSAGE_WORDS = new Set([
  "alert",
  "flash",
  "flashes",
  "growl",
  "message",
  "messages",
  "notice",
  "notification",
  "notifications",
  "notify",
  "snackbar",
  "toast",
  "toaster",
  "toasts",
]);
const NAMED_SO = [...MESSAGE_WORDS].map((word) => `[class*="${word}" i]`).join(",");
const MESSAGES = `${SPEAKERS},${NAMED_SO}`;
const DIALOGS = 'dialog,[popover],[role="dialog"],[role="alertdialog"]'; // messages pass in them while they stay
const WHOLE = `${DIALOGS},[role="alert"],[role="status"],output,[aria-atomic="true"]`; // what ARIA reads as one
const SEVERAL = '[aria-live="polite"],[aria-live="assertive"],[role="log"]'; // what ARIA reads piece by piece
const HOLDER_WORDS = new Set([
  "area",
  "container",
  "flashes",
  "group",
  "list",
  "messages",
  "notifications",
  "region",
  "stack",
  "toaster",
  "toasts",
]);
const SHOWING = new Set(["class", "style", "hidden", "open", "aria-hidden", "data-state"]); // attributes that show and hide

const taggedIn = method(Element.prototype, "getElementsByTagName");
export const collapsedText = (text: string) => text.replace(/\s+/g, " ").trim();

let transparent = new WeakMap<Element, number>(); // message → how often in a row it was read transparent
export let listening = true; // a wait goes on, or has not begun in this document
let stopReading: (() => void) | null = null; // cancels the reading that is due
let watched = new Set<Element>(); // what changed since the last reading
let alone = new WeakSet<Element>(); // of these, what was put in as one element
let wholes = new Set<Element>(); // messages that were announced, and to which belongs what changes in them
// A message and the elements that say it.
type Said = { id: number; elements: Set<Element> };

export let messages = new Map<string, Said>(); // text without digits → { id, elements }, since armed or since the last input
let earlier = new Map<string, Set<Element>>(); // text without digits → the elements that said it before an input, since armed
let readings = 0,
  overlays = 0;

export function hearMessages() {
  forgetMessages();
  listening = true;
}

export function forgetMessages() {
  if (stopReading) stopReading();
  stopReading = null;
  listening = false;
  watched = new Set();
  alone = new WeakSet();
  wholes = new Set();
  messages = new Map();
  earlier = new Map();
  transparent = new WeakMap();
  readings = overlays = shared.announcedMessages = 0;
}

// What the page said before an input, such as the dialog that it closes, did not go by itself. It may move as it goes.
for (const input of ["pointerdown", "keydown"]) {
  listen(
    globalThis,
    input,
    (event: Event) => {
      if (!event.isTrusted) return;
      for (const [look, { elements }] of messages) saidBefore(look, elements);
      // What opened just before has not been read yet.
      for (const element of watched)
        for (const each of isHere(element) ? messagesAt(element) : []) saidBefore(wordsBefore(each), [each]);
      watched.clear();
      messages.clear();
    },
    { capture: true, passive: true },
  );
}

// Remembers what said something before an input.
function saidBefore(look: string, elements: Iterable<Element>) {
  earlier.set(look, new Set([...elements, ...(earlier.get(look) || [])]));
}

const wordsBefore = (element: Element) => (isHtml(element) ? withoutDigits(writtenIn(element)) : "");

const writtenIn = (element: Element) => collapsedText(innerTextOf(element as HTMLElement)).slice(0, MAX_MESSAGE_LENGTH);

// Remembers what a mutation record may have shown.
export function watchForMessages(record: MutationRecord) {
  if (!listening || watched.size >= MAX_WATCHED || stateOfDocument(document) === "loading") return;
  if (record.type === "attributes") {
    if (SHOWING.has(record.attributeName!)) watched.add(record.target as Element);
  } else {
    const holder = isElement(record.target) ? record.target : elementAbove(record.target);
    const box = onlyElement(record.addedNodes);
    if (box) alone.add(box);
    else if (holder && (record.type === "characterData" || record.addedNodes.length)) watched.add(holder);
    for (const node of record.addedNodes) if (isElement(node)) watched.add(node);
  }
  readSoon();
}

// Returns the element among nodes that have no text beside it.
function onlyElement(nodes: NodeList): Element | null {
  const solid = [...nodes].filter((node) => isElement(node) || collapsedText(rawText(node) || ""));
  return solid.length === 1 && isElement(solid[0]) ? solid[0] : null;
}

function readSoon() {
  if (watched.size && !stopReading && readings < MAX_READINGS) stopReading = after(READ_AFTER_MS, readMessages);
}

function readMessages() {
  stopReading = null;
  readings++;
  const changed = [...watched];
  watched = new Set();
  const found = [...new Set(changed.filter(isHere).flatMap(messagesAt))];
  for (const message of outside(found, found.filter(holdsItsParts))) {
    if (shared.announcedMessages >= MAX_MESSAGES) break;
    hearMessage(message);
    if (fadesIn(message)) watched.add(message);
  }
  readSoon();
}

// Returns messages without those that are parts of the others in a list.
const outside = (found: Element[], others: Element[]) =>
  found.filter((each: Element) => !others.some((other: Element) => other !== each && contains(other, each)));

// Whether what changes in a message belongs to it.
const holdsItsParts = (message: Element) => isWhole(message) && !matches(message, DIALOGS);

// Whether a message is still transparent, and has not been for long: it is read again.
function fadesIn(message: Element) {
  const isTransparent = isShown(message, { checkVisibilityCSS: true }) && !isShown(message, { checkOpacity: true });
  const times = isTransparent ? (transparent.get(message) || 0) + 1 : 0;
  transparent.set(message, times);
  return times > 0 && times <= MAX_TRANSPARENT;
}

// Returns the messages that an element is, is in, or holds.
function messagesAt(element: Element): Element[] {
  for (let at: Element | null = element; at; at = elementAbove(at)) if (wholes.has(at)) return [at];
  const around = closest(element, MESSAGES);
  const isInOne = around && isMessage(around);
  if (isInOne && isWhole(around)) return [around];
  const inside = messagesIn(element);
  if (inside.length || !isInOne) return inside.length || !isOverlay(element) ? inside : [element];
  if (alone.has(element) && element !== around && isBox(element)) return [element];
  const held = messagesIn(around);
  return held.length ? held : [around];
}

// Returns the messages in an element, those around others only.
function messagesIn(element: Element) {
  if (taggedIn(element, "*").length > MAX_MESSAGE_NODES) return [];
  const inside = [...inElement(element, MESSAGES)].filter(isMessage);
  for (const each of wholes) if (each !== element && contains(element, each)) inside.push(each);
  return outside(inside, inside);
}

const isBox = (element: Element) => getComputedStyle(element).display !== "inline";

// Whether a message is one, in contrast to what may hold several.
function isWhole(message: Element) {
  return matches(message, WHOLE) || (!matches(message, SEVERAL) && !isCalled(message, HOLDER_WORDS));
}

const wordsIn = (token: string) =>
  token
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/);

const isCalled = (element: Element, names: Set<string>) =>
  words(element).some((token) => wordsIn(token).some((word: string) => names.has(word)));

// A page may mark its whole body while a message shows.
function isMessage(element: Element) {
  if (element === bodyOf(document) || element === topOf(document)) return false;
  return matches(element, SPEAKERS) || isCalled(element, MESSAGE_WORDS);
}

// Whether an element, or the only one in it, stays where it is while the page scrolls. Each look asks for styles.
function isOverlay(element: Element) {
  for (let at: Element | null = element; at; at = childrenOf(at).length === 1 ? childrenOf(at)[0] : null) {
    if (++overlays > MAX_OVERLAYS) return false;
    if (getComputedStyle(at).position === "fixed") return true;
  }
  return false;
}

function hearMessage(element: Element) {
  const text = shownText(element);
  if (!text || isOfWork(element, text)) return;
  const look = withoutDigits(text); // a message that counts down is one
  const known = messages.get(look),
    before = earlier.get(look);
  if (before && before.has(element)) return;
  if (holdsItsParts(element) && closest(element, MESSAGES)) wholes.add(element);
  if (known) return void known.elements.add(element);
  const part = partIn(element, look);
  if (part && part[0].includes(look)) return;
  // A message to which something was added is the same one.
  if (part) messages.delete(part[0]);
  announceMessage(element, text, part ? part[1] : { id: shared.announcedMessages++, elements: new Set([element]) });
}

export function announceMessage(element: Element, text: string, { id, elements }: Said, selector = name(element)) {
  messages.set(withoutDigits(text), { id, elements });
  const said = { id, selector, tag: tagOf(element), role: roleOf(element), text };
  if (globalThis.__sfSignal) globalThis.__sfSignal(`said ${JSON.stringify(said)}`);
}

// Returns what an element has announced that is a part of a text, or has it as a part.
function partIn(element: Element, look: string) {
  return [...messages].find(
    ([said, { elements }]) => elements.has(element) && (said.includes(look) || look.includes(said)),
  );
}

const withoutDigits = (text: string) => text.replace(/\d+/g, "#");

// Returns what a person reads in an element; "" if nobody can see it: only a screen reader reads a box of one pixel.
function shownText(element: Element) {
  if (!isHtml(element) || !isHere(element) || !isShown(element, { checkOpacity: true, checkVisibilityCSS: true }))
    return "";
  const boxes = [element, ...childrenOf(element)].slice(0, MAX_NAMED).map((each) => boxOf(each));
  if (!boxes.some((box) => box.width > 1 && box.height > 1)) return "";
  return writtenIn(element);
}

// "Loading…" says that something goes on; its outcome is the news.
const OF_WORK = /(?:…|\.\.\.)$|^(?:loading|please wait)\b/i;
const isOfWork = (element: Element, text: string) => isBusy(element) || OF_WORK.test(text);

function roleOf(element: Element) {
  const [given] = (attr(element, "role") || "").split(/\s+/);
  return given || { output: "status", dialog: "dialog" }[tagOf(element)] || "";
}

// Returns the ids of the announced texts that nobody can see any more.
export function goneMessages() {
  const isThere = (look: string) => (element: Element) => {
    const text = withoutDigits(shownText(element));
    return text && (text.includes(look) || look.includes(text));
  };
  const gone = [...messages].filter(([look, { elements }]) => ![...elements].some(isThere(look)));
  if (!gone.length || !bodyOf(document)) return [];
  const lines = withoutDigits(innerTextOf(bodyOf(document)))
    .split("\n")
    .map(collapsedText);
  const page = lines.join(" ");
  // The text of the page has what nothing but its opacity hides.
  const isElsewhere = (look: string, elements: Iterable<Element>) =>
    ![...elements].some(isHere) && (look.length < SHORT_MESSAGE ? lines.includes(look) : page.includes(look));
  return gone.filter(([look, { elements }]) => !isElsewhere(look, elements)).map(([, { id }]) => id);
}
