// Finds what says that it is working: a button that the actions disabled and that now reads "Loading…", or a part with
// an attribute for its state, such as the page of Streamlit while its script runs.
//
// It blocks like a loading indicator, but only within the horizon: unlike one, it may stay as it is for good.

import type { Root } from "../dom/nodes.ts";
import { getter, inElement, matches, rawText, tagOf } from "../dom/nodes.ts";
import { animationsOf } from "../dom/older.ts";
import { KEPT, Kept } from "./control_state.ts";
import { MAX_INDICATORS } from "./naming.ts";
import { isVisible } from "./observer.ts";
import { shared } from "./shared.ts";

const DISABLED = [
  "button:disabled",
  'input[type="submit"]:disabled',
  'input[type="button"]:disabled',
  '[aria-disabled="true"]',
].join(",");
const DISABLING = new Set(["disabled", "aria-disabled"]);
const STATED = '[data-state="loading"],[data-test-script-state="running"]';
const STATES = new Set(["data-state", "data-test-script-state"]);
const MAX_LABEL = 60; // a longer text is not a label
// What a label says while its control works, whatever it did before.
const WORKING = new RegExp(
  "^(?:please wait|wait|one moment|just a (?:moment|second|sec)|hold on|busy|in progress|(?:" +
    [
      "load",
      "sav",
      "send",
      "submitt",
      "process",
      "work",
      "wait",
      "upload",
      "download",
      "search",
      "updat",
      "delet",
      "remov",
      "creat",
      "connect",
      "sign",
      "logg",
      "check",
      "verify",
      "generat",
      "start",
      "stopp",
      "publish",
      "post",
      "refresh",
      "reload",
      "fetch",
      "import",
      "export",
      "comput",
      "calculat",
      "think",
      "apply",
      "plac",
      "pay",
      "redirect",
      "validat",
      "install",
      "prepar",
      "sync",
      "deploy",
      "cancell",
      "cancel",
      "regist",
      "register",
      "join",
      "retry",
      "analyz",
      "analys",
      "copy",
      "mov",
      "add",
    ].join("|") +
    ")ing)(?![\\p{L}\\d-])",
  "iu",
);
const GOES_ON = /(?:…|\.\.\.)$/; // at the end of a label, in any language
const TURNING = '[role="progressbar"]:not([aria-valuenow])';

const keptDisabled = new Kept(DISABLED),
  keptStated = new Kept(STATED);
KEPT.push(keptDisabled, keptStated);

export function updateBusy({ type, attributeName, target: node }: MutationRecord) {
  const target = node as Element;
  if (type === "attributes" && STATES.has(attributeName!)) keptStated.add(target);
  if (type !== "attributes" || !DISABLING.has(attributeName!)) return;
  for (const control of [target, ...(tagOf(target) === "fieldset" ? inElement(target, DISABLED) : [])]) {
    keptDisabled.add(control);
    if (matches(control, DISABLED)) shared.disabledSince.add(control);
  }
}

const inputText = getter(HTMLInputElement.prototype, "value");
const labelOf = (control: Element) =>
  (tagOf(control) === "input" ? inputText(control as HTMLInputElement) : rawText(control) || "").trim();

// One that the actions disabled needs less to be believed: a menu that opens may have a disabled "Rename…" as well.
function isWorking(control: Element) {
  const label = labelOf(control);
  if (label.length <= MAX_LABEL && WORKING.test(label.replace(/^[^\p{L}]+/u, ""))) return true;
  if (!shared.disabledSince.has(control)) return false;
  return (label.length <= MAX_LABEL && GOES_ON.test(label)) || turnsWithin(control);
}

function turnsWithin(control: Element) {
  if (inElement(control, TURNING).length) return true;
  return animationsOf(control, { subtree: true }).some(
    ({ effect, playState }) => playState === "running" && effect && effect.getComputedTiming().endTime === Infinity,
  );
}

export function busyParts(searched: Root[]) {
  const disabled = keptDisabled.list(searched).filter((control) => matches(control, DISABLED) && isWorking(control));
  const stated = keptStated.list(searched).filter((part) => matches(part, STATED));
  return [...stated, ...disabled].filter(isVisible).slice(0, MAX_INDICATORS);
}
