// Promises of the next frame, of a change of the document, and of an attempt that succeeds.

import type { Fault } from "./types.ts";
import { after } from "../dom/nodes.ts";
import { lookAgain, roots } from "./tree.ts";

// A background tab draws no frames; a busy machine draws five a second, and a box that is measured between two frames
// seems not to move.
export const FRAME_MS = 200;

export const frame = (): Promise<void> =>
  new Promise((done) => {
    const off = after(FRAME_MS, done);
    requestAnimationFrame(() => {
      off();
      done();
    });
  });

// Shadow roots and stylesheets appear without a mutation record, so the document is also checked at this interval.
export const LOOK_MS = 100;

// Several matches rarely become one: allow time for a transition, and then answer the caller quickly.
export const AMBIGUOUS_MS = 500;

export function change(ms: number): Promise<void> {
  return new Promise((done) => {
    const observer = new MutationObserver(finish);
    let over = false;
    const off = after(ms, finish);
    function finish() {
      if (over) return;
      over = true;
      off();
      observer.disconnect();
      // A page that changes all the time is checked once per frame.
      frame().then(done);
    }
    for (const root of roots()) {
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    }
  });
}

export async function until<T extends Partial<Fault>>(ms: number, attempt: (round: number) => Promise<T>): Promise<T> {
  const start = performance.now();
  for (let round = 0; ; round++) {
    lookAgain();
    const report = await attempt(round);
    const now = performance.now();
    const limit = report.fault === "many" ? Math.min(ms, AMBIGUOUS_MS) : ms;
    if (!report.fault || report.final || now - start >= limit) return report;
    await (report.soon ? frame() : change(Math.min(LOOK_MS, start + limit - now)));
  }
}
