// Relations between elements: labels, references by id, and `aria-owns`. Built once per search of the document.

import type { Root } from "../dom/nodes.ts";
import { attr, contains, getter, has, isShadowRoot, method, queryIn, rootOf, tagOf } from "../dom/nodes.ts";
import { hostOrParent, roots } from "./tree.ts";

export const GAPS = /[ \t\n\f\r]+/;

type Labelling = { label: Element; at: number };
type Labels = Map<Element, Labelling[]>;
type Relations = { roots: Root[]; labels: Labels; owners: Map<Element, Element> };

let relations: Relations | null = null;

export function relationsNow(): Relations {
  const all = roots();
  if (!relations || relations.roots !== all) relations = { roots: all, labels: labelsIn(all), owners: ownersIn(all) };
  return relations;
}

const LABELABLE = new Set(["button", "input", "meter", "output", "progress", "select", "textarea"]);
export const controlOf = getter(HTMLLabelElement.prototype, "control");
export const isLabelable = (element: Element) => LABELABLE.has(tagOf(element)) || tagOf(element).includes("-");

const CONTROLS_OF_LABELS = "button, input:not([type=hidden]), meter, output, progress, select, textarea";
const LABELS_AND_CONTROLS = `label, ${CONTROLS_OF_LABELS}`;

// Returns the labels of each control, in document order. One pass: asking every control for its labels, or every label
// for its control, would walk the document, or the label, once for each of them.
function labelsIn(all: Root[]): Labels {
  const labels: Labels = new Map();
  for (const root of all) {
    const found = [...queryIn(root, LABELS_AND_CONTROLS)];
    if (found.some((element) => tagOf(element) === "label")) pairLabels(found, labels);
  }
  return labels;
}

function pairLabels(found: Element[], labels: Labels) {
  const add = (control: Element, label: Element, at: number) => {
    if (!labels.has(control)) labels.set(control, []);
    labels.get(control)!.push({ label, at });
  };
  const open: (Labelling & { taken: boolean })[] = [];
  // A label that holds none of the controls above may be for a custom element.
  const close = ({ label, at, taken }: Labelling & { taken: boolean }) => {
    const control = taken ? null : controlOf(label as HTMLLabelElement);
    if (control) add(control, label, at);
  };
  for (const [at, element] of found.entries()) {
    while (open.length && !contains(open[open.length - 1].label, element)) close(open.pop()!);
    if (tagOf(element) !== "label") {
      // A label labels the first control inside it, including through nested labels.
      for (let i = open.length - 1; i >= 0 && !open[i].taken; i--) {
        open[i].taken = true;
        add(element, open[i].label, open[i].at);
      }
    } else if (has(element, "for")) {
      const control = controlOf(element as HTMLLabelElement);
      if (control) add(control, element, at);
    } else {
      open.push({ label: element, at, taken: false });
    }
  }
  while (open.length) close(open.pop()!);
}

// A label for a custom element is one for the first control in its shadow tree, which has none of its own.
export function labelsOf(element: Element): Element[] {
  if (!isLabelable(element)) return [];
  const found = relationsNow().labels.get(element) || [];
  if (found.length) return [...found].sort((one, other) => one.at - other.at).map(({ label }) => label);
  const root = rootOf(element);
  const ofHost = isShadowRoot(root) && tagOf(root.host).includes("-") ? labelsOf(root.host) : [];
  return ofHost.length && queryIn(root, CONTROLS_OF_LABELS)[0] === element ? ofHost : [];
}

// Returns the elements that ids refer to, in the attribute's order. Element reflection (`ariaLabelledByElements`) is
// only visible to the world that sets it, and shows as an empty attribute here.
const MAX_IDS = 100;

export function byIds(element: Element, attribute: string): Element[] {
  const given = attr(element, attribute);
  if (!given) return [];
  const ids = given.split(GAPS, MAX_IDS).filter(Boolean);
  const root = rootOf(element);
  return ids.map((id: string) => idIn(root, id)).filter((found) => found !== null);
}

const idInDocument = method(Document.prototype, "getElementById");
const idInFragment = method(DocumentFragment.prototype, "getElementById");
export const idIn = (root: Node, id: string): Element | null =>
  root instanceof Document ? idInDocument(root, id) : root instanceof DocumentFragment ? idInFragment(root, id) : null;

export const labellers = (element: Element) =>
  byIds(element, has(element, "aria-labelledby") ? "aria-labelledby" : "aria-labeledby");

// Returns the owner of each owned element: the first that claims it, unless the owned element contains it.
function ownersIn(all: Root[]): Map<Element, Element> {
  const owners = new Map<Element, Element>();
  for (const root of all) {
    for (const owner of queryIn(root, "[aria-owns]")) {
      for (const owned of byIds(owner, "aria-owns")) {
        if (!owners.has(owned) && !goesRound(owners, owner, owned)) owners.set(owned, owner);
      }
    }
  }
  return owners;
}

// Deeper than any document; a longer chain of owners counts as a cycle.
const MAX_OWNERS = 1000;

function goesRound(owners: Map<Element, Element>, owner: Element, owned: Element): boolean {
  let at: Element | null = owner;
  for (let steps = 0; at && steps < MAX_OWNERS; steps++) {
    if (at === owned) return true;
    at = owners.get(at) || hostOrParent(at);
  }
  return Boolean(at);
}

export const ownerOf = (element: Element) => relationsNow().owners.get(element);
export const ownedBy = (element: Element): Element[] =>
  has(element, "aria-owns")
    ? [...new Set(byIds(element, "aria-owns"))].filter((owned) => ownerOf(owned) === element)
    : [];
