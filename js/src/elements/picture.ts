// What a document changes for the time of a picture: styles, animations, and covers over what must not be seen.

import type { Root } from "../dom/nodes.ts";
import type { Target } from "./types.ts";
import { boxOf } from "../dom/nodes.ts";
import { isChain, search } from "./find.ts";

const sheets: [Root, CSSStyleSheet][] = []; // [root, sheet] of each style sheet that is in effect for the picture
const covers: HTMLElement[] = [];
const HOST_STYLE = Object.entries({
  all: "initial",
  display: "block",
  position: "absolute",
  left: "0",
  top: "0",
  width: "0",
  height: "0",
  "z-index": "2147483647",
  "pointer-events": "none",
  overflow: "visible",
})
  .map(([name, value]) => `${name}: ${value} !important`)
  .join("; ");
const stilled: Animation[] = []; // animations that run on afterwards

function rootsBelow(root: Root, found: Root[] = []): Root[] {
  found.push(root);
  for (const element of root.querySelectorAll("*")) if (element.shadowRoot) rootsBelow(element.shadowRoot, found);
  return found;
}

export function addPictureStyle(css: string) {
  for (const root of rootsBelow(document)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    sheets.push([root, sheet]);
  }
}

// Ends what has an end, and shows the start of what has none.
export function stillAnimations() {
  for (const root of rootsBelow(document)) {
    if (!("getAnimations" in root)) continue; // before Chrome 84
    for (const animation of root.getAnimations()) {
      if (animation.playState === "idle" || stilled.includes(animation)) continue;
      try {
        if (animation.effect && animation.effect.getComputedTiming().endTime === Infinity) {
          animation.cancel();
          stilled.push(animation);
        } else {
          animation.finish();
        }
      } catch {
        continue; // one that cannot end stays as it is
      }
    }
  }
}

// Covers each element that matches; the place of a box is one in the document, so that it may be scrolled.
export function coverMatches(target: Target, colour: string) {
  const found = isChain(target) ? search(target).found : [target];
  const host = document.createElement("div");
  host.style.cssText = HOST_STYLE;
  const root = host.attachShadow({ mode: "closed" });
  document.documentElement.append(host);
  if (host.showPopover) {
    host.popover = "manual";
    host.showPopover(); // above dialogs and other popovers
  }
  const origin = host.getBoundingClientRect();
  for (const element of found) {
    const { left, top, width, height } = boxOf(element);
    const cover = document.createElement("div");
    cover.style.cssText =
      `position: absolute; left: ${left - origin.left}px; top: ${top - origin.top}px; width: ${width}px; ` +
      `height: ${height}px; background: ${colour}`;
    root.append(cover);
  }
  covers.push(host);
  return found.length;
}

export function endPicture() {
  for (const host of covers.splice(0)) host.remove();
  for (const [root, sheet] of sheets.splice(0)) {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((each) => each !== sheet);
  }
  for (const animation of stilled.splice(0)) animation.play();
}
