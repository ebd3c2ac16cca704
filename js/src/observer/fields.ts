// Tells whether a field has changed since the wait began. Some pages listen to no event of their forms, but look at them
// again and again, to save them or to say that there is something to save.

import type { Root } from "../dom/nodes.ts";
import { listen, tagOf } from "../dom/nodes.ts";

export let fieldsChanged = false;

export function followFields(root: Root) {
  const onChange = () => {
    fieldsChanged = true;
  };
  for (const type of ["input", "change"]) listen(root, type, onChange, { capture: true, passive: true });
}

// Begins a wait.
export function forgetFields() {
  fieldsChanged = false;
}

// A script that changes a hidden field causes no event, but a record.
export function noteField({ attributeName, target }: MutationRecord) {
  if (attributeName === "value" && tagOf(target as Element) === "input") fieldsChanged = true;
}
