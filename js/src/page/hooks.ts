// Records the calls that one realm has scheduled and not run. It runs in the page's own world before the page's first
// script and wraps the native functions that no protocol event announces: timers, frames, tasks, databases. A wrapper
// is a Proxy, so name, length, errors and the missing constructor are the native's own; only its text lacks the name.
//
// The page shares this realm and may change everything in it later. Hence: natives that are needed are captured here;
// records are objects without a prototype; text is built by hand; nothing throws. In a window, events on `performance`
// ask the questions; their type is random and the isolated world of the same document sends them, so the page has
// nothing to find. A worker has no second world and keeps its answers behind a hidden property.

// Where a call came from; a page may have replaced the stack.
type From = { __proto__: null; stack: unknown; event: string };

// The rounds of a timer that sets itself again.
type Loop = { __proto__: null; since: number; links: number; times: Record<number, number>; acts: boolean };

// A call that has been scheduled. `ran` is null unless it is followed; `every` is 0 for a call that does not repeat. It is
// due between `soonest` and `due`: the thread may lose its core between a call and its record, or read a long script.
type Entry = {
  __proto__: null;
  kind: string;
  what: string;
  from: From;
  key: string;
  at: number;
  soonest: number;
  due: number;
  every: number;
  until: number;
  id: number;
  noise: boolean;
  adopted: boolean;
  linked: boolean;
  perhaps: boolean;
  over: boolean;
  ran: boolean | null;
  signal: object | null;
  loop: Loop | null;
  acts: boolean;
  next: Entry | null;
};

// Calls with one key, of which only the last one counts.
type Link = {
  __proto__: null;
  kind: string;
  from: From | null;
  since: number;
  at: number;
  id: number;
  restedMs: number;
  foreign: boolean;
  noise: boolean;
  links: number;
  times: Record<number, number>;
};

type Rhythm = {
  __proto__: null;
  period: number;
  lastBeat: number;
  earned: number;
  beats: Record<number, number>;
  count: number;
  froms: Record<number, From>;
};

// What is reported: an entry, a link, or the calls beyond the limit of the list.
type Began = { at?: number; since?: number };
type Repeating = Began & { every?: number; links?: number; times?: Record<number, number> };
type Row = Repeating & { kind: string; from: From | null; at: number; loop?: Loop | null };

type Callable = (...args: never[]) => unknown;
// `began` is the time just before the native was called.
type Handler = (args: unknown[], self: never, result: never, trap: Callable, began: number) => void;
type Part = "value" | "get" | "set";
type Wrapped = { __proto__: null; holder: object; name: string; part: Part; native: Callable; proxy: Callable };

// A property of ElementInternals, and the attribute that it stands for.
type Aria = { __proto__: null; attribute: string; read: (internals: ElementInternals) => unknown; isText: boolean };

