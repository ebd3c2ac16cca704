// Watches one document from the isolated world and announces to the settler, once, that something changed. It then
// stays silent until the next fence, so a quiet page costs no message and a busy one costs one message per fence.
//
// Nothing here modifies the page: a MutationObserver, reads of style and layout in a fence, and weak references.

import type { Root } from "../dom/nodes.ts";
import type { Held } from "../dom/older.ts";
import {
  after,
  allOf,
  attr,
  bodyOf,
  boxOf,
  closest,
  inElement,
  isElement,
  isRootHere,
  isShadowRoot,
  matches,
  openRootOf,
  parentOf,
  queryIn,
  rawText,
  stateOfDocument,
  tagOf,
  titleOf,
  topOf,
  typeOf,
  walkerIn,
  writtenAttr,
} from "../dom/nodes.ts";
import { Reference, animationsIn, animationsWithin, isShown, isStale, listsAnimations } from "../dom/older.ts";
import { busyParts, updateBusy } from "./busy_parts.ts";
import { ask, awaitsIdle, letIdle, scheduled, withIdleTime } from "./calls.ts";
import { rememberScheme, schemeChange } from "./colours.ts";
import { invalidateKept, isHere, keptCandidates, updateKept } from "./control_state.ts";
import { fieldsChanged, followFields, forgetFields, noteField } from "./fields.ts";
import { forgetMessages, goneMessages, hearMessages, messages, watchForMessages } from "./messages.ts";
import { MAX_INDICATORS, MAX_NAMED, name, words } from "./naming.ts";
import { countScrolls } from "./page_version.ts";
import {
  blinks,
  causedNodes,
  forgetNoise,
  habitualNodes,
  hasRhythm,
  isNoise,
  noiseAnnounced,
  noisy,
  noisyNodes,
  resetMotion,
  unlikeNodes,
} from "./recurrence.ts";
import { SCROLL_MS, armScrolls, askedToScroll, followScrolls, mayScroll, scrollBegins, scrolls } from "./scrolling.ts";
import { shared } from "./shared.ts";
import { FALLBACK_MS, frameAndTasks, task, whenIdle, within } from "./tasks.ts";
import { followValidation } from "./validation.ts";

const MAX_RECORDS = 500;
const BUSY_MS = 250; // how long a fence waits for the page's queue to drain
const STRETCH_MS = 100; // how much longer a fence waits for a page that keeps changing
const DRAIN_MS = 100; // a queue that drains within this time is not always busy
const ALWAYS_BUSY_MS = 1000; // a queue that has not drained for this long is always busy
const MAX_PROBES = 10;
export const MAX_ROOTS = 500; // are asked for animations one by one
const MAX_CHECKED = 500; // elements of one document are checked for a closed root
const TEXT_NODE = 3;
const OPTIONS = { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true };

const roots = new WeakSet(); // shadow roots that are observed
const rootRefs = new Set<Held<ShadowRoot>>(); // the same, as weak references
const closedRoots = new WeakMap<Element, ShadowRoot>(); // host → its closed root, once the settler has handed it over
let anyClosed = false;
let checkedCount = 0;
const checkedHosts = new WeakSet(); // elements that have been checked for a closed root
let announced = false;
let changedAt: number | null = null; // the last change that is not noise, since armed
export let causedAt: number | null = null; // when a script made it
export let drawnFrom = Infinity; // when the last frame began to be awaited, or Infinity if none came
let where: Node | null = null;
let knownBefore = new WeakSet(); // indicators and animations from before the actions

function onRecords(records: MutationRecord[]) {
  const now = performance.now();
  shared.changes += records.length;
  const many = records.length > MAX_RECORDS;
  let changed = many ? records[0] : null;
  if (many) {
    invalidateKept();
    named = false;
  }
  for (const record of records.slice(0, MAX_RECORDS)) {
    if (!many && isRewritten(record) && !hasRhythm(record)) continue;
    shared.mutatedAt = now;
    if (!many) {
      updateKept(record);
      updateBusy(record);
    }
    noteField(record);
    for (const node of record.addedNodes) if (isElement(node) && rootsIn(node).length) invalidateKept();
    if (isNoise(record, now) || blinks(record, now)) continue;
    changed = record;
    watchForMessages(record);
  }
  if (many) shared.movedAt = now;
  if (changed) recordChange(now, changed.target);
}

