// Where to aim, and whether what is there receives the event.

const sameBox = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

// A tab that nobody sees draws no frames; a busy machine draws five a second, and a box that is looked at between two
// frames seems to stand still.
const FRAME_MS = 200;
const frame = () => new Promise((done) => {
  const off = after(FRAME_MS, done);
  requestAnimationFrame(() => {
    off();
    done();
  });
});

// Alternatives after a hit test failed: what sticks to an edge of the screen covers one alignment, not all.
const ALIGNMENTS = ["center", "end", "start"];

// An animation that has just begun stands at its start in its first frame, and may be asked for before that one.
const ANIMATED_FRAMES = 3;
const animationsOf = Element.prototype.getAnimations;

function isAnimated(element) {
  for (let up = element; up; up = renderedParent(up)) {
    if (animationsOf.call(up).some((animation) => animation.playState === "running")) return true;
  }
  return false;
}

// Callbacks of the page run before ours in a frame, so a box that is the same before and in the next frame stands still.
async function aim(ctx, find) {
  let spot = find();
  if (!("x" in spot) && ctx.round < ALIGNMENTS.length) {
    scrollTo(ctx.at, { block: ALIGNMENTS[ctx.round], inline: "center", behavior: "instant" });
  }
  const before = boxOf(ctx.at);
  for (let left = isAnimated(ctx.at) ? ANIMATED_FRAMES : 1; left > 0; left--) {
    await frame();
    if (!isConnected(ctx.at)) return { fault: "detached" };
    if (!sameBox(before, boxOf(ctx.at))) return { fault: "unstable", soon: true };
  }
  spot = find();
  if (!("x" in spot)) return { soon: ctx.round < ALIGNMENTS.length, ...spot };
  ctx.report.x = spot.x;
  ctx.report.y = spot.y;
  ctx.report.box = onScreen(boxOf(ctx.at));
  return null;
}

function onScreen(box) {
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  return [left, top, Math.min(box.right, innerWidth) - left, Math.min(box.bottom, innerHeight) - top];
}

const SPOTS = [[0.5, 0.5], [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]];

// The middle of each box (a link that wraps has several), then other places of what is on the screen of the first ones.
function freeSpot(element) {
  let outside = true;
  let cover = null;
  const all = boxes(element).slice(0, 4);
  for (const [fx, fy] of SPOTS) {
    for (const box of all) {
      const x = box.left + box.width * fx;
      const y = box.top + box.height * fy;
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
      outside = false;
      const hit = deepestAt(x, y);
      if (receives(hit, element)) return { x, y };
      cover = cover || hit;
    }
  }
  return outside ? { fault: "outside" } : { fault: "covered", detail: coverOf(cover, element) };
}

function centre(element) {
  const box = boxOf(element);
  const x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight ? { fault: "outside" } : { x, y };
}

const ACTIVATES = "a[href], button, summary, label, [role=button], [role=link], [role=tab], [role=menuitem], [role=option]";

function receives(hit, element) {
  if (!hit) return false;
  if (isInside(hit, element)) return true;
  const label = closestAcross(hit, "label");
  if (label && label.control === element) return true;
  // Text inside a button may let events pass through to it.
  return closestAcross(element, ACTIVATES) === hit;
}

// The outermost thing in the way tells more than the innermost: "div#overlay", not "svg".
function coverOf(hit, element) {
  if (!hit) return "nothing";
  let top = hit;
  for (let up = renderedParent(top); up && !isInside(element, up); up = renderedParent(up)) top = up;
  return top === hit ? describe(hit) : `${describe(hit)} in ${describe(top)}`;
}

function spotInFrame(owner, x, y) {
  const box = boxOf(owner);
  const style = getComputedStyle(owner);
  const scaleX = box.width / owner.offsetWidth;
  const scaleY = box.height / owner.offsetHeight;
  const px = box.left + (owner.clientLeft + parseFloat(style.paddingLeft) + x) * scaleX;
  const py = box.top + (owner.clientTop + parseFloat(style.paddingTop) + y) * scaleY;
  if (px < 0 || py < 0 || px >= innerWidth || py >= innerHeight) {
    scrollBy({ left: px - innerWidth / 2, top: py - innerHeight / 2, behavior: "instant" });
    return { fault: "outside" };
  }
  const hit = deepestAt(px, py);
  return hit === owner ? { x: px, y: py } : { fault: "covered", detail: coverOf(hit, owner) };
}

// -- the wheel ----------------------------------------------------------------------------------------

const WHEEL_SPOTS = [[0.5, 0.5], [0.5, 0.22], [0.5, 0.78], [0.22, 0.5], [0.78, 0.5], [0.02, 0.5], [0.98, 0.5]];

function scrollerAt(x, y, vertical) {
  for (let at = deepestAt(x, y); at; at = renderedParent(at)) {
    if (tagOf(at) === "iframe" || at === scrollerOf(document)) return at;
    const style = getComputedStyle(at);
    const room = vertical ? at.scrollHeight - at.clientHeight : at.scrollWidth - at.clientWidth;
    if (room > 0 && /auto|scroll/.test(vertical ? style.overflowY : style.overflowX)) return at;
  }
  return scrollerOf(document);
}

// A place where the wheel turns the page and not a list, map or frame on it; the middle when the page cannot turn.
function wheelSpot(vertical) {
  const page = scrollerOf(document);
  const turns = page && (vertical ? page.scrollHeight > page.clientHeight : page.scrollWidth > page.clientWidth);
  const free = turns && WHEEL_SPOTS.find(([x, y]) => scrollerAt(x * innerWidth, y * innerHeight, vertical) === page);
  const [x, y] = free || WHEEL_SPOTS[0];
  return { x: x * innerWidth, y: y * innerHeight, width: innerWidth, height: innerHeight };
}
