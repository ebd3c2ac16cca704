// What listeners read of events, and how they listen.

import type { Listening } from "../dom/nodes.ts";
import { method } from "../dom/nodes.ts";

export const eventPath = method(Event.prototype, "composedPath");

export const isTrusted = (event: Event) => event.isTrusted; // [LegacyUnforgeable]: an own property, which a page cannot replace

export const unlisten = method(EventTarget.prototype, "removeEventListener") as Listening;

export const inCapture = { capture: true, passive: false };

export function block(event: Event) {
  event.stopImmediatePropagation();
  if (event.cancelable) event.preventDefault();
}

export const HOLDS_FRAME = new Set(["iframe", "frame", "object", "embed"]);