// Whether a page has written again what was there, as some do in each frame. A value that changes back within a batch has a
// record of its own for what came between.
function isRewritten({
  type,
  target,
  attributeName,
  attributeNamespace,
  oldValue,
  addedNodes,
  removedNodes,
}: MutationRecord) {
  if (type === "attributes") return !attributeNamespace && oldValue === writtenAttr(target as Element, attributeName!);
  if (type !== "childList" || addedNodes.length !== 1 || removedNodes.length !== 1) return false;
  const [was] = removedNodes,
    [is] = addedNodes;
  return typeOf(was) === TEXT_NODE && typeOf(is) === TEXT_NODE && rawText(was) === rawText(is);
}

export function recordChange(now: number, target: Node, caused = now) {
  changedAt = now;
  causedAt = caused;
  where = target;
  if (announced || !globalThis.__sfSignal) return;
  announced = true;
  __sfSignal!(`changed ${name(target)}`);
}

const observer = new MutationObserver(onRecords);

// Processes the mutation records that have not been delivered yet.
export function processRecords() {
  const waiting = observer.takeRecords();
  if (waiting.length) onRecords(waiting);
}

function observe(root: Root) {
  observer.observe(root, OPTIONS);
  countScrolls(root);
  followScrolls(root);
  followValidation(root);
  followFields(root);
}

// -- shadow roots ------------------------------------------------------------------------------------------------------

const shadowOf = (element: Element) => openRootOf(element) || (anyClosed ? closedRoots.get(element) : null);

// Finds all shadow roots below a node. Nothing announces a new one, so every element is checked; a tree walker does
// that ten times as fast as a query (11,000 elements: 1.3 ms), and four times as fast again if it skips the names.
function rootsIn(node: Node, found: ShadowRoot[] = [], quick = false) {
  if (isElement(node)) askForRoot(node, found, quick);
  const walker = walkerIn(document, node, NodeFilter.SHOW_ELEMENT);
  for (let at = walker.nextNode(); at; at = walker.nextNode()) askForRoot(at as Element, found, quick);
  return found;
}

function askForRoot(element: Element, found: ShadowRoot[], quick: boolean) {
  const root = shadowOf(element);
  if (root) adopt(root, found, quick);
  else if (!quick && tagOf(element).includes("-")) checkHost(element);
}

function adopt(root: ShadowRoot, found: ShadowRoot[] = [], quick = false) {
  const fresh = !roots.has(root);
  found.push(root);
  if (fresh) {
    invalidateKept(); // no record announces its content
    roots.add(root);
    rootRefs.add(new Reference(root));
    shared.changes++;
    observe(root);
    // Attaching a root is not announced: its first content is noticed by finding the root.
    if (!shared.learning) recordChange(performance.now(), root.host);
  }
  rootsIn(root, found, quick && !fresh);
}

let named = false; // whether the names of all elements have been checked

export function everyRoot() {
  const quick = named;
  named = true;
  if (quick) for (const element of undefinedYet) checkHost(element);
  return [document, ...rootsIn(document, [], quick)];
}

// A script cannot reach a closed root; the settler can, and hands it over. Only custom elements may have one.
const unclaimedHosts: Element[] = [];
const undefinedYet = new Set<Element>();

function checkHost(element: Element) {
  if (checkedHosts.has(element)) return;
  const isDefined = matches(element, ":defined");
  if (isDefined || !isHere(element)) undefinedYet.delete(element);
  else undefinedYet.add(element);
  if (!isDefined) return;
  checkedHosts.add(element);
  if (++checkedCount > MAX_CHECKED) return;
  if (unclaimedHosts.push(element) === 1 && globalThis.__sfClosed) __sfClosed!("");
}

export const possibleHosts = () => unclaimedHosts.splice(0);

