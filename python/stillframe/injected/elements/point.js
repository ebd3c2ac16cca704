// The point to aim at, and whether the element there receives the event.

const sameBox = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

// A background tab draws no frames; a busy machine draws five a second, and a box that is measured between two frames
// seems not to move.
const FRAME_MS = 200;
const frame = () => new Promise((done) => {
  const off = after(FRAME_MS, done);
  requestAnimationFrame(() => {
    off();
    done();
  });
});

// Alignments to try after a failed hit test: something sticky covers one edge of the screen, not all of them.
const ALIGNMENTS = ["center", "end", "start"];

// A new animation is at its start in its first frame, and may be queried before that frame.
const ANIMATED_FRAMES = 3;

function runningOn(element) {
  const running = [];
  for (let up = element; up; up = renderedParent(up)) {
    running.push(...animationsOf(up).filter((animation) => animation.playState === "running"));
  }
  return running;
}

// An animation without an end (a button that pulses) never lets the element rest. People press it all the same, and the
// press is judged when it arrives.
const PATIENCE_MS = 500;

function movesForever({ at, scrolling }) {
  const running = runningOn(at);
  scrolling.movedAt = scrolling.movedAt || performance.now();
  return running.length > 0 && running.every(({ effect }) => effect && effect.getComputedTiming().endTime === Infinity)
    && performance.now() - scrolling.movedAt >= PATIENCE_MS;
}

// Page callbacks run first in a frame, so a box that is equal now and in the next frame is not moving.
async function aim(ctx, find) {
  let spot = find();
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
function scrollOnce({ at, scrolling }) {
  const { rest, covers } = scrolling;
  if (scrolling.turn === ALIGNMENTS.length && rest && (!sameBox(rest, extentOf(at)) || covers.some((each) => hasGone(each, at)))) {
    Object.assign(scrolling, { turn: 0, covers: [] });
  }
  if (scrolling.turn === ALIGNMENTS.length) return false;
  scrollToShow(at, ALIGNMENTS[scrolling.turn++]);
  return true;
}

function noteRest({ at, scrolling }, cover) {
  scrolling.rest = extentOf(at);
  if (cover) scrolling.covers.push({ cover, box: boxOf(cover), beside: scrolling.rest });
}

// A fixed header keeps its place on the screen, other content keeps its place beside the element.
function hasGone({ cover, box, beside }, element) {
  if (!isConnected(cover) || !isRendered(cover) || getComputedStyle(cover).pointerEvents === "none") return true;
  const now = boxOf(cover);
  const { left, top } = extentOf(element);
  const isBeside = Math.abs(now.left - left - box.left + beside.left) < 1 && Math.abs(now.top - top - box.top + beside.top) < 1;
  return !isBeside && !sameBox(now, box);
}

// Returns the URL that a frame element loads once it comes into view, and the name of the frame; null if it does not wait
// for that.
function awaitedDocument(element) {
  if (!(element instanceof HTMLIFrameElement) || element.loading !== "lazy" || !/^http/.test(element.src)) return null;
  const shown = element.contentDocument;
  return shown && shown.URL === "about:blank" ? { url: element.src, name: element.name } : null;
}

const MAX_SCROLLERS = 8;

// An element without a box is scrolled by its first box, or text, inside; a part of a picture by its own place.
function scrollToShow(element, block) {
  let at = isArea(element) ? null : element;
  while (at && !boxesOf(at).length && isBoxless(at)) at = contentOf(at).find((node) => isElement(node) && boxes(node).length);
  if (at) scrollTo(at, { block, inline: "center", behavior: "instant" });
  else for (let left = MAX_SCROLLERS; left > 0 && !showMiddle(element); left--);
}

function showMiddle(element) {
  const { left, right, top, bottom } = extentOf(element);
  return scrollToPoint(element, (left + right) / 2, (top + bottom) / 2);
}

function onScreen(box) {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  return [left, top, Math.min(box.right, innerWidth) - left, Math.min(box.bottom, innerHeight) - top];
}

// -- the part in view ---------------------------------------------------------------------------------

const CLIPS = /hidden|clip|scroll|auto/;
const CREATES = ["transform", "translate", "rotate", "scale", "perspective", "filter", "backdropFilter"];

const clips = (style) => style.display !== "inline" && style.display !== "contents"
  && (CLIPS.test(style.overflowX) || CLIPS.test(style.overflowY) || /paint|strict|content/.test(style.contain));
const holdsFixed = (style) => CREATES.some((name) => style[name] && style[name] !== "none")
  || /paint|layout|strict|content/.test(style.contain) || /transform|perspective|filter/.test(style.willChange);

// The overflow of the root, or of the body if the root has none, applies to the viewport.
const isViewport = (element) => element === topOf(document)
  || element === bodyOf(document) && getComputedStyle(topOf(document)).overflow === "visible";

const meetOf = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });

