// What assertions wait for: a reading of the elements that match which differs from the last one that the caller has seen.

import type { Reader, Target } from "./types.ts";
import { attr, boxOf, childNodesOf, has, isConnected, isElement, rawText, tagOf, typeOf } from "../dom/nodes.ts";
import { ariaTree } from "./aria.ts";
import { checkedness, controlFor, kindOf } from "./control.ts";
import { listed } from "./describe.ts";
import { MAX_LISTED, isChain, pointedAt, search } from "./find.ts";
import { valueOf } from "./identity.ts";
import { descriptionOf, nameOf, writtenNameOf } from "./names.ts";
import { READINGS, VALUED, redacted, unfit } from "./reading.ts";
import { roleOf } from "./roles.ts";
import { partsInView } from "./spots.ts";
import {
  SILENT,
  activeElement,
  inputValue,
  isButtonInput,
  isRendered,
  lookAgain,
  plainText,
  pushReversed,
  shadowOf,
} from "./tree.ts";
import { hides, isField, recordHidingFields } from "./typed.ts";
import { LOOK_MS, change } from "./waiting.ts";

// What changes a reading without a mutation; what a script sets as a property is seen at the next look.
const STIRRINGS = [
  "input",
  "change",
  "reset",
  "focusin",
  "focusout",
  "scroll",
  "toggle",
  "load",
  "transitionend",
  "animationend",
];

// The text of an element with that of its shadow roots, rendered or not; of a button, its value.
function wholeText(element: Element) {
  if (element instanceof HTMLInputElement) return isButtonInput(element) ? inputValue(element) : "";
  if (hides(element)) return redacted(rawText(element));
  const parts: string[] = [];
  const stack: Node[] = [element];
  while (stack.length) {
    const node = stack.pop()!;
    if (typeOf(node) === 3) parts.push((node as Text).data);
    const isSilent = isElement(node) && (SILENT.has(tagOf(node)) || (node !== element && hides(node)));
    if (isSilent) continue;
    const shadow = isElement(node) && shadowOf(node);
    if (shadow) stack.push(shadow);
    pushReversed(stack, childNodesOf(node));
  }
  return parts.join("");
}

const holdsText = (element: Element) => (isField(element) ? valueOf(element) !== "" : rawText(element)!.trim() !== "");

function shareInView(element: Element) {
  const { width, height } = boxOf(element);
  if (!width || !height) return partsInView(element).length ? 1 : 0;
  const seen = partsInView(element).reduce((sum, part) => sum + (part.right - part.left) * (part.bottom - part.top), 0);
  return Math.min(1, seen / (width * height));
}

function chosenValues(element: Element) {
  const select = controlFor(element, ["select"]).element;
  if (!(select instanceof HTMLSelectElement) || !select.multiple)
    return unfit("is not a select with the attribute multiple");
  return { read: [...select.selectedOptions].map((option) => option.value) };
}

function errorMessageOf(element: Element) {
  const isInvalid =
    !["", "false", null].includes(attr(element, "aria-invalid")) ||
    (has(element, "required") &&
      (element as HTMLInputElement).validity &&
      !(element as HTMLInputElement).validity.valid);
  return isInvalid
    ? pointedAt(element, "aria-errormessage")
        .map((each: Element) => plainText(each))
        .join(" ")
    : "";
}

// What only assertions read; the other readings are those of `READINGS`.
const EXPECTED: Record<string, Reader> = {
  whole: (element: Element) => ({ read: wholeText(element) }),
  visible: (element: Element) => ({ read: isRendered(element) }),
  filled: (element: Element) => ({ read: holdsText(controlFor(element, VALUED).element) }),
  focused: (element: Element) => ({ read: activeElement() === element }),
  in_view: (element: Element) => ({ read: shareInView(element) }),
  values: chosenValues,
  state: (element: Element) => {
    const control = controlFor(element, ["check"]).element;
    return kindOf(control) === "check" ? { read: checkedness(control) } : unfit("cannot be checked");
  },
  classes: (element: Element) => ({ read: attr(element, "class") || "" }),
  style: (element: Element, name: string) => ({ read: getComputedStyle(element).getPropertyValue(name) }),
  role: (element: Element) => ({ read: roleOf(element) }),
  // As shown, and as written: text-transform changes letters.
  name: (element: Element) => ({ read: [nameOf(element), writtenNameOf(element, roleOf(element))] }),
  description: (element: Element) => ({ read: descriptionOf(element) }),
  error: (element: Element) => ({ read: errorMessageOf(element) }),
  title: () => ({ read: document.title }),
  aria: (element: Element) => ({ read: ariaTree(element) }),
};

function nextStirring(ms: number): Promise<void> {
  return new Promise((done) => {
    const finish = () => {
      for (const name of STIRRINGS) removeEventListener(name, finish, true);
      done();
    };
    for (const name of STIRRINGS) addEventListener(name, finish, { capture: true, passive: true });
    change(ms).then(finish);
  });
}

type Seen = { count?: number; matches?: string[]; detail: string; read?: unknown[]; fault?: string };

function seenNow(target: Target, what: string, name: string): Seen {
  lookAgain();
  const read: Reader | "" = what && (EXPECTED[what] || READINGS[what]);
  try {
    const found = isChain(target) ? search(target).found : [target].filter(isConnected);
    if (read) recordHidingFields();
    const readings = read ? found.map((element) => read(element, name)) : [];
    const [unsuitable] = readings.filter((reading) => reading.fault);
    return {
      count: found.length,
      matches: found.slice(0, MAX_LISTED).map(listed),
      detail: (unsuitable && unsuitable.detail) || "",
      read: readings.map((reading) => (reading.fault ? null : reading.read)),
    };
  } catch (error) {
    return { fault: "syntax", detail: String((error as Error).message || error) };
  }
}

// What is read, of which attribute, and what the caller knows of it already.
type Asked = { what: string; name: string; known: unknown };

// Returns a report of what `what` reads from each element that matches, as soon as that differs from what the caller knows
// (null: nothing yet), or when the time is up.
export async function whenOther(target: Target, asked: Asked, ms: number) {
  const { what, name, known } = asked;
  const before = known && JSON.stringify(known);
  const end = performance.now() + ms;
  for (;;) {
    const seen = seenNow(target, what, name);
    const left = end - performance.now();
    if (seen.fault || left <= 0 || JSON.stringify([seen.count, seen.read]) !== before) return seen;
    await nextStirring(Math.min(LOOK_MS, left));
  }
}