// Called when the bindings exist; this document may be older, and its announcements were held back. Each script adds
// its own function: Chrome does not always run the scripts of a document in the order in which they were added.
(globalThis.__sfBound = globalThis.__sfBound || []).push(() => {
  if (unclaimedHosts.length) __sfClosed!("");
  if (noiseAnnounced) __sfSignal!("noisy");
  ask("announceAgain");
});

export function adoptClosedRoot(root: ShadowRoot) {
  if (globalThis.__sf) globalThis.__sf.adoptRoot(root);
  if (!isRootHere(root) || closedRoots.has(root.host)) return;
  anyClosed = true;
  closedRoots.set(root.host, root);
  adopt(root);
}

// -- loading indicators ------------------------------------------------------------------------------------------

// The seven selectors of docs/design/proposal.md, to the letter: the substring ones match `preloading-done` too.
const PROPOSED = [
  ".loading",
  ".spinner",
  ".skeleton",
  '[aria-busy="true"]',
  '[data-loading="true"]',
  '[class*="loading"]',
  '[class*="spinner"]',
].join(",");
const BUSY_WORDS = new Set(["loading", "loader", "spinner", "skeleton"]);
const OVER_WORDS = new Set([
  "done",
  "loaded",
  "finished",
  "complete",
  "completed",
  "hidden",
  "error",
  "failed",
  "off",
  "no",
  "not",
]);

// A class of more words is a title that a generator of pages made into one, as
// `admonition-use-django-template-loader-select-template`.
const MOST_WORDS = 8;

export function isBusy(element: Element) {
  if (attr(element, "aria-busy") === "true" || attr(element, "data-loading") === "true") return true;
  return words(element).some((token) => {
    const parts = token
      .replace(/([a-z])([A-Z])/g, "$1-$2")
      .toLowerCase()
      .split(/[^a-z]+/);
    const said = parts.filter((part) => BUSY_WORDS.has(part));
    if (parts.length > MOST_WORDS) return false;
    if (!said.length || parts.some((part) => OVER_WORDS.has(part))) return false;
    return said.some((part) => part !== "spinner") || !isOfNumberField(element);
  });
}

// "Spinner" is also what widget libraries call a number field with arrows, and each part of it. One that turns while
// something loads holds no field that a person could fill.
const NUMBER_FIELD = 'input[type="number"],[role="spinbutton"]';
const TEXT_FIELD = 'input:not([type]),input[type="text"],input[type="tel"]';

function isOfNumberField(element: Element) {
  if (matches(element, NUMBER_FIELD) || holdsField(element)) return true;
  const parent = parentOf(element),
    around = parent && isElement(parent) ? closest(parent, '[class*="spinner"]') : null;
  return Boolean(around) && inElement(around!, NUMBER_FIELD).length > 0;
}

// Whether an element holds a field, in its shadow tree as well.
const FIELDS = `${NUMBER_FIELD},${TEXT_FIELD}`;
const holdsField = (element: Element) =>
  inElement(element, FIELDS).length || rootsIn(element, [], true).some((root) => queryIn(root, FIELDS).length);

export function isVisible(element: Element) {
  const box = boxOf(element);
  if (box.width <= 0 || box.height <= 0) return false;
  return isShown(element, { checkOpacity: true, checkVisibilityCSS: true });
}

function visible(selector: string, accept: (element: Element) => boolean, searched: Root[]) {
  const found: Element[] = [];
  for (const root of searched) {
    for (const element of queryIn(root, selector)) {
      if (accept(element) && isVisible(element)) found.push(element);
      if (found.length >= MAX_INDICATORS) return found;
    }
  }
  return found;
}

function indicators(searched: Root[]) {
  const busy = keptCandidates.list(searched).filter((element) => isBusy(element) && isVisible(element));
  return busy.slice(0, MAX_INDICATORS);
}

// -- animations --------------------------------------------------------------------------------------------------

// A document does not list the animations in its shadow trees: each root is asked.
function everyAnimation() {
  const found = [animationsIn(document)];
  for (const ref of rootRefs) {
    const root = ref.deref();
    if (!root || isStale(root)) rootRefs.delete(ref);
    else if (found.length <= MAX_ROOTS) found.push(animationsWithin(root));
  }
  return found.flat();
}

