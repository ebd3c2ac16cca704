// The part of an element that is in view, and scrolling it there.

import { bodyOf, boxOf, boxesOf, isElement, scrollTo, scrollerOf, topOf } from "../dom/nodes.ts";
import { get } from "./held.ts";
import { boxes, contentOf, extentOf, isArea, isBoxless, pictureOf, renderedParent } from "./tree.ts";

const CLIPS = /hidden|clip|scroll|auto/;
const CREATES = ["transform", "translate", "rotate", "scale", "perspective", "filter", "backdropFilter"];

const clips = (style) =>
  style.display !== "inline" &&
  style.display !== "contents" &&
  (CLIPS.test(style.overflowX) || CLIPS.test(style.overflowY) || /paint|strict|content/.test(style.contain));
const holdsFixed = (style) =>
  CREATES.some((name) => style[name] && style[name] !== "none") ||
  /paint|layout|strict|content/.test(style.contain) ||
  /transform|perspective|filter/.test(style.willChange);

// The overflow of the root, or of the body if the root has none, applies to the viewport.
export const isViewport = (element) =>
  element === topOf(document) ||
  (element === bodyOf(document) && getComputedStyle(topOf(document)).overflow === "visible");

export const meetOf = (a, b) => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
});

export function insideOf(element) {
  const box = boxOf(element);
  const scaleX = box.width / (element.offsetWidth || box.width || 1);
  const scaleY = box.height / (element.offsetHeight || box.height || 1);
  const left = box.left + element.clientLeft * scaleX;
  const top = box.top + element.clientTop * scaleY;
  return { left, top, right: left + element.clientWidth * scaleX, bottom: top + element.clientHeight * scaleY };
}

// Returns the scrollers and clipping boxes around an element; absolute and fixed elements skip some ancestors.
function clippersOf(element) {
  const found = [];
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

const drawnBy = (element) => (isArea(element) && pictureOf(element)) || element;

export const viewOf = (element) =>
  clippersOf(drawnBy(element)).reduce((view, up) => meetOf(view, insideOf(up)), {
    left: 0,
    top: 0,
    right: innerWidth,
    bottom: innerHeight,
  });

export const scrollPointIntoView = (token, x, y) => scrollToPoint(get(token), x, y);

// Scrolls a point of an element's document into view, by one scroller; returns whether it already was.
function scrollToPoint(element, x, y) {
  const page = scrollerOf(document);
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

export function moveCovered(token, y, turn) {
  const page = scrollerOf(document);
  for (const up of [...clippersOf(get(token)), page]) {
    const { top, bottom } = up === page ? { top: 0, bottom: innerHeight } : insideOf(up);
    const before = up.scrollTop;
    up.scrollBy({ top: y - top - (bottom - top) * HEIGHTS[turn], behavior: "instant" });
    if (up.scrollTop !== before) return;
  }
}

const MAX_SCROLLERS = 8;

// An element without a box is scrolled by its first box, or text, inside; a part of a picture by its own place.
export function scrollToShow(element, block) {
  let at = isArea(element) ? null : element;
  while (at && !boxesOf(at).length && isBoxless(at))
    at = contentOf(at).find((node) => isElement(node) && boxes(node).length);
  if (at) scrollTo(at, { block, inline: "center", behavior: "instant" });
  else for (let left = MAX_SCROLLERS; left > 0 && !showMiddle(element); left--);
}

function showMiddle(element) {
  const { left, right, top, bottom } = extentOf(element);
  return scrollToPoint(element, (left + right) / 2, (top + bottom) / 2);
}
