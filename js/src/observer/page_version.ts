// Tells whether a document still shows the same: a number that is equal only if nothing has changed in between.
//
// Changes with a mutation record are counted as they come (observer.ts). The rest is read here: what users and scripts
// do to controls, newly attached shadow roots, the URL, the scroll position and the viewport. Styles and layout are
// updated first, so that Chrome's own counters, which are read next, include changes that are still to be rendered.

import type { Root } from "../dom/nodes.ts";
import { boxOf, getter, listen, namespaceOf, tagOf, topOf } from "../dom/nodes.ts";
import { animationsIn, animationsWithin } from "../dom/older.ts";
import { keptControls } from "./control_state.ts";
import { MAX_ROOTS, everyRoot, processRecords } from "./observer.ts";
import { shared } from "./shared.ts";

const valueOf: Record<string, (control: never) => unknown> = {
  input: getter(HTMLInputElement.prototype, "value"),
  textarea: getter(HTMLTextAreaElement.prototype, "value"),
  select: getter(HTMLSelectElement.prototype, "selectedIndex"),
  option: getter(HTMLOptionElement.prototype, "selected"),
};
const checkedOf = getter(HTMLInputElement.prototype, "checked");
const indeterminateOf = getter(HTMLInputElement.prototype, "indeterminate");

const controls = new WeakMap(); // control → its state at the last check
let shownAs = "";

function stateOf(control: Element) {
  const tag = tagOf(control);
  const value = valueOf[tag] && valueOf[tag](control as never);
  return tag === "input"
    ? `${checkedOf(control as HTMLInputElement)} ${indeterminateOf(control as HTMLInputElement)} ${value}`
    : String(value);
}

function compareControls(searched: Root[]) {
  for (const control of keptControls.list(searched)) {
    if (!isHtml(control)) continue;
    const state = stateOf(control);
    if (controls.get(control) === state) continue;
    controls.set(control, state);
    shared.changes++;
  }
}

const HTML = "http://www.w3.org/1999/xhtml";
export const isHtml = (element: Element) => namespaceOf(element) === HTML;

export function countScrolls(root: Root) {
  listen(root, "scroll", () => shared.changes++, { capture: true, passive: true });
}

// An animation moves elements without any of the changes that are counted.
function isMoving(searched: Root[]) {
  if (searched.length > MAX_ROOTS) return true;
  return searched.some((root: Root) => {
    const own = root === document ? animationsIn(document) : animationsWithin(root as ShadowRoot);
    return own.some((animation: Animation) => animation.playState === "running");
  });
}

// null: something is moving, so every snapshot differs.
export function pageVersion() {
  processRecords();
  const top = topOf(document);
  if (top) boxOf(top);
  const searched = everyRoot();
  if (isMoving(searched)) return null;
  compareControls(searched);
  const shown = [location.href, scrollX, scrollY, innerWidth, innerHeight, devicePixelRatio].join();
  if (shown !== shownAs) {
    shownAs = shown;
    shared.changes++;
  }
  return shared.changes;
}