function insideOf(element) {
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
    const holds = position === "fixed" ? holdsFixed(style)
      : position !== "absolute" || style.position !== "static" || holdsFixed(style);
    if (!holds) continue;
    if (clips(style)) found.push(up);
    position = style.position;
  }
  return found;
}

const drawnBy = (element) => isArea(element) && pictureOf(element) || element;

const viewOf = (element) => clippersOf(drawnBy(element)).reduce((view, up) => meetOf(view, insideOf(up)),
  { left: 0, top: 0, right: innerWidth, bottom: innerHeight });

const SPOTS = [[0.5, 0.5], [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]];
// For what is cut to a shape, such as a corner of a square, or mostly covered.
const TENTHS = [0.1, 0.3, 0.5, 0.7, 0.9];
const GRID = TENTHS.flatMap((y) => TENTHS.map((x) => [x, y]));
const MAX_MIDDLES = 32;
const MAX_BOXES = 4;

// Returns the visible parts of an element's boxes (a link that wraps has several).
function partsInView(element) {
  const view = viewOf(element);
  return boxes(element).map((box) => meetOf(box, view)).filter((box) => box.right > box.left && box.bottom > box.top);
}

const spotIn = (box, [fx, fy]) => ({ x: box.left + (box.right - box.left) * fx, y: box.top + (box.bottom - box.top) * fy });

// Returns up to so many items, at even distances.
const spread = (items, most) => items.length <= most ? items
  : Array.from({ length: most }, (_, i) => items[Math.round(i * (items.length - 1) / (most - 1))]);

// Tries the middle of each visible part, then other points. Skips `passed` free points, because something around the
// frame covers them. A label stands for its `toggle` (null: none), but for the links and other controls in it.
function freeSpot(element, passed = 0, toggle = null) {
  const parts = partsInView(element);
  const few = spread(parts, MAX_BOXES);
  const [middle, ...others] = SPOTS;
  const spots = [...spread(parts, MAX_MIDDLES).map((part) => spotIn(part, middle)),
    ...others.flatMap((spot) => few.map((part) => spotIn(part, spot)))];
  const isOurs = (hit) => !(toggle && isOtherControl(hit, element, toggle));
  const free = [];
  const covers = [];
  const takes = ({ x, y }) => {
    const hit = deepestAt(x, y);
    if (!hit || !belongsTo(hit, element) || !isOurs(hit)) covers.push({ x, y, hit });
    else if (free.push({ x, y }) > passed) return true;
    return false;
  };
  const further = () => {
    if (toggle) return LINES.flatMap((spot) => few.map((part) => spotIn(part, spot)));
    const isEmpty = covers.every(({ hit }) => !hit || isInside(element, hit));
    return [...few.slice(0, 1).flatMap((part) => GRID.map((spot) => spotIn(part, spot))), ...isEmpty ? spotsInside(element) : []];
  };
  if (spots.some(takes) || (parts.length && further().some(takes))) return free[passed];
  if (!free.length) free.push(...covers.filter(({ hit }) => receives(hit, element) && isOurs(hit)));
  if (free.length) return free[passed % free.length];
  return parts.length ? coveredBy(covers[0].hit, element) : { fault: "outside" };
}

// Points where an element is painted that is not where its box is: on the line of a shape, or on what stands in a group.
const MAX_INSIDE = 32;
const ALONG = [0.5, 0.25, 0.75, 0.1, 0.9];

