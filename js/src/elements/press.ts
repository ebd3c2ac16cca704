// Verifies that a press arrives on its target. A press is judged when its event arrives, before the page receives it, and
// blocked if it is about to hit another element: a target that passes the hit test may be gone a frame later.
//
// The listeners are on the window, in the capture phase, from the start of the document: only listeners that the page
// added even earlier run before them. They do nothing while no press is expected.

import { has, isConnected, isElement, listen, method, tagOf, topOf } from "../dom/nodes.ts";
import { kindOf } from "./control.ts";
import { describe } from "./describe.ts";
import { HOLDS_FRAME, block, eventPath, inCapture, isTrusted, unlisten } from "./events.ts";
import { recall } from "./held.ts";
import { insideOf } from "./in_view.ts";
import { coverOf, receives } from "./receiving.ts";
import { activeElement, allAt, boxes, deeper, deepestAt, extentOf, isInside, isRendered, parentsOf } from "./tree.ts";
import { frame } from "./waiting.ts";

const PRESSES = ["pointerdown", "mousedown", "touchstart"];
const RELEASES = ["pointerup", "mouseup"];
const AFTER_RELEASE = ["touchend", "click", "auxclick", "dblclick", "contextmenu"];
const TOUCHES = ["touchstart", "touchend"];
const AIMED_MS = 10000; // a later press was not sent by stillframe

// The events that the listeners hear; those of a touch have their point in `touches`.
type Pointing = MouseEvent & { pointerId?: number; touches?: TouchList };

// A report on a press.
type Report = { kind: "press" | "release" } | { kind: "wrong" | "strayed"; hit: string; heard: boolean };

// A press and its progress; `element` is null if the press belongs to no element of this document.
type Aimed = {
  id: number;
  element: Element | null;
  ends: boolean;
  wanted: number;
  until: number;
  presses: number;
  passed: number;
  released: number;
  blocked: boolean;
  events: Event[];
  before: ReturnType<typeof stateAt> | null;
  reports: Report[];
};

let aimed: Aimed | null = null; // the expected press, as `aimAt` makes it
let spent: Aimed | null = null; // the previous one, which is complete
let lastMove: Element | null = null; // the element under the last mouse move, since expectMove()

function listenFor(types: string[]) {
  for (const type of types) listen(globalThis, type, onInput, inCapture);
}

// document.open() removes all listeners; adding a present one again does nothing.
export const listenForPresses = () =>
  listenFor([...PRESSES, ...RELEASES, ...AFTER_RELEASE].filter((type) => !TOUCHES.includes(type)));

// Touch listeners make the compositor wait for the page, so they only exist during a touch.
function listenForTouches(on: boolean) {
  if (on) listenFor(TOUCHES);
  else for (const type of TOUCHES) unlisten(globalThis, type, onInput, inCapture);
}

// Chrome tells a page by mouseover, and no move, that something has come under the resting mouse.
let lastOver = 0; // when the mouse came over an element, 0 once a move has followed
let stirred = false;
const listensPassively = { capture: true, passive: true };

export function listenForMoves() {
  for (const [type, react] of [
    ["pointermove", onMove],
    ["mouseover", onOver],
  ] as const) {
    unlisten(globalThis, type, react, listensPassively); // one that the window kept from an empty document hears nothing
    listen(globalThis, type, react, listensPassively);
  }
}

export function expectMove() {
  lastMove = null;
  listenForMoves(); // again, after document.open()
}

function onMove(event: Pointing) {
  if (!isTrusted(event)) return;
  lastMove = targetOf(event);
  compareOver(event, 0);
}

function onOver(event: Pointing) {
  if (isTrusted(event)) compareOver(event, event.timeStamp);
}

// A document that has just come under the mouse has changed nothing there.
function compareOver({ timeStamp }: Event, next: number) {
  const { userActivation } = navigator;
  if (lastOver && lastOver !== timeStamp && userActivation && userActivation.hasBeenActive) stirred = true;
  lastOver = next;
}

function takeStirred() {
  const was = stirred;
  stirred = false;
  return was;
}

function targetOf(event: Pointing) {
  const [hit] = eventPath(event) as Node[];
  const { clientX, clientY } = (event.touches && event.touches[0]) || event;
  return isElement(hit) ? deeper(hit, clientX, clientY) : topOf(document);
}

