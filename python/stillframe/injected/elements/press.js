// Whether a press arrives where it is aimed. A press is judged as it comes in, before the page hears of it, and blocked
// when it is about to reach something else: what passes the hit test may be gone a frame later.
//
// The listeners stand on the window, in the capture phase, from the beginning of the document: only what the page puts
// there earlier hears more than they do. They do nothing while no press is aimed.

const PRESSES = ["pointerdown", "mousedown", "touchstart"];
const RELEASES = ["pointerup", "mouseup"];
const AFTER_RELEASE = ["touchend", "click", "auxclick", "dblclick", "contextmenu"];
const TOUCHES = ["touchstart", "touchend"];
const AIMED_MS = 10000; // a press that has not come by then is none of ours

const eventPath = method(Event.prototype, "composedPath");
const isTrusted = (event) => event.isTrusted; // [LegacyUnforgeable]: an own property, which no page can replace
const unlisten = method(EventTarget.prototype, "removeEventListener");
const inCapture = { capture: true, passive: false };

let aimed = null; // { id, element, until, wanted, presses, passed, released, blocked, events, notes }
let spent = null; // the one before, which nothing more is expected of
let lastMove = null; // what the mouse was last seen over, since the last aim

function hear(types) {
  for (const type of types) listen(globalThis, type, onInput, inCapture);
}

// document.open() takes all listeners away; adding one that is there does nothing.
const hearPresses = () => hear([...PRESSES, ...RELEASES, ...AFTER_RELEASE].filter((type) => !TOUCHES.includes(type)));
hearPresses();

// Listeners for touches make the compositor wait for the page, so they are there for a touch only.
function hearTouches(on) {
  if (on) hear(TOUCHES);
  else for (const type of TOUCHES) unlisten(globalThis, type, onInput, inCapture);
}

function expectMove() {
  lastMove = null;
  listen(globalThis, "pointermove", onMove, inCapture);
}

function onMove(event) {
  if (isTrusted(event)) lastMove = targetOf(event);
}

function targetOf(event) {
  const [hit] = eventPath(event);
  const { clientX, clientY } = event.touches?.[0] || event;
  return isElement(hit) ? deeper(hit, clientX, clientY) : topOf(document);
}

function onInput(event) {
  if (!aimed || !isTrusted(event) || performance.now() > aimed.until) return;
  if (aimed.blocked) block(event);
  else if (PRESSES.includes(event.type)) judgePress(event);
  else if (RELEASES.includes(event.type)) judgeRelease(event);
}

function block(event) {
  event.stopImmediatePropagation();
  if (event.cancelable) event.preventDefault();
}

// Of one press come a pointerdown, perhaps a touchstart, and a mousedown unless the page prevents it.
function judgePress(event) {
  if (event.type === "pointerdown") {
    aimed.presses++;
    aimed.events = [];
  }
  const hit = targetOf(event);
  if (!arrives(hit, event) && !isExcused()) {
    aimed.blocked = true;
    tellOf({ kind: "wrong", hit: receiver(hit), heard: aimed.passed > 0 });
    block(event);
    return;
  }
  aimed.passed++;
  aimed.events.push(event);
  if (aimed.events.length === 1) tellOf({ kind: "press" });
}

// A press of the left button does its work when it is released, where it began.
function judgeRelease(event) {
  if (aimed.released >= aimed.presses) return;
  aimed.released = aimed.presses;
  const hit = targetOf(event);
  const strayed = aimed.ends && !arrives(hit, event) && !isExcused();
  tellOf(strayed ? { kind: "strayed", hit: receiver(hit), heard: true } : { kind: "release" });
  if (aimed.released === aimed.wanted) finish();
}

function finish() {
  spent = aimed;
  aimed = null;
  hearTouches(false);
}

// An element that has captured the pointer is sent the release wherever it is; what lies under it is what counts then.
const arrives = (hit, event) => Boolean(aimed.element) && (receives(hit, aimed.element)
  || isCaptured(event) && receives(deepestAt(event.clientX, event.clientY), aimed.element));

const captured = method(Element.prototype, "hasPointerCapture");
const isCaptured = (event) => event.type === "pointerup" && isElement(eventPath(event)[0])
  && captured(eventPath(event)[0], event.pointerId);

// What follows a press that has arrived is the page's own answer to it if the element is gone (a menu that closes, a row
// that is rendered again) or the page has taken the press for its own by preventing its default (a list that opens over
// what was pressed, a slider).
const isExcused = () => aimed.passed > 0 && Boolean(aimed.element)
  && (!isConnected(aimed.element) || !isRendered(aimed.element) || aimed.events.some((event) => event.defaultPrevented));

const receiver = (hit) => aimed.element ? coverOf(hit, aimed.element) : describe(hit);

function tellOf(note) {
  aimed.notes.push(note);
  globalThis.__sfPress?.(JSON.stringify({ id: aimed.id, ...note }));
}

// -- what the engine calls ----------------------------------------------------------------------------

// Looks at the point again once the mouse has come there and a frame has passed. From then on presses are judged.
// want: id, role ("target", "owner" of a frame that the point is in), by ("mouse", "hover", "touch"),
// ends, presses, still (where its box is to be)
async function meet(token, x, y, want) {
  const element = held.get(token)?.deref();
  if (want.by !== "touch") await arrival(want.role);
  unlisten(globalThis, "pointermove", onMove, inCapture);
  if (!element || !isConnected(element)) return { fault: "detached" };
  const fault = stands(element, want.still) || meets(element, x, y, want);
  if (fault) return { what: describe(element), ...fault };
  if (want.by !== "hover") aimAt(want.role === "target" ? element : null, want);
  // A press on an element that holds a frame is heard of in that frame only.
  return { kind: HOLDS_FRAME.has(tagOf(deepestAt(x, y) || element)) ? "frame" : "" };
}

const HOLDS_FRAME = new Set(["iframe", "frame", "object", "embed"]);

// The page's listeners for the mouse have run when ours has, and its frame callbacks in the frame after that.
async function arrival(role) {
  await frame();
  if (role === "target" && !lastMove) await frame();
}

const stands = (element, still) => still && [boxOf(element)].some((box) =>
  Math.abs(box.left - still[0]) > 0.5 || Math.abs(box.top - still[1]) > 0.5) ? { fault: "unstable" } : null;

function meets(element, x, y, want) {
  if (want.by === "hover" && lastMove && receives(lastMove, element)) return null;
  const hit = deepestAt(x, y);
  const reached = want.role === "owner" ? hit === element : receives(hit, element);
  return reached ? null : { fault: "covered", detail: coverOf(hit, element) };
}

function aimAt(element, want) {
  hearPresses();
  hearTouches(want.by === "touch");
  aimed = { id: want.id, element, ends: want.ends, wanted: want.presses, until: performance.now() + AIMED_MS, presses: 0,
    passed: 0, released: 0, blocked: false, events: [], notes: [] };
}

function forgetPress(id) {
  if (aimed?.id === id) finish();
}

// What has come of a press; no more of it is expected, unless it is being blocked.
function pressNotes(id) {
  if (aimed?.id === id && !aimed.blocked) finish();
  const { notes } = [aimed, spent].find((each) => each?.id === id) || { notes: [] };
  return notes;
}

// What lies at the point if it is not the element that should.
function under(token, x, y) {
  const element = held.get(token)?.deref();
  const hit = deepestAt(x, y);
  return !hit || element && receives(hit, element) ? "" : describe(hit);
}