function spotsInside(element) {
  const view = viewOf(element);
  const isInView = ({ x, y }) => x >= view.left && x < view.right && y >= view.top && y < view.bottom;
  const inner = spread([element, ...inElement(element, "*")], MAX_INSIDE);
  return inner.flatMap((each) => [...spotsOnLine(each), ...boxes(each).map((box) => spotIn(box, SPOTS[0]))]).filter(isInView);
}

function spotsOnLine(shape) {
  const toScreen = shape instanceof SVGGeometryElement && boxesOf(shape).length && shape.getScreenCTM();
  if (!toScreen) return [];
  const length = shape.getTotalLength();
  return ALONG.map((part) => shape.getPointAtLength(length * part).matrixTransform(toScreen));
}

// Points along three lines, for a label of which long links leave little.
const LINES = [0.5, 0.2, 0.8].flatMap((y) => Array.from({ length: 24 }, (_, i) => [(i + 0.5) / 24, y]));

function isOtherControl(hit, element, toggle) {
  const control = activatedAt(hit);
  return Boolean(control) && control !== toggle && control !== element && isInside(control, element);
}

function coveredBy(cover, element) {
  const widget = widgetAround(cover, element);
  return { fault: "covered", cover, detail: coverOf(cover, element), ...widget && { widget: hold(widget) } };
}

function centre(element) {
  const [part] = partsInView(element);
  return part ? spotIn(part, SPOTS[0]) : { fault: "outside" };
}

// -- points within an element -------------------------------------------------------------------------

// Returns the size of the padding box before any transform or zoom.
function paddingSize(element) {
  const box = extentOf(element);
  if (!(element instanceof HTMLElement) || !element.offsetWidth) return [box.width, box.height];
  const style = getComputedStyle(element);
  const both = (one, other) => parseFloat(style[one]) + parseFloat(style[other]);
  return [element.offsetWidth - both("borderLeftWidth", "borderRightWidth"),
    element.offsetHeight - both("borderTopWidth", "borderBottomWidth")];
}

async function aimWithin(ctx, { x, y }) {
  const size = paddingSize(ctx.at);
  if (!(x >= 0 && y >= 0 && x < size[0] && y < size[1])) {
    const shown = size.map((side) => Math.round(side * 100) / 100).join(" × ");
    return { fault: "unsuitable", detail: `measures ${shown} CSS pixels, so the position ${x}, ${y} is outside`,
      final: true };
  }
  ctx.report.size = size;
  // Python computes the exact point, because it knows how the box is drawn.
  return aim(ctx, () => centre(ctx.at));
}

const scrollPointIntoView = (token, x, y) => scrollToPoint(get(token), x, y);

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

function moveCovered(token, y, turn) {
  const page = scrollerOf(document);
  for (const up of [...clippersOf(get(token)), page]) {
    const { top, bottom } = up === page ? { top: 0, bottom: innerHeight } : insideOf(up);
    const before = up.scrollTop;
    up.scrollBy({ top: y - top - (bottom - top) * HEIGHTS[turn], behavior: "instant" });
    if (up.scrollTop !== before) return;
  }
}

// -- who receives the event ---------------------------------------------------------------------------

const ROLES_THAT_ACT = ["button", "link", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem",
  "checkbox", "radio", "switch", "combobox"];
const ACTIVATES = "a[href], button, summary, input, select, option, textarea, "
  + ROLES_THAT_ACT.map((role) => `[role=${role}]`).join(", ");

const receives = (hit, element) => Boolean(hit) && (belongsTo(hit, element) || isInWidgetOf(hit, element));

function belongsTo(hit, element) {
  if (isInside(hit, element)) return true;
  const control = activatedAt(element);
  return Boolean(control) && activatedAt(hit) === control;
}

// Returns the control that a press on an element activates, or null: text inside a button may let events pass through to
// it. A label without a control counts itself, but only outside of a control, since it activates nothing.
function activatedAt(element) {
  let bare = null;
  for (let at = element; at; at = renderedParent(at)) {
    if (matches(at, ACTIVATES)) return at;
    if (!(at instanceof HTMLLabelElement)) continue;
    const control = controlOf(at);
    if (control) return control;
    bare = bare || at;
  }
  return bare;
}

