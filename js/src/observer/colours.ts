// Tells whether the page is light or dark: a theme that style sheets switch changes nothing else that a snapshot holds.

import { bodyOf, boxOf, childrenOf, topOf } from "../dom/nodes.ts";
import { MAX_NAMED } from "./naming.ts";

const DEEP_BACKGROUND = 5; // wrappers of the whole page that are looked at
const WHOLE_PAGE = 0.9; // share of the width and the height that a wrapper of the page has

let schemeBefore = ""; // when armed

export const rememberScheme = () => {
  schemeBefore = schemeOfPage();
};

// Returns the scheme before and after, if another one is shown since armed.
export function schemeChange() {
  const scheme = schemeBefore && schemeOfPage();
  return scheme !== schemeBefore ? [schemeBefore, scheme] : null;
}

// Returns "light" or "dark".
function schemeOfPage() {
  let background = "",
    at: Element | null = topOf(document);
  for (let depth = 0; at && depth < DEEP_BACKGROUND; depth++) {
    const styles = getComputedStyle(at);
    if (styles.position === "fixed") break; // what lies over the page
    if (brightnessOf(styles.backgroundColor) !== null) background = styles.backgroundColor;
    at = at === topOf(document) ? bodyOf(document) : wrapperIn(at);
  }
  return (background ? brightnessOf(background)! < 0.5 : isCanvasDark()) ? "dark" : "light";
}

// The colour of a page that sets none.
function isCanvasDark() {
  const schemes = topOf(document) ? getComputedStyle(topOf(document)).colorScheme || "" : "";
  const takesDark = /\bdark\b/.test(schemes),
    takesLight = /\blight\b/.test(schemes);
  return takesDark && (!takesLight || matchMedia("(prefers-color-scheme: dark)").matches);
}

function wrapperIn(element: Element) {
  for (const child of [...childrenOf(element)].slice(0, MAX_NAMED)) {
    const box = boxOf(child);
    if (box.width >= innerWidth * WHOLE_PAGE && box.height >= innerHeight * WHOLE_PAGE) return child;
  }
  return null;
}

// Returns how bright an opaque colour is, 0 to 1; null for any other.
function brightnessOf(colour: string) {
  const numbers = (colour.match(/[\d.]+/g) || []).map(Number);
  const [red, green, blue, alpha = 1] = numbers;
  if (!/^rgba?\(/.test(colour) || alpha < 1) return null;
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}
