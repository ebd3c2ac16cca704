// Keeps the elements that every check of the document needs: controls, and candidates for loading indicators.
//
// A query for them takes longer than everything else on a large page (20,000 elements: 2 and 5 ms). Mutation records
// add new elements; removed ones are dropped when the list is next read. Where records are not examined one by one, the
// query runs again.

import type { Root } from "../dom/nodes.ts";
import { getter, inElement, isConnected, isElement, matches, queryIn, stateOfDocument } from "../dom/nodes.ts";

const CONTROLS = "input, textarea, select, option";
// Our own rule splits class names into words: `is-loading`, `btn--loading` and `pageSpinner` count, `preloading-done`
// and `loading-finished` do not.
const CANDIDATES = [
  '[aria-busy="true"]',
  '[data-loading="true"]',
  '[class*="load" i]',
  '[class*="spinner" i]',
  '[class*="skeleton" i]',
].join(",");
const CANDIDATE_ATTRIBUTES = new Set(["class", "aria-busy", "data-loading"]);

const ownerOf = getter(Node.prototype, "ownerDocument");
export const isHere = (node: Node) => isConnected(node) && ownerOf(node) === document;

export class Kept {
  selector: string;
  found = new Set<Element>();
  complete = false;

  constructor(selector: string) {
    this.selector = selector;
  }

  add(element: Element) {
    if (this.complete && matches(element, this.selector)) this.found.add(element);
  }

  addAll(element: Element) {
    this.add(element);
    if (this.complete) for (const inside of inElement(element, this.selector)) this.found.add(inside);
  }

  list(searched: Root[]) {
    if (!this.complete) this.found = new Set(searched.flatMap((root: Root) => [...queryIn(root, this.selector)]));
    this.complete = true;
    for (const element of this.found) if (!isHere(element)) this.found.delete(element);
    return [...this.found];
  }
}

export const keptControls = new Kept(CONTROLS),
  keptCandidates = new Kept(CANDIDATES);
export const KEPT = [keptControls, keptCandidates];

export function invalidateKept() {
  for (const kept of KEPT) kept.complete = false;
}

// Processes one mutation record: new elements with all their descendants, or an attribute.
export function updateKept(record: MutationRecord) {
  if (record.type === "attributes") {
    if (CANDIDATE_ATTRIBUTES.has(record.attributeName!)) keptCandidates.add(record.target as Element);
    return;
  }
  // The parser's records include a node and also its descendants: examining each with its subtree would be quadratic.
  if (record.addedNodes.length && stateOfDocument(document) === "loading") return invalidateKept();
  for (const node of record.addedNodes) if (isElement(node)) for (const kept of KEPT) kept.addAll(node);
}
