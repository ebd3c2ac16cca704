// Elements that Python knows by a token.

import { isConnected, rootOf } from "../dom/nodes.ts";
import { Reference } from "../dom/older.ts";
import { adoptRoot } from "./tree.ts";

// Elements that were made ready, for the next calls; the last few are enough, because those calls follow at once.
export const held = new Map();

export const recall = (token) => (held.has(token) ? held.get(token).deref() : undefined);

export const MAX_HELD = 16;

export const tokenOf = new WeakMap();

export let lastToken = 0;

export function hold(element) {
  if (held.has(tokenOf.get(element))) return tokenOf.get(element);
  held.set(++lastToken, new Reference(element));
  held.delete(lastToken - MAX_HELD);
  tokenOf.set(element, lastToken);
  return lastToken;
}

export function get(token) {
  const element = recall(token);
  if (!element || !isConnected(element)) throw new Error("detached");
  return element;
}

export function attached(element) {
  if (!isConnected(element)) return { fault: "detached", final: true };
  // An element inside a closed root reveals that root, so that hit tests can reach it.
  for (let at = element; at; at = rootOf(at).host) adoptRoot(at);
  return { element };
}
