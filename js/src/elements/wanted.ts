// What a step wants a text to be: the whole of it, a part of it in any case, or what a regular expression finds something in.

import { nameOf, writtenNameOf } from "./names.ts";
import { collapse } from "./tree.ts";
import { WALL, fold, visibleText } from "./words.ts";

export const compared = (text, exact) => (exact ? collapse(visibleText(text)) : fold(collapse(visibleText(text))));

export function says(value, text, exact) {
  const own = compared(value || "", exact);
  return exact ? own === compared(text, exact) : own.includes(compared(text, exact));
}

// Returns { says, testOf }: a predicate for a single text, and one that makes a predicate for the elements of a `Prose`.
export function wantedOf({ text, exact, pattern }) {
  if (!pattern) {
    const words = compared(text, exact);
    return { says: (value) => says(value, text, exact), testOf: (prose) => prose.test(words, exact) };
  }
  const regex = new RegExp(pattern[0], pattern[1]);
  return {
    says: (value) => regex.test(compared(value || "", true)),
    testOf: (prose) => (i) => partsOf(prose.textOf(i)).some((part) => regex.test(part)),
  };
}

// No match extends from an element's content into its shadow tree.
function partsOf(text) {
  const parts = text.split(WALL).map((part) => part.trim());
  return parts.length > 1 ? parts.filter(Boolean) : parts;
}

// A whole name matches as shown; if none does, as written in the source. So does a regular expression.
export function namedSo(elements, role, step) {
  const { text, exact, pattern } = { text: step.name, exact: step.exact, pattern: step.pattern };
  const wanted = wantedOf({ text, exact, pattern });
  const named = elements.map((element) => [element, nameOf(element, role)]);
  const alike = pattern ? named : named.filter(([, name]) => says(name, text, false));
  const shown = exact || pattern ? alike.filter(([, name]) => wanted.says(name)) : alike;
  const isWritten = pattern ? wanted.says : (name) => says(name, text, true);
  const found = shown.length ? shown : alike.filter(([element]) => isWritten(writtenNameOf(element, role)));
  return found.map(([element]) => element);
}
