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
  const RECENT_MS = 60; // how long a call without a known end is told of: the residual window where calls are not observed
  // The same for what takes long by design (a key to derive, a canvas to encode: as long as settle.md §2 gives to other
  // answers that nothing announces), and for what another process has to answer.
  const SLOW_MS = 500, ASKING_MS = 150;
  const OVERDUE_MS = 150, WORKER_OVERDUE_MS = 20; // what is overdue by more has run, though no frame proves it
  const READ_MS = 0.5; // a call is noted a little before it is made
  const LATE_MS = 4; // how long after its due time a timer is sure to run in a page that is not busy
  const LINK_EARLY_MS = 2, LINK_LATE_MS = 30; // how far from its due time a timer's own callback may renew it
  const CHAIN_GAP_MS = 100; // frames further apart than this do not belong to one chain
  const FRAME_MS = 16, STALLED_MS = 400; // a page that is shown has a frame within this, however busy the machine
  const LOOK_AGAIN_MS = 10; // when to look at what has no due time and an end that can be seen
  const OPENING_MS = 250; // how long a database may take to open
  const KEPT = 400, TOLD = 24, KEYS = 200, SITE = 200;

  // -- captured ------------------------------------------------------------------------------------------------------

  const bare = () => ({ __proto__: null });
  const { call } = Function.prototype;
  const free = (method) => call.bind(method);
  const clock = performance.now.bind(performance);
  const origin = performance.timeOrigin;
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
  const isWindow = typeof document === "object";

  // -- what is kept --------------------------------------------------------------------------------------------------

  const LONGER = { __proto__: null, locks: ASKING_MS, caches: ASKING_MS, toBlob: SLOW_MS };
  const first = bare(); // the head of the list of entries
  let last = first, kept = 0;
  let byId = bare();
  let nextId = 1; // the id that the next timer will get; a fresh realm counts from here
  let doubtful = false; // a clear waits for the ids to be confirmed
  let more = 0, moreDue = 0;
  let armedAt = -Infinity, armed = false;
  let dozedAt = 0; // since when the conditions have been switched off; 0 = they are on
  let framed = -Infinity; // the same if frames came since
  let fenced = -Infinity; // when the last fence began; what was due then has run
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
      if (!noise && now + due > moreDue) moreDue = now + due;
      return null;
    }
    const entry = { __proto__: null, kind, what, site: place, key: name, at: now, due: now + due, every, until: Infinity, id,
      noise, adopted: false, cleared: false, linked: false, over: false, signal: null, next: null };
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
    if (entry.every) return entry.until < now;
    return entry.due + READ_MS <= fenced || now - entry.due > (isWindow ? OVERDUE_MS : WORKER_OVERDUE_MS);
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

  // A timer that was waiting when the actions began and whose callback sets it again is a loop of before, however short
  // we know it.
  function renews(name, now) {
    for (let entry = first.next; entry; entry = entry.next) {
      if (entry.key !== name || entry.linked || entry.cleared || !isForeign(entry) || entry.due < armedAt) continue;
      if (now < entry.due - LINK_EARLY_MS || now > entry.due + LINK_LATE_MS) continue;
      entry.linked = true;
      return true;
    }
    return false;
  }

  function isForeign(entry) {
    return entry.noise || (entry.at < armedAt && !entry.adopted);
  }

  // What has a rhythm goes on by itself, and so does what repeats: nobody who adopts what is going on waits for that.
  function adoptable(entry, now) {
    const rhythm = rhythms[entry.key];
    return !entry.every && !(rhythm && rhythm.period > 0 && !isSilent(rhythm, now));
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
      link = chains[name] = { __proto__: null, kind, site: place, key: name, from: now, at: -Infinity,
        foreign: false, noise: false };
    }
    if (now - link.at > CHAIN_GAP_MS) {
      link.from = now;
      link.foreign = false;
    }
    link.noise = isNoise(name, now);
    link.at = now;
  }

  function isPending(link, now) {
    if (link.foreign || link.noise || link.from < armedAt) return false;
    if (link.kind !== "requestAnimationFrame") return now - link.at < (LONGER[link.kind] ?? RECENT_MS);
    // What was asked for before the fence has run in its first frame.
    return link.at >= framed && now - link.at < STALLED_MS;
  }

  // What has an event for its end is open until then: it is looked at again and again.
  function open(kind, most = Infinity) {
    const entry = note(kind, kind, "", LOOK_AGAIN_MS, LOOK_AGAIN_MS, 0);
    if (entry) entry.until = entry.at + most;
    return entry;
  }

  function openUntil(kind, target, ends) {
    if (seenBefore(watched, target)) return;
    see(watched, target);
    const entry = open(kind);
    const end = () => {
      if (entry) entry.over = true;
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

  const getter = (holder, name) => describe(holder, name).get;

  hook("setTimeout", () => setTimeout, (args) => timer("setTimeout", args, false));
  hook("setInterval", () => setInterval, (args) => timer("setInterval", args, true));
  hook("clearTimeout", () => clearTimeout, (args) => cleared(args[0]));
  hook("clearInterval", () => clearInterval, (args) => cleared(args[0]));
  hook("requestAnimationFrame", () => requestAnimationFrame, () => chain("requestAnimationFrame", ""));
  hook("requestIdleCallback", () => requestIdleCallback, (args) => chain("requestIdleCallback", callback(args[0])));
  hook("scheduler.postTask", () => Scheduler.prototype.postTask, (args) => {
    const delay = milliseconds(option(args[1], "delay"));
    const entry = note("scheduler.postTask", `scheduler.postTask ${delay} ms`, callback(args[0]), delay, 0, 0);
    const signal = option(args[1], "signal");
    if (entry && typeof signal === "object") entry.signal = signal;
  });
  hook("scheduler.yield", () => Scheduler.prototype.yield, () => chain("scheduler.yield", ""));

  // A message is handled soon after; a chain of them is as long as its last link is recent.
  hook("postMessage", () => postMessage, () => chain("postMessage", ""));
  hook("MessagePort.postMessage", () => MessagePort.prototype.postMessage, () => chain("MessagePort.postMessage", ""));
  hook("BroadcastChannel.postMessage", () => BroadcastChannel.prototype.postMessage, () =>
    chain("BroadcastChannel.postMessage", ""));
  hook("Worker.postMessage", () => Worker.prototype.postMessage, () => chain("Worker.postMessage", ""));

  let opening = null;
  hook("indexedDB.open", () => IDBFactory.prototype.open, () => {
    opening = open("indexedDB.open", OPENING_MS);
  });
  hook("indexedDB", () => IDBTransaction.prototype.objectStore, (args, self) => {
    if (opening) opening.over = true; // a transaction needs a database that is open
    openUntil("indexedDB", self, ["complete", "abort"]);
  });
  for (const name of ["readAsText", "readAsArrayBuffer", "readAsDataURL"])
    hook(`FileReader.${name}`, () => FileReader.prototype[name], (args, self) => openUntil("FileReader", self, ["loadend"]));

  // Promises tell nobody of their end, and one getter stands before all functions of a kind.
  for (const name of ["deriveBits", "deriveKey", "generateKey"]) {
    const kind = `SubtleCrypto.${name}`;
    LONGER[kind] = SLOW_MS;
    hook(kind, () => SubtleCrypto.prototype[name], () => chain(kind, ""));
  }
  hook("crypto.subtle", () => getter(Crypto.prototype, "subtle"), () => chain("crypto.subtle", ""));
  hook("caches", () => getter(globalThis, "caches"), () => chain("caches", ""));
  hook("locks", () => LockManager.prototype.request, () => chain("locks", ""));
  hook("canvas.toBlob", () => HTMLCanvasElement.prototype.toBlob, () => chain("toBlob", ""));
  hook("canvas.convertToBlob", () => OffscreenCanvas.prototype.convertToBlob, () => chain("toBlob", ""));
  hook("createImageBitmap", () => createImageBitmap, () => chain("createImageBitmap", ""));
  hook("decode", () => HTMLImageElement.prototype.decode, () => chain("HTMLImageElement.decode", ""));

  // -- what the driver calls -----------------------------------------------------------------------------------------

  function arm(adopt) {
    wake();
    settleIds();
    // A timer set in a worker that is being started takes its renderer down with it (Chromium 156).
    if (isWindow) confirm();
    const now = clock();
    prune(now);
    armed = true;
    armedAt = now;
    for (let entry = first.next; entry; entry = entry.next) entry.adopted = !!adopt && adoptable(entry, now);
    more = moreDue = 0;
    ignored = bare();
    for (const name in chains) chains[name].foreign = now - chains[name].at < CHAIN_GAP_MS;
  }

  function rest() {
    armed = false;
  }

  // While the conditions are off nothing is heard, which is no silence of the page.
  function doze() {
    dozedAt = clock();
  }

  function wake() {
    if (!dozedAt) return;
    const now = clock();
    for (const name in rhythms) {
      const rhythm = rhythms[name];
      if (!rhythm.period || isSilent(rhythm, dozedAt)) continue;
      rhythm.heard = now;
      rhythm.earned = 1;
      rhythm.count = 0;
    }
    for (const name in chains) if (dozedAt - chains[name].at < CHAIN_GAP_MS) chains[name].at = now;
    dozedAt = 0;
  }

  function dueIn(entry, now) {
    if (entry.every && entry.due < now) return entry.every - (now - entry.due) % entry.every + LATE_MS;
    return entry.due - now + LATE_MS;
  }

  function tell(row, now, what, due) {
    const window = due === null && LONGER[row.kind] ? `,"window_ms":${LONGER[row.kind]}` : "";
    const where = row.site ? `,"site":${quote(row.site)}` : "";
    // Without a due time what counts is how long the last link of a chain is ago.
    const age = now - (due === null ? row.at : row.from ?? row.at);
    return `{"kind":${quote(row.kind)},"key":${quote(row.key)},"what":${quote(what)},"age_ms":${age}` +
      `${due === null ? "" : `,"due_ms":${due}`}${window}${where}}`;
  }

  // `began` is when the fence began that was answered before this, in milliseconds since 1970: two frames ago at least.
  // Without frames what waits for one may still wait.
  function read(began, frames) {
    settleIds();
    const now = clock();
    fenced = typeof began === "number" ? began - origin : -Infinity;
    framed = frames ? fenced : -Infinity;
    prune(now);
    let calls = "", told = 0, skipped = more, skippedDue = moreDue;
    const add = (row, what, due) => {
      if (told < TOLD) calls += `${calls && ","}${tell(row, now, what, due)}`;
      else {
        skipped += 1;
        if (due && now + due > skippedDue) skippedDue = now + due;
      }
      told += 1;
    };
    for (let entry = first.next; entry; entry = entry.next) {
      if (!isForeign(entry) && !isOver(entry, now)) add(entry, entry.what, dueIn(entry, now));
    }
    for (const name in chains) {
      const link = chains[name];
      if (isPending(link, now)) add(link, link.kind, link.kind === "requestAnimationFrame" ? FRAME_MS : null);
    }
    if (skippedDue > now) {
      const rest = { __proto__: null, kind: "calls", key: "calls", site: "", at: now };
      calls += `${calls && ","}${tell(rest, now, `${skipped} more calls`, skippedDue - now)}`;
    }
    let noise = "";
    for (const name in ignored) {
      const { what, site, rate } = ignored[name];
      noise += `${noise && ","}{"kind":"timer","key":${quote(site ? `${what} @${site}` : what)},"rate":${rate}}`;
    }
    return `{"calls":[${calls}],"ignored":[${noise}]}`;
  }

  function remove() {
    delete home[key];
  }

  const value = Object.freeze({ __proto__: null, record, arm, rest, doze, read, remove });
  Object.defineProperty(home, key, { value, configurable: true });
})
