// Reports to Python what a person does in a document. Runs in the isolated world, after `elements/`, whose functions it
// uses; it changes nothing that the page can see.
//
// Each report names elements by numbers, which Python exchanges for handles with `__sfRecorder.element(number)`. All
// reports that one press of a button or a key leads to have the same `gesture`.

// The scripts of `elements` run before, and share what they know of the input that is under way.
const dom = globalThis.__sf!;
const {
  boxOf,
  closest,
  closestAcross,
  deeper,
  deepestAt,
  editingHost,
  eventPath,
  hides,
  isEditable,
  isElement,
  isInside,
  isNativeToggle,
  isRendered,
  isTrusted,
  kindOf,
  listen,
  matches,
  shadowOf,
  topOf,
  activeElement,
  unlisten,
  valueOf,
} = dom;

// What a press on one of its parts means.
const WHOLES =
  "a[href], area[href], button, summary, select, textarea, input, option, [role=button], [role=link], " +
  "[role=tab], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=option], [role=checkbox], " +
  "[role=radio], [role=switch], [role=treeitem], [role=combobox], [contenteditable=''], [contenteditable=true]";
const DRAWINGS = "canvas, embed, img[usemap], object, svg, video";
const MAX_KEPT = 5000; // elements; an older one is not asked for any more
const MAX_LIKELY = 1000; // elements that are looked at before anybody acts on them
const MAX_TRAIL = 20;
const MAX_WAITING = 1000; // reports made before the binding exists
const DRAG_PX = 5; // Chrome begins to drag after about 4

const kept = new Map<number, Element>();
const numbers = new WeakMap<Element, number>();
let lastNumber = 0;
let gesture = 0;

function keep(element: Element) {
  if (!kept.has(numbers.get(element)!)) numbers.set(element, ++lastNumber);
  kept.set(numbers.get(element)!, element);
  kept.delete(lastNumber - MAX_KEPT);
  return numbers.get(element)!;
}

const waiting: string[] = [];
const flush = () => {
  if (globalThis.__sfRecord) for (const text of waiting.splice(0)) __sfRecord!(text);
};
(globalThis.__sfBound = globalThis.__sfBound || []).push(flush);

export const element = (number: number) => kept.get(number) || null;

function report(kind: string, fields: object) {
  if (waiting.length >= MAX_WAITING) return;
  waiting.push(JSON.stringify({ kind, gesture, ...fields }));
  flush();
}

// -- elements ------------------------------------------------------------------------------------

// The innermost element of an event, through closed roots as well.
function innermost(event: Event) {
  const [hit] = eventPath(event) as Node[];
  if (!isElement(hit)) return topOf(document);
  const { clientX, clientY } = event as Partial<MouseEvent>;
  if (clientX || clientY) return deeper(hit, clientX!, clientY!);
  return shadowOf(hit) ? activeElement() || hit : hit;
}

function meantBy(element: Element) {
  const whole = closestAcross(element, WHOLES);
  if (whole) return isEditable(whole) ? editingHost(whole) : whole;
  return closest(element, "svg") || element;
}

const modifiersOf = (event: MouseEvent | KeyboardEvent) =>
  ["Alt", "Control", "Meta", "Shift"].filter(
    (name, at) => [event.altKey, event.ctrlKey, event.metaKey, event.shiftKey][at],
  );

function pointIn(element: Element, event: MouseEvent) {
  const box = boxOf(element);
  return {
    x: Math.round(event.clientX - box.left - element.clientLeft),
    y: Math.round(event.clientY - box.top - element.clientTop),
  };
}

// A press in the middle of the element must hit what was pressed; otherwise the point itself counts.
function positionFor(element: Element, hit: Element, event: MouseEvent) {
  const box = boxOf(element);
  const middle = deepestAt(box.left + box.width / 2, box.top + box.height / 2);
  const drawn = matches(element, DRAWINGS);
  if (!drawn && (closestAcross(element, WHOLES) === element || !middle || isInside(middle, hit))) return null;
  const { x, y } = pointIn(element, event);
  return x < 0 || y < 0 ? null : { x, y };
}

// Elements that a person is likely to act on next and that are not numbered yet. Their numbers follow one another.
let firstOfLikely = 0;

export const firstLikely = () => firstOfLikely;

export function likely() {
  const found = dom.roots().flatMap((root) => [...root.querySelectorAll(WHOLES)]);
  const chosen = found.filter((each) => !numbers.has(each) && isRendered(each)).slice(0, MAX_LIKELY);
  firstOfLikely = lastNumber + 1;
  chosen.forEach(keep);
  return chosen;
}

// -- what the mouse rests on -----------------------------------------------------------------------

let trail: Element[] = []; // the elements that the mouse was over since the last press
let announced = false;

