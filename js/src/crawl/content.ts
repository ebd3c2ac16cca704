// Returns what a crawl records of the document: its URL, title, type, links and text, and what the document of the page
// asks of crawlers. Of fragments, only those stay that are routes of an application, as `#/guide` and `#!guide`.
//
// The text is what a person can read, as innerText lays it out. innerText leaves out what shadow trees, frames and
// sections far below the view show, so whatever contains one of these is walked, and only the blocks beside it are asked
// for theirs. `texts` has the parts of the text; between two of them stands a frame, and `shown_frames` returns these.
// The scripts of `elements` have run before, and know the closed shadow trees that were passed to them.

import type { Root } from "../dom/nodes.ts";
import {
  baseOf,
  bodyOf,
  boxesOf,
  childNodesOf,
  getter,
  isElement,
  method,
  namespaceOf,
  parentOf,
  queryIn,
  rangeIn,
  innerTextOf,
  tagOf,
  titleOf,
  topOf,
  typeOf,
  walkerIn,
  writtenAttr,
} from "../dom/nodes.ts";
import { directives } from "./directives.ts";

const { contentOf, hostOrParent, inCase, isRendered, isShown, shadowOf } = globalThis.__sf!;

const FRAMES = new Set(["iframe", "frame", "object", "embed"]);
const SOURCES = new Set(["script", "style", "template"]);
// Chrome's own words, which it writes into a document that a style sheet has transformed.
const XSLT_WARNING = "xslt-warning-banner";
// What stands between the tags of these is for browsers that cannot show them, or is the value of a field.
const REPLACED = new Set(["audio", "canvas", "img", "input", "meter", "progress", "textarea", "video", XSLT_WARNING]);
// Asked as a whole. A slot is not: what it shows stands elsewhere in the document.
const BLOCKS = new Set(["block", "flex", "flow-root", "grid", "list-item", "table"]);
const LINES = new Set([...BLOCKS, "table-caption", "table-row"]);
const MAX_FRAMES = 100; // of one document; pages full of advertisements have some dozens
// What an SVG only refers to.
const REFERRED = new Set(["clipPath", "defs", "desc", "marker", "mask", "metadata", "pattern", "symbol", "title"]);
const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";

const mediaTypeOf = getter(Document.prototype, "contentType");
const byId = method(Document.prototype, "getElementById");

export default function content(maxText: number, maxLinks: number) {
  const found = look(maxLinks);
  const root = treeOf(document) || bodyOf(document) || topOf(document);
  const text = new ShownText(maxText);
  if (root && isThere(root)) walk(root, found.around, text);
  globalThis.__sfShownFrames = text.frames;
  return {
    url: location.href,
    title: titleOf(document) || "",
    contentType: mediaTypeOf(document),
    texts: text.parts(),
    links: [...found.links].slice(0, maxLinks),
    textTruncated: text.isFull,
    linksTruncated: found.links.size > maxLinks,
    asks: window.parent === window ? directives() : null,
  };
}

// Returns the tree in which Chrome shows XML without a style sheet, below a heading of its own; null for other documents.
const treeOf = (shown: Document) =>
  byId(shown, "webkit-xml-viewer-source-xml") && mediaTypeOf(shown) !== "text/html"
    ? queryIn(shown, ".pretty-print")[0]
    : null;

// -- links, and what innerText does not see ---------------------------------------------------------------------------

// Looks at every element once, what a shadow tree holds at its host.
function look(maxLinks: number) {
  const links = new Set<string>();
  const around = new Set<Element>(); // the elements that must be walked
  const inside = (root: Root) => {
    const walker = walkerIn(document, root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode() as Element | null; node; node = walker.nextNode() as Element | null) {
      const tag = tagOf(node);
      const shadow = tag === XSLT_WARNING ? null : shadowOf(node);
      if ((tag === "a" || tag === "area") && links.size <= maxLinks) addLink(links, node);
      if (shadow || FRAMES.has(tag) || tag === "slot" || isShownSource(node, tag) || isDeferred(node)) {
        for (let up: Element | null = node; up && !around.has(up); up = hostOrParent(up)) around.add(up);
      }
      if (shadow) inside(shadow);
    }
  };
  inside(document);
  return { links, around };
}

// Style sheets that demonstrate themselves have `display: block`.
const isShownSource = (element: Element, tag: string) => SOURCES.has(tag) && boxesOf(element).length > 0;

// A section with `content-visibility: auto` has no layout while it is far from the view.
const isDeferred = (element: Element) =>
  CSS.supports("content-visibility", "auto") &&
  (getComputedStyle(element) as { contentVisibility?: string }).contentVisibility === "auto";

function addLink(links: Set<string>, element: Element) {
  const href = hrefOf(element);
  if (/^https?:/.test(href) && isUrl(href)) links.add(pageOf(href));
}

// Where `http://[` is written, that is what `href` returns.
function isUrl(href: string): boolean {
  try {
    return Boolean(new URL(href));
  } catch {
    return false;
  }
}

function hrefOf(element: Element): string {
  if (namespaceOf(element) !== SVG) return (element as HTMLAnchorElement).href || "";
  const written = writtenAttr(element, "href") || element.getAttributeNS(XLINK, "href");
  try {
    return written === null ? "" : new URL(written, baseOf(document)).href;
  } catch {
    return "";
  }
}

const isRoute = (fragment: string) => /^[/!]+[^/!]/.test(fragment) && byId(document, fragment) === null;

function pageOf(href: string) {
  const at = href.indexOf("#");
  return at < 0 || isRoute(href.slice(at + 1)) ? href : href.slice(0, at);
}

// -- text -------------------------------------------------------------------------------------------------------------