// Every effect is a KeyframeEffect, and the timeline of a document counts in milliseconds.
type Effective = Animation & { effect: KeyframeEffect };
type Timing = { endTime: number; duration: number; iterations: number };

function finite() {
  return everyAnimation().filter((animation): animation is Effective => {
    if (animation.playState !== "running" || !animation.effect || !(animation.playbackRate > 0)) return false;
    return Number.isFinite(animation.effect.getComputedTiming().endTime);
  });
}

const ROUNDS = 2; // after these, an animation that repeats shows nothing new: it is a decoration

const roundsOf = ({ endTime, duration, iterations }: Timing) =>
  iterations > ROUNDS ? endTime - (iterations - ROUNDS) * duration : endTime;
const begunFinite = () => finite().filter((animation) => !knownBefore.has(animation));

function remainingOf({ effect, currentTime, playbackRate }: Effective) {
  return (roundsOf(effect.getComputedTiming() as Timing) - ((currentTime as number | null) || 0)) / playbackRate;
}

const LIKE = 1.25; // animations whose remaining times differ by less are reported as one

// Returns the animations that have not ended, the last one first: one that ends beyond the horizon is not awaited, but
// those that end before it are.
function lastAnimations(begun = begunFinite()) {
  const last = new Map<number, { remaining: number; target: Element | null }>();
  for (const animation of begun) {
    const remaining = remainingOf(animation),
      like = Math.ceil(Math.log(remaining) / Math.log(LIKE));
    const known = last.get(like);
    if (remaining > 0 && (!known || remaining > known.remaining))
      last.set(like, { remaining, target: animation.effect.target });
  }
  const found = [...last.values()].sort((one, other) => other.remaining - one.remaining);
  if (found.length) return found.map(({ remaining, target }) => ({ what: name(target), remaining_ms: remaining }));
  const scrolled = scrolls();
  return scrolled ? [{ what: name(isElement(scrolled) ? scrolled : topOf(document)), remaining_ms: SCROLL_MS }] : [];
}

function decorations(begun: Effective[]) {
  return begun
    .filter((animation) => remainingOf(animation) <= 0)
    .map(({ effect, playbackRate }) =>
      ignoredRow(
        "animation",
        name(effect.target),
        (1000 * playbackRate) / (effect.getComputedTiming() as Timing).duration,
      ),
    );
}

const ignoredRow = (kind: string, key: string, rate: number) => ({ kind, key, rate: Math.round(rate * 100) / 100 });

// Asked before a clock jumps: what is scheduled, and what is moving. The observer announces the next change, which may
// come at another time of the clock.
export function scheduledWork(shownAt: number | null) {
  processRecords();
  announced = false;
  const [animated] = lastAnimations();
  return { scheduled: scheduled(shownAt, shownAt !== null), moving: animated ? animated.what : "" };
}

// -- what the settler calls --------------------------------------------------------------------------------------

// A wait that adopts work in progress also awaits the indicators and animations that exist already.
export function arm(adopt: boolean) {
  shared.learning = false;
  changedAt = causedAt = null;
  announced = false;
  ask("arm", adopt, shared.mutatedAt);
  resetMotion();
  forgetNoise();
  hearMessages();
  rememberScheme();
  armScrolls(adopt);
  forgetFields();
  drainedAt = null;
  armedQueue = probeQueue();
  shared.disabledSince = new WeakSet();
  const searched = everyRoot();
  knownBefore = new WeakSet(adopt ? [] : [...indicators(searched), ...busyParts(searched), ...finite()]);
}

export function disarm() {
  shared.learning = true;
  forgetMessages();
  ask("disarm");
  shared.awaitedFrom = -Infinity;
  // Probing again would run tasks in a page that should be left alone, and change its version.
  disarmedQueue = { drained: drainedAt !== null, begun: drainedAt === null ? performance.now() : drainedAt };
}

// All worlds of a window share the counters of frame callback ids and timer ids: one of ours would be a gap that the
// page can see. A ResizeObserver reports the size of a newly observed element in the next frame, if there is one.
const framed: ((value?: unknown) => void)[] = [];
const sizes = new ResizeObserver(() => {
  sizes.disconnect();
  for (const resolve of framed.splice(0)) resolve();
});

