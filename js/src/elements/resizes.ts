// A picture of more than the view resizes the page for a moment (Chrome makes the view one pixel large, and then as large as
// the picture). A page that lays itself out again then, closes its menus or loads more would not be the page that the caller
// sees afterwards; and what is as high as the window has no room to stay scrolled.

import { allOf } from "../dom/nodes.ts";

let resizesAreHidden = false;
let scrolled: { element: Element; left: number; top: number }[] = [];
const hideResize = (event: Event) => {
  if (resizesAreHidden) event.stopImmediatePropagation();
};

export function listenForResizes() {
  for (const target of [window, window.visualViewport]) if (target) target.addEventListener("resize", hideResize, true);
  window.addEventListener("scroll", hideResize, true);
}

// Keeps events of a resize from the page until `showResizes`.
export function hideResizes() {
  resizesAreHidden = true;
  scrolled = [...allOf(document, "*")]
    .filter((element) => element.scrollTop || element.scrollLeft)
    .map((element) => ({ element, left: element.scrollLeft, top: element.scrollTop }));
}

// The same for a frame that may be out of view, and draws nothing then: nobody waits for it.
export const beginToShowResizes = () => void showResizes();

// Resolves once the events of the last resize have fired, which takes a frame; what was scrolled is so again.
export async function showResizes() {
  await new Promise((done) =>
    requestAnimationFrame(() => {
      for (const { element, left, top } of scrolled) {
        if (element.scrollLeft !== left || element.scrollTop !== top)
          element.scrollTo({ left, top, behavior: "instant" });
      }
      scrolled = [];
      requestAnimationFrame(done); // the events of that come before
    }),
  );
  resizesAreHidden = false;
}