function onOver(event: Event) {
  if (!isTrusted(event)) return;
  const element = meantBy(innermost(event));
  if (trail[trail.length - 1] === element) return;
  trail = [...trail.filter((each) => each !== element), element].slice(-MAX_TRAIL);
  if (announced) return;
  announced = true;
  requestAnimationFrame(() => {
    announced = false;
    if (trail.length) report("over", { element: keep(trail[trail.length - 1]) });
  });
}

// What was rendered when the page was still; Python calls `mark` then. What was not may need the mouse to be there.
let seen: WeakSet<Element> | null = null;
const MAX_MARKED = 50000; // elements

export function mark() {
  dom.lookAgain();
  seen = new WeakSet();
  let left = MAX_MARKED;
  for (const root of dom.roots()) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode(), left--) {
      if (isRendered(node as Element)) seen.add(node as Element);
    }
  }
  trail = trail.slice(-1);
}

const ITEMS = "li, td, [role=menuitem], [role=listitem], [role=none], [role=presentation], nav, details";
const OPENERS = "[aria-haspopup], [aria-expanded=true], [aria-controls], [aria-owns]";

function leadsTo(target: Element) {
  return (element: Element) =>
    isInside(target, element) ||
    matches(element, OPENERS) ||
    isInside(target, closestAcross(element, ITEMS) || element);
}

// The elements to hover before a press: what showed its target, and the items of menus on the way to it.
function hoversFor(target: Element) {
  if (!seen || seen.has(target)) return [];
  const leads = leadsTo(target);
  const way = trail.filter((each) => each !== target && each.isConnected);
  let opener = way.length - 1;
  while (opener >= 0 && !(seen.has(way[opener]) && (leads(way[opener]) || matches(way[opener], WHOLES)))) opener--;
  if (opener < 0) return [];
  return [way[opener], ...way.slice(opener + 1).filter((each) => leads(each) && !isInside(each, target))].map(keep);
}

// -- presses ---------------------------------------------------------------------------------------

// A press of a button: the element that it means, what it hit, where, and the text that was selected before.
type Pressed = {
  element: Element;
  hit: Element;
  x: number;
  y: number;
  source: { x: number; y: number };
  dragged: boolean;
  selected: string;
};
let pressed: Pressed | null = null;

function onPointerDown(event: PointerEvent) {
  if (!isTrusted(event)) return;
  gesture++;
  const hit = innermost(event);
  const element = meantBy(hit);
  pressed = {
    element,
    hit,
    x: event.clientX,
    y: event.clientY,
    source: pointIn(element, event),
    dragged: false,
    selected: String(getSelection()),
  };
  report("press", {
    element: keep(element),
    hovers: hoversFor(element),
    fresh: Boolean(seen) && !seen!.has(element),
  });
  trail = [element];
}

function onPointerUp(event: PointerEvent) {
  if (!isTrusted(event) || !pressed || event.pointerType === "touch") return;
  finishDrag(event);
}

function finishDrag(event: MouseEvent) {
  const from = pressed!;
  const moved = Math.hypot(event.clientX - from.x, event.clientY - from.y);
  if (moved < DRAG_PX || isField(from.element)) return;
  const selects = !from.dragged && String(getSelection()) !== from.selected && String(getSelection()) !== "";
  if (selects) return;
  const under = deepestAt(event.clientX, event.clientY) || topOf(document);
  const target = from.dragged ? meantBy(innermost(event)) : meantBy(under);
  const onto = target !== from.element && !isInside(target, from.element);
  if (!onto && moved < 2 * DRAG_PX) return; // a click by an unsteady hand
  report("drag", {
    element: keep(from.element),
    source: from.source,
    target: onto ? keep(target) : null,
    drop: onto ? pointIn(target, event) : null,
    offset: { x: Math.round(event.clientX - from.x), y: Math.round(event.clientY - from.y) },
  });
  pressed = null;
}

const isField = (element: Element) => ["text", "editable", "picker", "select"].includes(kindOf(element));

function onDragStart(event: DragEvent) {
  if (isTrusted(event) && pressed) {
    pressed.dragged = true;
    const hit = closestAcross(innermost(event), "[draggable=true]");
    if (hit) pressed.element = hit;
  }
}

function onDrop(event: DragEvent) {
  if (isTrusted(event) && pressed && pressed.dragged) finishDrag(event);
}

function onClick(event: PointerEvent) {
  if (!isTrusted(event)) return;
  const hit = innermost(event);
  const element = meantBy(hit);
  // What a key or a label activates is a click too, though nobody pressed it.
  if (!pressed || event.pointerType === "" || isByLabel(element)) return;
  if (!isInside(hit, pressed.element) && !isInside(pressed.hit, element)) return;
  report("click", {
    element: keep(element),
    count: event.detail,
    button: event.button,
    modifiers: modifiersOf(event),
    touch: event.pointerType === "touch",
    control: kindOf(element),
    position: positionFor(element, hit, event),
  });
}

