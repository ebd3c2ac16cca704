// Filters take the matches so far and keep some of them; groups find by whole selectors that stand inside a step.

import type { Scope, Steps } from "./types.ts";
import { inSteps, matchesIn } from "./find.ts";
import { topmost } from "./searching.ts";
import { isRendered } from "./tree.ts";
import { wantedOf } from "./wanted.ts";
import { havingText, read } from "./words.ts";

type Filters = "nth" | "visible" | "has-text" | "has" | "and";

export const FILTERS: { [K in Filters]: (step: Steps[K], found: Element[], root: Scope) => Element[] } = {
  nth: ({ index }, found) => found.slice(index).slice(0, found.length + index < 0 ? 0 : 1),

  visible: ({ visible }, found) => found.filter((element) => isRendered(element) === visible),

  "has-text": (step, found) => {
    const wanted = wantedOf({ text: step.text, exact: false, pattern: step.pattern });
    const having = new Set(
      topmost(found).flatMap((top: Element) => {
        const reading = read(top);
        return havingText(reading, wanted).map((i) => reading.elements[i]);
      }),
    );
    return found.filter((element: Element) => having.has(element) === step.wanted);
  },

  has: ({ steps, wanted }, found) => found.filter((element) => matchesIn(steps, element).length > 0 === wanted),

  and: ({ steps }, found, root) => {
    const others = new Set<Element>(inSteps(steps, root, root).found);
    return found.filter((element: Element) => others.has(element));
  },
};
