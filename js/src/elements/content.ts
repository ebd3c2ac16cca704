// The text content of an element, as part of a name: joined as it appears on the screen, without hidden parts.

import type { Computing, Naming, Part } from "./types.ts";
import { attr, childNodesOf, has, isElement, method, parentOf, tagOf, typeOf } from "../dom/nodes.ts";
import { isShown } from "../dom/older.ts";
import { generatedBy, isInline } from "./generated.ts";
import { NOTHING, alternative, isFull } from "./names.ts";
import { ownedBy, ownerOf, relationsNow } from "./relations.ts";
import { childOf, isSvg, roleFacts, roleOf } from "./roles.ts";
import { isOpen } from "./states.ts";
import { SILENT, isBoxless, renderedParent, shadowOf } from "./tree.ts";
import { shownText } from "./words.ts";

export const isAriaHidden = (element: Element) =>
  /^\s*true\s*$/i.test(attr(element, "aria-hidden") || "") && !["body", "html", "option"].includes(tagOf(element));

export function isHidden(element: Element): boolean {
  if (!isShown(element, { checkVisibilityCSS: true }) && !isBoxless(element)) return true;
  for (let at: Element | null = element; at; at = renderedParent(at)) if (isPassedOver(at)) return true;
  return false;
}

const isPassedOver = (element: Element) =>
  (has(element, "aria-hidden") && isAriaHidden(element)) || has(element, "inert");

// Returns the children as rendered: those of the shadow root or assigned to a slot; then owned elements.
export function renderedChildren(element: Element): ArrayLike<Node> & Iterable<Node> {
  const owned = ownedBy(element);
  const own = naturalChildren(element);
  return relationsNow().owners.size ? [...own, ...owned].filter((node) => !isElsewhere(node, element)) : own;
}

const assignedTo = method(HTMLSlotElement.prototype, "assignedNodes");

function naturalChildren(element: Element): ArrayLike<Node> & Iterable<Node> {
  if (element instanceof HTMLDetailsElement && !isOpen(element))
    return [childOf(element, "summary")].filter((child) => child !== null);
  if (tagOf(element) === "slot" && element instanceof HTMLSlotElement) {
    const assigned = assignedTo(element);
    return assigned.length ? assigned : childNodesOf(element);
  }
  return childNodesOf(shadowOf(element) || element);
}

const isElsewhere = (node: Node, element: Element) =>
  isElement(node) && ownerOf(node) !== undefined && ownerOf(node) !== element;

export function* content(element: Element, state: Naming): Computing {
  const gathered: Part = { text: "", starts: false, ends: false, from: "" };
  add(gathered, generatedBy(element, "::before"));
  // The text of a hidden element does not count, but its children may be visible by their own style.
  const silent = !state.referredHidden && state.silent === element;
  let before: Node | null = null;
  for (const node of renderedChildren(element)) {
    if (isFull(state)) break;
    // Owned elements are elsewhere in the document.
    if (before && parentOf(before) !== parentOf(node)) add(gathered, GAP);
    before = node;
    if (typeOf(node) === 3) {
      if (silent) continue;
      const { data } = node as Text;
      state.seen.count += Math.sign(data.length);
      // Chrome draws the options of a list without text-transform, as written.
      const isWritten = state.written || state.referredHidden || tagOf(element) === "option";
      const text = isWritten ? data : shownText(data, element);
      add(gathered, { text, from: "content", starts: state.referredHidden, ends: state.referredHidden });
    } else if (isElement(node)) {
      add(gathered, yield child(node, state));
    }
  }
  add(gathered, generatedBy(element, "::after"));
  return { ...gathered, from: "content" };
}

// Elements that are shown as one unit within a line of text.
const ATOMIC = new Set([
  "audio",
  "canvas",
  "embed",
  "iframe",
  "img",
  "input",
  "math",
  "meter",
  "object",
  "progress",
  "select",
  "svg",
  "textarea",
  "video",
]);
const NOT_DRAWN = new Set([
  "clipPath",
  "defs",
  "desc",
  "filter",
  "linearGradient",
  "marker",
  "mask",
  "metadata",
  "pattern",
  "radialGradient",
  "symbol",
  "title",
]);
const BREAK = { text: "\n", from: "content", starts: true, ends: true };
const GAP = { text: "", from: "", starts: true, ends: true };

function lineBreak(state: Naming): Part {
  state.seen.count++;
  return BREAK;
}

function* child(element: Element, state: Naming): Computing {
  const tag = tagOf(element);
  if (tag === "br") return lineBreak(state);
  if (tag === "wbr") return GAP;
  if (SILENT.has(tag) || (isSvg(element) && NOT_DRAWN.has(tag))) return NOTHING;
  const style = getComputedStyle(element);
  const edge =
    state.referredHidden || !isInline(style.display) || ATOMIC.has(tag) || (tag === "text" && isSvg(element));
  if (!state.referredHidden) {
    if (style.display === "none" && !isOptionShown(element)) return NOTHING;
    if (isPassedOver(element)) return edge ? GAP : NOTHING;
    if (style.visibility !== "visible") return yield shownWithin(element, state, edge);
  }
  return yield text(element, state, edge);
}

const isOptionShown = (element: Element) => tagOf(element) === "option" || tagOf(element) === "optgroup";

function* shownWithin(element: Element, state: Naming, edge: boolean): Computing {
  const inner = yield content(element, { ...state, silent: element });
  return { ...inner, starts: edge || inner.starts, ends: edge || inner.ends };
}

function* text(element: Element, state: Naming, edge: boolean): Computing {
  if (state.visited.has(element) && !state.referred) return edge ? GAP : NOTHING;
  const role = roleOf(element);
  if (role === "" && tagOf(element) === "img") return NOTHING;
  if (edge || role || attr(element, "aria-label") !== null || has(element, "title")) state.seen.count++;
  const part = yield alternative(element, role, state, true);
  const isApart =
    edge || CONTROL_TAGS.has(tagOf(element)) || (has(element, "role") && roleFacts(role).control && role !== "link");
  return { text: part.text, from: part.from, starts: isApart || part.starts, ends: isApart || part.ends };
}

const CONTROL_TAGS = new Set(["button", "fieldset", "input", "object", "output", "select", "textarea"]);
const isSpace = (letter: string) =>
  letter === " " || letter === "\n" || letter === "\t" || letter === "\f" || letter === "\r";

// Joins parts of one line as they are, and sets off a part that is not text of the line or has a line of its own.
function add(gathered: Part, part: Part | null): void {
  if (!part) return;
  const isFirst = gathered.from === "";
  if (part.text) {
    const apart = gathered.ends || part.starts || part.from !== "content" || gathered.from !== "content";
    const joined = gathered.text && !isSpace(gathered.text[gathered.text.length - 1]) && !isSpace(part.text[0]);
    if (!isFirst && apart && joined) gathered.text += " ";
    gathered.text += part.text;
    gathered.starts = gathered.starts || (isFirst && part.starts);
    gathered.from = part.from;
    gathered.ends = part.ends;
  } else if (part.starts) {
    if (isFirst) gathered.starts = true;
    gathered.ends = true;
  }
}
