// What the custom elements of a document say of themselves by ElementInternals. Only the page's world has that (hooks.ts):
// its answer holds the values in order, and an event for each element, which alone carries a node from world to world.

import type { Internals } from "../dom/nodes.ts";
import { NO_INTERNALS } from "../dom/nodes.ts";
import { ask } from "./calls.ts";
import { shared } from "./shared.ts";
import { key } from "./key.ts";

const numbers = new WeakMap<Element, number>(); // element → its number, by which Python knows it
let lastNumber = 0;
let pointedAt: Element[] = [];
let internals: Internals | null = null;

performance.addEventListener(`${key}#`, (event) => {
  const { detail, relatedTarget } = event as MouseEvent;
  pointedAt[detail] = relatedTarget as Element;
});

// Returns the names and values of each element. The page changes nothing within a task of this world, so an answer lasts
// as long as the task. The events are scripts to Chrome, and change the page version, so nobody asks without need.
export function everyInternal(): Internals {
  if (internals || !shared.anyInternals) return internals || NO_INTERNALS;
  pointedAt = [];
  const values = JSON.parse(ask("internals") || "[]");
  internals = new Map(pointedAt.map((element, index) => [element, values[index]]));
  pointedAt = [];
  Promise.resolve().then(() => {
    internals = null;
  });
  return internals;
}

function numberOf(element: Element) {
  if (!numbers.has(element)) numbers.set(element, ++lastNumber);
  return numbers.get(element)!;
}

// Returns the number of each element with its names and values; null if there is none.
export function numberedInternals() {
  const every = everyInternal();
  return every.size ? [...every].map(([element, values]) => [numberOf(element), Object.entries(values)]) : null;
}

// Returns the elements with these numbers; the document stands for one that is gone.
export function numberedElements(wanted: number[]) {
  const found = new Map([...everyInternal().keys()].map((element) => [numberOf(element), element]));
  return wanted.map((number: number) => found.get(number) || document);
}

shared.anyInternals = Boolean(ask("anyInternals")); // a world may come after the first elements of its document
