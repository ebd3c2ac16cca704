// What the page has scheduled, asked of the wrappers in its own world (hooks.js): an event on `performance`, which both
// worlds have, carries the question and another one the answer. Nothing is known of a document without wrappers.

const NOTHING = { calls: [], ignored: [] };
const ROUNDED_MS = 0.05; // what a moment may lose in milliseconds since 1970
// How long frames or an interval come round without showing anything until nobody waits for them. What moves one element
// on and on may be an animation by hand, which takes longer; what returns to where it was only blinks.
const IDLE_MS = 500;
const IDLE_ROUNDS = { setInterval: 2, requestAnimationFrame: 20 };

let answered;

function ask(...words) {
  answered = undefined;
  performance.dispatchEvent(new CustomEvent(key, { detail: words }));
  return answered;
}

performance.addEventListener(`${key}!`, ({ detail }) => {
  if (detail === "called") announceCalls();
  else answered = detail;
});

// The top document is asked by every fence; another one only if it has said that there is something to ask for.
function announceCalls() {
  if (window !== top) globalThis.__sfSignal?.("calls");
}

// `began` is when what is due is known to have run, in milliseconds since 1970. While a clock stands, what a frame asks
// for has the very moment at which the frame was asked for, and must not be taken for older.
function scheduled(began, frames = false) {
  const text = ask("read", typeof began === "number" ? began - ROUNDED_MS : undefined, frames, moved());
  return text ? JSON.parse(text) : NOTHING;
}

// What comes round without effect says for how long; of the rest that is not told.
function idling({ rounds, ...call }) {
  const since = Math.min(call.age_ms, performance.now() - moved());
  if (rounds >= IDLE_ROUNDS[call.kind] && since >= (movesOn() ? MOVING_MS : IDLE_MS)) call.idle_ms = since;
  return call;
}

// Idle callbacks of one document run in the order in which they were asked for: one of ours proves that those before it
// have run. Its id is a gap that the page can see, so it is only asked for behind one of the page's own.
const awaitsIdle = (calls) => calls.some((call) => call.kind === "requestIdleCallback");

async function letIdle() {
  const from = performance.now();
  const ran = new Promise((resolve) => requestIdleCallback(() => resolve(true)));
  if (await within(FALLBACK_MS, ran)) ask("idled", from);
}

const unhook = () => void ask("remove");
