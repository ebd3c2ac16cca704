// What a drag does to a document: how the browser has taken it, and how it ended.

import { getter, isElement, listen, owns } from "../dom/nodes.ts";
import { unwatchAnswers, watchAnswers } from "./answers.ts";
import { block, inCapture, isTrusted } from "./events.ts";
import { get } from "./held.ts";
import { hostOrParent } from "./tree.ts";

// The last trusted events. Whether a listener cancelled one is known only after all listeners have run.
const lastDrag: Record<string, DragEvent | null> = {
  dragstart: null,
  drop: null,
  dragend: null,
  mouseup: null,
  pointerup: null,
};
const DRAG_EVENTS = ["dragstart", "dragenter", "dragover", "dragleave", "drop", "dragend", "mouseup", "pointerup"];
const HIDDEN_DROP = new Set(["dragenter", "dragover", "dragleave", "drop"]);
let ending: DataTransfer["dropEffect"] | null = null; // the effect of a drop in another process, while the drag ends here

// On the window from the start of the document, as in press.ts.
export const listenForDrags = () => {
  for (const type of DRAG_EVENTS) listen(globalThis, type, onDrag as EventListener, inCapture);
};

function onDrag(event: DragEvent) {
  if (!isTrusted(event)) return;
  if (ending !== null && HIDDEN_DROP.has(event.type)) takeDrop(event);
  else if (owns(lastDrag, event.type)) lastDrag[event.type] = event;
}

function forgetDrag() {
  for (const type of Object.keys(lastDrag)) lastDrag[type] = null;
  ending = null;
}

export function watchDrag() {
  listenForDrags();
  forgetDrag();
  watchAnswers();
}

// Returns how the browser has taken the drag: if the page did not cancel a trusted `dragstart`, the browser drags data;
// without one there are only mouse events.
export const dragStart = () =>
  !lastDrag.dragstart ? "none" : lastDrag.dragstart.defaultPrevented ? "prevented" : "started";

export const viewSize = () => [innerWidth, innerHeight];

const scrollLeftOf = getter(Element.prototype, "scrollLeft"),
  scrollTopOf = getter(Element.prototype, "scrollTop");

// Returns how far everything around an element is scrolled, in sum.
export function scrolledAround(token: number) {
  let x = 0,
    y = 0;
  for (let at = hostOrParent(get(token)); at; at = hostOrParent(at)) {
    if (!isElement(at)) continue;
    x += scrollLeftOf(at);
    y += scrollTopOf(at);
  }
  return [x, y];
}

// -- the end in the source's document -------------------------------------------------------------------

// A drop in another process does not end the drag here. So this document takes a drop that the page does not see, and its
// `dragend` then names the effect that the other page has chosen.
export function expectDragEnd(effect: string) {
  ending = effect as DataTransfer["dropEffect"];
}

function takeDrop(event: DragEvent) {
  block(event);
  if (event.type === "dragenter" || event.type === "dragover") event.dataTransfer!.dropEffect = ending!;
}

// Returns whether a drop, a release and an end came, the effect of the drop, and whether the page reacted by other elements.
export function dragEnd() {
  const { drop, dragend, mouseup, pointerup } = lastDrag;
  forgetDrag();
  // A page that prevents the default of the press has no mouse events.
  return {
    dropped: Boolean(drop),
    released: Boolean(mouseup || pointerup),
    effect: drop ? drop.dataTransfer!.dropEffect : "",
    ended: Boolean(dragend),
    rebuilt: unwatchAnswers(),
  };
}
