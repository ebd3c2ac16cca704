// Watches one document from the isolated world and tells the driver, once, that something changed. It then keeps silent
// until the next fence, so a quiet page costs no message and a busy one costs one message per fence.
//
// Nothing here touches the page: a MutationObserver, reads of style and layout in a fence, and weak references.
globalThis.__sfSettle ??= (() => {
  "use strict";
  // settle.md §4.4: at least three intervals whose coefficient of variation is below 0.35, learned before the actions.
  // The rest is as in noise.py: each period earns one change.
  const RING = 8, MIN_INTERVALS = 3, MAX_VARIATION = 0.35, JITTER_MS = 50, MAX_EARNED = 2, SILENT_PERIODS = 4;
  // settle.md §4.4: what was active in half of the last second is noise too, however uneven. The rendering of a page
  // that has just loaded is not meant by that.
  const SLOT_MS = 100, SLOTS = 10, RESTLESS_SLOTS = 5, AFTER_LOAD_MS = 1000;
  const SAME_BATCH_MS = 4; // two records this close are one change to a reader, and to a rhythm
  const MAX_RECORDS = 500; // of one batch are looked at one by one; a larger batch is never noise
  const FALLBACK_MS = 120; // settle.md §4.2: a hidden tab has no frames
  const MAX_INDICATORS = 200, MAX_NAMED = 5, MAX_NOISY = 200;
  const OPTIONS = { subtree: true, childList: true, attributes: true, characterData: true };

  const rhythms = new WeakMap(); // node → Rhythm
  const roots = new WeakSet(); // shadow roots that are observed
  const noisy = new Map(); // selector → rate, since armed
  const noisyNodes = new Set(); // nodes that changed by themselves, since armed
  let struck = new WeakSet(); // nodes that changed for another reason too, since armed
  let learning = true; // nobody acts
  let changedAt = null; // the last change that is no noise, since armed
  let where = "";
  let told = false;
  let known = new WeakSet(); // indicators and animations from before the actions

  class Rhythm {
    period = 0;
    beats = [];
    slots = [];
    heard = -Infinity;
    earned = 0;
    noise = false;

    beat(now) {
      if (now - this.heard < SAME_BATCH_MS) return this.noise;
      this.noise = learning ? this.learn(now) : this.spend(now);
      this.heard = now;
      return this.noise;
    }

    learn(now) {
      if (this.over(now)) this.beats = [];
      this.earned = 0;
      this.beats = [...this.beats.slice(1 - RING), now];
      if (this.beats.length > MIN_INTERVALS) this.period = period(this.beats);
      const slot = Math.floor(now / SLOT_MS);
      if (slot !== this.slots.at(-1) && now > calmFrom()) this.slots = [...this.slots.slice(1 - SLOTS), slot];
      return this.period > 0 || this.restless(now);
    }

    // What the actions cause must not teach a rhythm, so nothing is learned here.
    spend(now) {
      this.beats = [];
      if (this.restless(now)) return true;
      if (!this.period || this.over(now)) return false;
      this.earned = Math.min(MAX_EARNED, this.earned + (now - this.heard) / this.period);
      if (this.earned < 1 - MAX_VARIATION - JITTER_MS / this.period) return false;
      this.earned = Math.max(0, this.earned - 1);
      return true;
    }

    over(now) {
      return this.period > 0 && now - this.heard > SILENT_PERIODS * this.period + JITTER_MS;
    }

    restless(now) {
      const last = this.slots.at(-1);
      const recent = this.slots.filter((slot) => slot > last - SLOTS);
      return recent.length >= RESTLESS_SLOTS && now - this.heard < SLOTS * SLOT_MS / 2;
    }

    get rate() {
      if (this.period) return 1000 / this.period;
      return this.slots.length ? this.slots.length / ((this.slots.at(-1) - this.slots[0] + 1) * SLOT_MS / 1000) : 0;
    }
  }

  function calmFrom() {
    const [load] = performance.getEntriesByType("navigation");
    return document.readyState === "complete" && load ? load.loadEventEnd + AFTER_LOAD_MS : Infinity;
  }

  function period(beats) {
    const gaps = beats.slice(1).map((beat, index) => beat - beats[index]);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    return Math.sqrt(variance) / mean < MAX_VARIATION ? mean : 0;
  }

  function rhythmOf(node) {
    let rhythm = rhythms.get(node);
    if (!rhythm) rhythms.set(node, (rhythm = new Rhythm()));
    return rhythm;
  }

  // A carousel moves a class from slide to slide: no slide has a short rhythm, their parent has. An element that was
  // never touched before the actions is not covered by its parent's rhythm, though.
  function isNoise(record, now) {
    const target = record.type === "characterData" ? (record.target.parentNode ?? record.target) : record.target;
    const seen = rhythms.get(target)?.heard > -Infinity;
    const own = rhythmOf(target).beat(now);
    let noise = own;
    if (record.type === "attributes" && target.parentNode) {
      const parents = rhythmOf(target.parentNode).beat(now);
      noise = own || (parents && (seen || learning));
    }
    if (!noise) struck.add(target);
    else {
      noisy.set(name(target), rhythmOf(own || !target.parentNode ? target : target.parentNode).rate);
      if (noisyNodes.size < MAX_NOISY) noisyNodes.add(target);
    }
    return noise;
  }

  function onRecords(records) {
    const now = performance.now();
    let changed = records.length > MAX_RECORDS ? records[0] : null;
    for (const record of records.slice(0, MAX_RECORDS)) {
      for (const node of record.addedNodes) adopt(node);
      if (!isNoise(record, now)) changed = record;
    }
    if (changed) note(now, changed.target);
  }

  function note(now, target) {
    changedAt = now;
    if (told) {
      where = target;
      return;
    }
    told = true;
    where = target;
    globalThis.__sfSignal?.(name(target));
  }

  const observer = new MutationObserver(onRecords);

  // Open shadow roots are observed one by one; closed ones cannot be reached from here.
  function adopt(node) {
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    adoptRoot(node.shadowRoot);
    if (node.firstElementChild) for (const inner of node.querySelectorAll("*")) adoptRoot(inner.shadowRoot);
  }

  function adoptRoot(root) {
    if (!root || roots.has(root)) return;
    roots.add(root);
    observer.observe(root, OPTIONS);
    // Attaching a root is not announced: finding a new one is how its first content is noticed.
    if (!learning) note(performance.now(), root.host);
    for (const inner of root.querySelectorAll("*")) adoptRoot(inner.shadowRoot);
  }

  function everyRoot(root = document, found = [root]) {
    for (const element of root.querySelectorAll("*")) {
      if (!element.shadowRoot) continue;
      adoptRoot(element.shadowRoot);
      found.push(element.shadowRoot);
      everyRoot(element.shadowRoot, found);
    }
    return found;
  }

  // A short selector for people: the nearest id, or the tag and its classes.
  function name(node) {
    const element = node?.nodeType === Node.ELEMENT_NODE ? node : (node?.parentElement ?? node?.host);
    if (!element) return "the document";
    if (element.id) return `#${CSS.escape(element.id)}`;
    const classes = [...element.classList].slice(0, 3).map((word) => `.${CSS.escape(word)}`).join("");
    const own = element.localName + classes;
    const holder = element.closest("[id]");
    return holder && holder !== element ? `#${CSS.escape(holder.id)} ${own}` : own;
  }

  // -- loading indicators ------------------------------------------------------------------------------------------

  // The seven selectors of the original proposal, to the letter: the substring ones take `preloading-done` too.
  const PROPOSED = [
    ".loading", ".spinner", ".skeleton", '[aria-busy="true"]', '[data-loading="true"]',
    '[class*="loading"]', '[class*="spinner"]',
  ].join(",");
  // Our own rule reads class names as words: `is-loading`, `btn--loading` and `pageSpinner` count, `preloading-done` and
  // `loading-finished` do not.
  const CANDIDATES = [
    '[aria-busy="true"]', '[data-loading="true"]', '[class*="load" i]', '[class*="spinner" i]', '[class*="skeleton" i]',
  ].join(",");
  const BUSY_WORDS = new Set(["loading", "loader", "spinner", "skeleton"]);
  const OVER_WORDS = new Set(["done", "loaded", "finished", "complete", "completed", "hidden", "error", "failed", "off", "no", "not"]);

  function isBusy(element) {
    if (element.getAttribute("aria-busy") === "true" || element.getAttribute("data-loading") === "true") return true;
    return [...element.classList].some((token) => {
      const words = token.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase().split(/[^a-z]+/);
      return words.some((word) => BUSY_WORDS.has(word)) && !words.some((word) => OVER_WORDS.has(word));
    });
  }

  function isVisible(element) {
    const box = element.getBoundingClientRect();
    if (box.width <= 0 || box.height <= 0) return false;
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: false });
  }

  function visible(selector, accept, searched) {
    const found = [];
    for (const root of searched) {
      for (const element of root.querySelectorAll(selector)) {
        if (accept(element) && isVisible(element)) found.push(element);
        if (found.length >= MAX_INDICATORS) return found;
      }
    }
    return found;
  }

  const busy = () => visible(CANDIDATES, isBusy, everyRoot());

  // -- animations --------------------------------------------------------------------------------------------------

  function finite() {
    return document.getAnimations().filter((animation) => {
      if (animation.playState !== "running" || !animation.effect || !(animation.playbackRate > 0)) return false;
      return Number.isFinite(animation.effect.getComputedTiming().endTime);
    });
  }

  function lastAnimation() {
    let last = null;
    for (const animation of finite()) {
      if (known.has(animation)) continue;
      const end = animation.effect.getComputedTiming().endTime;
      const remaining = (end - (animation.currentTime ?? 0)) / animation.playbackRate;
      if (remaining > 0 && (!last || remaining > last.remaining)) last = { remaining, target: animation.effect.target };
    }
    return last && { what: name(last.target), remaining_ms: last.remaining };
  }

  // -- what the driver calls ---------------------------------------------------------------------------------------

  // Whoever adopts what is going on already awaits the indicators and animations that are there.
  function arm(adopt) {
    learning = false;
    changedAt = null;
    told = false;
    noisy.clear();
    noisyNodes.clear();
    struck = new WeakSet();
    known = new WeakSet(adopt ? [] : [...busy(), ...finite()]);
  }

  function rest() {
    learning = true;
  }

  // Ids of frame callbacks and of timers are given out to all worlds of a window in turn: one of ours would be a gap that
  // the page can see. What begins to be observed has its size told in the next frame, if it has one.
  let framed = [];
  const sizes = new ResizeObserver(() => {
    sizes.disconnect();
    for (const resolve of framed.splice(0)) resolve();
  });

  function frame() {
    return new Promise((resolve) => {
      const box = [document.body, document.documentElement].find((element) => element?.clientWidth || element?.clientHeight);
      if (!box) return requestAnimationFrame(resolve);
      framed.push(resolve);
      sizes.disconnect();
      sizes.observe(box, { box: "border-box" });
    });
  }

  // The highest priority gets through where the page keeps its queues full.
  const pause = (ms) => globalThis.scheduler?.postTask
    ? scheduler.postTask(() => {}, { delay: ms, priority: "user-blocking" })
    : new Promise((resolve) => setTimeout(resolve, ms));

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

  async function pass(frames) {
    for (; frames > 0; frames--) {
      await frame();
      // To observe again within the callback would be a loop, of which the page is told.
      await task();
    }
  }

  // Answers after some frames and what they queued, and not before `ms` have passed.
  async function fence(ms, frames = 2) {
    const until = performance.now() + ms;
    await Promise.race([pass(frames), pause(FALLBACK_MS)]);
    const rest = until - performance.now();
    if (rest > 0) {
      await pause(rest);
      await task();
    }
    return report();
  }

  function report() {
    const waiting = observer.takeRecords();
    if (waiting.length) onRecords(waiting);
    told = false;
    const result = { indicators: busy().filter((element) => !known.has(element)).slice(0, MAX_NAMED).map(name) };
    if (changedAt !== null) {
      result.quiet_ms = performance.now() - changedAt;
      result.where = name(where);
    }
    const animated = lastAnimation();
    if (animated) result.animated = animated;
    result.ignored = [...noisy].slice(0, MAX_NAMED).map(([key, rate]) => ({ kind: "changes", key, rate: Math.round(rate * 100) / 100 }));
    return result;
  }

  // The elements that have changed since armed and always by themselves, for whoever compares snapshots.
  function noise() {
    onRecords(observer.takeRecords());
    return [...noisyNodes].filter((node) => !struck.has(node) && node.nodeType === Node.ELEMENT_NODE);
  }

  // The page's part of the proposal's signature.
  function sample() {
    return {
      url: location.href,
      title: document.title,
      element_count: document.getElementsByTagName("*").length,
      ready: document.readyState === "complete",
      indicators: visible(PROPOSED, () => true, [document]).slice(0, MAX_NAMED).map(name),
    };
  }

  observer.observe(document, OPTIONS);
  everyRoot();
  return { arm, fence, frame, lastAnimation, noise, report, rest, sample };
})();
