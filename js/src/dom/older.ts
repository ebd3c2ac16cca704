// Stand-ins for what browsers older than the pinned one lack; used only there.

import type { Root } from "./nodes.ts";
import {
  boxesOf,
  getter,
  isConnected,
  isElement,
  isShadowRoot,
  listen,
  method,
  parentOf,
  rootOf,
  slotOf,
} from "./nodes.ts";

// Weak references came with Chrome 84. A strong one keeps its node until the document ends or the owner drops it.
export type Held<T> = { deref(): T | undefined };
class StrongReference<T> {
  node: T;
  constructor(node: T) {
    this.node = node;
  }
  deref(): T {
    return this.node;
  }
}
export const Reference: new <T extends Node>(node: T) => Held<T> = globalThis.WeakRef || StrongReference;
export const isStale = (node: Node) => (Reference as unknown) !== globalThis.WeakRef && !isConnected(node);

type Looks = { checkVisibilityCSS?: boolean; checkOpacity?: boolean };
export const isShown: (element: Element, looks?: Looks) => boolean =
  "checkVisibility" in Element.prototype ? method(Element.prototype, "checkVisibility") : isShownByStyles;

// Element.checkVisibility came with Chrome 105, except for `content-visibility: hidden`, which is not looked for here.
export function isShownByStyles(element: Element, { checkVisibilityCSS = false, checkOpacity = false }: Looks = {}) {
  if (!boxesOf(element).length) return false;
  if (checkVisibilityCSS && getComputedStyle(element).visibility !== "visible") return false;
  if (!checkOpacity) return true;
  let up: Element | null = element;
  while (up && getComputedStyle(up).opacity !== "0") up = slotOf(up) || elementOver(up);
  return !up;
}

function elementOver(node: Node): Element | null {
  const parent = parentOf(node);
  return parent && (isElement(parent) ? parent : isShadowRoot(parent) ? parent.host : null);
}

// -- animations: getAnimations came with Chrome 84 -------------------------------------------------------------------

// Before, events tell what begins to move, and computed styles for how long. What began before the first question to a
// shadow root is unknown, and what ends without an event (a property set to `none`) is found when it is next asked for.
export const listsAnimations = "getAnimations" in Document.prototype;

// What the scripts read of an animation; of one that is only heard, some of it.
type Timing = { endTime: number; duration?: number; iterations: number };
export type Moving = {
  playState: string;
  playbackRate: number;
  currentTime: number;
  name: string | null;
  effect: { target: Element; getComputedTiming: () => Timing };
};
type Listing<T> = (of: T, options?: GetAnimationsOptions) => Animation[];

export const animationsIn: Listing<Document> = listsAnimations
  ? method(Document.prototype, "getAnimations")
  : animationsHeardIn;
export const animationsWithin: Listing<ShadowRoot> = listsAnimations
  ? method(ShadowRoot.prototype, "getAnimations")
  : animationsHeardIn;
export const animationsOf: Listing<Element> = listsAnimations
  ? method(Element.prototype, "getAnimations")
  : animationsHeardOf;

const heard = new Map<Element, Map<string, Moving>>(); // element → { name of its transition or animation → what stands in for its Animation }
const hearing = new WeakSet<Root>();
const BEGINS = ["transitionrun", "animationstart"];
const ENDS = ["transitionend", "transitioncancel", "animationend", "animationcancel"];

export function animationsHeardIn(root: Root): Animation[] {
  hear(root);
  return animationsHeard((element: Element) => rootOf(element) === root);
}

export function animationsHeardOf(element: Element): Animation[] {
  hear(rootOf(element));
  return animationsHeard((other: Element) => other === element);
}

function animationsHeard(accept: (element: Element) => boolean): Animation[] {
  const found: Moving[] = [];
  for (const [element, animations] of heard) {
    for (const [name, animation] of animations) if (!goesOn(animation)) animations.delete(name);
    if (!animations.size) heard.delete(element);
    else if (accept(element)) found.push(...animations.values());
  }
  return found as unknown as Animation[];
}

function hear(root: Root) {
  if (hearing.has(root)) return;
  hearing.add(root);
  for (const type of BEGINS) listen(root, type, onBegin, true);
  for (const type of ENDS) listen(root, type, onEnd, true);
}

const targetOfEvent = getter(Event.prototype, "target");

type Motion = Event & Partial<TransitionEvent & AnimationEvent>;

function onBegin(event: Motion) {
  const element = targetOfEvent(event) as Node;
  if (!event.isTrusted || !isElement(element) || event.pseudoElement) return;
  const transition = event.propertyName !== undefined;
  const name = (transition ? event.propertyName : event.animationName) as string;
  const timing = transition ? { endTime: longestTransition(element), iterations: 1 } : timingOf(element, name);
  const began = performance.now() - (transition ? 0 : event.elapsedTime! * 1000);
  if (!heard.has(element)) heard.set(element, new Map());
  heard.get(element)!.set(name, {
    playState: "running",
    playbackRate: 1,
    name: transition ? null : name,
    effect: { target: element, getComputedTiming: () => timing },
    get currentTime() {
      return performance.now() - began;
    },
  });
}

function onEnd(event: Motion) {
  const animations = heard.get(targetOfEvent(event) as Element);
  if (animations)
    animations.delete((event.propertyName === undefined ? event.animationName : event.propertyName) as string);
}

function goesOn(animation: Moving) {
  const { target, getComputedTiming } = animation.effect;
  if (!isConnected(target) || animation.currentTime >= getComputedTiming().endTime || !boxesOf(target).length)
    return false;
  if (animation.name === null) return true;
  const { animationName, animationPlayState } = getComputedStyle(target);
  animation.playState = animationPlayState.includes("paused") ? "paused" : "running";
  return animationName.split(", ").includes(animation.name);
}

const timesIn = (list: string) => list.split(", ").map((time) => parseFloat(time) * (time.endsWith("ms") ? 1 : 1000));
const cycled = <T>(list: readonly T[], at: number): T => list[at % list.length];

// A transition of `all`, or of a shorthand, is announced by the names of the single properties.
function longestTransition(element: Element) {
  const { transitionDuration, transitionDelay } = getComputedStyle(element);
  const durations = timesIn(transitionDuration),
    delays = timesIn(transitionDelay);
  return Math.max(...durations.map((duration, at) => duration + cycled(delays, at)));
}

// The delay is over when an animation announces its start.
function timingOf(element: Element, name: string): Timing {
  const { animationName, animationDuration, animationIterationCount } = getComputedStyle(element);
  const at = animationName.split(", ").indexOf(name);
  if (at < 0) return { endTime: 0, duration: 0, iterations: 1 };
  const turns = cycled(animationIterationCount.split(", "), at);
  const duration = cycled(timesIn(animationDuration), at),
    iterations = turns === "infinite" ? Infinity : Number(turns);
  return { endTime: duration * iterations, duration, iterations };
}

if (!listsAnimations) hear(document);
