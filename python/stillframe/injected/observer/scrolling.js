// Tells which parts of the page scroll smoothly: no list of animations has that, and what the page does at its end is yet to
// come. An immediate scroll ends in the frame in which it is heard.

const SCROLL_MS = 100; // how much longer to wait for the end of a scroll
const UNHEARD_MS = 1000; // a smooth scroll is heard in each frame, and on a busy machine there are few

const hearsEnds = "onscrollend" in globalThis; // since Chrome 114
const scrolling = new Map(); // what scrolls → when it was heard last
let scrolledBefore = new WeakSet(); // what scrolled when the wait began

function followScrolls(root) {
  if (!hearsEnds) return;
  listen(root, "scroll", ({ target }) => scrolling.set(target, performance.now()), { capture: true, passive: true });
  listen(root, "scrollend", ({ target }) => scrolling.delete(target), { capture: true, passive: true });
}

// Begins a wait; one that adopts work in progress awaits scrolls that have begun, too.
function armScrolls(adopt) {
  scrolledBefore = new WeakSet(adopt ? [] : scrolling.keys());
}

// Returns a part that scrolls because of what was done, or null.
function scrolls() {
  const oldest = performance.now() - UNHEARD_MS;
  for (const [target, at] of scrolling) if (at < oldest || !isConnected(target)) scrolling.delete(target);
  return [...scrolling.keys()].find((target) => !scrolledBefore.has(target)) || null;
}
