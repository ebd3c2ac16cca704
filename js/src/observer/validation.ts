// Notices which field kept a form from being sent. The browser says so in a bubble beside the field, which is not part
// of the document, so no snapshot has it: it is announced as a message that came and went.
//
// A script that only asks whether a form is valid causes the same events, but then the browser shows nothing: it neither
// handles a click on a submit button nor moves the focus to the field.

import type { Root } from "../dom/nodes.ts";
import { attr, has, listen, matches, tagOf } from "../dom/nodes.ts";
import { isHere } from "./control_state.ts";
import { MAX_MESSAGES, announceMessage, collapsedText, listening } from "./messages.ts";
import { closestHit, name } from "./naming.ts";
import { shared } from "./shared.ts";
import { task } from "./tasks.ts";

const SUBMITS = 'button:not([type]),button[type="submit"],input[type="submit"],input[type="image"]';

type Click = { event: Event; form: HTMLFormElement | null };
type Field = HTMLInputElement;
type Invalid = { event: Event; field: Field; click: Click | null; had: boolean };

let submitting: Click | null = null; // the click on a submit button that is being handled; Enter in a field makes one, too
let invalid: Invalid[] = []; // the fields that turned out invalid in this task

listen(
  globalThis,
  "click",
  (event: Event) => {
    const button = closestHit(event, SUBMITS);
    if (!listening || !event.isTrusted || !button || has(button, "formnovalidate")) return;
    submitting = { event, form: (button as HTMLButtonElement).form };
    task().then(() => {
      submitting = null;
    });
  },
  { capture: true, passive: true },
);

// The event does not leave the shadow tree of its field.
export function followValidation(root: Root) {
  listen(
    root,
    "invalid",
    (event: Event) => {
      if (!listening || !event.isTrusted) return;
      if (!invalid.length) task().then(hearInvalid);
      const field = event.target as Field;
      invalid.push({ event, field, click: submitting, had: matches(field, ":focus") });
    },
    { capture: true, passive: true },
  );
}

// The focus moves after all fields have been checked, to the first one that takes it and whose event the page did not
// cancel. Where none takes it, the form is not sent either.
function hearInvalid() {
  const told = invalid.filter(
    ({ event, field }) => !event.defaultPrevented && isHere(field) && matches(field, ":invalid"),
  );
  invalid = [];
  const first =
    told.find((each) => matches(each.field, ":focus") && (!each.had || isBySubmit(each))) || told.find(isBySubmit);
  const text = first ? collapsedText(first.field.validationMessage || "") : "";
  if (!first || !text || shared.announcedMessages >= MAX_MESSAGES) return;
  announceMessage(
    first.field,
    text,
    { id: shared.announcedMessages++, elements: new Set([first.field]) },
    nameOfField(first.field),
  );
}

// Whether the browser itself checked a field, because of a click on a button of its form.
const isBySubmit = ({ click, field: { form } }: Invalid) =>
  form !== null && click !== null && click.form === form && !click.event.defaultPrevented && !has(form, "novalidate");

function nameOfField(field: Element) {
  const given = attr(field, "name");
  return given && !attr(field, "id") ? `${tagOf(field)}[name="${CSS.escape(given)}"]` : name(field);
}
