// What an input would touch: an element, the controls around it and, for a click, those in it or labelled by it.

import {
  baseOf,
  getter,
  has,
  inElement,
  isElement,
  matches,
  openRootOf,
  parentOf,
  rawText,
  tagOf,
  writtenAttr,
} from "../dom/nodes.ts";
import { hold } from "./held.ts";

const ROLES = [
  "button",
  "checkbox",
  "link",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "switch",
  "tab",
  "treeitem",
];
const CONTROLS =
  "a,area,button,input,select,textarea,summary,label,option,iframe,frame,object,embed,[onclick]," +
  ROLES.map((role) => `[role~=${role} i]`).join(",");
const MAX_TEXT = 300;

const buttonType = getter(HTMLButtonElement.prototype, "type");
const buttonForm = getter(HTMLButtonElement.prototype, "form");
const inputType = getter(HTMLInputElement.prototype, "type");
const inputForm = getter(HTMLInputElement.prototype, "form");
const isChecked = getter(HTMLInputElement.prototype, "checked");
const controlOf = getter(HTMLLabelElement.prototype, "control");

const withoutFragment = (url: string) => url.split("#")[0];

// Returns "document", "download" or "fragment"; "" for an element that is not a link.
function linkOf(element: Element): string {
  const plain = writtenAttr(element, "href");
  const href = plain !== null ? plain : writtenAttr(element, "xlink:href");
  if (href === null || !["a", "area"].includes(tagOf(element))) return "";
  if (has(element, "download")) return "download";
  let url = "";
  try {
    url = new URL(href, baseOf(element)).href;
  } catch {
    return "document";
  }
  const target = (writtenAttr(element, "target") || "").toLowerCase();
  const stays = url.includes("#") && withoutFragment(url) === withoutFragment(location.href);
  return stays && ["", "_self"].includes(target) ? "fragment" : "document";
}

// Returns "submit", "image", "reset" or "file" for a button or an input of that type, and else "".
function pressedAs(element: Element): string {
  const isInput = tagOf(element) === "input" && element instanceof HTMLInputElement;
  if (!isInput && !(tagOf(element) === "button" && element instanceof HTMLButtonElement)) return "";
  const type = isInput ? inputType(element) : buttonType(element as HTMLButtonElement);
  if (type === "file" || type === "reset" || type === "image") return type;
  if (has(element, "formaction")) return "submit";
  const isExplicit = (writtenAttr(element, "type") || "").trim().toLowerCase() === "submit";
  const form = isInput ? inputForm(element) : buttonForm(element as HTMLButtonElement);
  return type === "submit" && (isInput || isExplicit || form) ? "submit" : "";
}

function stateOf(element: Element): string {
  const parent = parentOf(element);
  const states = ["aria-expanded", "aria-pressed", "aria-checked"].map((name) => writtenAttr(element, name));
  const checked = element instanceof HTMLInputElement && isChecked(element);
  const open = tagOf(element) === "summary" && parent && has(parent as Element, "open");
  return [...states, checked, open].join();
}

const factOf = (element: Element, place: string) => ({
  token: hold(element),
  place,
  tag: tagOf(element),
  link: linkOf(element),
  pressed: pressedAs(element),
  role: (writtenAttr(element, "role") || "").toLowerCase(),
  text: matches(element, CONTROLS) ? rawText(element)!.slice(0, MAX_TEXT) : "",
  state: stateOf(element),
});

function controlsAround(element: Element): Element[] {
  const found: Element[] = [];
  let at: Node | null | undefined = element;
  while ((at = parentOf(at) || (at as Partial<ShadowRoot>).host)) {
    if (isElement(at) && matches(at, CONTROLS)) found.push(at);
  }
  return found;
}

// Yields the rendered controls in an element or a shadow root, through open shadow roots.
function* controlsIn(root: Element | ShadowRoot): Generator<Element> {
  for (const element of isElement(root) ? inElement(root, "*") : root.querySelectorAll("*")) {
    if (element.getClientRects().length > 0 && matches(element, CONTROLS)) yield element;
    const shadow = openRootOf(element);
    if (shadow) yield* controlsIn(shadow);
  }
}

function controlsWithin(element: Element, most: number): Element[] {
  const found: Element[] = [];
  const shadow = openRootOf(element);
  for (const root of shadow ? [element, shadow] : [element]) {
    for (const control of controlsIn(root)) {
      if (found.length > most) return found;
      found.push(control);
    }
  }
  return found;
}

// Describes what is touched; of more than `most` elements, not all.
export function partsTouched(element: Element, clicks: boolean, most: number) {
  const found: [Element, string][] = [[element, "self"]];
  for (const each of controlsAround(element)) found.push([each, "around"]);
  if (clicks) for (const each of controlsWithin(element, most - found.length)) found.push([each, "inside"]);
  for (const [each] of clicks ? [...found] : []) {
    const control = each instanceof HTMLLabelElement && controlOf(each);
    if (control) found.push([control, "labelled"]);
  }
  return found.map(([each, place]) => factOf(each, place));
}
