// Recognizes changes of a document that recur by themselves: learns rhythms while no actions run, spends them during
// actions.
//
// A rhythm belongs to one kind of change of one node: its text, its children, one of its attributes. It knows when its
// beats come and what they look like without digits. A beat that comes before its rhythm has earned it, or that looks
// like none before, is not noise: an action may have caused it.

import { attr, isElement, lastItem, parentOf, rawText, stateOfDocument, tagOf } from "../dom/nodes.ts";
import { name } from "./naming.ts";
import { shared } from "./shared.ts";

// At least three intervals whose coefficient of variation is below 0.35, learned before the actions. Changes that look
// the same each time are a rhythm after two intervals. The rest is as in noise.py: each period earns one change.
const RING = 8,
  MIN_INTERVALS = 3,
  MIN_LIKE_INTERVALS = 2,
  MAX_VARIATION = 0.35,
  JITTER_MS = 50,
  MAX_EARNED = 2,
  SILENT_PERIODS = 4;
// Changes in half of the slots of the last second are noise too, however uneven. The rendering of a page that has just
// loaded does not count.
const SLOT_MS = 100,
  SLOTS = 10,
  RESTLESS_SLOTS = 5,
  AFTER_LOAD_MS = 1000;
const REPEAT_MS = 250,
  MIN_REPEATS = 2; // at least this many changes, this far apart, make a habit
const SAME_BATCH_MS = 4; // two records this close are one change to a reader, and to a rhythm
const MAX_LOOKS = 3; // a change with more looks than this is not recognized by its look
const LOOK_LENGTH = 100,
  LOOK_NODES = 5;
const MAX_NOISY = 200;
const INSERTED_DEPTH = 6; // how far up to search for an element that its container has inserted by itself

const rhythms = new WeakMap(); // node → Map of kind → Rhythm
const insertedBy = new WeakMap(); // node that was inserted by itself → its container
export const noisy = new Map<string, number>(); // selector → rate, since armed
export const noisyNodes = new Set<Node>(); // nodes that changed by themselves, since armed
export let causedNodes = new WeakSet(); // nodes that also changed for another reason, since armed
export const habitualNodes = new Set<Node>(); // nodes whose text changed as it had before, since armed
export let unlikeNodes = new WeakSet(); // nodes that also changed otherwise, since armed
export let noiseAnnounced = false; // a change turned out to recur by itself

class Rhythm {
  period = 0;
  beats: number[] = [];
  looks: string[] = [];
  slots: number[] = [];
  lastBeat = -Infinity;
  earned = 0;
  repeats = 0; // changes by itself, some time apart
  noise = false;

  // Records a change at this time with this look; returns whether it is noise.
  beat(now: number, look: string) {
    const like = this.isLike(look);
    if (now - this.lastBeat >= SAME_BATCH_MS) {
      this.noise = shared.learning ? this.learn(now) : this.spend(now);
      this.lastBeat = now;
      if (this.noise && !noiseAnnounced) announceNoise();
    }
    if (shared.learning) this.looks = [...this.looks.slice(1 - RING), look];
    return this.noise && (shared.learning || like);
  }

  // Whether the change looks like some before that no action caused, which are too few for a rhythm.
  isHabit(look: string) {
    return this.repeats >= MIN_REPEATS && this.looks.includes(look);
  }

  isLike(look: string) {
    return this.looks.includes(look) || new Set(this.looks).size > MAX_LOOKS;
  }

  learn(now: number) {
    if (this.hasEnded(now)) this.beats = [];
    if (now > restlessFrom() && now - this.lastBeat >= REPEAT_MS) this.repeats++;
    this.earned = 0;
    this.beats = [...this.beats.slice(1 - RING), now];
    const enough = new Set(this.looks).size === 1 ? MIN_LIKE_INTERVALS : MIN_INTERVALS;
    if (this.beats.length > enough) this.period = period(this.beats);
    const slot = Math.floor(now / SLOT_MS);
    if (slot !== lastItem(this.slots) && now > restlessFrom()) this.slots = [...this.slots.slice(1 - SLOTS), slot];
    return this.period > 0 || this.isRestless(now);
  }

  // The effects of the actions must not teach a rhythm, so nothing is learned here.
  spend(now: number) {
    this.beats = [];
    if (this.isRestless(now)) return true;
    if (!this.period || this.hasEnded(now)) return false;
    this.earned = Math.min(MAX_EARNED, this.earned + (now - this.lastBeat) / this.period);
    if (this.earned < 1 - MAX_VARIATION - JITTER_MS / this.period) return false;
    this.earned = Math.max(0, this.earned - 1);
    return true;
  }

  hasEnded(now: number) {
    return this.period > 0 && now - this.lastBeat > SILENT_PERIODS * this.period + JITTER_MS;
  }

