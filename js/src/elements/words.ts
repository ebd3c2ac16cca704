// The visible text of a subtree, read in one walk: every element is a range of one string, so that nested elements cost no
// more than flat ones.

import type { Wanted } from "./wanted.ts";
import type { Root } from "../dom/nodes.ts";
import { childNodesOf, isElement, owns, queryIn, rawText, tagOf, topOf, typeOf } from "../dom/nodes.ts";
import {
  SILENT,
  breaksLine,
  collapse,
  hostOrParent,
  inputValue,
  isButtonInput,
  pushReversed,
  roots,
  shadowOf,
} from "./tree.ts";

// Soft hyphens and zero-width spaces only mark where a line may break, and the glyphs of icon fonts have no meaning.
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;
export const visibleText = (text: string): string => text.replace(INVISIBLE, "");

// Converts to lower case and keeps the length, because a few letters become two ("İ").
export function fold(text: string) {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return [...text]
    .map((letter) => {
      const small = letter.toLowerCase();
      return small.length === letter.length ? small : letter;
    })
    .join("");
}

// The letters that a text in `element` shows: `text-transform` may change their case.
const CASES: Record<string, (text: string) => string> = {
  uppercase: (text: string) => text.toUpperCase(),
  lowercase: (text: string) => text.toLowerCase(),
  capitalize: (text: string) => text.replace(WORD_STARTS, (letter: string) => letter.toUpperCase()),
};
const WORD_STARTS = /(?<![\p{L}\p{M}\p{N}'\u2019_])\p{L}/gu;

export const inCase = (text: string, { textTransform }: { textTransform: string }): string =>
  owns(CASES, textTransform) ? CASES[textTransform](text) : text;
export const shownText = (text: string, element: Element): string =>
  /\S/.test(text) ? inCase(text, getComputedStyle(element)) : text;

export class Prose {
  parts: string[] = [];
  length = 0;
  starts: number[] = [];
  ends: number[] = [];
  gap = false; // whether white space comes before the next text

  whole: string | undefined;

  say(data: string) {
    const words = visibleText(data).replace(/\s+/g, " ");
    if (words[0] === " ") this.gap = true;
    const body = words.trim();
    if (!body) return;
    this.put((this.gap && this.length ? " " : "") + body);
    this.gap = words.endsWith(" ");
  }

  put(text: string) {
    this.parts.push(text);
    this.length += text.length;
    this.gap = false;
  }

  all() {
    if (this.whole === undefined) this.whole = this.parts.join("");
    return this.whole;
  }

  textOf(i: number) {
    return this.all().slice(this.starts[i], this.ends[i]);
  }

  // Returns a predicate for element numbers: whether the element's text is, or contains, these words.
  test(words: string, exact: boolean) {
    const text = this.all();
    const found = occurrences(exact ? text : fold(text), words);
    return (i: number) => {
      const end = this.ends[i];
      const start = this.starts[i] + (text[this.starts[i]] === " " ? 1 : 0);
      const next = found[lowerBound(found, start)];
      if (next === undefined || next + words.length > end) return false;
      return !exact || (next === start && next + words.length === end);
    };
  }
}

// Knuth-Morris-Pratt: linear in the text, however often the words begin in it.
function occurrences(text: string, words: string): number[] {
  const first = text.indexOf(words);
  if (first < 0) return [];
  const borders = new Uint32Array(words.length);
  for (let i = 1, k = 0; i < words.length; i++) {
    while (k && words[i] !== words[k]) k = borders[k - 1];
    if (words[i] === words[k]) k++;
    borders[i] = k;
  }
  const found: number[] = [];
  for (let i = first, k = 0; i < text.length; i++) {
    while (k && text[i] !== words[k]) k = borders[k - 1];
    if (text[i] === words[k]) k++;
    if (k === words.length) {
      found.push(i - k + 1);
      k = borders[k - 1];
    }
  }
  return found;
}

function lowerBound(sorted: number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// No match extends from an element's content into its shadow tree.
export const WALL = "\0" as const;
const FIELD_TAGS = new Set(["input", "select", "textarea"]);

// Reads the elements in and below `top` in order, content before shadow tree, and their text in two versions: as seen,
// where blocks are separate, letters have the case that CSS gives them, buttons show their values and fields have none;
// and as in the source, where only white space and <br> separate words. Generated selectors use the latter. `labels`
// leaves out controls altogether.
export type Reading = { elements: Element[]; last: number[]; seen: Prose; source: Prose };

export function read(top: Element, labels = false): Reading {
  const elements: Element[] = [];
  const last: number[] = []; // for each element, the number of its last descendant
  const seen = new Prose();
  const source = new Prose();
  const part = (element: Element) => {
    if (!seen.gap && seen.length && breaksLine(element)) seen.gap = true;
  };
  const leave = (i: number) => {
    seen.ends[i] = seen.length;
    source.ends[i] = source.length;
    last[i] = elements.length - 1;
    part(elements[i]);
  };
  const stack: (Node | number | typeof WALL)[] = [top];
  while (stack.length) {
    const node = stack.pop()!;
    if (typeof node === "number") {
      leave(node);
      continue;
    }
    if (typeof node === "string") {
      seen.put(WALL);
      source.put(WALL);
      continue;
    }
    if (typeOf(node) === 3) {
      const { data } = node as Text;
      seen.say(shownText(data, hostOrParent(node)!));
      source.say(data);
      continue;
    }
    if (!isElement(node) || SILENT.has(tagOf(node))) continue;
    part(node);
    const i = elements.push(node) - 1;
    seen.starts[i] = seen.length;
    source.starts[i] = source.length;
    if (tagOf(node) === "br") seen.gap = source.gap = true;
    if (labels && FIELD_TAGS.has(tagOf(node))) {
      leave(i);
      continue;
    }
    if (node instanceof HTMLInputElement && isButtonInput(node)) {
      seen.gap = true;
      seen.say(inputValue(node));
      leave(i);
      seen.gap = true;
      continue;
    }
    if (tagOf(node) === "textarea") {
      leave(i);
      source.say(rawText(node) || "");
      continue;
    }
    stack.push(i);
    const shadow = shadowOf(node);
    if (shadow) {
      stack.push(WALL);
      pushReversed(stack, childNodesOf(shadow));
      stack.push(WALL);
    }
    pushReversed(stack, childNodesOf(node));
  }
  return { elements, last, seen, source };
}

// Returns the numbers of the elements that have a wanted text.
export function havingText({ elements, seen, source }: Reading, wanted: Wanted): number[] {
  const tests = [wanted.testOf(seen), wanted.testOf(source)];
  return [...elements.keys()].filter((i) => tests.some((test) => test(i)));
}

// Descendants follow their element in order, so the next match shows whether an element is the innermost.
export function innermostHaving(reading: Reading, wanted: Wanted) {
  const holders = havingText(reading, wanted);
  return holders.filter((i, at) => !(holders[at + 1] <= reading.last[i])).map((i) => reading.elements[i]);
}

// Returns the elements with these words as a run of text between two of their children.
export function withOwnLine({ elements }: Reading, words: string): Element[] {
  return elements.filter((element: Element) => {
    if (element instanceof HTMLTextAreaElement) return false;
    let line = "";
    for (const node of childNodesOf(element)) {
      if (typeOf(node) === 3) line += (node as Text).data;
      else if (typeOf(node) === 1) {
        if (collapse(visibleText(line)) === words) return true;
        line = "";
      }
    }
    return collapse(visibleText(line)) === words;
  });
}

// Returns whether any text of the document can match these words; most checks of a wait end here.
export function mayRead(words: string): boolean {
  const squeeze = (text: string) => fold(visibleText(text)).replace(/\s+/g, "");
  const wanted = squeeze(words);
  return roots().some((root: Root) => {
    const top = root === document ? topOf(document) : root;
    if (top && squeeze(rawText(top) || "").includes(wanted)) return true;
    return ([...queryIn(root, "input")] as HTMLInputElement[])
      .filter(isButtonInput)
      .map((input) => squeeze(inputValue(input)))
      .some((value) => value && (value.includes(wanted) || wanted.includes(value)));
  });
}
