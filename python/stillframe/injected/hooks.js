// Generated from js/src/page/hooks.ts by js/build.mjs.
(() => {
"use strict";
// src/page/hooks.ts
function installHooks(key) {
  const RING = 8, MIN_INTERVALS = 3, MAX_VARIATION = 0.35, JITTER_MS = 50, MAX_EARNED = 2, SILENT_PERIODS = 4;
  const RECENT_MS = 60;
  const SLOW_MS = 500, ASKING_MS = 150;
  const AT_REST_MS = 400;
  const OVERDUE_MS = 150, WORKER_OVERDUE_MS = 20;
  const READ_MS = 0.5;
  const NESTED_MS = 4;
  const LATE_MS = 4;
  const LINK_EARLY_MS = 2, LINK_LATE_MS = 30;
  const LOST_MS = 2e3, MAX_FOLLOWED = 64;
  const CHAIN_GAP_MS = 100;
  const FRAME_MS = 16, STALLED_MS = 400;
  const LOOK_AGAIN_MS = 10;
  const OPENING_MS = 250;
  const PRUNE_MS = 20;
  const ROUND_MS = 400;
  const ACTED_MS = 20;
  const CHECK_MS = 600;
  const MAX_KEPT = 400, MAX_MORE = 2e4, MAX_REPORTED = 24, MAX_KEYS = 200, SITE = 200, TEXT = 24, NATIVE = 80;
  const MAX_FRAMES = 8;
  const FRAME = "\n    at ";
  const MAX_SITED = 32;
  const ROUNDS = 32, FRAME_IDS = 64;
  const bare = () => ({ __proto__: null });
  const { call } = Function.prototype;
  const { apply } = Reflect;
  const free = (method) => call.bind(method);
  const clock = performance.now.bind(performance);
  const { scheduler } = globalThis;
  const canPost = scheduler && typeof scheduler.postTask === "function";
  const later = canPost && scheduler.postTask.bind(scheduler);
  const origin = performance.timeOrigin;
  const quote = JSON.stringify;
  const describe = Object.getOwnPropertyDescriptor;
  const textOf = free(Function.prototype.toString);
  const indexOf = free(String.prototype.indexOf);
  const slice = free(String.prototype.slice);
  const listen = free(EventTarget.prototype.addEventListener);
  const unlisten = free(EventTarget.prototype.removeEventListener);
  const send = free(EventTarget.prototype.dispatchEvent);
  const define = Object.defineProperty;
  const protoOf = Object.getPrototypeOf;
  const OwnProxy = Proxy;
  const seenBefore = free(WeakSet.prototype.has);
  const see = free(WeakSet.prototype.add);
  const OwnError = Error;
  const captureStack = Error.captureStackTrace;
  const aborted = globalThis.AbortSignal && free(describe(AbortSignal.prototype, "aborted").get);
  const isWindow = typeof document === "object";
  const currentEvent = isWindow ? describe(globalThis, "event").get : () => {
  };
  const typeOf = free(describe(Event.prototype, "type").get);
  const OwnRef = globalThis.WeakRef;
  const deref = OwnRef && free(OwnRef.prototype.deref);
  const keep = free(WeakMap.prototype.set), look = free(WeakMap.prototype.get);
  const isConnected = isWindow && free(describe(Node.prototype, "isConnected").get);
  const contentOf = isWindow && free(describe(Node.prototype, "textContent").get);
  const FRAME_LIKE = {
    __proto__: null,
    requestAnimationFrame: true,
    requestIdleCallback: true
  };
  const LONGER = {
    __proto__: null,
    locks: ASKING_MS,
    caches: ASKING_MS,
    toBlob: SLOW_MS
  };
  const first = bare();
  let last = first, kept = 0, prunedAt = -Infinity;
  let byId = bare();
  let dueOf = bare(), more = 0;
  let armedAt = -Infinity, armed = false;
  let announcing = true;
  let fenced = -Infinity;
  let framed = -Infinity;
  let idledAt = -Infinity;
  let restedMs = 0;
  let rhythms = bare(), rhythmCount = 0;
  let chains = bare(), chainCount = 0;
  const frameIds = bare();
  let ignored = bare();
  const watched = /* @__PURE__ */ new WeakSet();
  let followed = 0;
  let latest = bare(), latestCount = 0;
  let scrollAsked = 0;
  let scrollAskedAt = -Infinity;
  let actedMs = ACTED_MS;
  function record(kind, what, known, due, every, id, from, run) {
    const now = clock();
    const name = `${what}${known}`;
    const renewal = armed ? renewalOf(name, now, from, run) : "";
    const noise = isNoise(name, now, from, renewal);
    if (kept >= MAX_KEPT && now - prunedAt > PRUNE_MS) prune(now);
    if (kept >= MAX_KEPT) {
      if (!noise && more < MAX_MORE) {
        more += 1;
        dueOf[id || -more] = now + due;
      }
      return null;
    }
    const entry = {
      __proto__: null,
      kind,
      what,
      from,
      key: name,
      at: now,
      soonest: now + due,
      due: now + due,
      every,
      until: Infinity,
      id,
      noise,
      adopted: false,
      linked: false,
      perhaps: renewal === "perhaps",
      over: false,
      ran: null,
      signal: null,
      loop: null,
      acts: false,
      next: null
    };
    if (isWindow && kind === "setTimeout") entry.loop = loopOf(entry, run);
    if (noise) ignore(entry);
    else announce();
    if (armed && (noise || entry.perhaps)) follow(entry, now);
    last.next = entry;
    last = entry;
    kept += 1;
    if (id) byId[id] = entry;
    return entry;
  }
  function ignore(entry) {
    const rhythm = rhythms[entry.key];
    const period2 = rhythm && rhythm.period || entry.every || entry.due - entry.at;
    const rate = period2 > 0 ? 1e3 / period2 : 0;
    ignored[entry.key] = { __proto__: null, what: entry.what, site: site(entry.from), rate };
  }
  function announce() {
    if (!announcing) return;
    announcing = false;
    answer("called");
  }
  function isOver(entry, now) {
    if (entry.over) return true;
    if (entry.signal && aborted(entry.signal)) return true;
    if (entry.every) return entry.until < now;
    return entry.due + READ_MS <= fenced || now - entry.due > (isWindow ? OVERDUE_MS : WORKER_OVERDUE_MS);
  }
  function prune(now) {
    prunedAt = now;
    let before = first;
    kept = 0;
    byId = bare();
    for (let entry = first.next; entry; entry = entry.next) {
      if (entry.over || isOver(entry, now) && now - entry.due > linkedWithin(entry)) continue;
      before.next = entry;
      before = entry;
      if (entry.id) byId[entry.id] = entry;
      kept += 1;
    }
    before.next = null;
    last = before;
  }
  function caller(below) {
    const event = apply(currentEvent, globalThis, []);
    const holder = { __proto__: null, stack: "", event: event ? typeOf(event) : "" };
    if (kept > MAX_SITED) return holder;
    const limit = describe(OwnError, "stackTraceLimit");
    if (!limit || typeof limit.value !== "number" || !limit.writable || "prepareStackTrace" in OwnError) return holder;
    OwnError.stackTraceLimit = MAX_FRAMES;
    captureStack(holder, below);
    OwnError.stackTraceLimit = limit.value;
    return holder;
  }
  function framesOf(holder) {
    if (!holder || "prepareStackTrace" in OwnError) return "";
    const text = holder.stack;
    const start = typeof text === "string" ? indexOf(text, FRAME) : -1;
    return start < 0 ? "" : `${slice(text, start)}
`;
  }
  function path(holder) {
    const frames = framesOf(holder);
    const end = indexOf(frames, `${FRAME}async `);
    return end < 0 ? frames : slice(frames, 0, end + 1);
  }
  function site(holder) {
    const frames = framesOf(holder);
    if (!frames) return "";
    let line = slice(frames, FRAME.length, indexOf(frames, "\n", 1));
    if (slice(line, 0, 6) === "async ") line = slice(line, 6);
    const open2 = indexOf(line, " (");
    if (open2 >= 0 && slice(line, -1) === ")") line = slice(line, open2 + 2, -1);
    return line.length > SITE ? `…${slice(line, -SITE)}` : line;
  }
  function callback(value, from) {
    if (typeof value !== "function") return "";
    const text = textOf(value);
    if (text.length < NATIVE && indexOf(text, "{ [native code] }") > 0) return ` @${site(from)}`;
    return ` ${text.length} ${slice(text, 0, TEXT)}`;
  }
  function isElsewhere(earlier, from) {
    if (!earlier || !from) return false;
    if (earlier.event !== from.event) return true;
    const before = path(earlier), now = path(from);
    return before.length > 1 && now.length > 1 && slice(before, 0, now.length) !== now;
  }
  function isOutermost(run, from) {
    const name = typeof run === "function" && option(run, "name");
    if (!name) return false;
    const frames = path(from);
    let line = "";
    for (let at = indexOf(frames, FRAME); at >= 0; at = indexOf(frames, FRAME, at + 1)) {
      line = slice(frames, at + FRAME.length);
    }
    const open2 = indexOf(line, " (");
    return open2 > 0 && (slice(line, 0, open2) === name || slice(line, open2 - name.length - 1, open2) === `.${name}`);
  }
  function milliseconds(value) {
    const number = typeof value === "number" || typeof value === "string" ? +value | 0 : 0;
    return number > 0 ? number : 0;
  }
  function option(bag, name) {
    const found = typeof bag === "object" && bag || typeof bag === "function" ? describe(bag, name) : void 0;
    return found && found.value;
  }
  function isNoise(name, now, from, renewal = "") {
    const rhythm = rhythms[name];
    if (armed) return renewal === "surely" || (rhythm ? spend(rhythm, now, from) : false);
    learn(rhythm || begin(name), now, from);
    return false;
  }
  function renewalOf(name, now, from, run) {
    let found = "";
    for (let entry = first.next; entry; entry = entry.next) {
      if (entry.key !== name || entry.linked || entry.over || entry.due < armedAt && entry.ran !== false) continue;
      if (!isForeign(entry) && !entry.perhaps || !isRunning(entry, now)) continue;
      if (from.event) return "";
      found = "perhaps";
      if (!isSamePlace(entry, from, run)) continue;
      entry.linked = true;
      return "surely";
    }
    return found;
  }
  function loopOf(entry, run) {
    const { key: name, at: now, from } = entry;
    if (!(name in latest) && ++latestCount > MAX_KEYS) {
      latest = bare();
      latestCount = 1;
    }
    const before = latest[name];
    latest[name] = entry;
    const renews = before && !from.event && !before.over && isRunning(before, now) && isSamePlace(before, from, run);
    if (!renews) return { __proto__: null, since: now, links: 0, times: bare(), acts: false };
    const { loop } = before;
    loop.times[loop.links % ROUNDS] = now;
    loop.links += 1;
    return loop;
  }
  function follow(entry, now) {
    const left = entry.due - now;
    if (!later || entry.kind !== "setTimeout" || entry.ran !== null) return;
    if (left > LOST_MS || followed >= MAX_FOLLOWED) return;
    followed += 1;
    entry.ran = false;
    later(
      () => {
        entry.ran = true;
        followed -= 1;
      },
      { __proto__: null, delay: (left > 0 ? left : 0) + LATE_MS }
    );
  }
  const linkedWithin = (entry) => entry.ran === false ? LOST_MS : LINK_LATE_MS;
  const isRunning = (entry, now) => now >= entry.soonest - LINK_EARLY_MS && now <= entry.due + linkedWithin(entry);
  const isSamePlace = (entry, from, run) => !isElsewhere(entry.from, from) || isOutermost(run, from);
  function isForeign(entry) {
    return entry.noise || entry.at < armedAt && !entry.adopted;
  }
  function adoptable(entry, now) {
    const rhythm = rhythms[entry.key];
    return !entry.every && !(rhythm && rhythm.period > 0 && !isSilent(rhythm, now));
  }
  function begin(name) {
    if (rhythmCount >= MAX_KEYS) {
      rhythms = bare();
      rhythmCount = 0;
    }
    rhythmCount += 1;
    return rhythms[name] = {
      __proto__: null,
      period: 0,
      lastBeat: -Infinity,
      earned: 0,
      beats: bare(),
      count: 0,
      froms: bare()
    };
  }
  function learn(rhythm, now, from) {
    if (isSilent(rhythm, now)) rhythm.count = 0;
    rhythm.earned = 0;
    rhythm.beats[rhythm.count % RING] = now;
    rhythm.froms[rhythm.count % RING] = from;
    rhythm.count += 1;
    rhythm.lastBeat = now;
    const beats = rhythm.count < RING ? rhythm.count : RING;
    if (beats > MIN_INTERVALS) rhythm.period = period(rhythm, beats);
  }
  function period(rhythm, beats) {
    const gap = (index) => {
      const beat = rhythm.count - beats + index;
      return rhythm.beats[(beat + 1) % RING] - rhythm.beats[beat % RING];
    };
    const gaps = beats - 1;
    let mean = 0, variance = 0;
    for (let index = 0; index < gaps; index += 1) mean += gap(index) / gaps;
    for (let index = 0; index < gaps; index += 1) variance += (gap(index) - mean) ** 2 / gaps;
    return mean > 0 && variance ** 0.5 / mean < MAX_VARIATION ? mean : 0;
  }
  function spend(rhythm, now, from) {
    rhythm.count = 0;
    if (!rhythm.period || isSilent(rhythm, now)) return false;
    if (isNew(rhythm, from)) return false;
    const earned = rhythm.earned + (now - rhythm.lastBeat) / rhythm.period;
    rhythm.earned = earned < MAX_EARNED ? earned : MAX_EARNED;
    rhythm.lastBeat = now;
    if (rhythm.earned < 1 - MAX_VARIATION - JITTER_MS / rhythm.period) return false;
    rhythm.earned = rhythm.earned > 1 ? rhythm.earned - 1 : 0;
    return true;
  }
  function isNew(rhythm, from) {
    for (let index = 0; index < RING; index += 1) {
      if (rhythm.froms[index] !== void 0 && !isElsewhere(rhythm.froms[index], from)) return false;
    }
    return true;
  }
  function isSilent(rhythm, now) {
    return rhythm.period > 0 && now - rhythm.lastBeat > SILENT_PERIODS * rhythm.period + JITTER_MS;
  }
  function timer(kind, args, repeats, id, from, began) {
    const delay = milliseconds(args[1]), due = delay > NESTED_MS ? delay : NESTED_MS;
    const known = callback(args[0], from);
    const entry = record(kind, `${kind} ${delay} ms`, known, due, repeats ? due : 0, id, from, args[0]);
    if (entry) entry.soonest = began + due;
  }
  function cleared(id) {
    if (typeof id !== "number" && typeof id !== "string") return;
    const entry = byId[id];
    if (!entry) delete dueOf[id];
    else if (entry.every || clock() < entry.soonest - LINK_EARLY_MS) entry.over = true;
  }
  function chain(kind, known, from) {
    const now = clock();
    const name = `${kind}${known}`;
    let link = chains[name];
    if (!link) {
      if (chainCount >= MAX_KEYS) {
        chains = bare();
        chainCount = 0;
      }
      chainCount += 1;
      link = chains[name] = {
        __proto__: null,
        kind,
        from: null,
        since: now,
        at: -Infinity,
        id: 0,
        restedMs,
        foreign: false,
        noise: false,
        links: 0,
        times: bare()
      };
    }
    if (now - link.at > CHAIN_GAP_MS) {
      link.since = now;
      link.links = 0;
      link.foreign = false;
    }
    link.noise = isNoise(name, now, from);
    if (!link.noise) announce();
    link.from = from;
    link.at = now;
    link.restedMs = restedMs;
    link.times[link.links % ROUNDS] = now;
    link.links += 1;
    return link;
  }
  function isPending(link, now) {
    if (link.foreign || link.noise || link.since < armedAt) return false;
    if (link.kind === "requestIdleCallback") {
      return link.at > idledAt && restedMs - link.restedMs < AT_REST_MS;
    }
    if (link.kind !== "requestAnimationFrame") return now - link.at < (LONGER[link.kind] || RECENT_MS);
    return link.at >= framed && now - link.at < STALLED_MS;
  }
  function beganAt(row) {
    return row.since === void 0 ? row.at : row.since;
  }
  function roundsOf(row, now, moved) {
    const from = beganAt(row);
    const since = moved > from ? moved : from;
    if (row.every) return (now - since) / row.every;
    const known = row.links < ROUNDS ? row.links : ROUNDS;
    let rounds = 0;
    for (let index = 1; index <= known; index += 1) if (row.times[(row.links - index) % ROUNDS] > since) rounds += 1;
    return rounds;
  }
  function open(kind, from, maxMs = Infinity) {
    const entry = record(kind, kind, "", LOOK_AGAIN_MS, LOOK_AGAIN_MS, 0, from);
    if (entry) entry.until = entry.at + maxMs;
    return entry;
  }
  function openUntil(kind, from, target, ends) {
    if (seenBefore(watched, target)) return;
    see(watched, target);
    const entry = open(kind, from);
    const end = () => {
      if (entry) entry.over = true;
    };
    for (let index = 0; index < ends.length; index += 1) listen(target, ends[index], end);
  }
  const MAX_WITH_INTERNALS = 5e3, MAX_ANSWER = 2e5;
  const MAX_VALUE = 1e3;
  const internalsOf = /* @__PURE__ */ new WeakMap();
  let withInternals = bare(), withInternalsCount = 0;
  let ariaProperties = null;
  let point = () => {
  };
  function keepInternals(element, internals2) {
    if (withInternalsCount >= MAX_WITH_INTERNALS) forgetDead();
    if (withInternalsCount >= MAX_WITH_INTERNALS) return;
    keep(internalsOf, element, internals2);
    withInternals[withInternalsCount++] = new OwnRef(element);
    if (withInternalsCount === 1) answer("internals");
  }
  function forgetDead() {
    const all = withInternals, count = withInternalsCount;
    withInternals = bare();
    withInternalsCount = 0;
    for (let index = 0; index < count; index += 1)
      if (deref(all[index])) withInternals[withInternalsCount++] = all[index];
  }
  function properties() {
    const proto = ElementInternals.prototype, found = [];
    for (const property of Object.getOwnPropertyNames(proto)) {
      const isText = property === "role" || /^aria(?!.*Elements?$)/.test(property);
      if (!isText && property !== "ariaLabelledByElements") continue;
      const attribute = property === "role" ? property : isText ? `aria-${property.slice(4).toLowerCase()}` : "aria-label";
      found.push({ __proto__: null, attribute, read: free(describe(proto, property).get), isText });
    }
    return found.sort((one, other) => +one.isText - +other.isText);
  }
  function textOfAll(elements) {
    let text = "";
    for (let index = 0; index < elements.length; index += 1) text += `${text && " "}${contentOf(elements[index])}`;
    return text;
  }
  function ariaValues(internals2) {
    let text = "", named = false;
    for (let index = 0; index < ariaProperties.length; index += 1) {
      const { attribute, read: read2, isText } = ariaProperties[index];
      let value = read2(internals2);
      if (value !== null && !isText) value = textOfAll(value);
      if (typeof value !== "string" || !value || attribute === "aria-label" && named) continue;
      named = named || attribute === "aria-label";
      text += `${text && ","}${quote(attribute)}:${quote(slice(value, 0, MAX_VALUE))}`;
    }
    return text;
  }
  function internals() {
    let text = "", count = 0;
    for (let index = 0; index < withInternalsCount && text.length < MAX_ANSWER; index += 1) {
      const element = deref(withInternals[index]);
      const values = element && isConnected(element) && ariaValues(look(internalsOf, element));
      if (!values) continue;
      point(element, count++);
      text += `${text && ","}{${values}}`;
    }
    return text && `[${text}]`;
  }
  const anyInternals = () => withInternalsCount ? "yes" : "";
  function followInternals() {
    ariaProperties = properties();
    hook(
      () => HTMLElement.prototype,
      "attachInternals",
      (args, self, result) => keepInternals(self, result)
    );
  }
  const wrapped = bare();
  let wrappers = 0;
  function cleaned(error, args, trap) {
    try {
      if (isError(error) && (isPlain(args) || beginsHere(error))) captureStack(error, trap);
    } catch {
    }
    return error;
  }
  const isError = (value) => typeof value === "object" && value !== null && describe(value, "stack") !== void 0;
  function isPlain(args) {
    for (let index = 1; index < args.length; index += 1) if (typeof args[index] === "object") return false;
    return true;
  }
  function beginsHere(error) {
    if ("prepareStackTrace" in OwnError) return false;
    const text = error.stack;
    const start = typeof text === "string" ? indexOf(text, "\n    at ") : -1;
    return start >= 0 && slice(text, start + 8, start + 21) === "Object.apply ";
  }
  function around(native, handler) {
    const traps = {
      __proto__: null,
      apply(target, self, args) {
        const began = clock();
        let result;
        try {
          result = apply(target, self, args);
        } catch (error) {
          throw cleaned(error, args, traps.apply);
        }
        try {
          handler(args, self, result, traps.apply, began);
        } catch {
        }
        return result;
      }
    };
    return new OwnProxy(native, traps);
  }
  function hook(find, name, handler, wanted) {
    try {
      let holder = find();
      while (holder && !describe(holder, name)) holder = protoOf(holder);
      const was = describe(holder, name);
      const part = wanted || (typeof was.value === "function" ? "value" : "get");
      if (typeof was[part] !== "function") return;
      const native = was[part], proxy = around(native, handler);
      define(holder, name, { __proto__: null, ...was, [part]: proxy });
      wrapped[wrappers++] = { __proto__: null, holder, name, part, native, proxy };
    } catch {
    }
  }
  function unhook() {
    for (let index = 0; index < wrappers; index += 1) {
      const { holder, name, part, native, proxy } = wrapped[index];
      const is = describe(holder, name);
      if (is && is[part] === proxy && is.configurable) define(holder, name, { __proto__: null, ...is, [part]: native });
    }
    wrappers = 0;
  }
  function askToScroll(args) {
    const asked = option(args[0], "behavior") === "smooth" ? 2 : 1;
    if (asked > scrollAsked) scrollAsked = asked;
    scrollAskedAt = clock();
  }
  const here = () => globalThis;
  const calls = (find, name, kind = name) => hook(find, name, (args, self, result, trap) => {
    const from = caller(trap);
    chain(kind, ` @${site(from)}`, from);
  });
  function install() {
    hook(
      here,
      "setTimeout",
      (args, self, id, trap, began) => timer("setTimeout", args, false, id, caller(trap), began)
    );
    hook(
      here,
      "setInterval",
      (args, self, id, trap, began) => timer("setInterval", args, true, id, caller(trap), began)
    );
    hook(here, "clearTimeout", (args) => cleared(args[0]));
    hook(here, "clearInterval", (args) => cleared(args[0]));
    hook(here, "requestAnimationFrame", (args, self, id, trap) => {
      const from = caller(trap);
      frameIds[id % FRAME_IDS] = chain("requestAnimationFrame", callback(args[0], from), from);
      frameIds[id % FRAME_IDS].id = id;
    });
    hook(here, "cancelAnimationFrame", (args) => {
      const link = frameIds[args[0] % FRAME_IDS];
      if (link && link.id === args[0]) link.at = -Infinity;
    });
    hook(here, "requestIdleCallback", (args, self, id, trap) => {
      const from = caller(trap);
      chain("requestIdleCallback", callback(args[0], from), from);
    });
    hook(
      () => Scheduler.prototype,
      "postTask",
      (args, self, result, trap) => {
        const delay = milliseconds(option(args[1], "delay"));
        const from = caller(trap);
        const entry = record(
          "scheduler.postTask",
          `scheduler.postTask ${delay} ms`,
          callback(args[0], from),
          delay,
          0,
          0,
          from
        );
        const signal = option(args[1], "signal");
        if (entry && typeof signal === "object") entry.signal = signal;
      }
    );
    calls(() => Scheduler.prototype, "yield", "scheduler.yield");
    calls(() => MessagePort.prototype, "postMessage", "MessagePort.postMessage");
    calls(() => BroadcastChannel.prototype, "postMessage", "BroadcastChannel.postMessage");
    calls(() => Worker.prototype, "postMessage", "Worker.postMessage");
    let opening = null;
    hook(
      () => IDBFactory.prototype,
      "open",
      (args, self, result, trap) => {
        opening = open("indexedDB.open", caller(trap), OPENING_MS);
      }
    );
    hook(
      () => IDBTransaction.prototype,
      "objectStore",
      (args, self, result, trap) => {
        if (opening) opening.over = true;
        openUntil("indexedDB", caller(trap), self, ["complete", "abort"]);
      }
    );
    for (const name of ["readAsText", "readAsArrayBuffer", "readAsDataURL"]) {
      hook(
        () => FileReader.prototype,
        name,
        (args, self, result, trap) => {
          openUntil("FileReader", caller(trap), self, ["loadend"]);
        }
      );
    }
    for (const name of ["deriveBits", "deriveKey", "generateKey"]) {
      LONGER[`SubtleCrypto.${name}`] = SLOW_MS;
      calls(() => SubtleCrypto.prototype, name, `SubtleCrypto.${name}`);
    }
    for (const name of ["text", "arrayBuffer", "stream"]) {
      LONGER[`Blob.${name}`] = ASKING_MS;
      calls(() => Blob.prototype, name, `Blob.${name}`);
    }
    for (const name of ["scroll", "scrollTo", "scrollBy", "scrollIntoView"]) {
      for (const find of [here, () => Element.prototype]) hook(find, name, askToScroll);
    }
    for (const name of ["scrollTop", "scrollLeft"]) hook(() => Element.prototype, name, askToScroll, "set");
    calls(() => Crypto.prototype, "subtle", "crypto.subtle");
    calls(here, "caches");
    calls(() => LockManager.prototype, "request", "locks");
    calls(() => HTMLCanvasElement.prototype, "toBlob");
    calls(() => OffscreenCanvas.prototype, "convertToBlob", "toBlob");
    calls(here, "createImageBitmap");
    calls(() => HTMLImageElement.prototype, "decode", "HTMLImageElement.decode");
    if (isWindow && OwnRef && globalThis.ElementInternals) followInternals();
  }
  function arm(adopt, changed) {
    const now = clock();
    prune(now);
    armed = announcing = true;
    armedAt = now;
    for (let entry = first.next; entry; entry = entry.next) {
      entry.adopted = !!adopt && adoptable(entry, now);
      (entry.loop || entry).acts = now - changed < 2 * lengthOf(entry) && isInRound(entry, changed);
      if (isForeign(entry)) follow(entry, now);
    }
    dueOf = bare();
    more = scrollAsked = 0;
    ignored = bare();
    for (const name in chains) chains[name].foreign = now - chains[name].at < CHAIN_GAP_MS;
  }
  function disarm() {
    armed = announcing = false;
  }
  function announceAgain() {
    announcing = true;
    if (first.next || chainCount) announce();
  }
  function idled(at) {
    idledAt = at;
  }
  function rested(ms) {
    restedMs += ms;
  }
  const askedToScroll = (from) => scrollAskedAt >= from ? `${scrollAskedAt}` : "";
  const lengthOf = (entry) => entry.every || entry.due - entry.at;
  function dueIn(entry, now) {
    if (entry.every && entry.due < now) return entry.every - (now - entry.due) % entry.every + LATE_MS;
    return entry.due - now + LATE_MS;
  }
  function reportOf(row, now, what, due, moved) {
    const window = due === null && LONGER[row.kind] ? `,"window_ms":${LONGER[row.kind]}` : "";
    const place = site(row.from);
    const where = place ? `,"site":${quote(place)}` : "";
    const key2 = place ? `${what} @${place}` : what;
    const age = now - (due === null ? row.at : beganAt(row));
    const repeating = row.loop || (row.every || row.kind === "requestAnimationFrame" ? row : null);
    const rounds = repeating && isWindow ? `,"rounds":${roundsOf(repeating, now, moved)},"since_ms":${now - beganAt(repeating)}` : "";
    return `{"kind":${quote(row.kind)},"key":${quote(key2)},"what":${quote(what)},"age_ms":${age}${due === null ? "" : `,"due_ms":${due}`}${window}${where}${rounds}}`;
  }
  function read(began, frames, moved, changed, quiet) {
    const now = clock();
    actedMs = quiet > ACTED_MS ? quiet : ACTED_MS;
    announcing = true;
    fenced = typeof began === "number" ? began - origin : -Infinity;
    framed = frames ? fenced : -Infinity;
    prune(now);
    let text = "", count = 0, skipped = 0, skippedDue = 0;
    const add = (row, what, due) => {
      if (count < MAX_REPORTED) text += `${text && ","}${reportOf(row, now, what, due, moved)}`;
      else {
        skipped += 1;
        if (due && now + due > skippedDue) skippedDue = now + due;
      }
      count += 1;
    };
    for (let entry = first.next; entry; entry = entry.next) {
      if (!isForeign(entry) && !isOver(entry, now)) add(entry, entry.what, dueIn(entry, now));
    }
    for (const name in chains) {
      const link = chains[name];
      if (isPending(link, now)) add(link, link.kind, FRAME_LIKE[link.kind] ? FRAME_MS : null);
    }
    for (const id in dueOf) {
      if (dueOf[id] + READ_MS <= fenced || now - dueOf[id] > OVERDUE_MS) {
        delete dueOf[id];
        continue;
      }
      skipped += 1;
      if (dueOf[id] > skippedDue) skippedDue = dueOf[id];
    }
    if (skippedDue > now) {
      const rest = { __proto__: null, kind: "calls", from: null, at: now };
      text += `${text && ","}${reportOf(rest, now, `${skipped} more calls`, skippedDue - now, moved)}`;
    }
    let noise = "";
    for (const name in ignored) {
      const { what, site: site2, rate } = ignored[name];
      noise += `${noise && ","}{"kind":"timer","key":${quote(site2 ? `${what} @${site2}` : what)},"rate":${rate}}`;
    }
    const asked = scrollAsked;
    scrollAsked = 0;
    return `{"calls":[${text}],"ignored":[${noise}],"scroll":${asked},${comingRounds(now, changed)}}`;
  }
  function comingRounds(now, changed) {
    let round = 0, acting = 0, check = 0;
    for (let entry = first.next; entry; entry = entry.next) {
      if (entry.over || !isForeign(entry) || !recurs(entry)) continue;
      const length = lengthOf(entry), due = dueIn(entry, now);
      if (length < ROUND_MS && due < ROUND_MS && due > round) round = due;
      if (length < ROUND_MS && due > acting && hasActed(entry, changed)) acting = due;
      if (length < CHECK_MS && due < CHECK_MS && due > check) check = due;
    }
    return `"round_ms":${round},"acting_ms":${acting},"check_ms":${check}`;
  }
  function hasActed(entry, changed) {
    if (changed === null || (entry.loop || entry).acts) return false;
    if (lengthOf(entry) > 2 * actedMs && !isInRound(entry, changed)) return false;
    return !entry.every || changed - lateness(entry, changed) + entry.every + actedMs > fenced;
  }
  const isInRound = (entry, at) => lateness(entry, at) < actedMs;
  function lateness(entry, at) {
    if (!entry.every) return at < entry.at ? Infinity : at - entry.at;
    const rest = (at - entry.soonest + LINK_EARLY_MS) % entry.every;
    const late = (rest < 0 ? rest + entry.every : rest) - (entry.due - entry.soonest);
    return late > 0 ? late : 0;
  }
  function recurs(entry) {
    const rhythm = rhythms[entry.key];
    return entry.every || entry.noise || rhythm && (rhythm.period > 0 || rhythm.count > 1);
  }
  const api = {
    __proto__: null,
    arm,
    disarm,
    announceAgain,
    idled,
    rested,
    askedToScroll,
    read,
    internals,
    anyInternals,
    remove() {
      unhook();
      forget();
    }
  };
  let answer = () => {
  }, forget;
  function listenInWindow() {
    const OwnEvent = CustomEvent, OwnMouseEvent = MouseEvent, window = performance;
    const detailOf = free(describe(OwnEvent.prototype, "detail").get);
    const reply = `${key}!`;
    let taken = false;
    const onTaken = () => {
      taken = true;
    };
    listen(window, reply, onTaken);
    send(window, new OwnEvent(key, { __proto__: null, detail: ["taken"] }));
    unlisten(window, reply, onTaken);
    if (taken) return false;
    answer = (text) => send(window, new OwnEvent(reply, { __proto__: null, detail: text }));
    point = (relatedTarget, detail) => {
      send(window, new OwnMouseEvent(`${key}#`, { __proto__: null, relatedTarget, detail }));
    };
    const onQuestion = (event) => {
      try {
        const words = detailOf(event), method = api[words[0]];
        answer(method && method(words[1], words[2], words[3], words[4], words[5]) || "");
      } catch {
      }
    };
    listen(window, key, onQuestion);
    forget = () => unlisten(window, key, onQuestion);
    return true;
  }
  function listenInWorker() {
    const home = protoOf(async function* () {
    });
    if (describe(home, key)) return false;
    define(home, key, { __proto__: null, value: Object.freeze(api), configurable: true });
    forget = () => delete home[key];
    return true;
  }
  if (isWindow ? listenInWindow() : listenInWorker()) install();
}
return installHooks;
})()