  isRestless(now: number) {
    const last = lastItem(this.slots);
    const recent = this.slots.filter((slot) => slot > last - SLOTS);
    return recent.length >= RESTLESS_SLOTS && now - this.lastBeat < (SLOTS * SLOT_MS) / 2;
  }

  get rate() {
    if (this.period) return 1000 / this.period;
    return this.slots.length ? this.slots.length / (((lastItem(this.slots) - this.slots[0] + 1) * SLOT_MS) / 1000) : 0;
  }
}

// Makes the comparison of snapshots ask this document for its noise.
function announceNoise() {
  noiseAnnounced = true;
  if (globalThis.__sfSignal) globalThis.__sfSignal("noisy");
}

function restlessFrom() {
  const [load] = performance.getEntriesByType("navigation");
  return stateOfDocument(document) === "complete" && load
    ? (load as PerformanceNavigationTiming).loadEventEnd + AFTER_LOAD_MS
    : Infinity;
}

const gapsOf = (times: number[]) => times.slice(1).map((time: number, index: number) => time - times[index]);
const meanOf = (gaps: number[]) => gaps.reduce((sum: number, gap: number) => sum + gap, 0) / gaps.length;

function period(beats: number[]) {
  const gaps = gapsOf(beats),
    mean = meanOf(gaps);
  const variance = gaps.reduce((sum: number, gap: number) => sum + (gap - mean) ** 2, 0) / gaps.length;
  return Math.sqrt(variance) / mean < MAX_VARIATION ? mean : 0;
}

export function rhythmOf(node: Node, kind: string) {
  let own = rhythms.get(node);
  if (!own) rhythms.set(node, (own = new Map()));
  let rhythm = own.get(kind);
  if (!rhythm) own.set(kind, (rhythm = new Rhythm()));
  return rhythm;
}

// Whether a node has changed in this way before, again and again.
export function hasRhythm(record: MutationRecord) {
  const own = rhythms.get(record.target),
    rhythm = own && own.get(kindOf(record));
  return Boolean(rhythm) && rhythm.period > 0;
}

// -- what a change looks like ------------------------------------------------------------------------------------------

const masked = (text: string) => text.slice(0, LOOK_LENGTH).replace(/-?\d[\d.,:/-]*/g, "#");

function lookOfNode(node: Node) {
  if (isElement(node)) return `${tagOf(node)}.${attr(node, "class") || ""}`;
  return masked(rawText(node) || "");
}

const lookOfNodes = (nodes: NodeList) => Array.prototype.slice.call(nodes, 0, LOOK_NODES).map(lookOfNode).join();

function lookOf(record: MutationRecord) {
  if (record.type === "attributes") return masked(attr(record.target as Element, record.attributeName!) || "");
  if (record.type === "characterData") return masked(rawText(record.target) || "");
  return `${lookOfNodes(record.addedNodes)} for ${lookOfNodes(record.removedNodes)}`;
}

const kindOf = (record: MutationRecord) => (record.attributeName ? `attribute ${record.attributeName}` : record.type);

// -- attribution ------------------------------------------------------------------------------------------------------

// A carousel moves a class from slide to slide: no slide has a short rhythm, but their parent has. The rhythm of a
// parent does not cover an element that never changed before the actions, unless the container has inserted the
// element.
export function isNoise(record: MutationRecord, now: number) {
  const target = record.type === "characterData" ? parentOf(record.target) || record.target : record.target;
  const kind = kindOf(record),
    look = lookOf(record);
  const rhythm = rhythmOf(target, kind);
  const seen = rhythm.lastBeat > -Infinity;
  const holder = holderOf(target);
  let by = rhythm.beat(now, look) ? rhythm : null;
  if (holder) {
    const theirs = rhythmOf(holder, `${kind} within`);
    if (theirs.beat(now, look)) by = by || theirs;
  } else if (record.type === "attributes" && parentOf(target)) {
    const theirs = rhythmOf(parentOf(target)!, `${kind} below`);
    if (theirs.beat(now, look) && (seen || shared.learning)) by = by || theirs;
  }
  if (by) {
    const owner = by === rhythm ? target : holder || parentOf(target);
    for (const node of record.addedNodes) if (isElement(node)) insertedBy.set(node, owner);
    ignore(target, owner, by);
  } else {
    causedNodes.add(target);
    if (!shared.learning) noteHabit(record, target, rhythm, look);
  }
  return Boolean(by);
}

// A text that had changed in the same way before is waited for, but an action has hardly caused it.
function noteHabit(record: MutationRecord, target: Node, rhythm: Rhythm, look: string) {
  const isOfText =
    record.type === "characterData" || (record.type === "childList" && ![...record.addedNodes].some(isElement));
  if (!isOfText || !rhythm.isHabit(look)) return void unlikeNodes.add(target);
  if (habitualNodes.size < MAX_NOISY) habitualNodes.add(target);
  if (!noisy.has(name(target))) noisy.set(name(target), rhythm.rate);
  if (!noiseAnnounced) announceNoise();
}

