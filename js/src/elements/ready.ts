// Waiting without polling from outside: one promise per action tries again when the document changes.

import type { Args, Chain, Context, Need, Scrolling, Target } from "./types.ts";
import { checkedness, controlFor, isEditable, kindFor } from "./control.ts";
import { describe, listed } from "./describe.ts";
import { MAX_LISTED, findOne, isChain, search } from "./find.ts";
import { attached, get, hold, recall } from "./held.ts";
import { roleOf } from "./roles.ts";
import { STAGES, editingHost } from "./state.ts";
import { isRendered } from "./tree.ts";
import { hides, recordHidingFields } from "./typed.ts";
import { until } from "./waiting.ts";

// Records whether text reached an element: the page may move the focus or replace the element.
const edited = new WeakSet();

export function expectEdit(element: Element) {
  edited.delete(element);
  const receiver = isEditable(element) ? editingHost(element) : element;
  receiver.addEventListener("beforeinput", () => edited.add(element), { capture: true, once: true });
}

// A folder's files appear after the browser has listed them.
export const waitForFiles = (input: HTMLInputElement, ms: number) =>
  until(ms, async () => (input.files!.length ? {} : { fault: "state" }));

export const textArrived = (token: number) => edited.has(recall(token)!);

// need: { byKind: { kind: [stage, …] }, any: [stage, …], control: the kinds that a label or part may stand for }
// target: a query, or an element. Resolves to { token, what, kind, … } or { fault, … }; never rejects.
export function prepare(target: Target, need: Need, args: Args, ms: number) {
  const scrolling = { turn: 0, rest: null, covers: [], movedAt: 0 };
  return until(ms, async (round: number) => {
    const found = isChain(target) ? findOne(target) : attached(target);
    if (found.fault !== undefined) return found;
    const { element, fault } = controlFor(found.element, need.control);
    return fault && !(need.byKind && need.byKind.other)
      ? { what: describe(element), ...fault }
      : readied(element, found.element, need, args, round, scrolling);
  });
}

// `named` is what the selector found: the element itself, or a label or part that stands for it.
async function readied(element: Element, named: Element, need: Need, args: Args, round: number, scrolling: Scrolling) {
  const kind = kindFor(element, need.control);
  const what = describe(element);
  if (round === 0) recordHidingFields();
  const stages = (need.byKind && need.byKind[kind]) || need.any;
  if (!stages) return { fault: "kind", kind, detail: roleOf(element), what, final: true };
  const ctx: Context = { element, named, at: element, kind, args, scrolling, report: {} };
  for (const stage of stages) {
    const fault = await STAGES[stage](ctx);
    if (fault) return { what, kind, ...fault };
    if (ctx.report.done) break;
  }
  const hidden = ["text", "editable"].includes(kind) && hides(element);
  return { token: hold(element), what, kind, hidden, ...ctx.report };
}

const CONDITIONS: Record<string, (found: Element[]) => boolean> = {
  visible: (found: Element[]) => found.some(isRendered),
  hidden: (found: Element[]) => !found.some(isRendered),
  attached: (found: Element[]) => found.length > 0,
  detached: (found: Element[]) => found.length === 0,
};

export function waitFor(target: Target, state: string, ms: number) {
  return until(ms, async () => {
    try {
      const { found } = search(target as Chain);
      return CONDITIONS[state](found)
        ? {}
        : { fault: "state", count: found.length, matches: found.slice(0, MAX_LISTED).map(listed) };
    } catch (error) {
      return { fault: "syntax", detail: String((error as Error).message || error), final: true };
    }
  });
}

// Frameworks may write a state back a moment later, so a control gets time to change. A control that went to another of
// three states is ready for the next click. Resolves to { detail: state }.
export const waitForState = (token: number, on: boolean, was: string, ms: number) =>
  until(ms, async (round: number) => {
    const state = checkedness(get(token));
    if (state === (on ? "on" : "off")) return { detail: state };
    const between = state !== was && (state === "mixed" || was === "mixed") && round > 0;
    return { fault: "state", detail: state, final: between };
  });
