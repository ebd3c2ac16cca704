// Shared by the page and its worker: what own properties there are, which functions are native, what was counted.
"use strict";
const global = globalThis;
const inPage = typeof document !== "undefined";
const counts = {};
const count = (name) => { counts[name] = (counts[name] ?? 0) + 1; };

const toText = Function.prototype.toString;
const isNative = (f) => /\{\s*\[native code\]\s*\}$/.test(toText.call(f));

// -- what there is ---------------------------------------------------------------------------------------------------

// Every object reachable by own properties from the global one, two steps deep, as lines: path, kind of property,
// whether its functions are native.
function inventory(root = global, depth = 2) {
  const lines = [], seen = new Set();
  const walk = (object, path, left) => {
    if (seen.has(object)) return;
    seen.add(object);
    for (const key of Reflect.ownKeys(object)) {
      const name = `${path}.${String(key)}`;
      const own = Reflect.getOwnPropertyDescriptor(object, key);
      const functions = [own.value, own.get, own.set].filter((f) => typeof f === "function");
      const foreign = functions.filter((f) => !hooked.has(f) && !isNative(f));
      lines.push(`${name} ${"value" in own ? typeof own.value : "accessor"} ${own.writable ? "w" : ""}${own.enumerable ? "e" : ""}` +
        `${own.configurable ? "c" : ""}${foreign.length ? " foreign" : ""}`);
      const value = own.value;
      if (left > 0 && value && (typeof value === "function" || typeof value === "object") && !isDocument(value)) walk(value, name, left - 1);
    }
    const parent = Reflect.getPrototypeOf(object);
    if (parent) walk(parent, `${path}.__proto__`, left);
  };
  walk(root, "", depth);
  return lines.sort();
}
// The tree of the document grows as it loads, and is the page's own affair.
function isDocument(value) {
  return inPage && (value instanceof Node || value instanceof Performance || value instanceof Window || value instanceof Location);
}

// What no global leads to, only literals: a place to hide something in. A name that is random is shown as one.
function obscure() {
  const samples = { asyncFunction: async () => {}, generator: function* () {}, asyncGenerator: async function* () {}, arrayIterator: [][Symbol.iterator](),
    stringIterator: ""[Symbol.iterator](), mapIterator: new Map().entries(), setIterator: new Set().values(), regExpIterator: "".matchAll(/x/g),
    throwsTypeError: Object.getOwnPropertyDescriptor(function () { return arguments; }(), "callee").get };
  const lines = [];
  for (const [name, sample] of Object.entries(samples)) {
    for (let object = sample, level = 0; object && object !== Object.prototype && object !== Function.prototype; object = Object.getPrototypeOf(object), level++) {
      for (const key of Reflect.ownKeys(object)) lines.push(`${name}.${level}.${String(key).replace(/[0-9a-f]{8,}/, "…")}`);
    }
  }
  return lines.sort();
}

// -- what was done ---------------------------------------------------------------------------------------------------

const hooked = new Set();
function wrap(object, name) {
  const own = Reflect.getOwnPropertyDescriptor(object, name);
  if (typeof own?.value !== "function") return;
  const original = own.value;
  const wrapped = { [name](...args) { if (!observe.own) count(name); return new.target ? Reflect.construct(original, args, new.target) : Reflect.apply(original, this, args); } }[name];
  hooked.add(wrapped);
  Reflect.defineProperty(object, name, { ...own, value: wrapped });
}

const isLoaded = (entry) => ["mark", "measure", "resource"].includes(entry.entryType) && !entry.name.includes("/report?");

function traps() {
  // A hook that makes an error with a stack, in the page's own world, is seen here.
  Error.prepareStackTrace = (error, sites) => { count("prepareStackTrace"); return `${error}\n${sites.join("\n")}`; };
  hooked.add(Error.prepareStackTrace);
  for (const name of ["then", "toJSON", "id", "message"]) {
    Reflect.defineProperty(Object.prototype, name, { configurable: true, get() { if (!observe.own) count(`Object.prototype.${name}`); }, set(value) {
      if (!observe.own) count(`Object.prototype.${name} =`);
      Reflect.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    } });
  }
  for (const name of ["log", "debug", "error", "warn", "clear"]) wrap(console, name);
  wrap(Error, "captureStackTrace");
  if (!inPage) return;
  for (const name of ["setTimeout", "clearTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback", "queueMicrotask", "getComputedStyle", "fetch", "postMessage"]) wrap(window, name);
  for (const name of ["querySelector", "querySelectorAll", "createElement", "getElementsByTagName", "createTreeWalker", "evaluate", "getElementById"]) wrap(Document.prototype, name);
  for (const name of ["getBoundingClientRect", "checkVisibility", "getAttribute", "matches", "closest", "attachShadow", "getAnimations"]) wrap(Element.prototype, name);
  for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"]) wrap(EventTarget.prototype, name);
  for (const name of ["observe", "takeRecords"]) wrap(MutationObserver.prototype, name);
  for (const name of ["now", "mark", "measure", "getEntries", "getEntriesByType"]) wrap(Performance.prototype, name);
  for (const name of ["postTask", "yield"]) wrap(Scheduler.prototype, name);
  for (const name of ["get", "set"]) wrap(WeakMap.prototype, name);
  for (const name of ["then"]) wrap(Promise.prototype, name);
  wrap(MessagePort.prototype, "postMessage");
  for (const name of ["push", "map", "filter", "join"]) wrap(Array.prototype, name);
  for (const name of ["focus", "blur", "visibilitychange", "freeze", "resume", "pagehide", "pageshow", "resize", "scroll", "selectionchange",
    "mousemove", "mousedown", "keydown", "error", "unhandledrejection", "securitypolicyviolation"]) {
    global.addEventListener(name, () => count(`event ${name}`), true);
  }
  const observer = new MutationObserver((records) => { for (const record of records) count(`mutation ${record.type}`); });
  document.addEventListener("DOMContentLoaded", () => observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true }));
  // When the page's own report is through is a matter of chance.
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (isLoaded(entry)) count(`performance ${entry.entryType}`); })
    .observe({ entryTypes: ["mark", "measure", "resource"] });
}

