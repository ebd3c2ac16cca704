// The clock of a wait for a function, which runs in the page's own world: events on a node outside of the document, which
// both worlds hear. The timers and frames of this world are neither the page's own nor seen as work of the page, and the
// page cannot replace them.

import { after, method } from "../dom/nodes.ts";

// Frames do not come in a tab in the background, nor in a frame out of view.
const FRAMELESS_MS = 100;

const stops = new WeakMap(); // what ends the ticks of a node
const sendTo = method(EventTarget.prototype, "dispatchEvent");

export const ticker = () => document.createComment("");

// Ticks at each frame, or every `everyMs` milliseconds.
export function startTicks(node: Node, everyMs: number) {
  let stopped = false,
    cancelTimer = () => {},
    frame = 0;
  const next = () => {
    cancelTimer = after(everyMs || FRAMELESS_MS, tick);
    if (!everyMs) frame = requestAnimationFrame(tick);
  };
  const cancel = () => {
    cancelTimer();
    cancelAnimationFrame(frame);
  };
  function tick() {
    if (stopped) return;
    cancel();
    sendTo(node, new Event("tick"));
    if (!stopped) next();
  }
  stops.set(node, () => {
    stopped = true;
    cancel();
  });
  next();
}

export function stopTicks(node: Node) {
  const stop = stops.get(node);
  if (stop) stop();
  sendTo(node, new Event("stop"));
}