function onInput(event: Pointing) {
  if (!aimed || !isTrusted(event) || performance.now() > aimed.until) return;
  if (aimed.blocked) block(event);
  else if (PRESSES.includes(event.type)) judgePress(event);
  else if (RELEASES.includes(event.type)) judgeRelease(event);
}

// One press consists of a pointerdown, perhaps a touchstart, and a mousedown unless the page prevents it.
function judgePress(event: Pointing) {
  if (event.type === "pointerdown") {
    aimed!.presses++;
    aimed!.events = [];
    if (aimed!.ends) aimed!.before = stateAt(event);
  }
  const hit = targetOf(event);
  if (!arrives(hit, event) && !isExcused(hit)) {
    aimed!.blocked = true;
    reportPress({ kind: "wrong", hit: receiver(hit), heard: aimed!.passed > 0 });
    block(event);
    return;
  }
  aimed!.passed++;
  aimed!.events.push(event);
  if (aimed!.events.length === 1) reportPress({ kind: "press" });
}

// A press of the left button acts on release, and only if it is released on the same element.
function judgeRelease(event: Pointing) {
  if (aimed!.released >= aimed!.presses) return;
  aimed!.released = aimed!.presses;
  const hit = targetOf(event);
  const strayed = aimed!.ends && !arrives(hit, event) && !isExcused(hit) && !hasAnswered(hit, event);
  reportPress(strayed ? { kind: "strayed", hit: receiver(hit), heard: true } : { kind: "release" });
  if (aimed!.released === aimed!.wanted) finish();
}

function finish() {
  spent = aimed;
  aimed = null;
  listenForTouches(false);
}

// An element that captures the pointer receives the release wherever it is, so the element at the point counts instead.
const arrives = (hit: Element, event: Pointing) =>
  Boolean(aimed!.element) &&
  (receives(hit, aimed!.element!) ||
    (isCaptured(event) && receives(deepestAt(event.clientX, event.clientY), aimed!.element!)));

const captured = method(Element.prototype, "hasPointerCapture");
const isCaptured = (event: Pointing) =>
  event.type === "pointerup" &&
  isElement(eventPath(event)[0] as Node) &&
  captured(eventPath(event)[0] as Element, event.pointerId!);

// After a press has arrived, later events may go elsewhere as the page's own reaction: the element is gone (a menu closes, a
// row is rendered again) or closed to the mouse (a menu has opened beside it), or the page prevented the default of the press
// (a list opens over the element, a slider).
const isExcused = (hit: Element) =>
  aimed!.passed > 0 &&
  Boolean(aimed!.element) &&
  (!isConnected(aimed!.element!) ||
    !isRendered(aimed!.element!) ||
    hasClosed(hit) ||
    aimed!.events.some((event) => event.defaultPrevented));

const stateAt = ({ clientX, clientY }: Pointing) => ({
  all: allAt(clientX, clientY),
  focus: activeElement(),
  open: takesMouse(),
});

// What is around the element then gets the mouse instead, and nothing else does.
const hasClosed = (hit: Element) =>
  Boolean(aimed!.before) && aimed!.before!.open && !takesMouse() && isInside(aimed!.element, hit);

function takesMouse() {
  const { element } = aimed!;
  return (
    Boolean(element) &&
    getComputedStyle(element!).pointerEvents !== "none" &&
    ![element!, ...parentsOf(element!)].some((each) => has(each, "inert"))
  );
}

// A press that began on its target has had its effect if something has opened over the target since (the calendar of a
// date field), or if a field has taken the focus (and moves down to make room for a message).
const hasAnswered = (hit: Element, event: Pointing) =>
  aimed!.passed > 0 && Boolean(aimed!.element) && (hasOpened(hit, event) || hasTakenFocus());

const hasOpened = (hit: Element, { clientX: x, clientY: y }: Pointing) =>
  !aimed!.before!.all.has(hit) &&
  boxes(aimed!.element!).some((box) => x >= box.left && x < box.right && y >= box.top && y < box.bottom);

function hasTakenFocus() {
  const focus = activeElement();
  return focus !== aimed!.before!.focus && TAKES_FOCUS.has(kindOf(aimed!.element!)) && isInside(focus, aimed!.element!);
}

