// What other scripts take from `__sf`: the recorder, the reader of crawls, the benchmarks and the tests.

export { boxOf, closest, isElement, listen, matches, topOf } from "../dom/nodes.ts";
export { isShown } from "../dom/older.ts";
export { isEditable, isNativeToggle, kindOf } from "./control.ts";
export { eventPath, isTrusted, unlisten } from "./events.ts";
export { valueOf } from "./identity.ts";
export { descriptionOf, nameOf } from "./names.ts";
export { roleOf } from "./roles.ts";
export { editingHost } from "./state.ts";
export { stateOf } from "./states.ts";
export {
  activeElement,
  closestAcross,
  contentOf,
  deeper,
  deepestAt,
  hostOrParent,
  isInside,
  isRendered,
  lookAgain,
  roots,
  shadowOf,
} from "./tree.ts";
export { hides } from "./typed.ts";
export { inCase } from "./words.ts";
