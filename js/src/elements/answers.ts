// When the page has answered an input: a page shows its answer in the next frames, and then the next input may depend on it.

import { hasFocus, tagOf } from "../dom/nodes.ts";
import { HOLDS_FRAME } from "./events.ts";
import { lookAgain, roots } from "./tree.ts";
import { focusedNow, takesText } from "./typing.ts";
import { frame } from "./waiting.ts";

type Answers = { observer: MutationObserver; at: number; rebuilt: boolean };
let answers: Answers | null = null; // { observer, at (the time of the last change), rebuilt (whether elements came, went or moved) }

export function watchAnswers() {
  if (answers) return;
  const observer = new MutationObserver((records) => {
    if (!answers) return;
    answers.at = performance.now();
    answers.rebuilt = answers.rebuilt || records.some((record) => record.type === "childList");
  });
  answers = { observer, at: 0, rebuilt: false };
  lookAgain();
  for (const root of roots()) {
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  }
}

// Returns whether elements came, went or moved meanwhile.
export function unwatchAnswers() {
  const { observer, rebuilt } = answers || { observer: null, rebuilt: false };
  if (observer) observer.disconnect();
  answers = null;
  return rebuilt;
}

const STILL_MS = 40; // two frames and more: a page that answers in each frame is not still

// Waits until the page has had some frames to answer, and then until it is still, for `ms` at most.
export async function answered(frames: number, ms: number) {
  const end = performance.now() + ms;
  for (let left = frames; left > 0; left--) await frame();
  while (answers && performance.now() - answers.at < STILL_MS && performance.now() < end) await frame();
}

// Waits until the page has answered the key before, in the document that has the focus. A letter does not wait for that in
// a text field.
export async function keyAnswered(frames: number, ms: number, letter: boolean) {
  if (!hasFocus(document) || (letter && takesText(focusedNow()))) return;
  watchAnswers();
  await answered(frames, ms);
  unwatchAnswers();
}

// Returns whether keys go to something else than a text field, which takes them as fast as they come.
export const takesKeys = () => !HOLDS_FRAME.has(tagOf(focusedNow())) && !takesText(focusedNow());
