// What Python calls, and in which order the parts run first.

export { pageVersion } from "./page_version.ts";
export { unhook } from "./calls.ts";
export { everyInternal, numberedElements, numberedInternals } from "./internals.ts";
export {
  adoptClosedRoot,
  arm,
  disarm,
  fence,
  habits,
  nextFrame,
  noise,
  possibleHosts,
  report,
  sample,
  scheduledWork,
} from "./observer.ts";
