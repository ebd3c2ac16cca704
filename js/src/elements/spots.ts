// The points of an element that receive what is aimed at it.

import type { Box, Fault, Spot } from "./types.ts";
import { boxesOf, inElement } from "../dom/nodes.ts";
import { hold } from "./held.ts";
import { meetOf, viewOf } from "./in_view.ts";
import { activatedAt, belongsTo, coverOf, receives, widgetAround } from "./receiving.ts";
import { boxes, deepestAt, isInside } from "./tree.ts";

const SPOTS = [
  [0.5, 0.5],
  [0.25, 0.25],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.75, 0.75],
];
// For what is cut to a shape, such as a corner of a square, or mostly covered.
const TENTHS = [0.1, 0.3, 0.5, 0.7, 0.9];
const GRID = TENTHS.flatMap((y) => TENTHS.map((x) => [x, y]));
const MAX_MIDDLES = 32;
const MAX_BOXES = 4;

// Returns the visible parts of an element's boxes (a link that wraps has several).
export function partsInView(element: Element) {
  const view = viewOf(element);
  return boxes(element)
    .map((box) => meetOf(box, view))
    .filter((box) => box.right > box.left && box.bottom > box.top);
}

const spotIn = (box: Box, [fx, fy]: readonly number[]): Spot => ({
  x: box.left + (box.right - box.left) * fx,
  y: box.top + (box.bottom - box.top) * fy,
});

// Returns at most `most` items, at even distances.
const spread = <T>(items: T[], most: number): T[] =>
  items.length <= most
    ? items
    : Array.from({ length: most }, (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))]);

// Tries the middle of each visible part, then other points. Skips `passed` free points, because something around the
// frame covers them. A label stands for its `toggle` (null: none), but for the links and other controls in it.
export function freeSpot(element: Element, passed = 0, toggle: Element | null = null): Spot | Fault {
  const parts = partsInView(element);
  const few = spread(parts, MAX_BOXES);
  const [middle, ...others] = SPOTS;
  const spots = [
    ...spread(parts, MAX_MIDDLES).map((part) => spotIn(part, middle)),
    ...others.flatMap((spot) => few.map((part) => spotIn(part, spot))),
  ];
  const isOurs = (hit: Element | null) => !(toggle && hit && isOtherControl(hit, element, toggle));
  const free: Spot[] = [];
  const covers: (Spot & { hit: Element | null })[] = [];
  const takes = ({ x, y }: Spot) => {
    const hit = deepestAt(x, y);
    if (!hit || !belongsTo(hit, element) || !isOurs(hit)) covers.push({ x, y, hit });
    else if (free.push({ x, y }) > passed) return true;
    return false;
  };
  const further = () => {
    if (toggle) return LINES.flatMap((spot) => few.map((part) => spotIn(part, spot)));
    const isEmpty = covers.every(({ hit }) => !hit || isInside(element, hit));
    return [
      ...few.slice(0, 1).flatMap((part) => GRID.map((spot) => spotIn(part, spot))),
      ...(isEmpty ? spotsInside(element) : []),
    ];
  };
  if (spots.some(takes) || (parts.length && further().some(takes))) return free[passed];
  if (!free.length) free.push(...covers.filter(({ hit }) => receives(hit, element) && isOurs(hit)));
  if (free.length) return free[passed % free.length];
  return parts.length ? coveredBy(covers[0].hit, element) : { fault: "outside" };
}

// Points where an element is painted that is not where its box is: on the line of a shape, or on what stands in a group.
const MAX_INSIDE = 32;
const ALONG = [0.5, 0.25, 0.75, 0.1, 0.9];

function spotsInside(element: Element) {
  const view = viewOf(element);
  const isInView = ({ x, y }: Spot) => x >= view.left && x < view.right && y >= view.top && y < view.bottom;
  const inner = spread([element, ...inElement(element, "*")], MAX_INSIDE);
  return inner
    .flatMap((each: Element) => [...spotsOnLine(each), ...boxes(each).map((box) => spotIn(box, SPOTS[0]))])
    .filter(isInView);
}

function spotsOnLine(shape: Element): Spot[] {
  const toScreen = shape instanceof SVGGeometryElement && boxesOf(shape).length && shape.getScreenCTM();
  if (!toScreen) return [];
  const length = shape.getTotalLength();
  return ALONG.map((part) => shape.getPointAtLength(length * part).matrixTransform(toScreen));
}

// Points along three lines, for a label of which long links leave little.
const LINES = [0.5, 0.2, 0.8].flatMap((y) => Array.from({ length: 24 }, (_, i) => [(i + 0.5) / 24, y]));

function isOtherControl(hit: Element, element: Element, toggle: Element): boolean {
  const control = activatedAt(hit);
  return Boolean(control) && control !== toggle && control !== element && isInside(control, element);
}

function coveredBy(cover: Element | null, element: Element): Fault {
  const widget = widgetAround(cover, element);
  return { fault: "covered", cover, detail: coverOf(cover, element), ...(widget && { widget: hold(widget) }) };
}

export function centre(element: Element): Spot | Fault {
  const [part] = partsInView(element);
  return part ? spotIn(part, SPOTS[0]) : { fault: "outside" };
}