// Returns whether a part of a widget stands before another one or before the widget's only field (a placeholder, the
// chosen text, an arrow): what answers a press on the one answers it on the other.
function isInWidgetOf(hit, element) {
  const widget = answersFor(hit);
  return Boolean(widget) && isInside(element, widget) && isWidgetOf(widget, element)
    && (takesValue(activatedAt(element)) || isExamined(element) && answersFor(element) === widget);
}

// Returns whether an element holds no other control than a field (or than a part that is none).
function isWidgetOf(widget, element) {
  const control = activatedAt(element);
  if (control && control !== widget && !takesValue(control)) return false;
  return ![...inElement(widget, `${FIELDS}, ${ACTIVATES}`)].some((other) => other !== control && !matches(other, UNREACHED)
    && isRendered(other) && !isInside(element, other));
}

const takesValue = (control) => Boolean(control) && (FIELD_KINDS.has(kindOf(control)) || widgetOf(control) !== "");

// Returns the outermost element around an element and its cover that may be the widget of both, for Python to ask the
// browser what listens there.
function widgetAround(hit, element) {
  let widget = null;
  for (let at = renderedParent(element), left = MAX_AROUND; at && left > 0; at = renderedParent(at), left--) {
    if (at === bodyOf(document) || !isWidgetOf(at, element)) break;
    widget = at;
  }
  return widget && hit && isInside(hit, widget) ? widget : null;
}

// The elements that listen for presses, as far as Python has asked, and the widgets that it has asked about: without that,
// a part that stands before another one might have a listener of its own.
const listening = new WeakSet();
const examined = new WeakSet();
const noteListener = (element) => void listening.add(element);
const noteExamined = (widget) => void examined.add(widget);

function isExamined(element) {
  for (let at = element; at; at = renderedParent(at)) if (examined.has(at)) return true;
  return false;
}

const FIELD_KINDS = new Set(["text", "editable", "picker", "select", "check", "file"]);
const ANSWERING = ["onclick", "onmousedown", "onmouseup", "onpointerdown", "onpointerup"];
const SIGNS = new Set(["pointer", "text"]);

// Returns the nearest element around a part that answers a press, by its role, an attribute, a listener or the cursor.
function answersFor(part) {
  for (let at = part, up; at && at !== bodyOf(document) && at !== topOf(document); at = up) {
    up = renderedParent(at);
    if (matches(at, ACTIVATES) || ANSWERING.some((name) => has(at, name)) || listening.has(at)) return at;
    const { cursor } = getComputedStyle(at);
    if (SIGNS.has(cursor) && up && getComputedStyle(up).cursor !== cursor) return at;
  }
  return null;
}

// The outermost cover says more than the innermost: "div#overlay", not "svg".
function coverOf(hit, element) {
  if (!hit) return "nothing";
  let top = hit;
  for (let up = renderedParent(top); up && !isInside(element, up); up = renderedParent(up)) top = up;
  return top === hit ? describe(hit) : `${describe(hit)} in ${describe(top)}`;
}

// -- the wheel ----------------------------------------------------------------------------------------

const WHEEL_SPOTS = [[0.5, 0.5], [0.5, 0.22], [0.5, 0.78], [0.22, 0.5], [0.78, 0.5], [0.02, 0.5], [0.98, 0.5]];

function scrollerAt(x, y, vertical) {
  for (let at = deepestAt(x, y); at; at = renderedParent(at)) {
    if (tagOf(at) === "iframe" || at === scrollerOf(document)) return at;
    const style = getComputedStyle(at);
    const room = vertical ? at.scrollHeight - at.clientHeight : at.scrollWidth - at.clientWidth;
    if (room > 0 && /auto|scroll/.test(vertical ? style.overflowY : style.overflowX)) return at;
  }
  return scrollerOf(document);
}

// Returns a point where the wheel scrolls the page and not a list, map or frame on it; the middle if it cannot scroll.
function wheelSpot(vertical) {
  const page = scrollerOf(document);
  const turns = page && (vertical ? page.scrollHeight > page.clientHeight : page.scrollWidth > page.clientWidth);
  const free = turns && WHEEL_SPOTS.find(([x, y]) => scrollerAt(x * innerWidth, y * innerHeight, vertical) === page);
  const [x, y] = free || WHEEL_SPOTS[0];
  return { x: x * innerWidth, y: y * innerHeight, width: innerWidth, height: innerHeight };
}
