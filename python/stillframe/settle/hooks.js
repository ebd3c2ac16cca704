// Keeps what one realm has scheduled and has not run yet. It runs in the page's own world before the page's first script,
// with the command line API, and hangs conditions on natives: `debug(setTimeout, condition)`. The natives stay as they
// are; a condition notes the call and says false, so nothing ever pauses.
//
// The page shares this realm and may change everything in it afterwards. Hence: what is needed is captured here; what is
// kept is in objects without a prototype; text is put together by hand; nothing throws. A condition reaches all this
// through a literal, because a literal is the one thing that a page cannot replace.
((key, debug) => {
  "use strict";
  const home = Object.getPrototypeOf(async function* () {});
  if (Object.hasOwn(home, key)) return;

  // settle.md §4.4 and noise.py: what is a rhythm, and how many beats it earns while somebody acts.
  const RING = 8, MIN_INTERVALS = 3, MAX_VARIATION = 0.35, JITTER_MS = 50, MAX_EARNED = 2, SILENT_PERIODS = 4;
  const RECENT_MS = 60; // how long a call without a known end is told of: the residual window of a tier without hooks
  const RUN_MS = 4; // what is overdue by more than this has run when a fence has been answered; Blink's own clamp
  const LINK_EARLY_MS = 2, LINK_LATE_MS = 30; // how far from its due time a timer's own callback may renew it
  const CHAIN_GAP_MS = 100; // frames further apart than this do not belong to one chain
  const FRAME_MS = 16;
  const OPEN_MS = 5000; // an open transaction or reader is told of for no longer than this
  const LOOK_AGAIN_MS = 10;
  const KEPT = 400, TOLD = 24, KEYS = 200, SITE = 200;

  // -- captured ------------------------------------------------------------------------------------------------------

  const bare = () => ({ __proto__: null });
  const { call } = Function.prototype;
  const free = (method) => call.bind(method);
  const clock = performance.now.bind(performance);
  const quote = JSON.stringify;
  const describe = Object.getOwnPropertyDescriptor;
  const textOf = free(Function.prototype.toString);
  const indexOf = free(String.prototype.indexOf);
  const slice = free(String.prototype.slice);
  const listen = free(EventTarget.prototype.addEventListener);
  const seenBefore = free(WeakSet.prototype.has);
  const see = free(WeakSet.prototype.add);
  const OwnError = Error;
  const captureStack = Error.captureStackTrace;
  const setNative = globalThis.setTimeout, clearNative = globalThis.clearTimeout;
  const aborted = globalThis.AbortSignal && free(describe(AbortSignal.prototype, "aborted").get);
  const frameTime = frameClock();

  function frameClock() {
    if (!globalThis.document?.timeline) return null;
    const timeline = document.timeline;
    const time = free(describe(AnimationTimeline.prototype, "currentTime").get);
    return () => time(timeline);
  }

  // -- what is kept --------------------------------------------------------------------------------------------------

  const first = bare(); // the head of the list of entries
  let last = first, kept = 0;
  let byId = bare();
  let nextId = 1; // the id that the next timer will get; a fresh realm counts from here
  let doubtful = false; // a clear waits for the ids to be confirmed
  let more = 0, moreDue = 0;
  let armedAt = -Infinity, armed = false;
  let rhythms = bare(), rhythmCount = 0;
  let chains = bare(), chainCount = 0;
  let ignored = bare();
  const watched = new WeakSet();

  function note(kind, what, known, due, every, id) {
    const now = clock();
    const place = site();
    const name = `${what}${place ? ` @${place}` : ""}${known}`;
    const noise = isNoise(name, now);
    if (kept >= KEPT) prune(now);
    if (kept >= KEPT) {
      more += 1;
      if (!noise && due > moreDue) moreDue = due;
      return null;
    }
    const entry = { __proto__: null, kind, what, site: place, key: name, at: now, due: now + due, every, id, noise,
      cleared: false, linked: false, over: false, signal: null, next: null };
    if (noise) ignore(entry);
    last.next = entry;
    last = entry;
    kept += 1;
    if (id) byId[id] = entry;
    return entry;
  }

  function ignore(entry) {
    const period = rhythms[entry.key]?.period || entry.every || entry.due - entry.at;
    ignored[entry.key] = { __proto__: null, what: entry.what, site: entry.site, rate: period > 0 ? 1000 / period : 0 };
  }

  // An entry is over when it has run; a foreign one is kept a little longer, for its callback may renew it.
  function isOver(entry, now) {
    if (entry.over) return true;
    if (entry.signal && aborted(entry.signal)) return true;
    if (entry.every) return false;
    return now - entry.due > RUN_MS;
  }

  function prune(now) {
    let before = first;
    kept = 0;
    byId = bare();
    for (let entry = first.next; entry; entry = entry.next) {
      const gone = entry.cleared ? !doubtful : isOver(entry, now) && now - entry.due > LINK_LATE_MS;
      if (gone || entry.over) continue;
      before.next = entry;
      before = entry;
      if (entry.id) byId[entry.id] = entry;
      kept += 1;
    }
    before.next = null;
    last = before;
  }

  // -- keys ----------------------------------------------------------------------------------------------------------

  // The page frame that made the call. A page that looks at stacks (Error.prepareStackTrace) is not asked for one.
  function site() {
    if ("prepareStackTrace" in OwnError) return "";
    const holder = bare();
    captureStack(holder, record);
    const text = holder.stack;
    if (typeof text !== "string") return "";
    const condition = indexOf(text, "\n    at ");
    const start = condition < 0 ? -1 : indexOf(text, "\n    at ", condition + 1);
    if (start < 0) return "";
    const end = indexOf(text, "\n", start + 1);
    let line = slice(text, start + 8, end < 0 ? undefined : end);
    const open = indexOf(line, " (");
    if (open >= 0 && slice(line, -1) === ")") line = slice(line, open + 2, -1);
    if (slice(line, 0, 6) === "async ") line = slice(line, 6);
    return line.length > SITE ? `…${slice(line, -SITE)}` : line;
  }

  // Tells callbacks apart that share a call-site, as they do behind a wrapper.
  function callback(value) {
    if (typeof value !== "function") return "";
    const name = describe(value, "name")?.value;
    return ` ${typeof name === "string" ? name : ""}#${textOf(value).length}`;
  }

  function milliseconds(value) {
    const number = typeof value === "number" || typeof value === "string" ? +value | 0 : 0;
    return number > 0 ? number : 0;
  }

  function option(bag, name) {
    return typeof bag === "object" && bag ? describe(bag, name)?.value : undefined;
  }

  // -- noise ---------------------------------------------------------------------------------------------------------

  function isNoise(name, now) {
    const rhythm = rhythms[name];
    if (armed) return renews(name, now) || (rhythm ? spend(rhythm, now) : false);
    learn(rhythm ?? begin(name), now);
    return false;
  }

  // A timer from before the actions whose callback sets it again is the same loop, however short we know it.
  function renews(name, now) {
    for (let entry = first.next; entry; entry = entry.next) {
      if (entry.key !== name || entry.linked || entry.cleared || !isForeign(entry)) continue;
      if (now < entry.due - LINK_EARLY_MS || now > entry.due + LINK_LATE_MS) continue;
      entry.linked = true;
      return true;
    }
    return false;
  }

  function isForeign(entry) {
    return entry.noise || entry.at < armedAt;
  }

  function begin(name) {
    if (rhythmCount >= KEYS) {
      rhythms = bare();
      rhythmCount = 0;
    }
    rhythmCount += 1;
    return (rhythms[name] = { __proto__: null, period: 0, heard: -Infinity, earned: 0, beats: bare(), count: 0 });
  }

  function learn(rhythm, now) {
    if (isSilent(rhythm, now)) rhythm.count = 0;
    rhythm.earned = 0;
    rhythm.beats[rhythm.count % RING] = now;
    rhythm.count += 1;
    rhythm.heard = now;
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

  function spend(rhythm, now) {
    rhythm.count = 0;
    if (!rhythm.period || isSilent(rhythm, now)) return false;
    const earned = rhythm.earned + (now - rhythm.heard) / rhythm.period;
    rhythm.earned = earned < MAX_EARNED ? earned : MAX_EARNED;
    rhythm.heard = now;
    if (rhythm.earned < 1 - MAX_VARIATION - JITTER_MS / rhythm.period) return false;
    rhythm.earned = rhythm.earned > 1 ? rhythm.earned - 1 : 0;
    return true;
  }

  function isSilent(rhythm, now) {
    return rhythm.period > 0 && now - rhythm.heard > SILENT_PERIODS * rhythm.period + JITTER_MS;
  }

  // -- timers --------------------------------------------------------------------------------------------------------

  // Timers are numbered in a row, setTimeout and setInterval together, so the id that a call will return is known
  // before it returns. Whether that went well shows when a timer of our own is given the number that is expected.
  function timer(kind, args, repeats) {
    const id = nextId++;
    const delay = milliseconds(args[1]);
    note(kind, `${kind} ${delay} ms`, callback(args[0]), delay, repeats ? (delay > 4 ? delay : 4) : 0, id);
  }

  function cleared(id) {
    const entry = typeof id === "number" || typeof id === "string" ? byId[id] : undefined;
    if (!entry || entry.cleared) return;
    entry.cleared = true;
    doubtful = true;
  }

  function confirm() {
    const id = setNative(() => {}, 0x7fffffff);
    clearNative(id);
    const right = id === nextId;
    nextId = id + 1;
    return right;
  }

  // Clears count only if every number since the last confirmation was right.
  function settleIds() {
    if (!doubtful) return;
    const right = confirm();
    doubtful = false;
    for (let entry = first.next; entry; entry = entry.next) {
      if (right && entry.cleared) entry.over = true;
      entry.cleared = false;
      if (!right) entry.id = 0;
    }
    if (!right) byId = bare();
  }

  // -- frames and other calls whose end is not told --------------------------------------------------------------------

  // Calls of one key follow each other as a chain: only the last one counts.
  function chain(kind, known) {
    const now = clock();
    const place = site();
    const name = `${kind}${place ? ` @${place}` : ""}${known}`;
    let link = chains[name];
    if (!link) {
      if (chainCount >= KEYS) {
        chains = bare();
        chainCount = 0;
      }
      chainCount += 1;
      link = chains[name] = { __proto__: null, kind, site: place, key: name, from: now, at: -Infinity, calls: 0,
        frame: 0, foreign: false, noise: false };
    }
    if (now - link.at > CHAIN_GAP_MS) {
      link.from = now;
      link.calls = 0;
      link.foreign = false;
    }
    link.noise = isNoise(name, now);
    link.at = now;
    link.calls += 1;
    link.frame = kind === "requestAnimationFrame" && frameTime ? frameTime() : -1;
    return link;
  }

  function isPending(link, now) {
    if (link.foreign || link.noise || link.from < armedAt) return false;
    if (link.kind !== "requestAnimationFrame") return now - link.at < RECENT_MS;
    return frameTime ? link.frame === frameTime() && now - link.at < 1000 : now - link.at < 2 * FRAME_MS;
  }

  // What has an event for its end is open until then.
  function until(kind, target, ends) {
    if (typeof target !== "object" || !target || seenBefore(watched, target)) return;
    see(watched, target);
    const entry = note(kind, kind, "", LOOK_AGAIN_MS, 0, 0);
    if (!entry) return;
    entry.every = LOOK_AGAIN_MS;
    const end = () => {
      entry.over = true;
    };
    for (let index = 0; index < ends.length; index += 1) listen(target, ends[index], end);
  }

  // -- the conditions ------------------------------------------------------------------------------------------------

  const hooks = bare();
  const record = (name, args, self) => {
    try {
      hooks[name](args, self);
    } catch {
      // Whatever the page has done to us, its call goes on.
    }
  };

  const hook = (name, find, handler) => {
    let native;
    try {
      native = find();
    } catch {
      return; // not in this kind of realm
    }
    if (typeof native !== "function") return;
    hooks[name] = handler;
    debug(native, `(async function*(){}).${key}?.record(${quote(name)},arguments,this),false`);
  };

  hook("setTimeout", () => setTimeout, (args) => timer("setTimeout", args, false));
  hook("setInterval", () => setInterval, (args) => timer("setInterval", args, true));
  hook("clearTimeout", () => clearTimeout, (args) => cleared(args[0]));
  hook("clearInterval", () => clearInterval, (args) => cleared(args[0]));
  hook("requestAnimationFrame", () => requestAnimationFrame, () => chain("requestAnimationFrame", ""));
  hook("requestIdleCallback", () => requestIdleCallback, (args) => chain("requestIdleCallback", callback(args[0])));
  hook("postTask", () => Scheduler.prototype.postTask, (args) => {
    const delay = milliseconds(option(args[1], "delay"));
    const entry = note("postTask", `postTask ${delay} ms`, callback(args[0]), delay, 0, 0);
    const signal = option(args[1], "signal");
    if (entry && typeof signal === "object") entry.signal = signal;
  });

  // -- what the driver calls -----------------------------------------------------------------------------------------

  function arm() {
    const now = clock();
    settleIds();
    // A timer set in a worker that is being started takes its renderer down with it (Chromium 156).
    if (frameTime) confirm();
    prune(now);
    armed = true;
    armedAt = now;
    more = moreDue = 0;
    ignored = bare();
    for (const name in chains) chains[name].foreign = now - chains[name].at < CHAIN_GAP_MS;
  }

  function rest() {
    armed = false;
  }

  function dueIn(entry, now) {
    if (entry.every && entry.due < now) return entry.every - (now - entry.due) % entry.every;
    return entry.due - now;
  }

  function tell(row, now, what, due) {
    const where = row.site ? `,"site":${quote(row.site)}` : "";
    const age = now - (row.from ?? row.at);
    return `{"kind":${quote(row.kind)},"key":${quote(row.key)},"what":${quote(what)},"age_ms":${age}` +
      `${due === null ? "" : `,"due_ms":${due}`}${where}}`;
  }

  function read() {
    settleIds();
    const now = clock();
    prune(now);
    let calls = "", told = 0, skipped = more;
    for (let entry = first.next; entry; entry = entry.next) {
      if (isForeign(entry) || isOver(entry, now)) continue;
      if (told++ < TOLD) calls += `${calls && ","}${tell(entry, now, entry.what, dueIn(entry, now))}`;
    }
    for (const name in chains) {
      const link = chains[name];
      if (!isPending(link, now)) continue;
      const due = link.kind === "requestAnimationFrame" ? FRAME_MS : null;
      if (told++ < TOLD) calls += `${calls && ","}${tell(link, now, link.kind, due)}`;
    }
    let noise = "";
    for (const name in ignored) {
      const { what, site, rate } = ignored[name];
      noise += `${noise && ","}{"kind":"timer","key":${quote(site ? `${what} @${site}` : what)},"rate":${rate}}`;
    }
    return `{"calls":[${calls}],"ignored":[${noise}],"more":${skipped + (told > TOLD ? told - TOLD : 0)}}`;
  }

  function remove() {
    delete home[key];
  }

  const value = Object.freeze({ __proto__: null, record, arm, rest, read, remove });
  Object.defineProperty(home, key, { value, configurable: true });
})