// An element with `display: contents` has no box, and what it holds is shown if its parent is.
const isThere = (element: Element): boolean => {
  const { display } = getComputedStyle(element);
  if (display === "none") return false;
  if (display !== "contents") return isShown(element);
  const up = hostOrParent(element);
  return !up || isThere(up);
};

// What is left to do in a walk, the next at the end: a node, or the lines that end after one. Below a section without
// layout everything is walked, which `deep` says.
type Left = { node: Node; deep: boolean; style: CSSStyleDeclaration } | { ends: number } | { cell: true };

function walk(root: Element, around: Set<Element>, text: ShownText) {
  const left: Left[] = [{ node: root, deep: !(root instanceof HTMLElement), style: getComputedStyle(root) }];
  while (left.length && !text.isFull) {
    const next = left.pop()!;
    if ("ends" in next) text.end(next.ends);
    else if ("cell" in next) text.add("\t");
    else if (typeOf(next.node) === 3 || typeOf(next.node) === 4) say(next.node as Text, next.style, text);
    else if (isElement(next.node)) enter(next.node, next.deep, around, left, text);
  }
}

function enter(element: Element, deep: boolean, around: Set<Element>, left: Left[], text: ShownText) {
  const tag = tagOf(element);
  const style = getComputedStyle(element);
  const { display } = style;
  if (SOURCES.has(tag) || display === "none" || !(display === "contents" || isShown(element))) return;
  if (tag === "br") return text.add("\n");
  const lines = tag === "p" ? 2 : LINES.has(display) ? 1 : 0;
  if (FRAMES.has(tag) && isInView(element)) text.frame(element);
  if (REPLACED.has(tag) || (namespaceOf(element) === SVG && REFERRED.has(tag))) return;
  text.end(lines);
  if (tag === "select") {
    if (isRendered(element)) text.add([...(element as HTMLSelectElement).options].map((each) => each.text).join("\n"));
  } else if (!deep && BLOCKS.has(display) && !around.has(element) && element instanceof HTMLElement) {
    text.add(innerTextOf(element));
  } else {
    if (lines) left.push({ ends: lines });
    if (display === "table-cell" && element.nextElementSibling) left.push({ cell: true });
    const within = deep || isDeferred(element);
    const children = tag === "iframe" || tag === "frame" ? [] : childrenShown(element, tag);
    for (let i = children.length - 1; i >= 0; i--) left.push({ node: children[i], deep: within, style });
    return;
  }
  text.end(lines);
}

// A host shows its shadow tree, and a slot what is assigned to it.
const childrenShown = (element: Element, tag: string): ArrayLike<Node> =>
  tag === "slot" || shadowOf(element) ? contentOf(element) : childNodesOf(element);

// A frame of one pixel counts visitors and shows nothing.
function isInView(element: Element) {
  return element.clientWidth > 1 && element.clientHeight > 1 && getComputedStyle(element).visibility === "visible";
}

// The text of an SVG stands in some of its elements only, and that of an object is for browsers that cannot show it.
function say(node: Text, style: CSSStyleDeclaration, text: ShownText) {
  const around = parentOf(node)!;
  if (style.visibility !== "visible") return;
  if (isElement(around) && isDoubtful(around) && !hasBox(node)) return;
  const { whiteSpace } = style;
  text.say(inCase(node.data, style), whiteSpace.startsWith("pre") || whiteSpace === "break-spaces", whiteSpace);
}

const isDoubtful = (element: Element) => namespaceOf(element) === SVG || tagOf(element) === "object";

function hasBox(node: Node) {
  const range = rangeIn(document);
  range.selectNodeContents(node);
  return range.getClientRects().length > 0;
}

// The text so far, in the parts between which frames stand.
class ShownText {
  frames: Element[] = [];
  isFull = false;
  private done: string[] = [];
  private pieces: string[] = [];
  private room: number;
  private lines = 0; // that must be between what there is and what comes
  private gap = false; // white space, which counts if more of the line comes
  private isFresh = true; // whether a line begins

  constructor(room: number) {
    this.room = room;
  }

  // Adds text as it was written in the document.
  say(data: string, isKept: boolean, whiteSpace: string) {
    if (isKept && whiteSpace !== "pre-line") {
      if (data) this.add(data);
      return;
    }
    const words = whiteSpace === "pre-line" ? data.split("\n") : [data];
    words.forEach((line, at) => {
      if (at) this.add("\n");
      const joined = line.replace(/[ \t\n\r\f]+/g, " ");
      if (joined[0] === " ") this.gap = !this.isFresh;
      const body = joined.replace(/^ | $/g, "");
      if (!body) return;
      this.add(body);
      this.gap = joined.endsWith(" ");
    });
  }

  // Adds text as it is laid out.
  add(data: string) {
    if (!data) return;
    const isFirst = !this.pieces.length;
    const before =
      this.lines && !isFirst ? "\n".repeat(this.lines) : this.gap && data !== "\n" && !this.lines ? " " : "";
    const whole = before + data;
    this.pieces.push(whole.slice(0, this.room));
    this.isFull = whole.length > this.room;
    this.room -= Math.min(this.room, whole.length);
    this.lines = 0;
    this.gap = false;
    this.isFresh = /[\n\t]$/.test(data);
  }

  // Ends the line, and leaves `lines - 1` free if more comes.
  end(lines: number) {
    if (!lines) return;
    this.lines = Math.max(this.lines, lines);
    this.gap = false;
    this.isFresh = true;
  }

  frame(element: Element) {
    if (this.frames.length >= MAX_FRAMES) {
      this.isFull = true;
      return;
    }
    this.done.push(this.pieces.join(""));
    this.pieces = [];
    this.lines = 0;
    this.gap = false;
    this.isFresh = true;
    this.frames.push(element);
  }

  parts(): string[] {
    return [...this.done, this.pieces.join("")];
  }
}
