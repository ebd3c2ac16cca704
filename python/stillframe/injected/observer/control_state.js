// Elements that every look at the document needs, found once: controls, and what may be a loading indicator.
//
// A query for them takes longer than all else on a large page (20,000 elements: 2 and 5 ms). The records say what comes;
// what has left is dropped when the list is next read. Where records are not looked at one by one, it is made again.

const CONTROLS = "input, textarea, select, option";
// Our own rule reads class names as words: `is-loading`, `btn--loading` and `pageSpinner` count, `preloading-done` and
// `loading-finished` do not.
const CANDIDATES = [
  '[aria-busy="true"]', '[data-loading="true"]', '[class*="load" i]', '[class*="spinner" i]', '[class*="skeleton" i]',
].join(",");
const CANDIDATE_ATTRIBUTES = new Set(["class", "aria-busy", "data-loading"]);

const ownerOf = getter(Node.prototype, "ownerDocument");
const isHere = (node) => isConnected(node) && ownerOf(node) === document;

class Kept {
  found = new Set();
  complete = false;

  constructor(selector) {
    this.selector = selector;
  }

  take(element) {
    if (this.complete && matches(element, this.selector)) this.found.add(element);
  }

  takeAll(element) {
    this.take(element);
    if (this.complete) for (const inside of inElement(element, this.selector)) this.found.add(inside);
  }

  within(searched) {
    if (!this.complete) this.found = new Set(searched.flatMap((root) => [...queryIn(root, this.selector)]));
    this.complete = true;
    for (const element of this.found) if (!isHere(element)) this.found.delete(element);
    return [...this.found];
  }
}

const keptControls = new Kept(CONTROLS), keptCandidates = new Kept(CANDIDATES);
const KEPT = [keptControls, keptCandidates];

function lookAgain() {
  for (const kept of KEPT) kept.complete = false;
}

// What a record says has come: elements with all that is in them, or an attribute.
function keepUp(record) {
  if (record.type === "attributes") {
    if (CANDIDATE_ATTRIBUTES.has(record.attributeName)) keptCandidates.take(record.target);
    return;
  }
  // Each node that the parser adds has a record, as has what it adds to it: looking at all of them would be quadratic.
  if (record.addedNodes.length && stateOfDocument(document) === "loading") return lookAgain();
  for (const node of record.addedNodes) if (isElement(node)) for (const kept of KEPT) kept.takeAll(node);
}