export default function installHooks(key: string) {
  // What counts as a rhythm, and how many beats it earns during actions, as in noise.py.
  const RING = 8,
    MIN_INTERVALS = 3,
    MAX_VARIATION = 0.35,
    JITTER_MS = 50,
    MAX_EARNED = 2,
    SILENT_PERIODS = 4;
  const RECENT_MS = 60; // how long to report a call without a known end: the quiet window where calls are not observed
  // The same for calls that take long by design (deriving a key, encoding a canvas: as long as any response that
  // nothing announces), and for calls that another process answers.
  const SLOW_MS = 500,
    ASKING_MS = 150;
  // An idle callback is awaited until the thread has been seen at rest for so long: Chrome does not run each one on a page
  // without a window.
  const AT_REST_MS = 400;
  const OVERDUE_MS = 150,
    WORKER_OVERDUE_MS = 20; // a call overdue by more has run, even if no frame proves it
  const READ_MS = 0.5; // a call is recorded slightly after it is made
  const NESTED_MS = 4; // the minimum delay of a nested timer
  const LATE_MS = 4; // how long after its due time a timer has certainly run in a page that is not busy
  const LINK_EARLY_MS = 2,
    LINK_LATE_MS = 30; // how far from its due time a timer's own callback may renew it
  const LOST_MS = 2000,
    MAX_FOLLOWED = 64; // the same on a busy page, for at most this many timers that are known not to have run
  const CHAIN_GAP_MS = 100; // frames further apart than this do not belong to one chain
  const FRAME_MS = 16,
    STALLED_MS = 400; // a visible page has a frame within this, however busy the machine
  const LOOK_AGAIN_MS = 10; // when to check calls that have no due time but an observable end
  const OPENING_MS = 250; // how long a database may take to open
  const PRUNE_MS = 20; // how often to search a full list for calls that have run
  const ROUND_MS = 400; // a page that reacts to input by a loop does so within this time, or a person would notice
  const ACTED_MS = 20; // how long after its round began a loop may have made a change, on a machine at rest
  const CHECK_MS = 600; // a page that looks for changed fields by a loop does so each half second (Wagtail)
  const MAX_KEPT = 400,
    MAX_MORE = 20000,
    MAX_REPORTED = 24,
    MAX_KEYS = 200,
    SITE = 200,
    TEXT = 24,
    NATIVE = 80;
  const MAX_FRAMES = 8; // of a call's stack: enough to reach the function that waits behind a helper
  const FRAME = "\n    at ";
  const MAX_SITED = 32; // this many waiting calls have their call site recorded: the report names no more
  const ROUNDS = 32,
    FRAME_IDS = 64; // how much of a chain of frames to remember

  // -- captured natives ----------------------------------------------------------------------------------------------

  const bare = <T>(): Record<PropertyKey, T> => ({ __proto__: null }) as never;
  const { call } = Function.prototype;
  const { apply } = Reflect;
  // Returns a function that takes the object of the method as its first argument.
  const free = <Args extends unknown[], Result>(
    method: (...args: Args) => Result,
  ): ((self: unknown, ...args: Args) => Result) => call.bind(method) as never;
  const clock = performance.now.bind(performance);
  const { scheduler } = globalThis;
  const canPost = scheduler && typeof scheduler.postTask === "function";
  const later = canPost && scheduler.postTask.bind(scheduler); // unlike a timer, it takes no id that a page can see
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
  const aborted = globalThis.AbortSignal && free<[], boolean>(describe(AbortSignal.prototype, "aborted")!.get!);
  const isWindow = typeof document === "object";
  const currentEvent = isWindow ? describe(globalThis, "event")!.get! : () => {};
  const typeOf = free<[], string>(describe(Event.prototype, "type")!.get!);
  const OwnRef = globalThis.WeakRef;
  const deref = OwnRef && free<[], HTMLElement | undefined>(OwnRef.prototype.deref);
  const keep = free(WeakMap.prototype.set),
    look = free(WeakMap.prototype.get);
  // Only a window has nodes.
  const isConnected = (isWindow && free(describe(Node.prototype, "isConnected")!.get!)) as (node: Node) => boolean;
  const contentOf = (isWindow && free(describe(Node.prototype, "textContent")!.get!)) as (node: Node) => string;

  // -- records -------------------------------------------------------------------------------------------------------

  const FRAME_LIKE: Record<string, boolean> = {
    __proto__: null as never,
    requestAnimationFrame: true,
    requestIdleCallback: true,
  };
  const LONGER: Record<string, number> = {
    __proto__: null as never,
    locks: ASKING_MS,
    caches: ASKING_MS,
    toBlob: SLOW_MS,
  };
  const first: { next?: Entry | null } = bare(); // the head of the list of entries
  let last = first,
    kept = 0,
    prunedAt = -Infinity;
  let byId = bare<Entry>();
  let dueOf = bare<number>(),
    more = 0; // calls beyond the limit of the list: id → when it is due
  let armedAt = -Infinity,
    armed = false;
  let announcing = true; // whether to announce the next call that is not noise
  let fenced = -Infinity; // when the last fence began; calls that were due then have run
  let framed = -Infinity; // the same, if frames were rendered since
  let idledAt = -Infinity; // idle callbacks requested before then have run
  let restedMs = 0; // for how long the thread has been seen to have time for them
  let rhythms = bare<Rhythm>(),
    rhythmCount = 0;
  let chains = bare<Link>(),
    chainCount = 0;
  const frameIds = bare<Link>(); // the links of the last requested frames, by id
  let ignored = bare<{ __proto__: null; what: string; site: string; rate: number }>();
  const watched = new WeakSet();
  let followed = 0;
  let latest = bare<Entry>(),
    latestCount = 0; // the last timer of each key
  let scrollAsked = 0; // what the page has asked for since the last report: nothing, to scroll, to scroll smoothly
  let scrollAskedAt = -Infinity; // when it asked for that last
  let actedMs = ACTED_MS; // how long after its round began a loop may have made a change, on this machine

  function record(
    kind: string,
    what: string,
    known: string,
    due: number,
    every: number,
    id: number,
    from: From,
    run?: unknown,
  ): Entry | null {
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
    const entry: Entry = {
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
      next: null,
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

  function ignore(entry: Entry) {
    const rhythm = rhythms[entry.key];
    const period = (rhythm && rhythm.period) || entry.every || entry.due - entry.at;
    const rate = period > 0 ? 1000 / period : 0;
    ignored[entry.key] = { __proto__: null, what: entry.what, site: site(entry.from), rate };
  }

  // A fence asks the top document of a process. Other documents announce that they have calls.
  function announce() {
    if (!announcing) return;
    announcing = false;
    answer("called");
  }

  // An entry is over when its call has run; a foreign one is kept a little longer, because its callback may renew it.
  function isOver(entry: Entry, now: number) {
    if (entry.over) return true;
    if (entry.signal && aborted(entry.signal)) return true;
    if (entry.every) return entry.until < now;
    return entry.due + READ_MS <= fenced || now - entry.due > (isWindow ? OVERDUE_MS : WORKER_OVERDUE_MS);
  }

  function prune(now: number) {
    prunedAt = now;
    let before = first;
    kept = 0;
    byId = bare();
    for (let entry = first.next; entry; entry = entry.next) {
      if (entry.over || (isOver(entry, now) && now - entry.due > linkedWithin(entry))) continue;
      before.next = entry;
      before = entry;
      if (entry.id) byId[entry.id] = entry;
      kept += 1;
    }
    before.next = null;
    last = before;
  }

  // -- keys ----------------------------------------------------------------------------------------------------------

  // Captures the event that is being handled, and the page's frames that made the call, not yet formatted. A page that
  // inspects stacks, or how they are captured, is left alone.
  function caller(below: Callable): From {
    const event = apply(currentEvent, globalThis, []);
    const holder: From = { __proto__: null, stack: "", event: event ? typeOf(event) : "" };
    if (kept > MAX_SITED) return holder;
    const limit = describe(OwnError, "stackTraceLimit");
    if (!limit || typeof limit.value !== "number" || !limit.writable || "prepareStackTrace" in OwnError) return holder;
    OwnError.stackTraceLimit = MAX_FRAMES;
    captureStack(holder, below);
    OwnError.stackTraceLimit = limit.value;
    return holder;
  }

  // Returns the frames of a call, the innermost first and each on a line of its own.
  function framesOf(holder: From | null) {
    if (!holder || "prepareStackTrace" in OwnError) return "";
    const text = holder.stack;
    const start = typeof text === "string" ? indexOf(text, FRAME) : -1;
    return start < 0 ? "" : `${slice(text, start)}\n`;
  }

  // The same without the frames that only await the call.
  function path(holder: From) {
    const frames = framesOf(holder);
    const end = indexOf(frames, `${FRAME}async `);
    return end < 0 ? frames : slice(frames, 0, end + 1);
  }

  // Returns the innermost frame.
  function site(holder: From | null) {
    const frames = framesOf(holder);
    if (!frames) return "";
    let line = slice(frames, FRAME.length, indexOf(frames, "\n", 1));
    if (slice(line, 0, 6) === "async ") line = slice(line, 6);
    const open = indexOf(line, " (");
    if (open >= 0 && slice(line, -1) === ")") line = slice(line, open + 2, -1);
    return line.length > SITE ? `…${slice(line, -SITE)}` : line;
  }

  // Distinguishes calls by their callback, which is cheaper than by their call site; a native callback, as any that
  // resolves a promise, needs the call site.
  function callback(value: unknown, from: From) {
    if (typeof value !== "function") return "";
    const text = textOf(value);
    if (text.length < NATIVE && indexOf(text, "{ [native code] }") > 0) return ` @${site(from)}`;
    return ` ${text.length} ${slice(text, 0, TEXT)}`;
  }

  // Returns whether a call was made elsewhere than an earlier one. The first call of a loop may have outer frames that
  // the later ones, from the loop's own callback, do not have.
  function isElsewhere(earlier: From | null, from: From | null) {
    if (!earlier || !from) return false;
    if (earlier.event !== from.event) return true;
    const before = path(earlier),
      now = path(from);
    return before.length > 1 && now.length > 1 && slice(before, 0, now.length) !== now;
  }

  // Returns whether a function is the outermost one that led to a call, as far as its name says.
  function isOutermost(run: unknown, from: From) {
    const name = (typeof run === "function" && option(run, "name")) as string | false;
    if (!name) return false;
    const frames = path(from);
    let line = "";
    for (let at = indexOf(frames, FRAME); at >= 0; at = indexOf(frames, FRAME, at + 1)) {
      line = slice(frames, at + FRAME.length);
    }
    const open = indexOf(line, " (");
    return open > 0 && (slice(line, 0, open) === name || slice(line, open - name.length - 1, open) === `.${name}`);
  }

  function milliseconds(value: unknown) {
    const number = typeof value === "number" || typeof value === "string" ? +value | 0 : 0;
    return number > 0 ? number : 0;
  }

  function option(bag: unknown, name: string): unknown {
    const found = (typeof bag === "object" && bag) || typeof bag === "function" ? describe(bag, name) : undefined;
    return found && found.value;
  }

  // -- noise ---------------------------------------------------------------------------------------------------------

  function isNoise(name: string, now: number, from: From, renewal = "") {
    const rhythm = rhythms[name];
    if (armed) return renewal === "surely" || (rhythm ? spend(rhythm, now, from) : false);
    learn(rhythm || begin(name), now, from);
    return false;
  }

  // A timer that was waiting when the actions began and whose callback sets it again is an earlier loop, even if it has
  // been seen only briefly. At that moment the actions may set an equal timer: it comes from elsewhere. Where nothing
  // tells which of the two a timer is (`perhaps`), the next round does: only a loop returns to the same place.
  function renewalOf(name: string, now: number, from: From, run: unknown) {
    let found = "";
    for (let entry = first.next; entry; entry = entry.next) {
      if (entry.key !== name || entry.linked || entry.over || (entry.due < armedAt && entry.ran !== false)) continue;
      if ((!isForeign(entry) && !entry.perhaps) || !isRunning(entry, now)) continue;
      if (from.event) return ""; // the callback of a timer runs outside of any event
      found = "perhaps";
      if (!isSamePlace(entry, from, run)) continue;
      entry.linked = true;
      return "surely";
    }
    return found;
  }

  // Returns the rounds of a timer that sets itself again, which each of its timers shares with the one before.
  function loopOf(entry: Entry, run: unknown): Loop {
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
    loop!.times[loop!.links % ROUNDS] = now;
    loop!.links += 1;
    return loop!;
  }

  // A long task holds back what is due meanwhile. Chrome runs what is due in its order (measured), so a task of ours that
  // is due a little later tells when a timer has certainly run.
  function follow(entry: Entry, now: number) {
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
      { __proto__: null, delay: (left > 0 ? left : 0) + LATE_MS },
    );
  }

  const linkedWithin = (entry: Entry) => (entry.ran === false ? LOST_MS : LINK_LATE_MS);

  // Returns whether it may be a timer's own callback that runs now.
  const isRunning = (entry: Entry, now: number) =>
    now >= entry.soonest - LINK_EARLY_MS && now <= entry.due + linkedWithin(entry);

  const isSamePlace = (entry: Entry, from: From, run: unknown) =>
    !isElsewhere(entry.from, from) || isOutermost(run, from);

  function isForeign(entry: Entry) {
    return entry.noise || (entry.at < armedAt && !entry.adopted);
  }

  // Calls with a rhythm and repeating calls continue by themselves: a wait that adopts work in progress does not await
  // them.
  function adoptable(entry: Entry, now: number) {
    const rhythm = rhythms[entry.key];
    return !entry.every && !(rhythm && rhythm.period > 0 && !isSilent(rhythm, now));
  }

  function begin(name: string): Rhythm {
    if (rhythmCount >= MAX_KEYS) {
      rhythms = bare();
      rhythmCount = 0;
    }
    rhythmCount += 1;
    return (rhythms[name] = {
      __proto__: null,
      period: 0,
      lastBeat: -Infinity,
      earned: 0,
      beats: bare(),
      count: 0,
      froms: bare(),
    });
  }

  function learn(rhythm: Rhythm, now: number, from: From) {
    if (isSilent(rhythm, now)) rhythm.count = 0;
    rhythm.earned = 0;
    rhythm.beats[rhythm.count % RING] = now;
    rhythm.froms[rhythm.count % RING] = from;
    rhythm.count += 1;
    rhythm.lastBeat = now;
    const beats = rhythm.count < RING ? rhythm.count : RING;
    if (beats > MIN_INTERVALS) rhythm.period = period(rhythm, beats);
  }

  function period(rhythm: Rhythm, beats: number) {
    const gap = (index: number) => {
      const beat = rhythm.count - beats + index;
      return rhythm.beats[(beat + 1) % RING] - rhythm.beats[beat % RING];
    };
    const gaps = beats - 1;
    let mean = 0,
      variance = 0;
    for (let index = 0; index < gaps; index += 1) mean += gap(index) / gaps;
    for (let index = 0; index < gaps; index += 1) variance += (gap(index) - mean) ** 2 / gaps;
    return mean > 0 && variance ** 0.5 / mean < MAX_VARIATION ? mean : 0;
  }

  function spend(rhythm: Rhythm, now: number, from: From) {
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

  // Returns whether none of the last beats was made where this one is made.
  function isNew(rhythm: Rhythm, from: From) {
    for (let index = 0; index < RING; index += 1) {
      if (rhythm.froms[index] !== undefined && !isElsewhere(rhythm.froms[index], from)) return false;
    }
    return true;
  }

  function isSilent(rhythm: Rhythm, now: number) {
    return rhythm.period > 0 && now - rhythm.lastBeat > SILENT_PERIODS * rhythm.period + JITTER_MS;
  }

  // -- timers --------------------------------------------------------------------------------------------------------

  function timer(kind: string, args: unknown[], repeats: boolean, id: number, from: From, began: number) {
    const delay = milliseconds(args[1]),
      due = delay > NESTED_MS ? delay : NESTED_MS;
    const known = callback(args[0], from);
    const entry = record(kind, `${kind} ${delay} ms`, known, due, repeats ? due : 0, id, from, args[0]);
    if (entry) entry.soonest = began + due;
  }

  function cleared(id: unknown) {
    if (typeof id !== "number" && typeof id !== "string") return;
    const entry = byId[id];
    if (!entry) delete dueOf[id];
    // A loop may clear the timer that calls it at this moment, before it sets the next one.
    else if (entry.every || clock() < entry.soonest - LINK_EARLY_MS) entry.over = true;
  }

  // -- frames and other calls whose end is unknown ---------------------------------------------------------------------

  // Calls with one key form a chain: only the last one counts.
  function chain(kind: string, known: string, from: From) {
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
        times: bare(),
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

  function isPending(link: Link, now: number) {
    if (link.foreign || link.noise || link.since < armedAt) return false;
    if (link.kind === "requestIdleCallback") {
      return link.at > idledAt && restedMs - link.restedMs < AT_REST_MS;
    }
    if (link.kind !== "requestAnimationFrame") return now - link.at < (LONGER[link.kind] || RECENT_MS);
    // Frames requested before the fence have run in its first frame.
    return link.at >= framed && now - link.at < STALLED_MS;
  }

  // Returns when a chain began, or when a call was made.
  function beganAt(row: Began): number {
    return row.since === undefined ? row.at! : row.since;
  }

  // Returns how often a call has repeated since the page last showed a change.
  function roundsOf(row: Repeating, now: number, moved: number) {
    const from = beganAt(row);
    const since = moved > from ? moved : from;
    if (row.every) return (now - since) / row.every;
    const known = row.links! < ROUNDS ? row.links! : ROUNDS;
    let rounds = 0;
    for (let index = 1; index <= known; index += 1) if (row.times![(row.links! - index) % ROUNDS] > since) rounds += 1;
    return rounds;
  }

  // A call with an event for its end is open until then: it is checked again and again.
  function open(kind: string, from: From, maxMs = Infinity) {
    const entry = record(kind, kind, "", LOOK_AGAIN_MS, LOOK_AGAIN_MS, 0, from);
    if (entry) entry.until = entry.at + maxMs;
    return entry;
  }

  function openUntil(kind: string, from: From, target: EventTarget, ends: string[]) {
    if (seenBefore(watched, target)) return;
    see(watched, target);
    const entry = open(kind, from);
    const end = () => {
      if (entry) entry.over = true;
    };
    for (let index = 0; index < ends.length; index += 1) listen(target, ends[index], end);
  }

  // -- internals -------------------------------------------------------------------------------------------------------

  // Custom elements tell their role and states by ElementInternals, which only their own code can reach. A weak map keeps
  // them as long as their elements live.
  const MAX_WITH_INTERNALS = 5000,
    MAX_ANSWER = 200000; // elements, and characters of an answer
  const MAX_VALUE = 1000; // characters of one value
  const internalsOf = new WeakMap<HTMLElement, ElementInternals>();
  let withInternals = bare<{ deref(): HTMLElement | undefined }>(),
    withInternalsCount = 0;
  let ariaProperties: Aria[] | null = null; // of internals: property, attribute, getter
  let point: (element: HTMLElement, number: number) => void = () => {};

  function keepInternals(element: HTMLElement, internals: ElementInternals) {
    if (withInternalsCount >= MAX_WITH_INTERNALS) forgetDead();
    if (withInternalsCount >= MAX_WITH_INTERNALS) return;
    keep(internalsOf, element, internals);
    withInternals[withInternalsCount++] = new OwnRef!(element);
    if (withInternalsCount === 1) answer("internals");
  }

  function forgetDead() {
    const all = withInternals,
      count = withInternalsCount;
    withInternals = bare();
    withInternalsCount = 0;
    for (let index = 0; index < count; index += 1)
      if (deref!(all[index])) withInternals[withInternalsCount++] = all[index];
  }

  // The text of elements that label another is its name.
  function properties() {
    const proto = ElementInternals.prototype,
      found: Aria[] = [];
    for (const property of Object.getOwnPropertyNames(proto)) {
      const isText = property === "role" || /^aria(?!.*Elements?$)/.test(property);
      if (!isText && property !== "ariaLabelledByElements") continue;
      const attribute =
        property === "role" ? property : isText ? `aria-${property.slice(4).toLowerCase()}` : "aria-label";
      found.push({ __proto__: null, attribute, read: free(describe(proto, property)!.get!), isText });
    }
    // An element that labels comes first, as for attributes.
    return found.sort((one, other) => +one.isText - +other.isText);
  }

  function textOfAll(elements: ArrayLike<Element>) {
    let text = "";
    for (let index = 0; index < elements.length; index += 1) text += `${text && " "}${contentOf(elements[index])}`;
    return text;
  }

  function ariaValues(internals: ElementInternals) {
    let text = "",
      named = false;
    for (let index = 0; index < ariaProperties!.length; index += 1) {
      const { attribute, read, isText } = ariaProperties![index];
      let value = read(internals);
      if (value !== null && !isText) value = textOfAll(value as Element[]);
      if (typeof value !== "string" || !value || (attribute === "aria-label" && named)) continue;
      named = named || attribute === "aria-label";
      text += `${text && ","}${quote(attribute)}:${quote(slice(value, 0, MAX_VALUE))}`;
    }
    return text;
  }

  // Answers with what each element of the document says, in order, and points at each before that.
  function internals() {
    let text = "",
      count = 0;
    for (let index = 0; index < withInternalsCount && text.length < MAX_ANSWER; index += 1) {
      const element = deref!(withInternals[index]);
      const values = element && isConnected(element) && ariaValues(look(internalsOf, element));
      if (!values) continue;
      point(element, count++);
      text += `${text && ","}{${values}}`;
    }
    return text && `[${text}]`;
  }

  const anyInternals = () => (withInternalsCount ? "yes" : "");

  function followInternals() {
    ariaProperties = properties();
    hook(
      () => HTMLElement.prototype,
      "attachInternals",
      (args, self: HTMLElement, result: ElementInternals) => keepInternals(self, result),
    );
  }

  // -- wrappers --------------------------------------------------------------------------------------------------------

  const wrapped = bare<Wrapped>(); // number → what was installed where, to remove it
  let wrappers = 0;

  // The stack of a native's own error begins with the call, as without a wrapper. An error that the page throws while
  // the native reads its arguments keeps its stack.
  function cleaned(error: unknown, args: unknown[], trap: Callable) {
    try {
      if (isError(error) && (isPlain(args) || beginsHere(error))) captureStack(error, trap);
    } catch {
      // The error stays as it is.
    }
    return error;
  }

  const isError = (value: unknown): value is Error =>
    typeof value === "object" && value !== null && describe(value, "stack") !== undefined;

  function isPlain(args: unknown[]) {
    for (let index = 1; index < args.length; index += 1) if (typeof args[index] === "object") return false;
    return true;
  }

  function beginsHere(error: Error) {
    if ("prepareStackTrace" in OwnError) return false;
    const text = error.stack;
    const start = typeof text === "string" ? indexOf(text, "\n    at ") : -1;
    return start >= 0 && slice(text, start + 8, start + 21) === "Object.apply ";
  }

  function around(native: Callable, handler: Handler) {
    const traps = {
      __proto__: null,
      apply(target: Callable, self: unknown, args: unknown[]): unknown {
        const began = clock();
        let result: unknown;
        try {
          result = apply(target, self, args);
        } catch (error) {
          throw cleaned(error, args, traps.apply);
        }
        try {
          handler(args, self as never, result as never, traps.apply, began);
        } catch {
          // Whatever the page has done to this code, its call has been made.
        }
        return result;
      },
    };
    return new OwnProxy(native, traps);
  }

  // Finds the owner of a property and wraps the native there: a value, a getter, or the part that is wanted.
  function hook(find: () => object, name: string, handler: Handler, wanted?: Part) {
    try {
      let holder = find();
      while (holder && !describe(holder, name)) holder = protoOf(holder);
      const was = describe(holder, name)!;
      const part = wanted || (typeof was.value === "function" ? "value" : "get");
      if (typeof was[part] !== "function") return;
      const native = was[part],
        proxy = around(native, handler);
      define(holder, name, { __proto__: null, ...was, [part]: proxy });
      wrapped[wrappers++] = { __proto__: null, holder, name, part, native, proxy };
    } catch {
      // The native does not exist in this kind of realm, or cannot be replaced.
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

  function askToScroll(args: unknown[]) {
    const asked = option(args[0], "behavior") === "smooth" ? 2 : 1;
    if (asked > scrollAsked) scrollAsked = asked;
    scrollAskedAt = clock();
  }

  const here = () => globalThis;
  const calls = (find: () => object, name: string, kind = name) =>
    hook(find, name, (args, self, result, trap) => {
      const from = caller(trap);
      chain(kind, ` @${site(from)}`, from);
    });

  function install() {
    hook(here, "setTimeout", (args, self, id: number, trap, began) =>
      timer("setTimeout", args, false, id, caller(trap), began),
    );
    hook(here, "setInterval", (args, self, id: number, trap, began) =>
      timer("setInterval", args, true, id, caller(trap), began),
    );
    hook(here, "clearTimeout", (args) => cleared(args[0]));
    hook(here, "clearInterval", (args) => cleared(args[0]));
    hook(here, "requestAnimationFrame", (args, self, id: number, trap) => {
      const from = caller(trap);
      frameIds[id % FRAME_IDS] = chain("requestAnimationFrame", callback(args[0], from), from);
      frameIds[id % FRAME_IDS].id = id;
    });
    hook(here, "cancelAnimationFrame", (args) => {
      const link = frameIds[(args[0] as number) % FRAME_IDS];
      if (link && link.id === args[0]) link.at = -Infinity;
    });
    hook(here, "requestIdleCallback", (args, self, id: number, trap) => {
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
          from,
        );
        const signal = option(args[1], "signal");
        if (entry && typeof signal === "object") entry.signal = signal;
      },
    );
    calls(() => Scheduler.prototype, "yield", "scheduler.yield");

    // A message is handled soon after it is sent; a chain of them lasts while its last link is recent. Messages between
    // windows are not wrapped: the wrapper would appear as their sender. The task queue that they pass through reveals
    // them.
    calls(() => MessagePort.prototype, "postMessage", "MessagePort.postMessage");
    calls(() => BroadcastChannel.prototype, "postMessage", "BroadcastChannel.postMessage");
    calls(() => Worker.prototype, "postMessage", "Worker.postMessage");

    let opening: Entry | null = null;
    hook(
      () => IDBFactory.prototype,
      "open",
      (args, self, result, trap) => {
        opening = open("indexedDB.open", caller(trap), OPENING_MS);
      },
    );
    hook(
      () => IDBTransaction.prototype,
      "objectStore",
      (args, self: IDBTransaction, result, trap) => {
        if (opening) opening.over = true; // a transaction needs an open database
        openUntil("indexedDB", caller(trap), self, ["complete", "abort"]);
      },
    );
    for (const name of ["readAsText", "readAsArrayBuffer", "readAsDataURL"]) {
      hook(
        () => FileReader.prototype,
        name,
        (args, self: FileReader, result, trap) => {
          openUntil("FileReader", caller(trap), self, ["loadend"]);
        },
      );
    }

    // Promises do not announce their end, and one getter covers all functions of a kind.
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

  // -- questions -----------------------------------------------------------------------------------------------------

  // `changed` is when the page last changed in any way.
  function arm(adopt: boolean, changed: number) {
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

  // Announces calls that were made before the binding existed.
  function announceAgain() {
    announcing = true;
    if (first.next || chainCount) announce();
  }

  // Records when an idle callback was requested that has run since; those of one document run in order.
  function idled(at: number) {
    idledAt = at;
  }

  // Records that the thread was at rest for some time, and ran no idle callback.
  function rested(ms: number) {
    restedMs += ms;
  }

  const askedToScroll = (from: number) => (scrollAskedAt >= from ? `${scrollAskedAt}` : "");

  const lengthOf = (entry: Entry) => entry.every || entry.due - entry.at;

  function dueIn(entry: Entry, now: number) {
    if (entry.every && entry.due < now) return entry.every - ((now - entry.due) % entry.every) + LATE_MS;
    return entry.due - now + LATE_MS;
  }

  function reportOf(row: Row, now: number, what: string, due: number | null, moved: number) {
    const window = due === null && LONGER[row.kind] ? `,"window_ms":${LONGER[row.kind]}` : "";
    const place = site(row.from);
    const where = place ? `,"site":${quote(place)}` : "";
    const key = place ? `${what} @${place}` : what;
    // Without a due time, the age of the last link of a chain counts.
    const age = now - (due === null ? row.at : beganAt(row));
    const repeating = row.loop || (row.every || row.kind === "requestAnimationFrame" ? row : null);
    const rounds =
      repeating && isWindow
        ? `,"rounds":${roundsOf(repeating, now, moved)},"since_ms":${now - beganAt(repeating)}`
        : "";
    return (
      `{"kind":${quote(row.kind)},"key":${quote(key)},"what":${quote(what)},"age_ms":${age}` +
      `${due === null ? "" : `,"due_ms":${due}`}${window}${where}${rounds}}`
    );
  }

  // `began` is when the fence began that this answers, in milliseconds since 1970: at least a frame ago. Without
  // `frames`, calls that wait for one may still wait. `moved` is when the page last showed a change, by its own clock, and
  // `changed` when it last changed other than by itself, or null. `quiet` is the quiet window, longer on a slow machine.
  function read(began: unknown, frames: boolean, moved: number, changed: number | null, quiet: number) {
    const now = clock();
    actedMs = quiet > ACTED_MS ? quiet : ACTED_MS;
    announcing = true;
    fenced = typeof began === "number" ? began - origin : -Infinity;
    framed = frames ? fenced : -Infinity;
    prune(now);
    let text = "",
      count = 0,
      skipped = 0,
      skippedDue = 0;
    const add = (row: Row, what: string, due: number | null) => {
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
      const rest: Row & { __proto__: null } = { __proto__: null, kind: "calls", from: null, at: now };
      text += `${text && ","}${reportOf(rest, now, `${skipped} more calls`, skippedDue - now, moved)}`;
    }
    let noise = "";
    for (const name in ignored) {
      const { what, site, rate } = ignored[name];
      noise += `${noise && ","}{"kind":"timer","key":${quote(site ? `${what} @${site}` : what)},"rate":${rate}}`;
    }
    const asked = scrollAsked;
    scrollAsked = 0;
    return `{"calls":[${text}],"ignored":[${noise}],"scroll":${asked},${comingRounds(now, changed)}}`;
  }

  // Returns when the slowest loop that went on before the actions comes round: of the short ones, of those that made the last
  // change and may go on, and of those that may look for changed fields. A loop may act on what the actions left, as a
  // widget that looks at its own state again and again.
  function comingRounds(now: number, changed: number | null) {
    let round = 0,
      acting = 0,
      check = 0;
    for (let entry = first.next; entry; entry = entry.next) {
      if (entry.over || !isForeign(entry) || !recurs(entry)) continue;
      const length = lengthOf(entry),
        due = dueIn(entry, now);
      if (length < ROUND_MS && due < ROUND_MS && due > round) round = due;
      if (length < ROUND_MS && due > acting && hasActed(entry, changed)) acting = due;
      if (length < CHECK_MS && due < CHECK_MS && due > check) check = due;
    }
    return `"round_ms":${round},"acting_ms":${acting},"check_ms":${check}`;
  }

  // Whether a loop may have made the last change, in a round that the fence has seen, and made none before the actions.
  function hasActed(entry: Entry, changed: number | null) {
    if (changed === null || (entry.loop || entry).acts) return false;
    // A busy machine runs a round so late that it may be any of a fast loop.
    if (lengthOf(entry) > 2 * actedMs && !isInRound(entry, changed)) return false;
    return !entry.every || changed - lateness(entry, changed) + entry.every + actedMs > fenced;
  }

  const isInRound = (entry: Entry, at: number) => lateness(entry, at) < actedMs;

  // Returns how long after a round of a loop a time is. The callback of a timer that sets itself again has just done that.
  function lateness(entry: Entry, at: number) {
    if (!entry.every) return at < entry.at ? Infinity : at - entry.at;
    const rest = (at - entry.soonest + LINK_EARLY_MS) % entry.every;
    const late = (rest < 0 ? rest + entry.every : rest) - (entry.due - entry.soonest);
    return late > 0 ? late : 0;
  }

  function recurs(entry: Entry) {
    const rhythm = rhythms[entry.key];
    return entry.every || entry.noise || (rhythm && (rhythm.period > 0 || rhythm.count > 1));
  }

  const api: Record<string, Callable> = {
    __proto__: null as never,
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
    },
  };

  // -- transport -------------------------------------------------------------------------------------------------------

  let answer: (text: string) => void = () => {},
    forget: () => void;

  // A realm may be asked to install twice: the first document of a frame passes its window on to the next.
  function listenInWindow() {
    const OwnEvent = CustomEvent,
      OwnMouseEvent = MouseEvent,
      window = performance;
    const detailOf = free<[], [method: string, ...args: never[]]>(describe(OwnEvent.prototype, "detail")!.get!);
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
    const onQuestion = (event: Event) => {
      try {
        const words = detailOf(event),
          method = api[words[0]];
        answer(((method && method(words[1], words[2], words[3], words[4], words[5])) || "") as string);
      } catch {
        // The question stays unanswered.
      }
    };
    listen(window, key, onQuestion);
    forget = () => unlisten(window, key, onQuestion);
    return true;
  }

  function listenInWorker() {
    const home = protoOf(async function* () {});
    if (describe(home, key)) return false;
    define(home, key, { __proto__: null, value: Object.freeze(api), configurable: true });
    forget = () => delete home[key];
    return true;
  }

  if (isWindow ? listenInWindow() : listenInWorker()) install();
}