// Resolves in the next frame, after the page's own callbacks, to the time of the call: calls that were due then have
// run.
export function nextFrame() {
  const from = performance.timeOrigin + performance.now();
  return frame().then(() => from);
}

export function frame() {
  return new Promise((resolve) => {
    const box = [bodyOf(document), topOf(document)].find(
      (element) => element && boxOf(element).width + boxOf(element).height > 0,
    );
    if (!box) {
      requestAnimationFrame(resolve);
      return;
    }
    framed.push(resolve);
    sizes.disconnect();
    sizes.observe(box, { box: "border-box" });
  });
}

const pause = (ms: number) => new Promise<void>((resolve) => after(ms, resolve));

// Whether a queue drains, and when the first probe began.
type Queue = { drained: boolean; begun: number };

// Probes whether the page's queue drains.
function probeQueue(answer: Queue = { drained: false, begun: performance.now() }, again = MAX_PROBES) {
  const begun = performance.now();
  whenIdle().then(() => {
    answer.drained = performance.now() - begun < DRAIN_MS;
    if (!answer.drained && again > 0) probeQueue(answer, again - 1);
  });
  return answer;
}

// A queue that was busy before the actions is not awaited; while that is unknown, it is awaited for a short time.
const hadDrained = () => armedQueue.drained || disarmedQueue.drained;
const wasBusy = () => !hadDrained() && performance.now() - disarmedQueue.begun > ALWAYS_BUSY_MS;

// Answers after some frames and the tasks that they queue. `ms` is the minimum duration, `quiet` how long nothing may
// have changed at the end, `quick` whether a single frame without a change is enough, `virtual` whether the page's clock
// is not the wall's.
export async function fence(ms: number, quiet: number, frames: number, quick: boolean, virtual: boolean) {
  const begun = performance.now();
  shared.awaitedFrom = Math.min(shared.awaitedFrom, begun);
  const framed = await renderFrames(frames, quick);
  const waited = [await timed(waitForQuiet(begun + ms, quiet))];
  const queueIsBusy = async () => !wasBusy() && !(await drainQueue()) && hadDrained();
  const due = () => scheduled(performance.timeOrigin + begun, framed, quiet);
  let busy = await queueIsBusy();
  if (askedToScroll(drawnFrom)) waited.push(await timed(nextFrameAndTasks())); // a call of the page did, after the frames
  // Only now: calls that were due when the fence began have run.
  let { calls, ignored, scroll, ...rounds } = due();
  if (mayScroll(scroll)) waited.push(await timed(scrollBegins()));
  if (awaitsIdle(calls)) {
    waited.push(await timed(letIdle(virtual)));
    busy = await queueIsBusy();
    ({ calls, ignored, scroll, ...rounds } = due());
  }
  const answer = report(busy);
  const waited_ms = waited.reduce((sum, ms) => sum + ms);
  if (!fieldsChanged) rounds.check_ms = 0;
  return {
    ...answer,
    ...rounds,
    waited_ms,
    calls: calls.map(withIdleTime),
    ignored: [...answer.ignored!, ...ignored],
  };
}

// Waits for some frames and the tasks that they queue; returns whether they came.
async function renderFrames(count: number, quick: boolean) {
  drawnFrom = Infinity;
  for (let left = count; left > 0; left--) {
    if (!(await nextFrameAndTasks())) return false;
    if (left === 1) break;
    const drained = await drainQueue();
    if (quick && listsAnimations && drained && isDrawn()) break; // else the next frame announces transitions
  }
  if (count > 0 && askedToScroll(drawnFrom)) await nextFrameAndTasks(); // which announces the scroll
  return count > 0;
}

async function nextFrameAndTasks() {
  const from = performance.now(),
    framed = await within(FALLBACK_MS, frameAndTasks());
  drawnFrom = framed ? from : Infinity;
  return framed;
}

// Whether nothing has changed since the last frame began to be awaited, if frames come at all.
const isDrawn = () => lastChange() < drawnFrom;