const TAKES_FOCUS = new Set(["text", "editable", "picker", "select"]);

const receiver = (hit: Element) => (aimed!.element ? coverOf(hit, aimed!.element) : describe(hit));

function reportPress(report: Report) {
  aimed!.reports.push(report);
  if (globalThis.__sfPress) globalThis.__sfPress(JSON.stringify({ id: aimed!.id, ...report }));
}

// -- called from Python -------------------------------------------------------------------------------

type Want = {
  id: number;
  role: "target" | "owner";
  by: "mouse" | "hover" | "touch";
  ends: boolean;
  presses: number;
  still: [number, number] | null;
};

// Checks the point again once the mouse move has arrived and a frame has passed; from then on presses are judged.
// want: id, role ("target", or "owner" of a frame that contains the point), by ("mouse", "hover", "touch"), ends,
// presses, still (the expected position of its box)
export async function expectPress(token: number, x: number, y: number, want: Want) {
  const element = recall(token);
  if (want.by !== "touch") await arrival(want.role);
  if (!element || !isConnected(element)) return { fault: "detached" };
  const fault = moveFault(element, want.still) || hitFault(element, x, y, want) || drawFault(x, y);
  if (fault) return { what: describe(element), ...fault };
  if (want.by !== "hover") aimAt(want.role === "target" ? element : null, want);
  // A press on a frame element is only seen inside its frame.
  return { kind: HOLDS_FRAME.has(tagOf(deepestAt(x, y) || element)) ? "frame" : "", stirred: takeStirred() };
}

// Until a frame of another process has been drawn, Chrome gives what happens there to the page around it: the move that
// comes before the press arrives at the frame element.
const UNDRAWN_MS = 3000; // a frame that stays so is pressed anyway
const undrawnSince = new WeakMap<Element, number>();

function drawFault(x: number, y: number) {
  const frame = lastMove;
  if (!frame || !DRAWS_FRAME.has(tagOf(frame)) || !isWithinBorder(frame, x, y)) return null;
  if (!undrawnSince.has(frame)) undrawnSince.set(frame, performance.now());
  return performance.now() - undrawnSince.get(frame)! < UNDRAWN_MS ? { fault: "undrawn" } : null;
}

function isWithinBorder(frame: Element, x: number, y: number) {
  const { left, top: upper, right, bottom } = insideOf(frame);
  return x >= left && x < right && y >= upper && y < bottom;
}

const DRAWS_FRAME = new Set(["iframe", "frame"]);

// When the mouse listener of this script has run, those of the page have run too; the page's frame callbacks run in the
// next frame.
async function arrival(role: string) {
  await frame();
  if (role === "target" && !lastMove) await frame();
}

const moveFault = (element: Element, still: [number, number] | null) =>
  still && [extentOf(element)].some((box) => Math.abs(box.left - still[0]) > 0.5 || Math.abs(box.top - still[1]) > 0.5)
    ? { fault: "unstable" }
    : null;

function hitFault(element: Element, x: number, y: number, want: Want) {
  if (want.by === "hover" && lastMove && receives(lastMove, element)) return null;
  const hit = deepestAt(x, y);
  const reached = want.role === "owner" ? hit === element : receives(hit, element);
  return reached ? null : { fault: "covered", detail: coverOf(hit, element) };
}

function aimAt(element: Element | null, want: Want) {
  listenForPresses();
  listenForTouches(want.by === "touch");
  aimed = {
    id: want.id,
    element,
    ends: want.ends,
    wanted: want.presses,
    until: performance.now() + AIMED_MS,
    presses: 0,
    passed: 0,
    released: 0,
    blocked: false,
    events: [],
    before: null,
    reports: [],
  };
}

export function forgetPress(id: number) {
  if (aimed && aimed.id === id) finish();
}

// Returns the reports on a press and stops expecting more, unless it is being blocked.
export function pressReports(id: number) {
  if (aimed && aimed.id === id && !aimed.blocked) finish();
  const { reports } = [aimed, spent].find((each) => each && each.id === id) || { reports: [] };
  return reports;
}

// Describes the element at the point if it is not the target.
export function elementAt(token: number, x: number, y: number) {
  const element = recall(token);
  const hit = deepestAt(x, y);
  return !hit || (element && receives(hit, element)) ? "" : describe(hit);
}
