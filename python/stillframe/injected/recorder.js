// Generated from js/src/recorder/index.ts by js/build.mjs.
() => {
"use strict";
// src/recorder/events.ts
var dom = globalThis.__sf;
var {
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
  valueOf
} = dom;
var WHOLES = "a[href], area[href], button, summary, select, textarea, input, option, [role=button], [role=link], [role=tab], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=option], [role=checkbox], [role=radio], [role=switch], [role=treeitem], [role=combobox], [contenteditable=''], [contenteditable=true]";
var DRAWINGS = "canvas, embed, img[usemap], object, svg, video";
var MAX_KEPT = 5e3;
var MAX_LIKELY = 1e3;
var MAX_TRAIL = 20;
var MAX_WAITING = 1e3;
var DRAG_PX = 5;
var kept = /* @__PURE__ */ new Map();
var numbers = /* @__PURE__ */ new WeakMap();
var lastNumber = 0;
var gesture = 0;
function keep(element2) {
  if (!kept.has(numbers.get(element2))) numbers.set(element2, ++lastNumber);
  kept.set(numbers.get(element2), element2);
  kept.delete(lastNumber - MAX_KEPT);
  return numbers.get(element2);
}
var waiting = [];
var flush = () => {
  if (globalThis.__sfRecord) for (const text of waiting.splice(0)) __sfRecord(text);
};
(globalThis.__sfBound = globalThis.__sfBound || []).push(flush);
var element = (number) => kept.get(number) || null;
function report(kind, fields) {
  if (waiting.length >= MAX_WAITING) return;
  waiting.push(JSON.stringify({ kind, gesture, ...fields }));
  flush();
}
function innermost(event) {
  const [hit] = eventPath(event);
  if (!isElement(hit)) return topOf(document);
  const { clientX, clientY } = event;
  if (clientX || clientY) return deeper(hit, clientX, clientY);
  return shadowOf(hit) ? activeElement() || hit : hit;
}
function meantBy(element2) {
  const whole = closestAcross(element2, WHOLES);
  if (whole) return isEditable(whole) ? editingHost(whole) : whole;
  return closest(element2, "svg") || element2;
}
var modifiersOf = (event) => ["Alt", "Control", "Meta", "Shift"].filter(
  (name, at) => [event.altKey, event.ctrlKey, event.metaKey, event.shiftKey][at]
);
function pointIn(element2, event) {
  const box = boxOf(element2);
  return {
    x: Math.round(event.clientX - box.left - element2.clientLeft),
    y: Math.round(event.clientY - box.top - element2.clientTop)
  };
}
function positionFor(element2, hit, event) {
  const box = boxOf(element2);
  const middle = deepestAt(box.left + box.width / 2, box.top + box.height / 2);
  const drawn = matches(element2, DRAWINGS);
  if (!drawn && (closestAcross(element2, WHOLES) === element2 || !middle || isInside(middle, hit))) return null;
  const { x, y } = pointIn(element2, event);
  return x < 0 || y < 0 ? null : { x, y };
}
var firstOfLikely = 0;
var firstLikely = () => firstOfLikely;
function likely() {
  const found = dom.roots().flatMap((root) => [...root.querySelectorAll(WHOLES)]);
  const chosen = found.filter((each) => !numbers.has(each) && isRendered(each)).slice(0, MAX_LIKELY);
  firstOfLikely = lastNumber + 1;
  chosen.forEach(keep);
  return chosen;
}
var trail = [];
var announced = false;
function onOver(event) {
  if (!isTrusted(event)) return;
  const element2 = meantBy(innermost(event));
  if (trail[trail.length - 1] === element2) return;
  trail = [...trail.filter((each) => each !== element2), element2].slice(-MAX_TRAIL);
  if (announced) return;
  announced = true;
  requestAnimationFrame(() => {
    announced = false;
    if (trail.length) report("over", { element: keep(trail[trail.length - 1]) });
  });
}
var seen = null;
var MAX_MARKED = 5e4;
function mark() {
  dom.lookAgain();
  seen = /* @__PURE__ */ new WeakSet();
  let left = MAX_MARKED;
  for (const root of dom.roots()) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode(), left--) {
      if (isRendered(node)) seen.add(node);
    }
  }
  trail = trail.slice(-1);
}
var ITEMS = "li, td, [role=menuitem], [role=listitem], [role=none], [role=presentation], nav, details";
var OPENERS = "[aria-haspopup], [aria-expanded=true], [aria-controls], [aria-owns]";
function leadsTo(target) {
  return (element2) => isInside(target, element2) || matches(element2, OPENERS) || isInside(target, closestAcross(element2, ITEMS) || element2);
}
function hoversFor(target) {
  if (!seen || seen.has(target)) return [];
  const leads = leadsTo(target);
  const way = trail.filter((each) => each !== target && each.isConnected);
  let opener = way.length - 1;
  while (opener >= 0 && !(seen.has(way[opener]) && (leads(way[opener]) || matches(way[opener], WHOLES)))) opener--;
  if (opener < 0) return [];
  return [way[opener], ...way.slice(opener + 1).filter((each) => leads(each) && !isInside(each, target))].map(keep);
}
var pressed = null;
function onPointerDown(event) {
  if (!isTrusted(event)) return;
  gesture++;
  const hit = innermost(event);
  const element2 = meantBy(hit);
  pressed = {
    element: element2,
    hit,
    x: event.clientX,
    y: event.clientY,
    source: pointIn(element2, event),
    dragged: false,
    selected: String(getSelection())
  };
  report("press", {
    element: keep(element2),
    hovers: hoversFor(element2),
    fresh: Boolean(seen) && !seen.has(element2)
  });
  trail = [element2];
}
function onPointerUp(event) {
  if (!isTrusted(event) || !pressed || event.pointerType === "touch") return;
  finishDrag(event);
}
function finishDrag(event) {
  const from = pressed;
  const moved = Math.hypot(event.clientX - from.x, event.clientY - from.y);
  if (moved < DRAG_PX || isField(from.element)) return;
  const selects = !from.dragged && String(getSelection()) !== from.selected && String(getSelection()) !== "";
  if (selects) return;
  const under = deepestAt(event.clientX, event.clientY) || topOf(document);
  const target = from.dragged ? meantBy(innermost(event)) : meantBy(under);
  const onto = target !== from.element && !isInside(target, from.element);
  if (!onto && moved < 2 * DRAG_PX) return;
  report("drag", {
    element: keep(from.element),
    source: from.source,
    target: onto ? keep(target) : null,
    drop: onto ? pointIn(target, event) : null,
    offset: { x: Math.round(event.clientX - from.x), y: Math.round(event.clientY - from.y) }
  });
  pressed = null;
}
var isField = (element2) => ["text", "editable", "picker", "select"].includes(kindOf(element2));
function onDragStart(event) {
  if (isTrusted(event) && pressed) {
    pressed.dragged = true;
    const hit = closestAcross(innermost(event), "[draggable=true]");
    if (hit) pressed.element = hit;
  }
}
function onDrop(event) {
  if (isTrusted(event) && pressed && pressed.dragged) finishDrag(event);
}
function onClick(event) {
  if (!isTrusted(event)) return;
  const hit = innermost(event);
  const element2 = meantBy(hit);
  if (!pressed || event.pointerType === "" || isByLabel(element2)) return;
  if (!isInside(hit, pressed.element) && !isInside(pressed.hit, element2)) return;
  report("click", {
    element: keep(element2),
    count: event.detail,
    button: event.button,
    modifiers: modifiersOf(event),
    touch: event.pointerType === "touch",
    control: kindOf(element2),
    position: positionFor(element2, hit, event)
  });
}
function isByLabel(element2) {
  const label = closestAcross(pressed.hit, "label");
  return Boolean(label) && label.control === element2 && !isInside(pressed.hit, element2);
}
function onContextMenu(event) {
  if (!isTrusted(event) || !pressed) return;
  const element2 = meantBy(innermost(event));
  report("click", {
    element: keep(element2),
    count: 1,
    button: 2,
    modifiers: modifiersOf(event),
    touch: false,
    control: kindOf(element2),
    position: positionFor(element2, innermost(event), event)
  });
}
function onAuxClick(event) {
  if (event.button === 1) onClick(event);
}
var VALUES = {
  text: (element2) => ({ value: valueOf(element2) }),
  picker: (element2) => ({ value: valueOf(element2) }),
  editable: (element2) => ({ value: element2.innerText }),
  check: (element2) => ({ checked: element2.checked, rendered: isRendered(element2) }),
  select: (element2) => ({
    values: [...element2.selectedOptions].map((option) => option.label || option.value)
  }),
  file: (element2) => ({
    files: [...element2.files].map((file) => file.webkitRelativePath || file.name)
  })
};
var secrets = /* @__PURE__ */ new Map();
var lastSecret = 0;
function secretNumber(text) {
  if (!secrets.has(text)) secrets.set(text, ++lastSecret);
  if (secrets.size > MAX_KEPT) secrets.delete(secrets.keys().next().value);
  return secrets.get(text);
}
function onInput(event) {
  if (!isTrusted(event)) return;
  const [hit] = eventPath(event);
  let element2 = isElement(hit) && shadowOf(hit) ? activeElement() || hit : hit;
  if (!isElement(element2)) return;
  if (isEditable(element2)) element2 = editingHost(element2);
  const control = isNativeToggle(element2) ? "check" : kindOf(element2);
  if (!VALUES[control]) return;
  const hidden = hides(element2);
  const content = hidden ? { secret: secretNumber(valueOf(element2)) } : VALUES[control](element2);
  report("input", { element: keep(element2), control, hidden, ...content });
}
var MODIFIER_KEYS = /* @__PURE__ */ new Set([
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
  "Unidentified"
]);
function onKeyDown(event) {
  if (!isTrusted(event)) return;
  if (!event.repeat) gesture++;
  pressed = null;
  if (event.isComposing || MODIFIER_KEYS.has(event.key)) return;
  const active = activeElement() || topOf(document);
  const element2 = isEditable(active) ? editingHost(active) : active;
  const held = modifiersOf(event);
  report("key", {
    element: element2 === document.body ? null : keep(element2),
    key: event.key,
    code: event.code,
    modifiers: held,
    control: kindOf(element2),
    types: event.key.length === 1 && !held.some((name) => name !== "Shift")
  });
}
var scrolls = (element2) => element2.scrollHeight > element2.clientHeight + 1 || element2.scrollWidth > element2.clientWidth + 1;
function onWheel(event) {
  if (!isTrusted(event)) return;
  let at = innermost(event);
  while (at && !(scrolls(at) && /auto|scroll/.test(getComputedStyle(at).overflow))) at = dom.hostOrParent(at);
  const inner = at && at !== topOf(document) && at !== document.body ? at : null;
  report("wheel", { element: inner && keep(inner), x: Math.round(event.deltaX), y: Math.round(event.deltaY) });
}
function onFocus(event) {
  if (!isTrusted(event)) return;
  const element2 = innermost(event);
  report("over", { element: keep(isEditable(element2) ? editingHost(element2) : element2) });
}
var LISTENERS = {
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
  wheel: onWheel
};
function stop() {
  for (const type of Object.keys(LISTENERS)) unlisten(globalThis, type, LISTENERS[type], { capture: true });
  delete globalThis.__sfRecorder;
}
for (const type of Object.keys(LISTENERS)) listen(globalThis, type, LISTENERS[type], { capture: true, passive: true });
return { element, firstLikely, likely, mark, stop };
}
