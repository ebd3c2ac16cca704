// The elements of assistive technology below one element, as ARIA snapshots in YAML have them.

import { attr, has, isElement, tagOf, typeOf } from "../dom/nodes.ts";
import { content, isHidden, renderedChildren } from "./content.ts";
import { isEditable } from "./control.ts";
import { listAround } from "./find.ts";
import { GENERATED, generatedBy } from "./generated.ts";
import { valueOf } from "./identity.ts";
import { computation, run, tidyContent, writtenNameOf } from "./names.ts";
import { redacted } from "./reading.ts";
import { roleOf } from "./roles.ts";
import { stateOf } from "./states.ts";
import { SILENT, breaksLine, collapse, lookAgain } from "./tree.ts";
import { hides, isField, recordHidingFields } from "./typed.ts";

// What YAML shows of a state; false and absent are the same there.
const SHOWN_STATES = ["checked", "disabled", "expanded", "level", "pressed", "selected"];
const TYPED_ROLES = new Set(["textbox", "searchbox", "combobox", "spinbutton"]);

function statesShown(element: Element) {
  const states: Record<string, unknown> = {};
  for (const name of SHOWN_STATES) {
    const state = stateOf(element, name);
    if (state !== undefined && state !== false) states[name] = state;
  }
  return states;
}

// Returns what an element holds: texts and nodes. One without a role gives its content to the element around it.
type AriaNode = {
  role: string;
  name: string;
  states: Record<string, unknown>;
  children: AriaPart[];
  url?: string;
  placeholder?: string;
};
type AriaPart = string | AriaNode;

function ariaContent(element: Element): AriaPart[] {
  const generated = GENERATED.map((which) => generatedBy(element, which)).map((made) =>
    made ? (made.starts ? ` ${made.text} ` : made.text) : "",
  );
  const parts: AriaPart[] = [generated[0]];
  for (const node of renderedChildren(element)) {
    if (typeOf(node) === 3) parts.push((node as Text).data);
    if (!isElement(node) || SILENT.has(tagOf(node)) || isHidden(listAround(node))) continue;
    parts.push(...ariaParts(node));
  }
  return merged([...parts, generated[1]]);
}

// Roles of ARIA 1.3 for plain headers and footers, which say nothing of their own.
const UNSAID = new Set(["sectionheader", "sectionfooter"]);

// A form without a name is not a landmark, and a summary is the text of its details.
function ariaRole(element: Element) {
  const role = roleOf(element);
  if (has(element, "role")) return role;
  return UNSAID.has(role) || tagOf(element) === "summary" || (role === "form" && !writtenNameOf(element, role))
    ? ""
    : role;
}

function ariaParts(element: Element): AriaPart[] {
  const role = ariaRole(element);
  if (!role)
    return breaksLine(element) || tagOf(element) === "br" ? [" ", ...ariaContent(element), " "] : ariaContent(element);
  return [ariaNode(element, role)];
}

// Chrome names no row; snapshots name it by its content.
const ariaName = (element: Element, role: string) =>
  writtenNameOf(element, role) || (role === "row" ? tidyContent(run(content(element, computation(true))).text) : "");

function ariaNode(element: Element, role: string): AriaNode {
  const name = ariaName(element, role);
  const link = role === "link" ? attr(element, "href") : null;
  const hint = TYPED_ROLES.has(role) && isField(element) && attr(element, "placeholder");
  return {
    role,
    name,
    states: statesShown(element),
    children: ariaChildren(element, role, name),
    ...(link === null ? {} : { url: link }),
    ...(hint && hint !== name ? { placeholder: hint } : {}),
  };
}

function ariaChildren(element: Element, role: string, name: string): AriaPart[] {
  if (TYPED_ROLES.has(role) && (isField(element) || isEditable(element))) {
    const value = hides(element) ? redacted(valueOf(element)) : valueOf(element);
    return value ? [collapse(value)] : [];
  }
  if (isField(element)) return [];
  const children = tidied(ariaContent(element));
  return children.length === 1 && children[0] === name ? [] : children;
}

// Joins the texts between two nodes.
function merged(parts: AriaPart[]): AriaPart[] {
  const all: AriaPart[] = [];
  for (const part of parts) {
    if (typeof part === "string" && typeof all[all.length - 1] === "string") all[all.length - 1] += part;
    else all.push(part);
  }
  return all;
}

const tidied = (parts: AriaPart[]) =>
  parts
    .map((part: AriaPart) => (typeof part === "string" ? collapse(part) : part))
    .filter((part: AriaPart) => part !== "");

// Returns the tree of an element as the content of a nameless root.
export function ariaTree(element: Element) {
  lookAgain();
  recordHidingFields();
  const parts = isHidden(element) ? [] : merged(ariaParts(element));
  return { role: "", name: "", states: {}, children: tidied(parts) };
}
