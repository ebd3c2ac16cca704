// Elements that Python knows by a token.

import type { Fault } from "./types.ts";
import { isConnected, rootOf } from "../dom/nodes.ts";
import { Reference } from "../dom/older.ts";
import { adoptRoot } from "./tree.ts";

// Elements that were made ready, for the next calls; the last few are enough, because those calls follow at once.
export const held = new Map<number, { deref(): Element | undefined }>();

export const recall = (token: number): Element | undefined => (held.has(token) ? held.get(token)!.deref() : undefined);

export const MAX_HELD = 16;

export const tokenOf = new WeakMap<Element, number>();

export let lastToken = 0;

export function hold(element: Element): number {
  const known = tokenOf.get(element);
  if (known !== undefined && held.has(known)) return known;
  held.set(++lastToken, new Reference(element));
  held.delete(lastToken - MAX_HELD);
  tokenOf.set(element, lastToken);
  return lastToken;
}

export function get(token: number): Element {
  const element = recall(token);
  if (!element || !isConnected(element)) throw new Error("detached");
  return element;
}

export function attached(element: Element): { element: Element; fault?: undefined } | Fault {
  if (!isConnected(element)) return { fault: "detached", final: true };
  // An element inside a closed root reveals that root, so that hit tests can reach it.
  for (let at: Element | undefined = element; at; at = (rootOf(at) as Partial<ShadowRoot>).host) adoptRoot(at);
  return { element };
}
