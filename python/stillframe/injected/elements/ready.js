// Waiting: nothing is polled from outside; one promise per action tries again when the document changes.

// Shadow roots attach and stylesheets arrive without a mutation record, so a look is taken this often anyway.
const LOOK_MS = 100;
// Several matches seldom become one: give a transition time to end, and the caller a quick answer.
const AMBIGUOUS_MS = 500;

function change(ms) {
  return new Promise((done) => {
    const observer = new MutationObserver(finish);
    let over = false;
    const off = after(ms, finish);
    function finish() {
      if (over) return;
      over = true;
      off();
      observer.disconnect();
      // A page that changes all the time is looked at once a frame.
      frame().then(done);
    }
    for (const root of roots()) {
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    }
  });
}

async function until(ms, attempt) {
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

// Elements that were made ready, for the calls that follow; the last few are enough, since a call follows at once.
const held = new Map();
const MAX_HELD = 16;
const tokenOf = new WeakMap();
let lastToken = 0;

function hold(element) {
  if (held.has(tokenOf.get(element))) return tokenOf.get(element);
  held.set(++lastToken, new WeakRef(element));
  held.delete(lastToken - MAX_HELD);
  tokenOf.set(element, lastToken);
  return lastToken;
}

// Whether the text sent to an element reached it: the page may move the focus or put another element in its place.
const edited = new WeakSet();

function expectEdit(element) {
  edited.delete(element);
  const receiver = isEditable(element) ? editingHost(element) : element;
  receiver.addEventListener("beforeinput", () => edited.add(element), { capture: true, once: true });
}

// A folder's files come when the browser has listed them, some time after it was named.
const filled = (input, ms) => until(ms, async () => input.files.length ? {} : { fault: "state" });

const arrived = (token) => edited.has(held.get(token)?.deref());

function get(token) {
  const element = held.get(token)?.deref();
  if (!element || !isConnected(element)) throw new Error("detached");
  return element;
}

// need: { byKind: { kind: [stage, …] }, any: [stage, …], control: the kinds that a label or a part stands for }
// target: a step of a selector, or an element. Resolves to { token, what, kind, … } or { fault, … }; never rejects.
function prepare(target, need, args, ms) {
  return until(ms, async (round) => {
    const found = target instanceof Element ? standing(target) : seek(target);
    if (found.fault) return found;
    const { element, fault } = controlFor(found.element, need.control);
    return fault && !need.byKind?.other ? { what: describe(element), ...fault } : readied(element, need, args, round);
  });
}

async function readied(element, need, args, round) {
  const kind = kindFor(element, need.control);
  const what = describe(element);
  if (round === 0) noteHiding();
  const stages = need.byKind?.[kind] || need.any;
  if (!stages) return { fault: "kind", kind, detail: roleOf(element), what, final: true };
  const ctx = { element, at: element, kind, args, round, report: {} };
  for (const stage of stages) {
    const fault = await STAGES[stage](ctx);
    if (fault) return { what, kind, ...fault };
    if (ctx.report.done) break;
  }
  const hidden = ["text", "editable"].includes(kind) && hides(element);
  return { token: hold(element), what, kind, hidden, ...ctx.report };
}

function standing(element) {
  if (!isConnected(element)) return { fault: "detached", final: true };
  // An element inside a closed root reveals that root, which makes it reachable for hit tests.
  for (let at = element; at; at = rootOf(at).host) adoptRoot(at);
  return { element };
}

const CONDITIONS = {
  visible: (found) => found.some(isRendered),
  hidden: (found) => !found.some(isRendered),
  attached: (found) => found.length > 0,
  detached: (found) => found.length === 0,
};

function waitFor(target, state, ms) {
  return until(ms, async () => {
    try {
      const { found } = search(target);
      return CONDITIONS[state](found) ? {} : { fault: "state", count: found.length, matches: found.slice(0, MAX_LISTED).map(listed) };
    } catch (error) {
      return { fault: "syntax", detail: String(error.message || error), final: true };
    }
  });
}

// Frameworks may write a state back a moment later, so a control is given time to become on or off. One that has gone
// to another state than asked for, where three are at play, is ready for the next click. Resolves to { detail: state }.
const becomes = (token, on, was, ms) => until(ms, async (round) => {
  const state = checkedness(get(token));
  if (state === (on ? "on" : "off")) return { detail: state };
  const between = state !== was && (state === "mixed" || was === "mixed") && round > 0;
  return { fault: "state", detail: state, final: between };
});
