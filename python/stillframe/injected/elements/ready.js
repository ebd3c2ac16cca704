// Waiting without polling from outside: one promise per action tries again when the document changes.

// Shadow roots and stylesheets appear without a mutation record, so the document is also checked at this interval.
const LOOK_MS = 100;
// Several matches rarely become one: allow time for a transition, and then answer the caller quickly.
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
      // A page that changes all the time is checked once per frame.
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

// Elements that were made ready, for the next calls; the last few are enough, because those calls follow at once.
const held = new Map();
const recall = (token) => held.has(token) ? held.get(token).deref() : undefined;
const MAX_HELD = 16;
const tokenOf = new WeakMap();
let lastToken = 0;

function hold(element) {
  if (held.has(tokenOf.get(element))) return tokenOf.get(element);
  held.set(++lastToken, new Reference(element));
  held.delete(lastToken - MAX_HELD);
  tokenOf.set(element, lastToken);
  return lastToken;
}

// Records whether text reached an element: the page may move the focus or replace the element.
const edited = new WeakSet();

function expectEdit(element) {
  edited.delete(element);
  const receiver = isEditable(element) ? editingHost(element) : element;
  receiver.addEventListener("beforeinput", () => edited.add(element), { capture: true, once: true });
}

// A folder's files appear after the browser has listed them.
const waitForFiles = (input, ms) => until(ms, async () => input.files.length ? {} : { fault: "state" });

const textArrived = (token) => edited.has(recall(token));

function get(token) {
  const element = recall(token);
  if (!element || !isConnected(element)) throw new Error("detached");
  return element;
}

// need: { byKind: { kind: [stage, …] }, any: [stage, …], control: the kinds that a label or part may stand for }
// target: a query, or an element. Resolves to { token, what, kind, … } or { fault, … }; never rejects.
function prepare(target, need, args, ms) {
  const scrolling = { turn: 0, rest: null, covers: [], movedAt: 0 };
  return until(ms, async (round) => {
    const found = isChain(target) ? findOne(target) : attached(target);
    if (found.fault) return found;
    const { element, fault } = controlFor(found.element, need.control);
    return fault && !(need.byKind && need.byKind.other) ? { what: describe(element), ...fault }
      : readied(element, found.element, need, args, round, scrolling);
  });
}

// `named` is what the selector found: the element itself, or a label or part that stands for it.
async function readied(element, named, need, args, round, scrolling) {
  const kind = kindFor(element, need.control);
  const what = describe(element);
  if (round === 0) recordHidingFields();
  const stages = need.byKind && need.byKind[kind] || need.any;
  if (!stages) return { fault: "kind", kind, detail: roleOf(element), what, final: true };
  const ctx = { element, named, at: element, kind, args, scrolling, report: {} };
  for (const stage of stages) {
    const fault = await STAGES[stage](ctx);
    if (fault) return { what, kind, ...fault };
    if (ctx.report.done) break;
  }
  const hidden = ["text", "editable"].includes(kind) && hides(element);
  return { token: hold(element), what, kind, hidden, ...ctx.report };
}

function attached(element) {
  if (!isConnected(element)) return { fault: "detached", final: true };
  // An element inside a closed root reveals that root, so that hit tests can reach it.
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

// Frameworks may write a state back a moment later, so a control gets time to change. A control that went to another of
// three states is ready for the next click. Resolves to { detail: state }.
const waitForState = (token, on, was, ms) => until(ms, async (round) => {
  const state = checkedness(get(token));
  if (state === (on ? "on" : "off")) return { detail: state };
  const between = state !== was && (state === "mixed" || was === "mixed") && round > 0;
  return { fault: "state", detail: state, final: between };
});
