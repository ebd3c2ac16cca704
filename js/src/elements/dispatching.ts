// Events that scripts dispatch, of the class that browsers have for their type.

import { method } from "../dom/nodes.ts";
import { get } from "./held.ts";

const EVENT_CLASSES = [
  [
    "MouseEvent",
    "auxclick click dblclick mousedown mouseenter mouseleave mousemove mouseout mouseover mouseup mousewheel",
  ],
  ["KeyboardEvent", "keydown keyup keypress textInput"],
  ["TouchEvent", "touchstart touchmove touchend touchcancel"],
  [
    "PointerEvent",
    "pointerover pointerout pointerenter pointerleave pointerdown pointerup pointermove pointercancel " +
      "gotpointercapture lostpointercapture contextmenu",
  ],
  ["FocusEvent", "focus blur focusin focusout"],
  ["DragEvent", "drag dragstart dragend dragover dragenter dragleave dragexit drop"],
  ["WheelEvent", "wheel"],
  ["InputEvent", "beforeinput input"],
  ["SubmitEvent", "submit"],
  ["CompositionEvent", "compositionstart compositionupdate compositionend"],
  ["ClipboardEvent", "copy cut paste"],
  ["DeviceOrientationEvent", "deviceorientation deviceorientationabsolute"],
  ["DeviceMotionEvent", "devicemotion"],
];

function classOfEvent(type: string, init: Record<string, unknown>) {
  const row = EVENT_CLASSES.find(([, types]) => types.split(" ").includes(type));
  const made = row && (globalThis as unknown as Record<string, typeof Event | undefined>)[row[0]];
  if (made) return made;
  return "detail" in init ? CustomEvent : Event;
}

// Returns why the event cannot be made, "" if it was dispatched.
export function dispatchTo(token: number, type: string, given: object) {
  const init = { bubbles: true, cancelable: true, composed: true, ...given };
  let event;
  try {
    event = new (classOfEvent(type, init))(type, init);
  } catch (error) {
    return String((error as Error).message || error);
  }
  sendEvent(get(token), event);
  return "";
}

const sendEvent = method(EventTarget.prototype, "dispatchEvent");

export function blurElement(token: number) {
  const element = get(token);
  if ((element as HTMLElement).blur)
    (element instanceof HTMLElement ? HTMLElement : SVGElement).prototype.blur.call(element);
}
