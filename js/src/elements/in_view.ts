// The part of an element that is in view, and scrolling it there.

import type { Box } from "./types.ts";
import { bodyOf, boxOf, boxesOf, isElement, scrollTo, scrollerOf, topOf } from "../dom/nodes.ts";
import { get } from "./held.ts";
import { boxes, contentOf, extentOf, isArea, isBoxless, pictureOf, renderedParent } from "./tree.ts";

const CLIPS = /hidden|clip|scroll|auto/;
const CREATES: (keyof CSSStyleDeclaration)[] = [
  "transform",
  "translate",
  "rotate",
  "scale",
  "perspective",
  "filter",
  "backdropFilter",
];

const clips = (style: CSSStyleDeclaration) =>
  style.display !== "inline" &&
  style.display !== "contents" &&
  (CLIPS.test(style.overflowX) || CLIPS.test(style.overflowY) || /paint|strict|content/.test(style.contain));
const holdsFixed = (style: CSSStyleDeclaration) =>
  CREATES.some((name) => style[name] && style[name] !== "none") ||
  /paint|layout|strict|content/.test(style.contain) ||
  /transform|perspective|filter/.test(style.willChange);

// The overflow of the root, or of the body if the root has none, applies to the viewport.
export const isViewport = (element: Element) =>
  element === topOf(document) ||
  (element === bodyOf(document) && getComputedStyle(topOf(document)).overflow === "visible");

export const meetOf = (a: Box, b: Box): Box => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});

export function insideOf(element: Element): Box {
  const box = boxOf(element);
  const scaleX = box.width / ((element as HTMLElement).offsetWidth || box.width || 1);
  const scaleY = box.height / ((element as HTMLElement).offsetHeight || box.height || 1);
  const left = box.left + element.clientLeft * scaleX;
  const top = box.top + element.clientTop * scaleY;
  return { left, top, right: left + element.clientWidth * scaleX, bottom: top + element.clientHeight * scaleY };
}

// Returns the scrollers and clipping boxes around an element; absolute and fixed elements skip some ancestors.
function clippersOf(element: Element) {
  const found: Element[] = [];
  let { position } = getComputedStyle(element);
  for (let up = renderedParent(element); up && !isViewport(up); up = renderedParent(up)) {
    const style = getComputedStyle(up);
    const holds =
      position === "fixed"
        ? holdsFixed(style)
        : position !== "absolute" || style.position !== "static" || holdsFixed(style);
    if (!holds) continue;
    if (clips(style)) found.push(up);
    position = style.position;
  }
  return found;
}

const drawnBy = (element: Element): Element => (isArea(element) && pictureOf(element)) || element;

export const viewOf = (element: Element) =>
  clippersOf(drawnBy(element)).reduce<Box>((view, up) => meetOf(view, insideOf(up)), {
    left: 0,
    top: 0,
    right: innerWidth,
    bottom: innerHeight,
  });

export const scrollPointIntoView = (token: number, x: number, y: number) => scrollToPoint(get(token), x, y);

// Scrolls a point of an element's document into view, by one scroller; returns whether it already was.
function scrollToPoint(element: Element, x: number, y: number): boolean {
  const page = scrollerOf(document)!;
  for (const up of [...clippersOf(drawnBy(element)), page]) {
    const inside = up === page ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : insideOf(up);
    const dx = x < inside.left || x >= inside.right ? x - (inside.left + inside.right) / 2 : 0;
    const dy = y < inside.top || y >= inside.bottom ? y - (inside.top + inside.bottom) / 2 : 0;
    if (!dx && !dy) continue;
    const before = [up.scrollLeft, up.scrollTop];
    up.scrollBy({ left: dx, top: dy, behavior: "instant" });
    if (up.scrollLeft !== before[0] || up.scrollTop !== before[1]) return false;
  }
  return true;
}

// Scrolls a frame element to another height of its scroller, because something covers its point, such as a bar that sticks.
const HEIGHTS = [0.75, 0.5, 0.25];

export function moveCovered(token: number, y: number, turn: number): void {
  const page = scrollerOf(document)!;
  for (const up of [...clippersOf(get(token)), page]) {
    const { top, bottom } = up === page ? { top: 0, bottom: innerHeight } : insideOf(up);
    const before = up.scrollTop;
    up.scrollBy({ top: y - top - (bottom - top) * HEIGHTS[turn], behavior: "instant" });
    if (up.scrollTop !== before) return;
  }
}

const MAX_SCROLLERS = 8;

// An element without a box is scrolled by its first box, or text, inside; a part of a picture by its own place.
export function scrollToShow(element: Element, block: ScrollLogicalPosition): void {
  let at: Element | null | undefined = isArea(element) ? null : element;
  while (at && !boxesOf(at).length && isBoxless(at))
    at = contentOf(at).find((node): node is Element => isElement(node) && boxes(node).length > 0);
  if (at) scrollTo(at, { block, inline: "center", behavior: "instant" });
  else for (let left = MAX_SCROLLERS; left > 0 && !showMiddle(element); left--);
}

function showMiddle(element: Element) {
  const { left, right, top, bottom } = extentOf(element);
  return scrollToPoint(element, (left + right) / 2, (top + bottom) / 2);
}
