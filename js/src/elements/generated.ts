// Generated content: `::before` and `::after`, read from the computed `content`.

import type { Part } from "./types.ts";
import { closest, parentOf, tagOf } from "../dom/nodes.ts";
import { isSvg } from "./roles.ts";
import { inCase } from "./words.ts";

export const GENERATED = ["::before", "::after"];

// A CSS string, or a word with or without arguments: counter(…), url(…), open-quote, and the slash.
const PIECE = /"((?:[^"\\]|\\[\s\S])*)"|([a-z-]+)(?:\((?:"(?:[^"\\]|\\[\s\S])*"|[^"()])*\))?|(\/)/gi;
const ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi;
const QUOTES = ["open-quote", "close-quote"];
// `quotes: auto` in English, by depth; Chrome has pairs for a hundred other languages.
const ENGLISH_QUOTES: string[] = ["\u201c", "\u201d", "\u2018", "\u2019"];
const MAX_CONTENT = 100000;

const unescaped = (text: string) =>
  text.replace(ESCAPE, (_: string, hex: string, other: string) => {
    if (!hex) return other === "\n" ? "" : other;
    const code = parseInt(hex, 16);
    return code && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });

// Returns the text of a computed `content`: its alternative text, or else its strings; counters and images have no text.
// null if there is no such pseudo-element.
function wordsOf({ content, quotes }: CSSStyleDeclaration, depth: number) {
  if (!content || content === "none" || content === "normal") return null;
  const sides = [""];
  for (const [, string, word, slash] of content.slice(0, MAX_CONTENT).matchAll(PIECE)) {
    if (slash) sides.push("");
    else sides[sides.length - 1] += word ? quote(word, quotes, depth) : unescaped(string);
  }
  return { text: sides[sides.length - 1], isAlternative: sides.length > 1 };
}

function quote(word: string, quotes: string, depth: number) {
  const side = QUOTES.indexOf(word);
  if (side < 0 || depth === NOT_QUOTED) return "";
  const own = [...quotes.matchAll(PIECE)].flatMap(([, mark]) => (mark === undefined ? [] : [unescaped(mark)]));
  const marks = quotes === "auto" ? ENGLISH_QUOTES : own;
  return marks[Math.min(2 * depth, marks.length - 2) + side] || "";
}

// Returns the quotation depth of the element; nested quotations use other marks. A close-quote without an open-quote has none.
function quotesRound(element: Element, which: string) {
  const isOpened = which === "::before" || getComputedStyle(element, "::before").content.includes("open-quote");
  const outer = parentOf(element);
  return !isOpened ? NOT_QUOTED : outer instanceof Element && closest(outer, "q") ? 1 : 0;
}
const NOT_QUOTED = -1;

// Replaced elements, which have no generated content.
const REPLACED = new Set([
  "audio",
  "br",
  "canvas",
  "embed",
  "frame",
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
  "wbr",
]);

export function generatedBy(element: Element, which: string): Part | null {
  if (isSvg(element) || REPLACED.has(tagOf(element))) return null;
  const style = getComputedStyle(element, which);
  const { content } = style;
  const words = wordsOf(style, content.includes("quote") ? quotesRound(element, which) : 0);
  if (!words || style.display === "none" || style.visibility !== "visible") return null;
  const edge = !isInline(style.display);
  const [text, from] = words.isAlternative ? [words.text, "attribute"] : [inCase(words.text, style), "content"];
  return { text, from, starts: edge, ends: edge };
}

export const isInline = (display: string) => display === "inline" || display === "ruby" || display === "ruby-text";