function isByLabel(element: Element) {
  const label = closestAcross(pressed!.hit, "label") as HTMLLabelElement | null;
  return Boolean(label) && label!.control === element && !isInside(pressed!.hit, element);
}

function onContextMenu(event: PointerEvent) {
  if (!isTrusted(event) || !pressed) return;
  const element = meantBy(innermost(event));
  report("click", {
    element: keep(element),
    count: 1,
    button: 2,
    modifiers: modifiersOf(event),
    touch: false,
    control: kindOf(element),
    position: positionFor(element, innermost(event), event),
  });
}

function onAuxClick(event: PointerEvent) {
  if (event.button === 1) onClick(event);
}

// -- values ----------------------------------------------------------------------------------------

const VALUES: Record<string, (element: Element) => object> = {
  text: (element) => ({ value: valueOf(element) }),
  picker: (element) => ({ value: valueOf(element) }),
  editable: (element) => ({ value: (element as HTMLElement).innerText }),
  check: (element) => ({ checked: (element as HTMLInputElement).checked, rendered: isRendered(element) }),
  select: (element) => ({
    values: [...(element as HTMLSelectElement).selectedOptions].map((option) => option.label || option.value),
  }),
  file: (element) => ({
    files: [...(element as HTMLInputElement).files!].map((file) => file.webkitRelativePath || file.name),
  }),
};

// Texts that fields hide never leave the document: only which of them are the same.
const secrets = new Map<string, number>();
let lastSecret = 0;

function secretNumber(text: string) {
  if (!secrets.has(text)) secrets.set(text, ++lastSecret);
  if (secrets.size > MAX_KEPT) secrets.delete(secrets.keys().next().value!);
  return secrets.get(text);
}

function onInput(event: Event) {
  if (!isTrusted(event)) return;
  const [hit] = eventPath(event) as Element[]; // or another node, which the check below leaves out
  let element = isElement(hit) && shadowOf(hit) ? activeElement() || hit : hit;
  if (!isElement(element)) return;
  if (isEditable(element)) element = editingHost(element);
  const control = isNativeToggle(element) ? "check" : kindOf(element);
  if (!VALUES[control]) return;
  const hidden = hides(element);
  const content = hidden ? { secret: secretNumber(valueOf(element)) } : VALUES[control](element);
  report("input", { element: keep(element), control, hidden, ...content });
}

// -- keys and the wheel ------------------------------------------------------------------------------

const MODIFIER_KEYS = new Set([
  "Alt",
  "AltGraph",
  "CapsLock",
  "Control",
  "Fn",
  "Meta",
  "NumLock",
  "Shift",
  "Dead",
  "Process",
  "Unidentified",
]);

function onKeyDown(event: KeyboardEvent) {
  if (!isTrusted(event)) return;
  if (!event.repeat) gesture++;
  pressed = null;
  if (event.isComposing || MODIFIER_KEYS.has(event.key)) return;
  const active = activeElement() || topOf(document);
  const element = isEditable(active) ? editingHost(active) : active;
  const held = modifiersOf(event);
  report("key", {
    element: element === document.body ? null : keep(element),
    key: event.key,
    code: event.code,
    modifiers: held,
    control: kindOf(element),
    types: event.key.length === 1 && !held.some((name) => name !== "Shift"),
  });
}

const scrolls = (element: Element) =>
  element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1;

function onWheel(event: WheelEvent) {
  if (!isTrusted(event)) return;
  let at: Element | null = innermost(event);
  while (at && !(scrolls(at) && /auto|scroll/.test(getComputedStyle(at).overflow))) at = dom.hostOrParent(at);
  const inner = at && at !== topOf(document) && at !== document.body ? at : null;
  report("wheel", { element: inner && keep(inner), x: Math.round(event.deltaX), y: Math.round(event.deltaY) });
}

function onFocus(event: Event) {
  if (!isTrusted(event)) return;
  const element = innermost(event);
  report("over", { element: keep(isEditable(element) ? editingHost(element) : element) });
}

const LISTENERS: Record<string, (event: never) => void> = {
  mouseover: onOver,
  focusin: onFocus,
  pointerdown: onPointerDown,
  pointerup: onPointerUp,
  dragstart: onDragStart,
  drop: onDrop,
  click: onClick,
  auxclick: onAuxClick,
  contextmenu: onContextMenu,
  input: onInput,
  keydown: onKeyDown,
  wheel: onWheel,
} satisfies { [Type in keyof WindowEventMap]?: (event: WindowEventMap[Type]) => void };

export function stop() {
  for (const type of Object.keys(LISTENERS)) unlisten(globalThis, type, LISTENERS[type], { capture: true });
  delete globalThis.__sfRecorder;
}

for (const type of Object.keys(LISTENERS)) listen(globalThis, type, LISTENERS[type], { capture: true, passive: true });
