// The point to aim at, and whether the element there receives the event.

import type { Box, Context, Covering, Fault, Spot } from "./types.ts";
import { boxOf, isConnected, scrollerOf, tagOf } from "../dom/nodes.ts";
import { animationsOf } from "../dom/older.ts";
import { get, hold } from "./held.ts";
import { isViewport, scrollToShow } from "./in_view.ts";
import { expectMove } from "./press.ts";
import { centre } from "./spots.ts";
import { deepestAt, extentOf, isRendered, renderedParent } from "./tree.ts";
import { frame } from "./waiting.ts";

const sameBox = (a: DOMRect, b: DOMRect) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

// Alignments to try after a failed hit test: something sticky covers one edge of the screen, not all of them.
const ALIGNMENTS: ScrollLogicalPosition[] = ["center", "end", "start"];

// A new animation is at its start in its first frame, and may be queried before that frame.
const ANIMATED_FRAMES = 3;

function runningOn(element: Element) {
  const running: Animation[] = [];
  for (let up: Element | null = element; up; up = renderedParent(up)) {
    running.push(...animationsOf(up).filter((animation: Animation) => animation.playState === "running"));
  }
  return running;
}

// An animation without an end (a button that pulses) never lets the element rest. People press it all the same, and the
// press is judged when it arrives.
const PATIENCE_MS = 500;

function movesForever({ at, scrolling }: Context) {
  const running = runningOn(at);
  scrolling.movedAt = scrolling.movedAt || performance.now();
  return (
    running.length > 0 &&
    running.every(({ effect }) => effect && effect.getComputedTiming().endTime === Infinity) &&
    performance.now() - scrolling.movedAt >= PATIENCE_MS
  );
}

// Page callbacks run first in a frame, so a box that is equal now and in the next frame is not moving.
export async function aim(ctx: Context, find: () => Spot | Fault): Promise<Fault | null> {
  let spot: Spot | Fault = find();
  const scrolled = !("x" in spot) && scrollOnce(ctx);
  const before = extentOf(ctx.at);
  for (let left = runningOn(ctx.at).length ? ANIMATED_FRAMES : 1; left > 0; left--) {
    await frame();
    if (!isConnected(ctx.at)) return { fault: "detached" };
    if (!sameBox(before, extentOf(ctx.at)) && !movesForever(ctx)) return { fault: "unstable", soon: true };
  }
  spot = find();
  if (!("x" in spot)) {
    const { cover, ...fault } = spot;
    if (scrolled) noteRest(ctx, cover);
    return { soon: ctx.scrolling.turn < ALIGNMENTS.length, ...fault };
  }
  ctx.report.x = spot.x;
  ctx.report.y = spot.y;
  ctx.report.box = onScreen(extentOf(ctx.at));
  ctx.report.still = [before.left, before.top];
  ctx.report.view = [innerWidth, innerHeight, devicePixelRatio];
  ctx.report.at = hold(ctx.at);
  expectMove();
  return null;
}

// Tries each alignment once, and all of them again when a cover has gone or the page has moved the element: a header may
// still cover the edge where the last alignment has left the element. Returns whether it has scrolled.
function scrollOnce({ at, scrolling }: Context) {
  const { rest, covers } = scrolling;
  if (
    scrolling.turn === ALIGNMENTS.length &&
    rest &&
    (!sameBox(rest, extentOf(at)) || covers.some((each) => hasGone(each, at)))
  ) {
    Object.assign(scrolling, { turn: 0, covers: [] });
  }
  if (scrolling.turn === ALIGNMENTS.length) return false;
  scrollToShow(at, ALIGNMENTS[scrolling.turn++]);
  return true;
}

function noteRest({ at, scrolling }: Context, cover: Element | null | undefined) {
  scrolling.rest = extentOf(at);
  if (cover) scrolling.covers.push({ cover, box: boxOf(cover), beside: scrolling.rest });
}

// A fixed header keeps its place on the screen, other content keeps its place beside the element.
function hasGone({ cover, box, beside }: Covering, element: Element) {
  if (!isConnected(cover) || !isRendered(cover) || getComputedStyle(cover).pointerEvents === "none") return true;
  const now = boxOf(cover);
  const { left, top } = extentOf(element);
  const isBeside =
    Math.abs(now.left - left - box.left + beside!.left) < 1 && Math.abs(now.top - top - box.top + beside!.top) < 1;
  return !isBeside && !sameBox(now, box);
}

