// What Python calls: the global `__sfRecorder` of the isolated world.

export { element, firstLikely, likely, mark, stop } from "./events.ts";