// -- what can be measured --------------------------------------------------------------------------------------------

const moment = (work) => { const from = Date.now(); work(); return Date.now() - from; };
// A debugger that pauses at this statement costs a round trip to the client that attached it, or never comes back.
const paused = () => moment(() => { debugger; }) > 100;

// A console that somebody listens to reads what it is given; the classic way to notice Runtime.enable.
function consoled() {
  let read = 0;
  const bait = inPage ? document.createElement("div") : {};
  Object.defineProperty(bait, "id", { get() { read++; return "bait"; } });
  const error = new Error("bait");
  Object.defineProperty(error, "stack", { get() { read++; return ""; } });
  const object = { get name() { read++; return ""; }, toString() { read++; return ""; } };
  for (const method of ["debug", "dir", "table"]) for (const thing of [bait, error, object]) console[method](thing);
  return read;
}

// Ids of timers and frames are handed out one after the other, to all worlds of a window.
const ids = {};
function timerIds() {
  const made = { timeout: setTimeout(() => {}, 0) };
  if (inPage) Object.assign(made, { frame: requestAnimationFrame(() => {}), idle: requestIdleCallback(() => {}) });
  const since = Object.fromEntries(Object.entries(made).map(([name, id]) => [name, ids[name] === undefined ? id : id - ids[name]]));
  Object.assign(ids, made);
  return since;
}

// A client that looks at the arguments of a call is seen by a proxy.
function lookedAt() {
  const seen = [];
  const spy = new Proxy(function () {}, new Proxy({}, { get(_, trap) { seen.push(trap); } }));
  clearTimeout(setTimeout(spy, 1000));
  return seen.sort();
}

// What schedules, looked at from all sides but its text: what it is called, what it takes, how it fails and what the stack
// of its failure shows.
const SCHEDULING = ["setTimeout", "setInterval", "clearTimeout", "clearInterval", "requestAnimationFrame", "cancelAnimationFrame",
  "requestIdleCallback", "createImageBitmap"].filter((name) => name in global);
const text = () => SCHEDULING.map((name) => toText.call(global[name]));

function failure(work) {
  try {
    work();
    return "none";
  } catch (error) {
    return `${error.constructor === global[error.name]} ${error} ${error.stack.replace(/:\d+:\d+/g, "")}`;
  }
}

function faithful() {
  return SCHEDULING.flatMap((name) => {
    const scheduling = global[name], own = Reflect.getOwnPropertyDescriptor(global, name) ?? {};
    const looks = [name, scheduling.name, scheduling.length, Reflect.ownKeys(scheduling).map(String), "prototype" in scheduling,
      Reflect.getPrototypeOf(scheduling) === Function.prototype, typeof scheduling, String(Object.keys(own))].join();
    const fails = [() => scheduling(), () => new scheduling(), () => ({}) instanceof scheduling, () => scheduling.call({}, () => {}),
      () => class extends scheduling {},
      () => Reflect.construct(Object, [], scheduling)].map(failure);
    return [looks, ...fails.map((line) => `${name} ${line}`)];
  });
}

// What throws while a native reads it has the native's caller below it on the stack, and nothing else.
const argument = () => failure(() => setTimeout(() => {}, { valueOf() { throw new Error("read"); } }));

function observe(when) {
  observe.own = true;
  const seen = { counts: { ...counts }, ids: timerIds(), paused: paused(), console: consoled(), stack: new Error("x").stack.split("\n").length,
    stackTraceLimit: Error.stackTraceLimit, inventory: inventory(), obscure: obscure(), lookedAt: lookedAt(),
    text: text(), faithful: faithful(), argument: argument() };
  if (inPage) {
    const fresh = document.createElement("iframe");
    document.body.append(fresh);
    Object.assign(seen, {
      document: Reflect.ownKeys(document).map(String).sort(),
      inner: Reflect.ownKeys(inner.contentWindow).map(String).sort(),
      innerNative: isNative(inner.contentWindow.setTimeout) && isNative(inner.contentWindow.Function.prototype.toString),
      fresh: Reflect.ownKeys(fresh.contentWindow).map(String).sort(),
      freshNative: isNative(fresh.contentWindow.setTimeout) && fresh.contentWindow.Function.prototype.toString.call(setTimeout) === toText.call(setTimeout),
      frames: [window.length, document.querySelectorAll("*").length, document.styleSheets.length, document.adoptedStyleSheets.length],
      entries: performance.getEntries().filter(isLoaded).map((entry) => entry.name).sort(),
      state: [document.visibilityState, document.hidden, document.readyState, history.length, document.activeElement.localName, navigator.webdriver,
        String(getSelection()), scrollX, scrollY],
      animations: document.getAnimations().length,
      markup: document.documentElement.outerHTML.length,
    });
    fresh.remove();
  }
  seen.when = when;
  observe.own = false;
  return seen;
}

// The worker answers with what it sees of itself.
function ask(when) {
  return new Promise((resolve) => {
    const worker = (ask.worker ??= new Worker("worker.js"));
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(when);
  });
}

// One after the other; what the page does to report is not counted.
function report(when) {
  report.last = (async (previous) => {
    await previous;
    observe.own = true;
    const page = observe(when);
    observe.own = true;
    await fetch(`report?${when}`, { method: "POST", body: JSON.stringify({ page, worker: await ask(when) }) });
    observe.own = false;
  })(report.last);
}