// Returns the URL that a frame element loads once it comes into view, and the name of the frame; null if it does not wait
// for that.
export function awaitedDocument(element: Element) {
  if (!(element instanceof HTMLIFrameElement) || element.loading !== "lazy" || !/^http/.test(element.src)) return null;
  const shown = element.contentDocument;
  return shown && shown.URL === "about:blank" ? { url: element.src, name: element.name } : null;
}

export function onScreen(box: Box) {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  return [left, top, Math.min(box.right, innerWidth) - left, Math.min(box.bottom, innerHeight) - top];
}

// -- points within an element -------------------------------------------------------------------------

// Returns the size of the padding box before any transform or zoom.
type Side = "borderLeftWidth" | "borderRightWidth" | "borderTopWidth" | "borderBottomWidth";

function paddingSize(element: Element): number[] {
  const box = extentOf(element);
  if (!(element instanceof HTMLElement) || !element.offsetWidth) return [box.width, box.height];
  const style = getComputedStyle(element);
  const both = (one: Side, other: Side) => parseFloat(style[one]) + parseFloat(style[other]);
  return [
    element.offsetWidth - both("borderLeftWidth", "borderRightWidth"),
    element.offsetHeight - both("borderTopWidth", "borderBottomWidth"),
  ];
}

export async function aimWithin(ctx: Context, { x, y }: Spot): Promise<Fault | null> {
  const size = paddingSize(ctx.at);
  if (!(x >= 0 && y >= 0 && x < size[0] && y < size[1])) {
    const shown = size.map((side) => Math.round(side * 100) / 100).join(" × ");
    return {
      fault: "unsuitable",
      detail: `measures ${shown} CSS pixels, so the position ${x}, ${y} is outside`,
      final: true,
    };
  }
  ctx.report.size = size;
  // Python computes the exact point, because it knows how the box is drawn.
  return aim(ctx, () => centre(ctx.at));
}

// -- the wheel ----------------------------------------------------------------------------------------

const WHEEL_SPOTS = [
  [0.5, 0.5],
  [0.5, 0.22],
  [0.5, 0.78],
  [0.22, 0.5],
  [0.78, 0.5],
  [0.02, 0.5],
  [0.98, 0.5],
];

function scrollerAt(x: number, y: number, vertical: boolean) {
  for (let at: Element | null = deepestAt(x, y); at; at = renderedParent(at)) {
    if (tagOf(at) === "iframe" || at === scrollerOf(document)) return at;
    const style = getComputedStyle(at);
    const room = vertical ? at.scrollHeight - at.clientHeight : at.scrollWidth - at.clientWidth;
    if (room > 0 && /auto|scroll/.test(vertical ? style.overflowY : style.overflowX)) return at;
  }
  return scrollerOf(document);
}

// Returns a point where the wheel scrolls the page and not a list, map or frame on it; the middle if it cannot scroll.
export function wheelSpot(vertical: boolean) {
  const page = scrollerOf(document);
  const turns = page && (vertical ? page.scrollHeight > page.clientHeight : page.scrollWidth > page.clientWidth);
  const free = turns && WHEEL_SPOTS.find(([x, y]) => scrollerAt(x * innerWidth, y * innerHeight, vertical) === page);
  const [x, y] = free || WHEEL_SPOTS[0];
  return { x: x * innerWidth, y: y * innerHeight, width: innerWidth, height: innerHeight };
}

// -- edges --------------------------------------------------------------------------------------------

const FAR = 1e9;

// Returns what scrolls an element: the nearest scroller that it is or is in. Without one, what fills the page.
function scrollerFor(element: Element | null, vertical: boolean): Element | null {
  const room = (at: Element) => (vertical ? at.scrollHeight - at.clientHeight : at.scrollWidth - at.clientWidth);
  const page = scrollerOf(document);
  if (!element) return page && room(page) > 0 ? page : scrollerAt(innerWidth / 2, innerHeight / 2, vertical);
  for (let at: Element | null = element; at; at = renderedParent(at)) {
    if (isViewport(at)) break;
    const style = getComputedStyle(at);
    if (room(at) > 0 && /auto|scroll/.test(vertical ? style.overflowY : style.overflowX)) return at;
  }
  return page;
}

export function scrollToEdge(token: number | null, edge: string | null) {
  const vertical = edge === "top" || edge === "bottom";
  const scroller = scrollerFor(token === null ? null : get(token), vertical);
  const far = edge === "top" || edge === "left" ? -FAR : FAR;
  if (scroller) scroller.scrollBy({ left: vertical ? 0 : far, top: vertical ? far : 0, behavior: "instant" });
}
