// What Python calls: the global `__sf` of the isolated world. `tools/generate_page_calls.py` makes its face in Python.

import { listenForDrags } from "./dragging.ts";
import { listenForNavigations } from "./external.ts";
import { listenForMoves, listenForPresses } from "./press.ts";
import { listenForResizes } from "./resizes.ts";
export { rowText } from "./rows.ts";
import { listenForTyping } from "./typed.ts";
import { listenForBlur, listenForLetters } from "./typing.ts";

export { answered, keyAnswered, takesKeys } from "./answers.ts";
export {
  describeOption,
  focusFilter,
  isLeftOpen,
  scrollList,
  unfollowed,
  unwatch,
  verifyChoice,
  waitForOptions,
  watch,
} from "./choosing.ts";
export { isInLink } from "./control.ts";
export { blurElement, dispatchTo } from "./dispatching.ts";
export {
  addFrame,
  addTag,
  focusLost,
  frameDrawn,
  framesDrawn,
  nextTask,
  reached,
  restoreUrl,
  scrollPage,
  title,
  watchFocus,
} from "./document.ts";
export { dragEnd, dragStart, expectDragEnd, scrolledAround, viewSize, watchDrag } from "./dragging.ts";
export { whenOther } from "./expecting.ts";
export { containsHeld, suggestions } from "./find.ts";
export { get, hold } from "./held.ts";
export { attention, focusAndModals } from "./identity.ts";
export { moveCovered, scrollPointIntoView } from "./in_view.ts";
export { setPayloads } from "./payloads.ts";
export { addPictureStyle, coverMatches, endPicture, stillAnimations } from "./picture.ts";
export { boxNearest, contentPosition, dropFocus, optionValuesAt, presence, showInMiddle } from "./placing.ts";
export { awaitedDocument, scrollToEdge, wheelSpot } from "./point.ts";
export { elementAt, expectPress, forgetPress, pressReports } from "./press.ts";
export { allFound, markup, readHeld, tally } from "./reading.ts";
export { prepare, textArrived, waitFor, waitForFiles, waitForState } from "./ready.ts";
export { noteExamined, noteListener } from "./receiving.ts";
export { beginToShowResizes, hideResizes, showResizes } from "./resizes.ts";
export { refusesFiles } from "./state.ts";
export { startTicks, stopTicks, ticker } from "./ticks.ts";
export { partsTouched } from "./touched.ts";
export { formFilled, mayOfferTools, offeredTools } from "./webmcp.ts";
export { webStorage } from "./web_storage.ts";
export { adoptRoot } from "./tree.ts";
export { reportFocusedField } from "./typed.ts";
export { boxesTyped, endLetters, expectLetters, expectNoLetters, lettersMayGoOn, lettersTyped } from "./typing.ts";
export { choose, setValue } from "./values.ts";
export * from "./for_scripts.ts";

// From the start of the document, so that only listeners that the page added even earlier run before these.
listenForPresses();
listenForMoves();
listenForNavigations();
listenForTyping();
listenForLetters();
listenForBlur();
listenForDrags();
listenForResizes();
