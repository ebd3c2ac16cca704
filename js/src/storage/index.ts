// What Python calls.

export { readStorage, writeStorage } from "./storage.ts";
