// Generated from js/src/observer/index.ts by js/build.mjs.
(given) => {
"use strict";
// src/dom/nodes.ts
var getter = (proto, name2) => {
  const { get } = Object.getOwnPropertyDescriptor(proto, name2);
  return (node) => get.call(node);
};
var method = (proto, name2) => {
  const call = proto[name2];
  return (node, ...args) => call.apply(node, args);
};
var typeOf = getter(Node.prototype, "nodeType");
var parentOf = getter(Node.prototype, "parentNode");
var listen = method(EventTarget.prototype, "addEventListener");
var rootOf = method(Node.prototype, "getRootNode");
var isConnected = getter(Node.prototype, "isConnected");
var rawText = getter(Node.prototype, "textContent");
var childNodesOf = getter(Node.prototype, "childNodes");
var baseOf = getter(Node.prototype, "baseURI");
var childrenOf = getter(Element.prototype, "children");
var tagOf = getter(Element.prototype, "localName");
var namespaceOf = getter(Element.prototype, "namespaceURI");
var innerTextOf = getter(HTMLElement.prototype, "innerText");
var idOf = getter(Element.prototype, "id");
var openRootOf = getter(Element.prototype, "shadowRoot");
var slotOf = getter(Element.prototype, "assignedSlot");
var writtenAttr = method(Element.prototype, "getAttribute");
var isWritten = method(Element.prototype, "hasAttribute");
var matches = method(Element.prototype, "matches");
var inElement = method(Element.prototype, "querySelectorAll");
var closest = method(Element.prototype, "closest");
var boxOf = method(Element.prototype, "getBoundingClientRect");
var boxesOf = method(Element.prototype, "getClientRects");
var scrollTo = method(Element.prototype, "scrollIntoView");
var contains = method(Node.prototype, "contains");
var isElement = (node) => typeOf(node) === 1;
var isShadowRoot = (node) => typeOf(node) === 11 && "host" in node;
var documentOf = getter(Node.prototype, "ownerDocument");
var isRootHere = (node) => isShadowRoot(node) && documentOf(node) === document;
function attr(element, name2) {
  const written = writtenAttr(element, name2);
  return written === null && isAria(name2) ? internalOf(element, name2) : written;
}
var has = (element, name2) => isWritten(element, name2) || isAria(name2) && internalOf(element, name2) !== null;
var isAria = (name2) => name2 === "role" || name2.startsWith("aria-");
var NO_INTERNALS = /* @__PURE__ */ new Map();
var everyInternalHere = () => globalThis.__sfSettle ? globalThis.__sfSettle.everyInternal() : NO_INTERNALS;
function internalOf(element, name2) {
  const values = tagOf(element).includes("-") && everyInternalHere().get(element);
  return values && owns(values, name2) ? values[name2] : null;
}
var stateOfDocument = getter(Document.prototype, "readyState");
var titleOf = getter(Document.prototype, "title");
var bodyOf = getter(Document.prototype, "body");
var topOf = getter(Document.prototype, "documentElement");
var walkerIn = method(Document.prototype, "createTreeWalker");
var allOf = method(Document.prototype, "getElementsByTagName");
var focusedIn = getter(Document.prototype, "activeElement");
var hasFocus = method(Document.prototype, "hasFocus");
var hitIn = method(Document.prototype, "elementFromPoint");
var allIn = method(Document.prototype, "elementsFromPoint");
var scrollerOf = getter(Document.prototype, "scrollingElement");
var rangeIn = method(Document.prototype, "createRange");
var inDocument = method(Document.prototype, "querySelectorAll");
var inFragment = method(DocumentFragment.prototype, "querySelectorAll");
var queryIn = (root, selector) => root === document ? inDocument(root, selector) : inFragment(root, selector);
var { hasOwnProperty } = Object.prototype;
var owns = (object, name2) => hasOwnProperty.call(object, name2);
var lastItem = (array) => array[array.length - 1];
var postTask = globalThis.scheduler && scheduler.postTask && scheduler.postTask.bind(scheduler);
function after(ms, then) {
  if (!postTask) {
    const id = setTimeout(then, ms);
    return () => clearTimeout(id);
  }
  const off = new AbortController();
  postTask(then, { delay: ms, priority: "user-blocking", signal: off.signal }).catch(() => {
  });
  return () => off.abort();
}

// src/dom/older.ts
var StrongReference = class {
  node;
  constructor(node) {
    this.node = node;
  }
  deref() {
    return this.node;
  }
};
var Reference = globalThis.WeakRef || StrongReference;
var isStale = (node) => Reference !== globalThis.WeakRef && !isConnected(node);
var isShown = "checkVisibility" in Element.prototype ? method(Element.prototype, "checkVisibility") : isShownByStyles;
function isShownByStyles(element, { checkVisibilityCSS = false, checkOpacity = false } = {}) {
  if (!boxesOf(element).length) return false;
  if (checkVisibilityCSS && getComputedStyle(element).visibility !== "visible") return false;
  if (!checkOpacity) return true;
  let up = element;
  while (up && getComputedStyle(up).opacity !== "0") up = slotOf(up) || elementOver(up);
  return !up;
}
function elementOver(node) {
  const parent = parentOf(node);
  return parent && (isElement(parent) ? parent : isShadowRoot(parent) ? parent.host : null);
}
var listsAnimations = "getAnimations" in Document.prototype;
var animationsIn = listsAnimations ? method(Document.prototype, "getAnimations") : animationsHeardIn;
var animationsWithin = listsAnimations ? method(ShadowRoot.prototype, "getAnimations") : animationsHeardIn;
var animationsOf = listsAnimations ? method(Element.prototype, "getAnimations") : animationsHeardOf;
var heard = /* @__PURE__ */ new Map();
var hearing = /* @__PURE__ */ new WeakSet();
var BEGINS = ["transitionrun", "animationstart"];
var ENDS = ["transitionend", "transitioncancel", "animationend", "animationcancel"];
function animationsHeardIn(root) {
  hear(root);
  return animationsHeard((element) => rootOf(element) === root);
}
function animationsHeardOf(element) {
  hear(rootOf(element));
  return animationsHeard((other) => other === element);
}
function animationsHeard(accept) {
  const found = [];
  for (const [element, animations] of heard) {
    for (const [name2, animation] of animations) if (!goesOn(animation)) animations.delete(name2);
    if (!animations.size) heard.delete(element);
    else if (accept(element)) found.push(...animations.values());
  }
  return found;
}
function hear(root) {
  if (hearing.has(root)) return;
  hearing.add(root);
  for (const type of BEGINS) listen(root, type, onBegin, true);
  for (const type of ENDS) listen(root, type, onEnd, true);
}
var targetOfEvent = getter(Event.prototype, "target");
function onBegin(event) {
  const element = targetOfEvent(event);
  if (!event.isTrusted || !isElement(element) || event.pseudoElement) return;
  const transition = event.propertyName !== void 0;
  const name2 = transition ? event.propertyName : event.animationName;
  const timing = transition ? { endTime: longestTransition(element), iterations: 1 } : timingOf(element, name2);
  const began = performance.now() - (transition ? 0 : event.elapsedTime * 1e3);
  if (!heard.has(element)) heard.set(element, /* @__PURE__ */ new Map());
  heard.get(element).set(name2, {
    playState: "running",
    playbackRate: 1,
    name: transition ? null : name2,
    effect: { target: element, getComputedTiming: () => timing },
    get currentTime() {
      return performance.now() - began;
    }
  });
}
function onEnd(event) {
  const animations = heard.get(targetOfEvent(event));
  if (animations)
    animations.delete(event.propertyName === void 0 ? event.animationName : event.propertyName);
}
function goesOn(animation) {
  const { target, getComputedTiming } = animation.effect;
  if (!isConnected(target) || animation.currentTime >= getComputedTiming().endTime || !boxesOf(target).length)
    return false;
  if (animation.name === null) return true;
  const { animationName, animationPlayState } = getComputedStyle(target);
  animation.playState = animationPlayState.includes("paused") ? "paused" : "running";
  return animationName.split(", ").includes(animation.name);
}
var timesIn = (list) => list.split(", ").map((time) => parseFloat(time) * (time.endsWith("ms") ? 1 : 1e3));
var cycled = (list, at) => list[at % list.length];
function longestTransition(element) {
  const { transitionDuration, transitionDelay } = getComputedStyle(element);
  const durations = timesIn(transitionDuration), delays = timesIn(transitionDelay);
  return Math.max(...durations.map((duration, at) => duration + cycled(delays, at)));
}
function timingOf(element, name2) {
  const { animationName, animationDuration, animationIterationCount } = getComputedStyle(element);
  const at = animationName.split(", ").indexOf(name2);
  if (at < 0) return { endTime: 0, duration: 0, iterations: 1 };
  const turns = cycled(animationIterationCount.split(", "), at);
  const duration = cycled(timesIn(animationDuration), at), iterations = turns === "infinite" ? Infinity : Number(turns);
  return { endTime: duration * iterations, duration, iterations };
}
if (!listsAnimations) hear(document);

// src/observer/control_state.ts
var CONTROLS = "input, textarea, select, option";
var CANDIDATES = [
  '[aria-busy="true"]',
  '[data-loading="true"]',
  '[class*="load" i]',
  '[class*="spinner" i]',
  '[class*="skeleton" i]'
].join(",");
var CANDIDATE_ATTRIBUTES = /* @__PURE__ */ new Set(["class", "aria-busy", "data-loading"]);
var ownerOf = getter(Node.prototype, "ownerDocument");
var isHere = (node) => isConnected(node) && ownerOf(node) === document;
var Kept = class {
  selector;
  found = /* @__PURE__ */ new Set();
  complete = false;
  constructor(selector) {
    this.selector = selector;
  }
  add(element) {
    if (this.complete && matches(element, this.selector)) this.found.add(element);
  }
  addAll(element) {
    this.add(element);
    if (this.complete) for (const inside of inElement(element, this.selector)) this.found.add(inside);
  }
  list(searched) {
    if (!this.complete) this.found = new Set(searched.flatMap((root) => [...queryIn(root, this.selector)]));
    this.complete = true;
    for (const element of this.found) if (!isHere(element)) this.found.delete(element);
    return [...this.found];
  }
};
var keptControls = new Kept(CONTROLS);
var keptCandidates = new Kept(CANDIDATES);
var KEPT = [keptControls, keptCandidates];
function invalidateKept() {
  for (const kept of KEPT) kept.complete = false;
}
function updateKept(record) {
  if (record.type === "attributes") {
    if (CANDIDATE_ATTRIBUTES.has(record.attributeName)) keptCandidates.add(record.target);
    return;
  }
  if (record.addedNodes.length && stateOfDocument(document) === "loading") return invalidateKept();
  for (const node of record.addedNodes) if (isElement(node)) for (const kept of KEPT) kept.addAll(node);
}

// src/observer/naming.ts
var MAX_INDICATORS = 200;
var MAX_NAMED = 5;
function name(node) {
  const element = node && (isElement(node) ? node : elementAbove(node) || node.host);
  if (!element) return "the document";
  const id = attr(element, "id");
  if (id) return `#${CSS.escape(id)}`;
  const own = tagOf(element) + words(element).slice(0, 3).map((word) => `.${CSS.escape(word)}`).join("");
  const holder = closest(element, "[id]");
  return holder ? `#${CSS.escape(attr(holder, "id"))} ${own}` : own;
}
var words = (element) => (attr(element, "class") || "").split(/\s+/).filter(Boolean);
function elementAbove(node) {
  const parent = parentOf(node);
  return parent && isElement(parent) ? parent : null;
}
function closestHit(event, selector) {
  const [hit] = event.composedPath();
  return hit && isElement(hit) ? closest(hit, selector) : null;
}

// src/observer/shared.ts
var shared = {
  // how many changes this document has had, noise included: see page_version.ts
  changes: 0,
  // the last change of all
  mutatedAt: -Infinity,
  // the last change, except those of `loneChange`
  movedAt: -Infinity,
  // no actions run
  learning: true,
  // controls that were disabled since armed
  disabledSince: /* @__PURE__ */ new WeakSet(),
  // when the first fence of the wait began: a scroll that was asked for before is done
  awaitedFrom: -Infinity,
  // how many messages were announced since armed
  announcedMessages: 0,
  // whether there is an element with ElementInternals: see internals.ts
  anyInternals: false
};

// src/observer/busy_parts.ts
var DISABLED = [
  "button:disabled",
  'input[type="submit"]:disabled',
  'input[type="button"]:disabled',
  '[aria-disabled="true"]'
].join(",");
var DISABLING = /* @__PURE__ */ new Set(["disabled", "aria-disabled"]);
var STATED = '[data-state="loading"],[data-test-script-state="running"]';
var STATES = /* @__PURE__ */ new Set(["data-state", "data-test-script-state"]);
var MAX_LABEL = 60;
var WORKING = new RegExp(
  "^(?:please wait|wait|one moment|just a (?:moment|second|sec)|hold on|busy|in progress|(?:" + [
    "load",
    "sav",
    "send",
    "submitt",
    "process",
    "work",
    "wait",
    "upload",
    "download",
    "search",
    "updat",
    "delet",
    "remov",
    "creat",
    "connect",
    "sign",
    "logg",
    "check",
    "verify",
    "generat",
    "start",
    "stopp",
    "publish",
    "post",
    "refresh",
    "reload",
    "fetch",
    "import",
    "export",
    "comput",
    "calculat",
    "think",
    "apply",
    "plac",
    "pay",
    "redirect",
    "validat",
    "install",
    "prepar",
    "sync",
    "deploy",
    "cancell",
    "cancel",
    "regist",
    "register",
    "join",
    "retry",
    "analyz",
    "analys",
    "copy",
    "mov",
    "add"
  ].join("|") + ")ing)(?![\\p{L}\\d-])",
  "iu"
);
var GOES_ON = /(?:…|\.\.\.)$/;
var TURNING = '[role="progressbar"]:not([aria-valuenow])';
var keptDisabled = new Kept(DISABLED);
var keptStated = new Kept(STATED);
KEPT.push(keptDisabled, keptStated);
function updateBusy({ type, attributeName, target: node }) {
  const target = node;
  if (type === "attributes" && STATES.has(attributeName)) keptStated.add(target);
  if (type !== "attributes" || !DISABLING.has(attributeName)) return;
  for (const control of [target, ...tagOf(target) === "fieldset" ? inElement(target, DISABLED) : []]) {
    keptDisabled.add(control);
    if (matches(control, DISABLED)) shared.disabledSince.add(control);
  }
}
var inputText = getter(HTMLInputElement.prototype, "value");
var labelOf = (control) => (tagOf(control) === "input" ? inputText(control) : rawText(control) || "").trim();
function isWorking(control) {
  const label = labelOf(control);
  if (label.length <= MAX_LABEL && WORKING.test(label.replace(/^[^\p{L}]+/u, ""))) return true;
  if (!shared.disabledSince.has(control)) return false;
  return label.length <= MAX_LABEL && GOES_ON.test(label) || turnsWithin(control);
}
function turnsWithin(control) {
  if (inElement(control, TURNING).length) return true;
  return animationsOf(control, { subtree: true }).some(
    ({ effect, playState }) => playState === "running" && effect && effect.getComputedTiming().endTime === Infinity
  );
}
function busyParts(searched) {
  const disabled = keptDisabled.list(searched).filter((control) => matches(control, DISABLED) && isWorking(control));
  const stated = keptStated.list(searched).filter((part) => matches(part, STATED));
  return [...stated, ...disabled].filter(isVisible).slice(0, MAX_INDICATORS);
}

// src/observer/key.ts
var key = given;

// src/observer/recurrence.ts
var RING = 8;
var MIN_INTERVALS = 3;
var MIN_LIKE_INTERVALS = 2;
var MAX_VARIATION = 0.35;
var JITTER_MS = 50;
var MAX_EARNED = 2;
var SILENT_PERIODS = 4;
var SLOT_MS = 100;
var SLOTS = 10;
var RESTLESS_SLOTS = 5;
var AFTER_LOAD_MS = 1e3;
var REPEAT_MS = 250;
var MIN_REPEATS = 2;
var SAME_BATCH_MS = 4;
var MAX_LOOKS = 3;
var LOOK_LENGTH = 100;
var LOOK_NODES = 5;
var MAX_NOISY = 200;
var INSERTED_DEPTH = 6;
var rhythms = /* @__PURE__ */ new WeakMap();
var insertedBy = /* @__PURE__ */ new WeakMap();
var noisy = /* @__PURE__ */ new Map();
var noisyNodes = /* @__PURE__ */ new Set();
var causedNodes = /* @__PURE__ */ new WeakSet();
var habitualNodes = /* @__PURE__ */ new Set();
var unlikeNodes = /* @__PURE__ */ new WeakSet();
var noiseAnnounced = false;
var Rhythm = class {
  period = 0;
  beats = [];
  looks = [];
  slots = [];
  lastBeat = -Infinity;
  earned = 0;
  repeats = 0;
  // changes by itself, some time apart
  noise = false;
  // Records a change at this time with this look; returns whether it is noise.
  beat(now, look) {
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
  isHabit(look) {
    return this.repeats >= MIN_REPEATS && this.looks.includes(look);
  }
  isLike(look) {
    return this.looks.includes(look) || new Set(this.looks).size > MAX_LOOKS;
  }
  learn(now) {
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
  spend(now) {
    this.beats = [];
    if (this.isRestless(now)) return true;
    if (!this.period || this.hasEnded(now)) return false;
    this.earned = Math.min(MAX_EARNED, this.earned + (now - this.lastBeat) / this.period);
    if (this.earned < 1 - MAX_VARIATION - JITTER_MS / this.period) return false;
    this.earned = Math.max(0, this.earned - 1);
    return true;
  }
  hasEnded(now) {
    return this.period > 0 && now - this.lastBeat > SILENT_PERIODS * this.period + JITTER_MS;
  }
  isRestless(now) {
    const last = lastItem(this.slots);
    const recent = this.slots.filter((slot) => slot > last - SLOTS);
    return recent.length >= RESTLESS_SLOTS && now - this.lastBeat < SLOTS * SLOT_MS / 2;
  }
  get rate() {
    if (this.period) return 1e3 / this.period;
    return this.slots.length ? this.slots.length / ((lastItem(this.slots) - this.slots[0] + 1) * SLOT_MS / 1e3) : 0;
  }
};
function announceNoise() {
  noiseAnnounced = true;
  if (globalThis.__sfSignal) globalThis.__sfSignal("noisy");
}
function restlessFrom() {
  const [load] = performance.getEntriesByType("navigation");
  return stateOfDocument(document) === "complete" && load ? load.loadEventEnd + AFTER_LOAD_MS : Infinity;
}
var gapsOf = (times) => times.slice(1).map((time, index) => time - times[index]);
var meanOf = (gaps) => gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
function period(beats) {
  const gaps = gapsOf(beats), mean = meanOf(gaps);
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  return Math.sqrt(variance) / mean < MAX_VARIATION ? mean : 0;
}
function rhythmOf(node, kind) {
  let own = rhythms.get(node);
  if (!own) rhythms.set(node, own = /* @__PURE__ */ new Map());
  let rhythm = own.get(kind);
  if (!rhythm) own.set(kind, rhythm = new Rhythm());
  return rhythm;
}
function hasRhythm(record) {
  const own = rhythms.get(record.target), rhythm = own && own.get(kindOf(record));
  return Boolean(rhythm) && rhythm.period > 0;
}
var masked = (text) => text.slice(0, LOOK_LENGTH).replace(/-?\d[\d.,:/-]*/g, "#");
function lookOfNode(node) {
  if (isElement(node)) return `${tagOf(node)}.${attr(node, "class") || ""}`;
  return masked(rawText(node) || "");
}
var lookOfNodes = (nodes) => Array.prototype.slice.call(nodes, 0, LOOK_NODES).map(lookOfNode).join();
function lookOf(record) {
  if (record.type === "attributes") return masked(attr(record.target, record.attributeName) || "");
  if (record.type === "characterData") return masked(rawText(record.target) || "");
  return `${lookOfNodes(record.addedNodes)} for ${lookOfNodes(record.removedNodes)}`;
}
var kindOf = (record) => record.attributeName ? `attribute ${record.attributeName}` : record.type;
function isNoise(record, now) {
  const target = record.type === "characterData" ? parentOf(record.target) || record.target : record.target;
  const kind = kindOf(record), look = lookOf(record);
  const rhythm = rhythmOf(target, kind);
  const seen = rhythm.lastBeat > -Infinity;
  const holder = holderOf(target);
  let by = rhythm.beat(now, look) ? rhythm : null;
  if (holder) {
    const theirs = rhythmOf(holder, `${kind} within`);
    if (theirs.beat(now, look)) by = by || theirs;
  } else if (record.type === "attributes" && parentOf(target)) {
    const theirs = rhythmOf(parentOf(target), `${kind} below`);
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
function noteHabit(record, target, rhythm, look) {
  const isOfText = record.type === "characterData" || record.type === "childList" && ![...record.addedNodes].some(isElement);
  if (!isOfText || !rhythm.isHabit(look)) return void unlikeNodes.add(target);
  if (habitualNodes.size < MAX_NOISY) habitualNodes.add(target);
  if (!noisy.has(name(target))) noisy.set(name(target), rhythm.rate);
  if (!noiseAnnounced) announceNoise();
}
function holderOf(target) {
  for (let at = target, depth = 0; at && depth < INSERTED_DEPTH; at = parentOf(at), depth++) {
    const holder = insertedBy.get(at);
    if (holder) return holder;
  }
  return null;
}
function ignore(target, owner, rhythm) {
  noisy.set(name(owner), rhythm.rate);
  if (noisyNodes.size < MAX_NOISY) noisyNodes.add(target);
}
function forgetNoise() {
  noisy.clear();
  noisyNodes.clear();
  habitualNodes.clear();
  causedNodes = /* @__PURE__ */ new WeakSet();
  unlikeNodes = /* @__PURE__ */ new WeakSet();
}
var MAX_PLACES = 8;
var BLINKS = 3;
var MIN_BLINK_MS = 250;
var MAX_BLINK_VARIATION = 0.1;
var MOVING_MS = 1e3;
var MOVING_GAP_MS = 100;
var PAINTED = /(?<![\w-])(?:transform|translate|rotate|scale|opacity|visibility|filter|background-position|offset-distance)\s*:[^;]*|[;\s]/g;
var loneChange = null;
var blinkers = /* @__PURE__ */ new WeakMap();
var moved = () => loneChange && !loneChange.returned && !loneChange.painted ? loneChange.at : shared.movedAt;
var movesOn = () => loneChange !== null && !loneChange.returned;
function resetMotion() {
  shared.movedAt = -Infinity;
  loneChange = null;
}
function blinks(record, now) {
  const { target: node, attributeName: name2 } = record;
  if (!name2) {
    shared.movedAt = now;
    loneChange = null;
    return false;
  }
  const known = blinkers.get(node), place = attr(node, name2);
  if (known && known.name === name2 && (known.places.includes(place) || isMoved(known, record, place, now))) {
    known.at = now;
    ignore(node, node, known);
    return true;
  }
  const lone = trackLoneChange(record, name2, place, now);
  const goesOn2 = lone.painted && now - lone.since >= MOVING_MS && now - lone.times[0] < MOVING_GAP_MS * MAX_PLACES;
  if (!(lone.returned && isEven(lone.times)) && !goesOn2) return false;
  lone.rate = 1e3 * (lone.times.length - 1) / (now - lone.times[0]);
  blinkers.set(node, lone);
  ignore(node, node, lone);
  return true;
}
var isPainted = ({ attributeName, oldValue }, place) => attributeName === "style" && (oldValue || "").replace(PAINTED, "") === (place || "").replace(PAINTED, "");
var isMoved = (known, record, place, now) => known.painted && now - known.at < MOVING_GAP_MS && isPainted(record, place);
function trackLoneChange(record, name2, place, now) {
  const { target: node, oldValue } = record;
  const painted = isPainted(record, place);
  if (!loneChange || loneChange.node !== node || loneChange.name !== name2) {
    if (loneChange) shared.movedAt = loneChange.at;
    loneChange = {
      node,
      name: name2,
      since: now,
      at: now,
      places: [oldValue, place],
      times: [now],
      returned: false,
      painted,
      rate: 0
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
function isEven(times) {
  const gaps = gapsOf(times), mean = meanOf(gaps);
  const isOff = (gap) => gap < MIN_BLINK_MS || Math.abs(gap - mean) > MAX_BLINK_VARIATION * mean;
  return times.length >= BLINKS && !gaps.some(isOff);
}

// src/observer/tasks.ts
var FALLBACK_MS = 120;
function within(ms, promise) {
  return new Promise((resolve) => {
    const off = after(ms, () => resolve(void 0));
    promise.then((value) => {
      off();
      resolve(value);
    });
  });
}
function task() {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });
}
async function frameAndTasks() {
  await frame();
  await task();
  return true;
}
var whenIdle = () => postTask ? postTask(() => true, { priority: "background" }) : task().then(() => true);

// src/observer/calls.ts
var NOTHING = { calls: [], ignored: [], scroll: 0, round_ms: 0, acting_ms: 0, check_ms: 0 };
var ROUNDED_MS = 0.05;
var IDLE_MS = 500;
var IDLE_ROUNDS = { setInterval: 2, setTimeout: 3, requestAnimationFrame: 20 };
var IDLE_LOOP_MS = 1e3;
var IDLE_FRAMES = 30;
var SLOW_IDLE_MS = 1500;
var FRAME_MS = 17;
var STRAINED_MS = 17;
var answered;
function ask(...words2) {
  answered = void 0;
  performance.dispatchEvent(new CustomEvent(key, { detail: words2 }));
  return answered;
}
performance.addEventListener(`${key}!`, (event) => {
  const { detail } = event;
  if (detail === "called") announceCalls();
  else if (detail === "internals") shared.anyInternals = true;
  else answered = detail;
});
function announceCalls() {
  if (window !== top && globalThis.__sfSignal) globalThis.__sfSignal("calls");
}
function scheduled(began, frames = false, quiet = 0) {
  const from = typeof began === "number" ? began - ROUNDED_MS : void 0;
  const text = ask("read", from, frames, moved(), causedAt, quiet);
  return text ? JSON.parse(text) : NOTHING;
}
function idleAfter(kind, rounds) {
  if (kind === "requestAnimationFrame" && rounds < IDLE_FRAMES) return SLOW_IDLE_MS;
  if (kind === "setTimeout") return IDLE_LOOP_MS;
  return movesOn() ? MOVING_MS : IDLE_MS;
}
function withIdleTime({ rounds = 0, since_ms = 0, ...call }) {
  const since = Math.min(since_ms, performance.now() - moved());
  if (rounds >= IDLE_ROUNDS[call.kind] && since >= idleAfter(call.kind, rounds)) call.idle_ms = since;
  return call;
}
var awaitsIdle = (calls) => calls.some((call) => call.kind === "requestIdleCallback");
var VIRTUAL_SHARE = 0.25;
async function letIdle(virtual) {
  const from = performance.now();
  const idled = new Promise((resolve) => requestIdleCallback(() => resolve(true)));
  idled.then(() => ask("idled", from));
  const came = await within(FALLBACK_MS, idled), waited = performance.now() - from;
  if (!came && waited - FALLBACK_MS < STRAINED_MS && await isAtRest())
    ask("rested", virtual ? waited * VIRTUAL_SHARE : waited);
}
async function isAtRest() {
  const from = performance.now();
  await within(FALLBACK_MS, whenIdle());
  const drained = performance.now();
  await within(FALLBACK_MS, frameAndTasks());
  return Math.max(drained - from, performance.now() - drained - FRAME_MS) < STRAINED_MS;
}
var unhook = () => void ask("remove");

// src/observer/colours.ts
var DEEP_BACKGROUND = 5;
var WHOLE_PAGE = 0.9;
var schemeBefore = "";
var rememberScheme = () => {
  schemeBefore = schemeOfPage();
};
function schemeChange() {
  const scheme = schemeBefore && schemeOfPage();
  return scheme !== schemeBefore ? [schemeBefore, scheme] : null;
}
function schemeOfPage() {
  let background = "", at = topOf(document);
  for (let depth = 0; at && depth < DEEP_BACKGROUND; depth++) {
    const styles = getComputedStyle(at);
    if (styles.position === "fixed") break;
    if (brightnessOf(styles.backgroundColor) !== null) background = styles.backgroundColor;
    at = at === topOf(document) ? bodyOf(document) : wrapperIn(at);
  }
  return (background ? brightnessOf(background) < 0.5 : isCanvasDark()) ? "dark" : "light";
}
function isCanvasDark() {
  const schemes = topOf(document) ? getComputedStyle(topOf(document)).colorScheme || "" : "";
  const takesDark = /\bdark\b/.test(schemes), takesLight = /\blight\b/.test(schemes);
  return takesDark && (!takesLight || matchMedia("(prefers-color-scheme: dark)").matches);
}
function wrapperIn(element) {
  for (const child of [...childrenOf(element)].slice(0, MAX_NAMED)) {
    const box = boxOf(child);
    if (box.width >= innerWidth * WHOLE_PAGE && box.height >= innerHeight * WHOLE_PAGE) return child;
  }
  return null;
}
function brightnessOf(colour) {
  const numbers2 = (colour.match(/[\d.]+/g) || []).map(Number);
  const [red, green, blue, alpha = 1] = numbers2;
  if (!/^rgba?\(/.test(colour) || alpha < 1) return null;
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}

// src/observer/fields.ts
var fieldsChanged = false;
function followFields(root) {
  const onChange = () => {
    fieldsChanged = true;
  };
  for (const type of ["input", "change"]) listen(root, type, onChange, { capture: true, passive: true });
}
function forgetFields() {
  fieldsChanged = false;
}
function noteField({ attributeName, target }) {
  if (attributeName === "value" && tagOf(target) === "input") fieldsChanged = true;
}

// src/observer/messages.ts
var READ_AFTER_MS = 50;
var MAX_MESSAGES = 20;
var MAX_MESSAGE_LENGTH = 1e3;
var MAX_WATCHED = 200;
var MAX_READINGS = 60;
var MAX_MESSAGE_NODES = 500;
var MAX_OVERLAYS = 20;
var MAX_TRANSPARENT = 5;
var SHORT_MESSAGE = 25;
var SPEAKERS = [
  '[role="alert"]',
  '[role="status"]',
  '[role="log"]',
  '[role="dialog"]',
  '[role="alertdialog"]',
  '[aria-live="polite"]',
  '[aria-live="assertive"]',
  "output",
  "dialog",
  "[popover]"
].join(",");
var MESSAGE_WORDS = /* @__PURE__ */ new Set([
  "alert",
  "flash",
  "flashes",
  "growl",
  "message",
  "messages",
  "notice",
  "notification",
  "notifications",
  "notify",
  "snackbar",
  "toast",
  "toaster",
  "toasts"
]);
var NAMED_SO = [...MESSAGE_WORDS].map((word) => `[class*="${word}" i]`).join(",");
var MESSAGES = `${SPEAKERS},${NAMED_SO}`;
var DIALOGS = 'dialog,[popover],[role="dialog"],[role="alertdialog"]';
var WHOLE = `${DIALOGS},[role="alert"],[role="status"],output,[aria-atomic="true"]`;
var SEVERAL = '[aria-live="polite"],[aria-live="assertive"],[role="log"]';
var HOLDER_WORDS = /* @__PURE__ */ new Set([
  "area",
  "container",
  "flashes",
  "group",
  "list",
  "messages",
  "notifications",
  "region",
  "stack",
  "toaster",
  "toasts"
]);
var SHOWING = /* @__PURE__ */ new Set(["class", "style", "hidden", "open", "aria-hidden", "data-state"]);
var taggedIn = method(Element.prototype, "getElementsByTagName");
var collapsedText = (text) => text.replace(/\s+/g, " ").trim();
var transparent = /* @__PURE__ */ new WeakMap();
var listening = true;
var stopReading = null;
var watched = /* @__PURE__ */ new Set();
var alone = /* @__PURE__ */ new WeakSet();
var wholes = /* @__PURE__ */ new Set();
var messages = /* @__PURE__ */ new Map();
var earlier = /* @__PURE__ */ new Map();
var readings = 0;
var overlays = 0;
function hearMessages() {
  forgetMessages();
  listening = true;
}
function forgetMessages() {
  if (stopReading) stopReading();
  stopReading = null;
  listening = false;
  watched = /* @__PURE__ */ new Set();
  alone = /* @__PURE__ */ new WeakSet();
  wholes = /* @__PURE__ */ new Set();
  messages = /* @__PURE__ */ new Map();
  earlier = /* @__PURE__ */ new Map();
  transparent = /* @__PURE__ */ new WeakMap();
  readings = overlays = shared.announcedMessages = 0;
}
for (const input of ["pointerdown", "keydown"]) {
  listen(
    globalThis,
    input,
    (event) => {
      if (!event.isTrusted) return;
      for (const [look, { elements }] of messages) saidBefore(look, elements);
      for (const element of watched)
        for (const each of isHere(element) ? messagesAt(element) : []) saidBefore(wordsBefore(each), [each]);
      watched.clear();
      messages.clear();
    },
    { capture: true, passive: true }
  );
}
function saidBefore(look, elements) {
  earlier.set(look, /* @__PURE__ */ new Set([...elements, ...earlier.get(look) || []]));
}
var wordsBefore = (element) => isHtml(element) ? withoutDigits(writtenIn(element)) : "";
var writtenIn = (element) => collapsedText(innerTextOf(element)).slice(0, MAX_MESSAGE_LENGTH);
function watchForMessages(record) {
  if (!listening || watched.size >= MAX_WATCHED || stateOfDocument(document) === "loading") return;
  if (record.type === "attributes") {
    if (SHOWING.has(record.attributeName)) watched.add(record.target);
  } else {
    const holder = isElement(record.target) ? record.target : elementAbove(record.target);
    const box = onlyElement(record.addedNodes);
    if (box) alone.add(box);
    else if (holder && (record.type === "characterData" || record.addedNodes.length)) watched.add(holder);
    for (const node of record.addedNodes) if (isElement(node)) watched.add(node);
  }
  readSoon();
}
function onlyElement(nodes) {
  const solid = [...nodes].filter((node) => isElement(node) || collapsedText(rawText(node) || ""));
  return solid.length === 1 && isElement(solid[0]) ? solid[0] : null;
}
function readSoon() {
  if (watched.size && !stopReading && readings < MAX_READINGS) stopReading = after(READ_AFTER_MS, readMessages);
}
function readMessages() {
  stopReading = null;
  readings++;
  const changed = [...watched];
  watched = /* @__PURE__ */ new Set();
  const found = [...new Set(changed.filter(isHere).flatMap(messagesAt))];
  for (const message of outside(found, found.filter(holdsItsParts))) {
    if (shared.announcedMessages >= MAX_MESSAGES) break;
    hearMessage(message);
    if (fadesIn(message)) watched.add(message);
  }
  readSoon();
}
var outside = (found, others) => found.filter((each) => !others.some((other) => other !== each && contains(other, each)));
var holdsItsParts = (message) => isWhole(message) && !matches(message, DIALOGS);
function fadesIn(message) {
  const isTransparent = isShown(message, { checkVisibilityCSS: true }) && !isShown(message, { checkOpacity: true });
  const times = isTransparent ? (transparent.get(message) || 0) + 1 : 0;
  transparent.set(message, times);
  return times > 0 && times <= MAX_TRANSPARENT;
}
function messagesAt(element) {
  for (let at = element; at; at = elementAbove(at)) if (wholes.has(at)) return [at];
  const around = closest(element, MESSAGES);
  const isInOne = around && isMessage(around);
  if (isInOne && isWhole(around)) return [around];
  const inside = messagesIn(element);
  if (inside.length || !isInOne) return inside.length || !isOverlay(element) ? inside : [element];
  if (alone.has(element) && element !== around && isBox(element)) return [element];
  const held = messagesIn(around);
  return held.length ? held : [around];
}
function messagesIn(element) {
  if (taggedIn(element, "*").length > MAX_MESSAGE_NODES) return [];
  const inside = [...inElement(element, MESSAGES)].filter(isMessage);
  for (const each of wholes) if (each !== element && contains(element, each)) inside.push(each);
  return outside(inside, inside);
}
var isBox = (element) => getComputedStyle(element).display !== "inline";
function isWhole(message) {
  return matches(message, WHOLE) || !matches(message, SEVERAL) && !isCalled(message, HOLDER_WORDS);
}
var wordsIn = (token) => token.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase().split(/[^a-z]+/);
var isCalled = (element, names) => words(element).some((token) => wordsIn(token).some((word) => names.has(word)));
function isMessage(element) {
  if (element === bodyOf(document) || element === topOf(document)) return false;
  return matches(element, SPEAKERS) || isCalled(element, MESSAGE_WORDS);
}
function isOverlay(element) {
  for (let at = element; at; at = childrenOf(at).length === 1 ? childrenOf(at)[0] : null) {
    if (++overlays > MAX_OVERLAYS) return false;
    if (getComputedStyle(at).position === "fixed") return true;
  }
  return false;
}
function hearMessage(element) {
  const text = shownText(element);
  if (!text || isOfWork(element, text)) return;
  const look = withoutDigits(text);
  const known = messages.get(look), before = earlier.get(look);
  if (before && before.has(element)) return;
  if (holdsItsParts(element) && closest(element, MESSAGES)) wholes.add(element);
  if (known) return void known.elements.add(element);
  const part = partIn(element, look);
  if (part && part[0].includes(look)) return;
  if (part) messages.delete(part[0]);
  announceMessage(element, text, part ? part[1] : { id: shared.announcedMessages++, elements: /* @__PURE__ */ new Set([element]) });
}
function announceMessage(element, text, { id, elements }, selector = name(element)) {
  messages.set(withoutDigits(text), { id, elements });
  const said = { id, selector, tag: tagOf(element), role: roleOf(element), text };
  if (globalThis.__sfSignal) globalThis.__sfSignal(`said ${JSON.stringify(said)}`);
}
function partIn(element, look) {
  return [...messages].find(
    ([said, { elements }]) => elements.has(element) && (said.includes(look) || look.includes(said))
  );
}
var withoutDigits = (text) => text.replace(/\d+/g, "#");
function shownText(element) {
  if (!isHtml(element) || !isHere(element) || !isShown(element, { checkOpacity: true, checkVisibilityCSS: true }))
    return "";
  const boxes = [element, ...childrenOf(element)].slice(0, MAX_NAMED).map((each) => boxOf(each));
  if (!boxes.some((box) => box.width > 1 && box.height > 1)) return "";
  return writtenIn(element);
}
var OF_WORK = /(?:…|\.\.\.)$|^(?:loading|please wait)\b/i;
var isOfWork = (element, text) => isBusy(element) || OF_WORK.test(text);
function roleOf(element) {
  const [given2] = (attr(element, "role") || "").split(/\s+/);
  return given2 || { output: "status", dialog: "dialog" }[tagOf(element)] || "";
}
function goneMessages() {
  const isThere = (look) => (element) => {
    const text = withoutDigits(shownText(element));
    return text && (text.includes(look) || look.includes(text));
  };
  const gone = [...messages].filter(([look, { elements }]) => ![...elements].some(isThere(look)));
  if (!gone.length || !bodyOf(document)) return [];
  const lines = withoutDigits(innerTextOf(bodyOf(document))).split("\n").map(collapsedText);
  const page = lines.join(" ");
  const isElsewhere = (look, elements) => ![...elements].some(isHere) && (look.length < SHORT_MESSAGE ? lines.includes(look) : page.includes(look));
  return gone.filter(([look, { elements }]) => !isElsewhere(look, elements)).map(([, { id }]) => id);
}

// src/observer/scrolling.ts
var SCROLL_MS = 100;
var UNHEARD_MS = 1e3;
var HEARD_ONCE_MS = 100;
var START_FRAMES = 3;
var START_MS = 80;
var SMOOTHLY = 2;
var SCROLL_KEYS = /* @__PURE__ */ new Set([
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "PageUp",
  "PageDown",
  "Home",
  "End",
  " "
]);
var TAKES_KEYS = "input,select,textarea,button,summary,[contenteditable]";
var LINK = "a[href*='#'],area[href*='#']";
var hearsEnds = "onscrollend" in globalThis;
var scrolling = /* @__PURE__ */ new Map();
var heardAt = /* @__PURE__ */ new WeakMap();
var scrolledBefore = /* @__PURE__ */ new WeakSet();
var scrollLink = null;
var scrollKey = null;
var focusBefore = null;
var hashBefore = "";
listen(
  globalThis,
  "click",
  (event) => {
    scrollLink = closestHit(event, LINK) || scrollLink;
  },
  { capture: true, passive: true }
);
listen(
  globalThis,
  "keydown",
  (event) => {
    if (SCROLL_KEYS.has(event.key) && event.isTrusted && !closestHit(event, TAKES_KEYS))
      scrollKey = event;
  },
  { capture: true, passive: true }
);
function followScrolls(root) {
  if (!hearsEnds) return;
  const onScroll = (event) => {
    const target = event.target;
    const now = performance.now(), { count } = scrolling.get(target) || { count: 0 };
    scrolling.set(target, { at: now, count: count + 1 });
    noteStep(target, now);
  };
  listen(root, "scroll", onScroll, { capture: true, passive: true });
  listen(root, "scrollend", ({ target }) => scrolling.delete(target), { capture: true, passive: true });
}
function noteStep(target, now) {
  const from = Math.max(shared.awaitedFrom, heardAt.get(target) || 0);
  heardAt.set(target, now);
  const asked = askedToScroll(from);
  if (!asked) return;
  shared.mutatedAt = Number(asked);
  if (!rhythmOf(target, "scroll").beat(now, "")) recordChange(now, target, shared.mutatedAt);
}
var askedToScroll = (from) => ask("askedToScroll", from);
function armScrolls(adopt2) {
  scrolledBefore = new WeakSet(adopt2 ? [] : scrolling.keys());
  shared.awaitedFrom = window === top ? Infinity : performance.now();
  scrollLink = scrollKey = null;
  focusBefore = focusedIn(document);
  hashBefore = location.hash;
}
function scrolls() {
  const now = performance.now();
  for (const [target, { at, count }] of scrolling) {
    const isOver = now - at > (count > 1 ? UNHEARD_MS : HEARD_ONCE_MS) && drawnFrom > at;
    if (isOver || !isConnected(target)) scrolling.delete(target);
  }
  return [...scrolling.keys()].find((target) => !scrolledBefore.has(target)) || null;
}
function mayScroll(asked) {
  const { hash } = location, focus = focusedIn(document);
  const link = hash === hashBefore ? scrollLink : location, pressed = scrollKey, isNew = focus !== focusBefore;
  scrollLink = scrollKey = null;
  focusBefore = focus;
  hashBefore = hash;
  if (!hearsEnds || scrolling.size) return false;
  if (asked === SMOOTHLY || pressed && !pressed.defaultPrevented) return true;
  if (asked > 0 && isSmooth(topOf(document)) || link !== null && isSmooth(targetOf(link)))
    return true;
  return isNew && focus !== null && isOutOfView(focus) && isSmooth(focus);
}
function isOutOfView(element) {
  const { top: top2, bottom } = boxOf(element);
  return top2 > innerHeight || bottom < 0;
}
async function scrollBegins() {
  const until = performance.now() + START_MS;
  for (let left = START_FRAMES; (left > 0 || performance.now() < until) && !scrolling.size; left--) {
    if (!await within(FALLBACK_MS, frameAndTasks())) return;
  }
}
function targetOf({ hash }) {
  const id = String(hash || "").slice(1);
  const [target] = id ? queryIn(document, `#${CSS.escape(id)},#${CSS.escape(decoded(id))}`) : [];
  return target || topOf(document);
}
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
function isSmooth(element) {
  for (let at = element; at; at = elementAbove(at))
    if (getComputedStyle(at).scrollBehavior === "smooth") return true;
  return false;
}

// src/observer/validation.ts
var SUBMITS = 'button:not([type]),button[type="submit"],input[type="submit"],input[type="image"]';
var submitting = null;
var invalid = [];
listen(
  globalThis,
  "click",
  (event) => {
    const button = closestHit(event, SUBMITS);
    if (!listening || !event.isTrusted || !button || has(button, "formnovalidate")) return;
    submitting = { event, form: button.form };
    task().then(() => {
      submitting = null;
    });
  },
  { capture: true, passive: true }
);
function followValidation(root) {
  listen(
    root,
    "invalid",
    (event) => {
      if (!listening || !event.isTrusted) return;
      if (!invalid.length) task().then(hearInvalid);
      const field = event.target;
      invalid.push({ event, field, click: submitting, had: matches(field, ":focus") });
    },
    { capture: true, passive: true }
  );
}
function hearInvalid() {
  const told = invalid.filter(
    ({ event, field }) => !event.defaultPrevented && isHere(field) && matches(field, ":invalid")
  );
  invalid = [];
  const first = told.find((each) => matches(each.field, ":focus") && (!each.had || isBySubmit(each))) || told.find(isBySubmit);
  const text = first ? collapsedText(first.field.validationMessage || "") : "";
  if (!first || !text || shared.announcedMessages >= MAX_MESSAGES) return;
  announceMessage(
    first.field,
    text,
    { id: shared.announcedMessages++, elements: /* @__PURE__ */ new Set([first.field]) },
    nameOfField(first.field)
  );
}
var isBySubmit = ({ click, field: { form } }) => form !== null && click !== null && click.form === form && !click.event.defaultPrevented && !has(form, "novalidate");
function nameOfField(field) {
  const given2 = attr(field, "name");
  return given2 && !attr(field, "id") ? `${tagOf(field)}[name="${CSS.escape(given2)}"]` : name(field);
}

// src/observer/observer.ts
var MAX_RECORDS = 500;
var BUSY_MS = 250;
var STRETCH_MS = 100;
var DRAIN_MS = 100;
var ALWAYS_BUSY_MS = 1e3;
var MAX_PROBES = 10;
var MAX_ROOTS = 500;
var MAX_CHECKED = 500;
var TEXT_NODE = 3;
var OPTIONS = { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true };
var roots = /* @__PURE__ */ new WeakSet();
var rootRefs = /* @__PURE__ */ new Set();
var closedRoots = /* @__PURE__ */ new WeakMap();
var anyClosed = false;
var checkedCount = 0;
var checkedHosts = /* @__PURE__ */ new WeakSet();
var announced = false;
var changedAt = null;
var causedAt = null;
var drawnFrom = Infinity;
var where = null;
var knownBefore = /* @__PURE__ */ new WeakSet();
function onRecords(records) {
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
function isRewritten({
  type,
  target,
  attributeName,
  attributeNamespace,
  oldValue,
  addedNodes,
  removedNodes
}) {
  if (type === "attributes") return !attributeNamespace && oldValue === writtenAttr(target, attributeName);
  if (type !== "childList" || addedNodes.length !== 1 || removedNodes.length !== 1) return false;
  const [was] = removedNodes, [is] = addedNodes;
  return typeOf(was) === TEXT_NODE && typeOf(is) === TEXT_NODE && rawText(was) === rawText(is);
}
function recordChange(now, target, caused = now) {
  changedAt = now;
  causedAt = caused;
  where = target;
  if (announced || !globalThis.__sfSignal) return;
  announced = true;
  __sfSignal(`changed ${name(target)}`);
}
var observer = new MutationObserver(onRecords);
function processRecords() {
  const waiting = observer.takeRecords();
  if (waiting.length) onRecords(waiting);
}
function observe(root) {
  observer.observe(root, OPTIONS);
  countScrolls(root);
  followScrolls(root);
  followValidation(root);
  followFields(root);
}
var shadowOf = (element) => openRootOf(element) || (anyClosed ? closedRoots.get(element) : null);
function rootsIn(node, found = [], quick = false) {
  if (isElement(node)) askForRoot(node, found, quick);
  const walker = walkerIn(document, node, NodeFilter.SHOW_ELEMENT);
  for (let at = walker.nextNode(); at; at = walker.nextNode()) askForRoot(at, found, quick);
  return found;
}
function askForRoot(element, found, quick) {
  const root = shadowOf(element);
  if (root) adopt(root, found, quick);
  else if (!quick && tagOf(element).includes("-")) checkHost(element);
}
function adopt(root, found = [], quick = false) {
  const fresh = !roots.has(root);
  found.push(root);
  if (fresh) {
    invalidateKept();
    roots.add(root);
    rootRefs.add(new Reference(root));
    shared.changes++;
    observe(root);
    if (!shared.learning) recordChange(performance.now(), root.host);
  }
  rootsIn(root, found, quick && !fresh);
}
var named = false;
function everyRoot() {
  const quick = named;
  named = true;
  if (quick) for (const element of undefinedYet) checkHost(element);
  return [document, ...rootsIn(document, [], quick)];
}
var unclaimedHosts = [];
var undefinedYet = /* @__PURE__ */ new Set();
function checkHost(element) {
  if (checkedHosts.has(element)) return;
  const isDefined = matches(element, ":defined");
  if (isDefined || !isHere(element)) undefinedYet.delete(element);
  else undefinedYet.add(element);
  if (!isDefined) return;
  checkedHosts.add(element);
  if (++checkedCount > MAX_CHECKED) return;
  if (unclaimedHosts.push(element) === 1 && globalThis.__sfClosed) __sfClosed("");
}
var possibleHosts = () => unclaimedHosts.splice(0);
(globalThis.__sfBound = globalThis.__sfBound || []).push(() => {
  if (unclaimedHosts.length) __sfClosed("");
  if (noiseAnnounced) __sfSignal("noisy");
  ask("announceAgain");
});
function adoptClosedRoot(root) {
  if (globalThis.__sf) globalThis.__sf.adoptRoot(root);
  if (!isRootHere(root) || closedRoots.has(root.host)) return;
  anyClosed = true;
  closedRoots.set(root.host, root);
  adopt(root);
}
var PROPOSED = [
  ".loading",
  ".spinner",
  ".skeleton",
  '[aria-busy="true"]',
  '[data-loading="true"]',
  '[class*="loading"]',
  '[class*="spinner"]'
].join(",");
var BUSY_WORDS = /* @__PURE__ */ new Set(["loading", "loader", "spinner", "skeleton"]);
var OVER_WORDS = /* @__PURE__ */ new Set([
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
  "not"
]);
var MOST_WORDS = 8;
function isBusy(element) {
  if (attr(element, "aria-busy") === "true" || attr(element, "data-loading") === "true") return true;
  return words(element).some((token) => {
    const parts = token.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase().split(/[^a-z]+/);
    const said = parts.filter((part) => BUSY_WORDS.has(part));
    if (parts.length > MOST_WORDS) return false;
    if (!said.length || parts.some((part) => OVER_WORDS.has(part))) return false;
    return said.some((part) => part !== "spinner") || !isOfNumberField(element);
  });
}
var NUMBER_FIELD = 'input[type="number"],[role="spinbutton"]';
var TEXT_FIELD = 'input:not([type]),input[type="text"],input[type="tel"]';
function isOfNumberField(element) {
  if (matches(element, NUMBER_FIELD) || holdsField(element)) return true;
  const parent = parentOf(element), around = parent && isElement(parent) ? closest(parent, '[class*="spinner"]') : null;
  return Boolean(around) && inElement(around, NUMBER_FIELD).length > 0;
}
var FIELDS = `${NUMBER_FIELD},${TEXT_FIELD}`;
var holdsField = (element) => inElement(element, FIELDS).length || rootsIn(element, [], true).some((root) => queryIn(root, FIELDS).length);
function isVisible(element) {
  const box = boxOf(element);
  if (box.width <= 0 || box.height <= 0) return false;
  return isShown(element, { checkOpacity: true, checkVisibilityCSS: true });
}
function visible(selector, accept, searched) {
  const found = [];
  for (const root of searched) {
    for (const element of queryIn(root, selector)) {
      if (accept(element) && isVisible(element)) found.push(element);
      if (found.length >= MAX_INDICATORS) return found;
    }
  }
  return found;
}
function indicators(searched) {
  const busy = keptCandidates.list(searched).filter((element) => isBusy(element) && isVisible(element));
  return busy.slice(0, MAX_INDICATORS);
}
function everyAnimation() {
  const found = [animationsIn(document)];
  for (const ref of rootRefs) {
    const root = ref.deref();
    if (!root || isStale(root)) rootRefs.delete(ref);
    else if (found.length <= MAX_ROOTS) found.push(animationsWithin(root));
  }
  return found.flat();
}
function finite() {
  return everyAnimation().filter((animation) => {
    if (animation.playState !== "running" || !animation.effect || !(animation.playbackRate > 0)) return false;
    return Number.isFinite(animation.effect.getComputedTiming().endTime);
  });
}
var ROUNDS = 2;
var roundsOf = ({ endTime, duration, iterations }) => iterations > ROUNDS ? endTime - (iterations - ROUNDS) * duration : endTime;
var begunFinite = () => finite().filter((animation) => !knownBefore.has(animation));
function remainingOf({ effect, currentTime, playbackRate }) {
  return (roundsOf(effect.getComputedTiming()) - (currentTime || 0)) / playbackRate;
}
var LIKE = 1.25;
function lastAnimations(begun = begunFinite()) {
  const last = /* @__PURE__ */ new Map();
  for (const animation of begun) {
    const remaining = remainingOf(animation), like = Math.ceil(Math.log(remaining) / Math.log(LIKE));
    const known = last.get(like);
    if (remaining > 0 && (!known || remaining > known.remaining))
      last.set(like, { remaining, target: animation.effect.target });
  }
  const found = [...last.values()].sort((one, other) => other.remaining - one.remaining);
  if (found.length) return found.map(({ remaining, target }) => ({ what: name(target), remaining_ms: remaining }));
  const scrolled = scrolls();
  return scrolled ? [{ what: name(isElement(scrolled) ? scrolled : topOf(document)), remaining_ms: SCROLL_MS }] : [];
}
function decorations(begun) {
  return begun.filter((animation) => remainingOf(animation) <= 0).map(
    ({ effect, playbackRate }) => ignoredRow(
      "animation",
      name(effect.target),
      1e3 * playbackRate / effect.getComputedTiming().duration
    )
  );
}
var ignoredRow = (kind, key2, rate) => ({ kind, key: key2, rate: Math.round(rate * 100) / 100 });
function scheduledWork(shownAt) {
  processRecords();
  announced = false;
  const [animated] = lastAnimations();
  return { scheduled: scheduled(shownAt, shownAt !== null), moving: animated ? animated.what : "" };
}
function arm(adopt2) {
  shared.learning = false;
  changedAt = causedAt = null;
  announced = false;
  ask("arm", adopt2, shared.mutatedAt);
  resetMotion();
  forgetNoise();
  hearMessages();
  rememberScheme();
  armScrolls(adopt2);
  forgetFields();
  drainedAt = null;
  armedQueue = probeQueue();
  shared.disabledSince = /* @__PURE__ */ new WeakSet();
  const searched = everyRoot();
  knownBefore = new WeakSet(adopt2 ? [] : [...indicators(searched), ...busyParts(searched), ...finite()]);
}
function disarm() {
  shared.learning = true;
  forgetMessages();
  ask("disarm");
  shared.awaitedFrom = -Infinity;
  disarmedQueue = { drained: drainedAt !== null, begun: drainedAt === null ? performance.now() : drainedAt };
}
var framed = [];
var sizes = new ResizeObserver(() => {
  sizes.disconnect();
  for (const resolve of framed.splice(0)) resolve();
});
function nextFrame() {
  const from = performance.timeOrigin + performance.now();
  return frame().then(() => from);
}
function frame() {
  return new Promise((resolve) => {
    const box = [bodyOf(document), topOf(document)].find(
      (element) => element && boxOf(element).width + boxOf(element).height > 0
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
var pause = (ms) => new Promise((resolve) => after(ms, resolve));
function probeQueue(answer = { drained: false, begun: performance.now() }, again = MAX_PROBES) {
  const begun = performance.now();
  whenIdle().then(() => {
    answer.drained = performance.now() - begun < DRAIN_MS;
    if (!answer.drained && again > 0) probeQueue(answer, again - 1);
  });
  return answer;
}
var hadDrained = () => armedQueue.drained || disarmedQueue.drained;
var wasBusy = () => !hadDrained() && performance.now() - disarmedQueue.begun > ALWAYS_BUSY_MS;
async function fence(ms, quiet, frames, quick, virtual) {
  const begun = performance.now();
  shared.awaitedFrom = Math.min(shared.awaitedFrom, begun);
  const framed2 = await renderFrames(frames, quick);
  const waited = [await timed(waitForQuiet(begun + ms, quiet))];
  const queueIsBusy = async () => !wasBusy() && !await drainQueue() && hadDrained();
  const due = () => scheduled(performance.timeOrigin + begun, framed2, quiet);
  let busy = await queueIsBusy();
  if (askedToScroll(drawnFrom)) waited.push(await timed(nextFrameAndTasks()));
  let { calls, ignored, scroll, ...rounds } = due();
  if (mayScroll(scroll)) waited.push(await timed(scrollBegins()));
  if (awaitsIdle(calls)) {
    waited.push(await timed(letIdle(virtual)));
    busy = await queueIsBusy();
    ({ calls, ignored, scroll, ...rounds } = due());
  }
  const answer = report(busy);
  const waited_ms = waited.reduce((sum, ms2) => sum + ms2);
  if (!fieldsChanged) rounds.check_ms = 0;
  return {
    ...answer,
    ...rounds,
    waited_ms,
    calls: calls.map(withIdleTime),
    ignored: [...answer.ignored, ...ignored]
  };
}
async function renderFrames(count, quick) {
  drawnFrom = Infinity;
  for (let left = count; left > 0; left--) {
    if (!await nextFrameAndTasks()) return false;
    if (left === 1) break;
    const drained = await drainQueue();
    if (quick && listsAnimations && drained && isDrawn()) break;
  }
  if (count > 0 && askedToScroll(drawnFrom)) await nextFrameAndTasks();
  return count > 0;
}
async function nextFrameAndTasks() {
  const from = performance.now(), framed2 = await within(FALLBACK_MS, frameAndTasks());
  drawnFrom = framed2 ? from : Infinity;
  return framed2;
}
var isDrawn = () => lastChange() < drawnFrom;
async function timed(promise) {
  const from = performance.now();
  await promise;
  return performance.now() - from;
}
function lastChange() {
  processRecords();
  return changedAt === null ? -Infinity : changedAt;
}
async function waitForQuiet(until, quiet) {
  const latest = until + STRETCH_MS;
  for (; ; ) {
    const now = performance.now(), rest = Math.min(latest, Math.max(until, lastChange() + quiet)) - now;
    if (rest <= 0 && (isDrawn() || now > latest)) return;
    await Promise.all([rest > 0 && pause(rest), isDrawn() || nextFrameAndTasks()]);
    await task();
  }
}
async function drainQueue() {
  const begun = performance.now();
  const drained = await within(BUSY_MS, whenIdle());
  drainedAt = drained && performance.now() - begun < DRAIN_MS ? performance.now() : null;
  return drained;
}
function report(busy = false) {
  processRecords();
  announced = false;
  const searched = everyRoot();
  const namesOf = (elements) => elements.filter((element) => !knownBefore.has(element)).slice(0, MAX_NAMED).map(name);
  const result = { indicators: namesOf(indicators(searched)), working: namesOf(busyParts(searched)) };
  if (changedAt !== null) {
    result.quiet_ms = isDrawn() ? performance.now() - changedAt : 0;
    result.where = name(where);
  }
  if (busy) Object.assign(result, { quiet_ms: 0, where: "a main thread that is never idle" });
  const begun = begunFinite(), [animated, ...earlier2] = lastAnimations(begun);
  if (animated) Object.assign(result, { animated, animated_earlier: earlier2 });
  const gone = messages.size ? goneMessages() : [];
  if (gone.length) result.gone_messages = gone;
  const scheme = schemeChange();
  if (scheme) result.scheme = scheme;
  result.elements = allOf(document, "*").length;
  const changing = [...noisy].map(([key2, rate]) => ignoredRow("changes", key2, rate));
  result.ignored = [...changing.slice(0, MAX_NAMED), ...decorations(begun).slice(0, MAX_NAMED)];
  return result;
}
function noise() {
  processRecords();
  return elementsOf(noisyNodes, (node) => causedNodes.has(node));
}
function elementsOf(nodes, isLeftOut) {
  const elements = [...nodes].filter((node) => !isLeftOut(node)).map((node) => isShadowRoot(node) ? node.host : node);
  return [...new Set(elements)].filter((element) => isElement(element) && !isLeftOut(element));
}
function habits() {
  processRecords();
  return elementsOf(habitualNodes, (node) => unlikeNodes.has(node) || noisyNodes.has(node));
}
function sample() {
  return {
    url: location.href,
    title: titleOf(document),
    element_count: allOf(document, "*").length,
    ready: stateOfDocument(document) === "complete",
    indicators: visible(PROPOSED, () => true, [document]).slice(0, MAX_NAMED).map(name)
  };
}
var drainedAt = null;
observe(document);
everyRoot();
var armedQueue = {};
var disarmedQueue = probeQueue();

// src/observer/page_version.ts
var valueOf = {
  input: getter(HTMLInputElement.prototype, "value"),
  textarea: getter(HTMLTextAreaElement.prototype, "value"),
  select: getter(HTMLSelectElement.prototype, "selectedIndex"),
  option: getter(HTMLOptionElement.prototype, "selected")
};
var checkedOf = getter(HTMLInputElement.prototype, "checked");
var indeterminateOf = getter(HTMLInputElement.prototype, "indeterminate");
var controls = /* @__PURE__ */ new WeakMap();
var shownAs = "";
function stateOf(control) {
  const tag = tagOf(control);
  const value = valueOf[tag] && valueOf[tag](control);
  return tag === "input" ? `${checkedOf(control)} ${indeterminateOf(control)} ${value}` : String(value);
}
function compareControls(searched) {
  for (const control of keptControls.list(searched)) {
    if (!isHtml(control)) continue;
    const state = stateOf(control);
    if (controls.get(control) === state) continue;
    controls.set(control, state);
    shared.changes++;
  }
}
var HTML = "http://www.w3.org/1999/xhtml";
var isHtml = (element) => namespaceOf(element) === HTML;
function countScrolls(root) {
  listen(root, "scroll", () => shared.changes++, { capture: true, passive: true });
}
function isMoving(searched) {
  if (searched.length > MAX_ROOTS) return true;
  return searched.some((root) => {
    const own = root === document ? animationsIn(document) : animationsWithin(root);
    return own.some((animation) => animation.playState === "running");
  });
}
function pageVersion() {
  processRecords();
  const top2 = topOf(document);
  if (top2) boxOf(top2);
  const searched = everyRoot();
  if (isMoving(searched)) return null;
  compareControls(searched);
  const shown = [location.href, scrollX, scrollY, innerWidth, innerHeight, devicePixelRatio].join();
  if (shown !== shownAs) {
    shownAs = shown;
    shared.changes++;
  }
  return shared.changes;
}

// src/observer/internals.ts
var numbers = /* @__PURE__ */ new WeakMap();
var lastNumber = 0;
var pointedAt = [];
var internals = null;
performance.addEventListener(`${key}#`, (event) => {
  const { detail, relatedTarget } = event;
  pointedAt[detail] = relatedTarget;
});
function everyInternal() {
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
function numberOf(element) {
  if (!numbers.has(element)) numbers.set(element, ++lastNumber);
  return numbers.get(element);
}
function numberedInternals() {
  const every = everyInternal();
  return every.size ? [...every].map(([element, values]) => [numberOf(element), Object.entries(values)]) : null;
}
function numberedElements(wanted) {
  const found = new Map([...everyInternal().keys()].map((element) => [numberOf(element), element]));
  return wanted.map((number) => found.get(number) || document);
}
shared.anyInternals = Boolean(ask("anyInternals"));
return { adoptClosedRoot, arm, disarm, everyInternal, fence, habits, nextFrame, noise, numberedElements, numberedInternals, pageVersion, possibleHosts, report, sample, scheduledWork, unhook };
}
