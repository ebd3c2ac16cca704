// A picture of more than the view resizes the page for a moment (Chrome makes the view larger for it). A page that lays
// itself out anew then, closes its menus or loads more would not be the page that the caller sees afterwards.
let resizesAreHidden = false;
const hideResize = (event) => { if (resizesAreHidden) event.stopImmediatePropagation(); };
for (const target of [window, window.visualViewport]) if (target) target.addEventListener("resize", hideResize, true);

// Keeps events of a resize from the page until `showResizes`.
function hideResizes() {
  resizesAreHidden = true;
}

// Resolves once the events of the last resize have fired, which takes a frame.
async function showResizes() {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  resizesAreHidden = false;
}
