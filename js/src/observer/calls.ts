// Reads the page's scheduled calls from the wrappers in its own world (hooks.ts): an event on `performance`, which both
// worlds share, carries the question, and another one the answer. A document without wrappers reports nothing.

import { key } from "./key.ts";
import { causedAt } from "./observer.ts";
import { MOVING_MS, moved, movesOn } from "./recurrence.ts";
import { shared } from "./shared.ts";
import { FALLBACK_MS, frameAndTasks, whenIdle, within } from "./tasks.ts";

const NOTHING = { calls: [], ignored: [], scroll: 0, round_ms: 0, acting_ms: 0, check_ms: 0 };
const ROUNDED_MS = 0.05; // rounding error of a time in milliseconds since 1970
// After this time and this many rounds without visible effect, frames or an interval are idle. A single element that
// keeps moving may be a hand-written animation, which takes longer; one that returns to where it was only blinks.
const IDLE_MS = 500;
const IDLE_ROUNDS: Record<string, number> = { setInterval: 2, setTimeout: 3, requestAnimationFrame: 20 };
// A timer that sets itself again often waits for something, such as a time of its own.
const IDLE_LOOP_MS = 1000;
// The frames of IDLE_MS at 60 Hz. A busy machine renders fewer, and a page may count them, so it gets some more time;
// not much, because a page that draws a scene without a GPU renders few frames for ever.
const IDLE_FRAMES = 30,
  SLOW_IDLE_MS = 1500;

const FRAME_MS = 17,
  STRAINED_MS = 17; // a frame, and a missed one

let answered;

export function ask(...words: unknown[]) {
  answered = undefined;
  performance.dispatchEvent(new CustomEvent(key, { detail: words }));
  return answered;
}

performance.addEventListener(`${key}!`, (event) => {
  const { detail } = event as CustomEvent<string>;
  if (detail === "called") announceCalls();
  else if (detail === "internals") shared.anyInternals = true;
  else answered = detail;
});

// Every fence asks the top document; another document is asked only after it has announced calls.
function announceCalls() {
  if (window !== top && globalThis.__sfSignal) globalThis.__sfSignal("calls");
}

// `began`, in milliseconds since 1970: calls that were due then have run. While a clock stands, a call from within a
// frame has exactly the time at which the frame was requested, and must not count as older.
export function scheduled(began: number | null, frames = false, quiet = 0) {
  const from = typeof began === "number" ? began - ROUNDED_MS : undefined;
  const text = ask("read", from, frames, moved(), causedAt, quiet);
  return text ? JSON.parse(text) : NOTHING;
}

function idleAfter(kind: string, rounds: number) {
  if (kind === "requestAnimationFrame" && rounds < IDLE_FRAMES) return SLOW_IDLE_MS;
  if (kind === "setTimeout") return IDLE_LOOP_MS;
  return movesOn() ? MOVING_MS : IDLE_MS;
}

// A call that repeats without effect reports for how long; for other calls the count is dropped.
// What a call is, as hooks.ts reports it; `rounds` and `since_ms` of one that repeats.
export type Call = { kind: string; idle_ms?: number; rounds?: number; since_ms?: number };

export function withIdleTime({ rounds = 0, since_ms = 0, ...call }: Call): Call {
  const since = Math.min(since_ms, performance.now() - moved());
  if (rounds >= IDLE_ROUNDS[call.kind] && since >= idleAfter(call.kind, rounds)) call.idle_ms = since;
  return call;
}

// The idle callbacks of one document run in the order of their requests: one of ours proves that those before it have
// run. Its id is a gap that the page can see, so it is requested only after one of the page's own.
export const awaitsIdle = (calls: Call[]) => calls.some((call: Call) => call.kind === "requestIdleCallback");

// A virtual clock hides how busy the machine is: time in which the thread seemed to be at rest proves less.
const VIRTUAL_SHARE = 0.25;

export async function letIdle(virtual: boolean) {
  const from = performance.now();
  const idled = new Promise((resolve) => requestIdleCallback(() => resolve(true)));
  idled.then(() => ask("idled", from));
  const came = await within(FALLBACK_MS, idled),
    waited = performance.now() - from;
  if (!came && waited - FALLBACK_MS < STRAINED_MS && (await isAtRest()))
    ask("rested", virtual ? waited * VIRTUAL_SHARE : waited);
}

// Whether a thread has idle time, whatever the page and the machine do: the queue drains and a frame comes in time.
async function isAtRest() {
  const from = performance.now();
  await within(FALLBACK_MS, whenIdle());
  const drained = performance.now();
  await within(FALLBACK_MS, frameAndTasks());
  return Math.max(drained - from, performance.now() - drained - FRAME_MS) < STRAINED_MS;
}

export const unhook = () => void ask("remove");
