// What a step wants a text to be: the whole of it, a part of it in any case, or what a regular expression finds something in.

import type { Prose } from "./words.ts";
import type { Steps, Worded } from "./types.ts";
import { nameOf, writtenNameOf } from "./names.ts";
import { collapse } from "./tree.ts";
import { WALL, fold, visibleText } from "./words.ts";

export const compared = (text: string, exact: boolean) =>
  exact ? collapse(visibleText(text)) : fold(collapse(visibleText(text)));

export function says(value: string | null, text: string, exact: boolean) {
  const own = compared(value || "", exact);
  return exact ? own === compared(text, exact) : own.includes(compared(text, exact));
}

// Returns { says, testOf }: a predicate for a single text, and one that makes a predicate for the elements of a `Prose`.
export type Wanted = {
  says: (value: string) => boolean;
  testOf: (prose: Prose) => (i: number) => boolean;
};

export function wantedOf({ text, exact, pattern }: Worded): Wanted {
  if (!pattern) {
    const words = compared(text, exact);
    return { says: (value: string) => says(value, text, exact), testOf: (prose: Prose) => prose.test(words, exact) };
  }
  const regex = new RegExp(pattern[0], pattern[1]);
  return {
    says: (value: string) => regex.test(compared(value || "", true)),
    testOf: (prose: Prose) => (i: number) => partsOf(prose.textOf(i)).some((part: string) => regex.test(part)),
  };
}

// No match extends from an element's content into its shadow tree.
function partsOf(text: string) {
  const parts = text.split(WALL).map((part: string) => part.trim());
  return parts.length > 1 ? parts.filter(Boolean) : parts;
}

// A whole name matches as shown; if none does, as written in the source. So does a regular expression.
export function namedSo(elements: Element[], role: string, step: Steps["role"]): Element[] {
  const { exact, pattern } = step;
  const text = step.name || "";
  const wanted = wantedOf({ text, exact, pattern });
  const named = elements.map((element): [Element, string] => [element, nameOf(element, role)]);
  const alike = pattern ? named : named.filter(([, name]) => says(name, text, false));
  const shown = exact || pattern ? alike.filter(([, name]) => wanted.says(name)) : alike;
  const isWritten = pattern ? wanted.says : (name: string) => says(name, text, true);
  const found = shown.length ? shown : alike.filter(([element]) => isWritten(writtenNameOf(element, role)));
  return found.map(([element]) => element);
}
