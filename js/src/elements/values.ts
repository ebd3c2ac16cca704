// Changes that no input event makes; they run once and are never retried.

import { widgetFor } from "./choosing.ts";
import { get, hold } from "./held.ts";
import { optionFor } from "./state.ts";
import { inputValue } from "./tree.ts";

const dispatch = (element: Element, ...types: string[]) => {
  for (const type of types) element.dispatchEvent(new Event(type, { bubbles: true, composed: type === "input" }));
};

// Returns the token of the widget that the page draws for the select, 0 without one.
export function choose(token: number, values: string[]) {
  const select = get(token) as HTMLSelectElement;
  const wanted = values.map((value: string) => optionFor(select, value)!); // a stage has found each of them
  lastChoice = { before: [...select.selectedOptions], wanted };
  selectOnly(select, wanted);
  const widget = widgetFor(select);
  return widget ? hold(widget) : 0;
}

// The options that were selected before the last choice, and those that it selected.
type Choice = { before: HTMLOptionElement[]; wanted: HTMLOptionElement[] };
export let lastChoice: Choice = { before: [], wanted: [] };

export function selectOnly(select: HTMLSelectElement, wanted: HTMLOptionElement[]) {
  const before = [...select.options].map((option) => option.selected);
  for (const option of select.options) option.selected = wanted.includes(option);
  if ([...select.options].some((option, i) => option.selected !== before[i])) dispatch(select, "input", "change");
}

const setInputValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!;

// The browser draws pickers by locale, so typing into them is unreliable.
export function setValue(token: number, value: string) {
  const input = get(token) as HTMLInputElement;
  input.focus();
  if (inputValue(input) === value) return;
  setInputValue.call(input, value);
  dispatch(input, "input", "change");
}