// Resolves to how long a promise takes to settle.
async function timed(promise: Promise<unknown>) {
  const from = performance.now();
  await promise;
  return performance.now() - from;
}

// Returns when the last change came that is not noise.
function lastChange() {
  processRecords();
  return changedAt === null ? -Infinity : changedAt;
}

// Waits until a time, and until nothing has changed for long enough: asking again would take another fence. A frame must have
// come since the last change: a loop of frames goes on when the next one comes, however late.
async function waitForQuiet(until: number, quiet: number) {
  const latest = until + STRETCH_MS;
  for (;;) {
    const now = performance.now(),
      rest = Math.min(latest, Math.max(until, lastChange() + quiet)) - now;
    if (rest <= 0 && (isDrawn() || now > latest)) return;
    await Promise.all([rest > 0 && pause(rest), isDrawn() || nextFrameAndTasks()]);
    await task();
  }
}

// Returns whether the queue drains soon; `drainedAt` records when, if it drains at once: `disarm` starts from there.
async function drainQueue() {
  const begun = performance.now();
  const drained = await within(BUSY_MS, whenIdle());
  drainedAt = drained && performance.now() - begun < DRAIN_MS ? performance.now() : null;
  return drained;
}

type Report = {
  indicators: string[];
  working: string[];
  quiet_ms?: number;
  where?: string;
  gone_messages?: ReturnType<typeof goneMessages>;
  scheme?: string[];
  elements?: number;
  ignored?: ReturnType<typeof ignoredRow>[];
};

export function report(busy = false) {
  processRecords();
  announced = false;
  const searched = everyRoot();
  const namesOf = (elements: Element[]) =>
    elements
      .filter((element) => !knownBefore.has(element))
      .slice(0, MAX_NAMED)
      .map(name);
  const result: Report = { indicators: namesOf(indicators(searched)), working: namesOf(busyParts(searched)) };
  if (changedAt !== null) {
    result.quiet_ms = isDrawn() ? performance.now() - changedAt : 0;
    result.where = name(where);
  }
  if (busy) Object.assign(result, { quiet_ms: 0, where: "a main thread that is never idle" });
  const begun = begunFinite(),
    [animated, ...earlier] = lastAnimations(begun);
  if (animated) Object.assign(result, { animated, animated_earlier: earlier });
  const gone = messages.size ? goneMessages() : [];
  if (gone.length) result.gone_messages = gone;
  const scheme = schemeChange();
  if (scheme) result.scheme = scheme;
  result.elements = allOf(document, "*").length;
  const changing = [...noisy].map(([key, rate]) => ignoredRow("changes", key, rate));
  result.ignored = [...changing.slice(0, MAX_NAMED), ...decorations(begun).slice(0, MAX_NAMED)];
  return result;
}

// Returns the elements that have changed since armed, and only by themselves, for the comparison of snapshots.
export function noise() {
  processRecords();
  return elementsOf(noisyNodes, (node: Node) => causedNodes.has(node));
}

// Returns the elements among nodes except some, a shadow root as its host: its content stands there in a snapshot.
function elementsOf(nodes: Iterable<Node>, isLeftOut: (node: Node) => boolean) {
  const elements = [...nodes].filter((node) => !isLeftOut(node)).map((node) => (isShadowRoot(node) ? node.host : node));
  return [...new Set(elements)].filter((element) => isElement(element) && !isLeftOut(element));
}

// Returns the elements whose text changed as it had changed by itself before, too seldom for a rhythm.
export function habits() {
  processRecords();
  return elementsOf(habitualNodes, (node: Node) => unlikeNodes.has(node) || noisyNodes.has(node));
}

// Returns the page's part of the signature in docs/design/proposal.md.
export function sample() {
  return {
    url: location.href,
    title: titleOf(document),
    element_count: allOf(document, "*").length,
    ready: stateOfDocument(document) === "complete",
    indicators: visible(PROPOSED, () => true, [document])
      .slice(0, MAX_NAMED)
      .map(name),
  };
}

let drainedAt: number | null = null; // when the last fence saw the queue drain, since armed
observe(document);
everyRoot();
let armedQueue: Partial<Queue> = {},
  disarmedQueue = probeQueue();