function holderOf(target: Node) {
  for (let at: Node | null = target, depth = 0; at && depth < INSERTED_DEPTH; at = parentOf(at), depth++) {
    const holder = insertedBy.get(at);
    if (holder) return holder;
  }
  return null;
}

function ignore(target: Node, owner: Node, rhythm: { rate: number }) {
  noisy.set(name(owner), rhythm.rate);
  if (noisyNodes.size < MAX_NOISY) noisyNodes.add(target);
}

export function forgetNoise() {
  noisy.clear();
  noisyNodes.clear();
  habitualNodes.clear();
  causedNodes = new WeakSet();
  unlikeNodes = new WeakSet();
}

// -- single elements that move -------------------------------------------------------------------------------------------

// A blinking caret, and a box that a timer moves, change one attribute of one element and nothing else. An attribute
// that returns to an earlier value at intervals more even than any action's blinks; one that keeps painting elsewhere
// without a change of layout moves. Either is noise from then on.
export const MAX_PLACES = 8,
  BLINKS = 3,
  MIN_BLINK_MS = 250,
  MAX_BLINK_VARIATION = 0.1,
  MOVING_MS = 1000,
  MOVING_GAP_MS = 100;
// Properties that do not change the layout.
const PAINTED =
  /(?<![\w-])(?:transform|translate|rotate|scale|opacity|visibility|filter|background-position|offset-distance)\s*:[^;]*|[;\s]/g;

type LoneChange = {
  node: Node;
  name: string;
  since: number;
  at: number;
  places: (string | null)[];
  times: number[];
  returned: boolean;
  painted: boolean;
  rate: number;
};
let loneChange: LoneChange | null = null; // the only attribute that changed since
const blinkers = new WeakMap<Node, LoneChange>(); // node → its `loneChange` when it turned out to blink or to move

// A movement that changes the layout is an effect.
export const moved = () => (loneChange && !loneChange.returned && !loneChange.painted ? loneChange.at : shared.movedAt);
export const movesOn = () => loneChange !== null && !loneChange.returned;

export function resetMotion() {
  shared.movedAt = -Infinity;
  loneChange = null;
}

// Records a change without a rhythm; returns whether an element is blinking or moving.
export function blinks(record: MutationRecord, now: number) {
  const { target: node, attributeName: name } = record;
  if (!name) {
    shared.movedAt = now;
    loneChange = null;
    return false;
  }
  const known = blinkers.get(node),
    place = attr(node as Element, name);
  if (known && known.name === name && (known.places.includes(place) || isMoved(known, record, place, now))) {
    known.at = now;
    ignore(node, node, known);
    return true;
  }
  const lone = trackLoneChange(record, name, place, now);
  const goesOn = lone.painted && now - lone.since >= MOVING_MS && now - lone.times[0] < MOVING_GAP_MS * MAX_PLACES;
  if (!(lone.returned && isEven(lone.times)) && !goesOn) return false;
  lone.rate = (1000 * (lone.times.length - 1)) / (now - lone.times[0]);
  blinkers.set(node, lone);
  ignore(node, node, lone);
  return true;
}

const isPainted = ({ attributeName, oldValue }: MutationRecord, place: string | null) =>
  attributeName === "style" && (oldValue || "").replace(PAINTED, "") === (place || "").replace(PAINTED, "");

const isMoved = (known: LoneChange, record: MutationRecord, place: string | null, now: number) =>
  known.painted && now - known.at < MOVING_GAP_MS && isPainted(record, place);

function trackLoneChange(record: MutationRecord, name: string, place: string | null, now: number): LoneChange {
  const { target: node, oldValue } = record;
  const painted = isPainted(record, place);
  if (!loneChange || loneChange.node !== node || loneChange.name !== name) {
    if (loneChange) shared.movedAt = loneChange.at;
    loneChange = {
      node,
      name,
      since: now,
      at: now,
      places: [oldValue, place],
      times: [now],
      returned: false,
      painted,
      rate: 0,
    };
    return loneChange;
  }
  loneChange.painted = loneChange.painted && painted;
  loneChange.returned = loneChange.places.includes(place);
  loneChange.places = [...loneChange.places.slice(1 - MAX_PLACES), place];
  loneChange.times = [...loneChange.times.slice(1 - MAX_PLACES), now];
  loneChange.at = now;
  return loneChange;
}

function isEven(times: number[]) {
  const gaps = gapsOf(times),
    mean = meanOf(gaps);
  const isOff = (gap: number) => gap < MIN_BLINK_MS || Math.abs(gap - mean) > MAX_BLINK_VARIATION * mean;
  return times.length >= BLINKS && !gaps.some(isOff);
}
