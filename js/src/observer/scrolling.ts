// Tells which parts of the page scroll smoothly: no list of animations has that, and what the page does at its end is yet to
// come. An immediate scroll ends in the frame in which it is heard, and a smooth one is first heard two frames after it was
// asked for: by a script, by a link within the document, by a key, by the focus, or by the fragment of the URL. A script that
// scrolls step by step, in frames or by a timer, changes the page with each step.

import type { Root } from "../dom/nodes.ts";
import { boxOf, focusedIn, isConnected, listen, queryIn, topOf } from "../dom/nodes.ts";
import { ask } from "./calls.ts";
import { closestHit, elementAbove } from "./naming.ts";
import { drawnFrom, recordChange } from "./observer.ts";
import { rhythmOf } from "./recurrence.ts";
import { shared } from "./shared.ts";
import { FALLBACK_MS, frameAndTasks, within } from "./tasks.ts";

export const SCROLL_MS = 100; // how much longer to wait for the end of a scroll
const UNHEARD_MS = 1000; // a smooth scroll is heard in each frame, and on a busy machine there are few
// The same for one that was heard once: a page that is moved by what comes in above it has a scroll without an end.
const HEARD_ONCE_MS = 100;
// By then a smooth scroll has moved; it does in the second frame (Chromium 156, measured), but frames of a busy machine may
// follow each other at once.
const START_FRAMES = 3,
  START_MS = 80;
const SMOOTHLY = 2; // what hooks.ts reports if the page has asked for that

const SCROLL_KEYS = new Set([
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "PageUp",
  "PageDown",
  "Home",
  "End",
  " ",
]);
const TAKES_KEYS = "input,select,textarea,button,summary,[contenteditable]";
const LINK = "a[href*='#'],area[href*='#']";

const hearsEnds = "onscrollend" in globalThis; // since Chrome 114
const scrolling = new Map<Node, { at: number; count: number }>(); // what scrolls → when it was heard last, and how often
const heardAt = new WeakMap<Node, number>(); // what has scrolled → when it was heard last
let scrolledBefore = new WeakSet<Node>(); // what scrolled when the wait began
let scrollLink: Element | null = null,
  scrollKey: KeyboardEvent | null = null; // the last link and key since then that may scroll
let focusBefore: Element | null = null,
  hashBefore = ""; // what had the focus then, or at the last question, and the URL's fragment

listen(
  globalThis,
  "click",
  (event: Event) => {
    scrollLink = closestHit(event, LINK) || scrollLink;
  },
  { capture: true, passive: true },
);

listen(
  globalThis,
  "keydown",
  (event: Event) => {
    if (SCROLL_KEYS.has((event as KeyboardEvent).key) && event.isTrusted && !closestHit(event, TAKES_KEYS))
      scrollKey = event as KeyboardEvent;
  },
  { capture: true, passive: true },
);

export function followScrolls(root: Root) {
  if (!hearsEnds) return;
  const onScroll = (event: Event) => {
    const target = event.target as Node;
    const now = performance.now(),
      { count } = scrolling.get(target) || { count: 0 };
    scrolling.set(target, { at: now, count: count + 1 });
    noteStep(target, now);
  };
  listen(root, "scroll", onScroll, { capture: true, passive: true });
  listen(root, "scrollend", ({ target }) => scrolling.delete(target as Node), { capture: true, passive: true });
}

function noteStep(target: Node, now: number) {
  const from = Math.max(shared.awaitedFrom, heardAt.get(target) || 0);
  heardAt.set(target, now);
  const asked = askedToScroll(from);
  if (!asked) return;
  shared.mutatedAt = Number(asked);
  if (!rhythmOf(target, "scroll").beat(now, "")) recordChange(now, target, shared.mutatedAt);
}

// Returns when a script asked last for a scroll, as text, if that was not before a time.
export const askedToScroll = (from: number) => ask("askedToScroll", from);

// Begins a wait; one that adopts work in progress awaits scrolls that have begun, too.
export function armScrolls(adopt: boolean) {
  scrolledBefore = new WeakSet(adopt ? [] : scrolling.keys());
  shared.awaitedFrom = window === top ? Infinity : performance.now(); // other documents may get no fence until they change
  scrollLink = scrollKey = null;
  focusBefore = focusedIn(document);
  hashBefore = location.hash;
}

// Returns a part that scrolls because of what was done, or null.
export function scrolls() {
  const now = performance.now();
  for (const [target, { at, count }] of scrolling) {
    const isOver = now - at > (count > 1 ? UNHEARD_MS : HEARD_ONCE_MS) && drawnFrom > at;
    if (isOver || !isConnected(target)) scrolling.delete(target);
  }
  return [...scrolling.keys()].find((target) => !scrolledBefore.has(target)) || null;
}

// Whether a smooth scroll may be about to begin; `asked` is what scripts have asked for since the last question.
export function mayScroll(asked: number) {
  const { hash } = location,
    focus = focusedIn(document);
  const link = hash === hashBefore ? scrollLink : location,
    pressed = scrollKey,
    isNew = focus !== focusBefore;
  scrollLink = scrollKey = null;
  focusBefore = focus;
  hashBefore = hash;
  if (!hearsEnds || scrolling.size) return false;
  if (asked === SMOOTHLY || (pressed && !pressed.defaultPrevented)) return true;
  if (
    (asked > 0 && isSmooth(topOf(document))) ||
    (link !== null && isSmooth(targetOf(link as HTMLAnchorElement | Location)))
  )
    return true;
  return isNew && focus !== null && isOutOfView(focus) && isSmooth(focus);
}

function isOutOfView(element: Element) {
  const { top, bottom } = boxOf(element);
  return top > innerHeight || bottom < 0;
}

export async function scrollBegins() {
  const until = performance.now() + START_MS;
  for (let left = START_FRAMES; (left > 0 || performance.now() < until) && !scrolling.size; left--) {
    if (!(await within(FALLBACK_MS, frameAndTasks()))) return;
  }
}

// What a link leads to, or the top of the document.
function targetOf({ hash }: { hash?: string }) {
  const id = String(hash || "").slice(1);
  const [target] = id ? queryIn(document, `#${CSS.escape(id)},#${CSS.escape(decoded(id))}`) : [];
  return target || topOf(document);
}

function decoded(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Whether an element, or one around it, scrolls smoothly by its style.
function isSmooth(element: Element) {
  for (let at: Element | null = element; at; at = elementAbove(at))
    if (getComputedStyle(at).scrollBehavior === "smooth") return true;
  return false;
}
