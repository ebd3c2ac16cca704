// Finding: one function per kind of selector, each returning all its matches.

const FINDERS = {
  css: ({ css, parts }) => {
    const found = new Set(queryIn(document, css));
    for (const root of roots().slice(1)) {
      for (const segments of parts) {
        const [last] = segments[segments.length - 1];
        for (const element of queryIn(root, last)) if (standsUnder(element, segments)) found.add(element);
      }
    }
    return [...found];
  },

  xpath: ({ xpath }) => {
    const found = document.evaluate(xpath, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    const nodes = Array.from({ length: found.snapshotLength }, (_, i) => found.snapshotItem(i));
    return nodes.filter((node) => node instanceof Element);
  },

  text: ({ text, exact }) => {
    const wanted = exact ? text : loose(text);
    return preferred(roots().flatMap((root) => innermostWith(root, wanted, exact)), isRendered);
  },

  role: ({ role, name, exact, states }) => perceived(every((element) => {
    if (roleOf(element) !== role) return false;
    for (const state in states) if (stateOf(element, state) !== states[state]) return false;
    if (name === null) return true;
    const own = nameOf(element, role);
    return exact ? own === name : loose(own).includes(name.toLowerCase());
  })),

  id: ({ id }) => perceived(every((element) => {
    if (ID_ATTRIBUTES.some((name) => attr(element, name) === id)) return true;
    const role = roleOf(element);
    return CONTROLS.has(role) && nameOf(element, role) === collapse(id);
  })),
};

const every = (test) => roots().flatMap((root) => [...queryIn(root, "*")].filter(test));

// What a user does not perceive counts only if nothing that is perceived matches.
function preferred(found, test) {
  const seen = found.filter(test);
  return seen.length ? seen : found;
}

const isTold = (element) => isRendered(element) && !closestAcross(element, "[aria-hidden=true]");
const perceived = (found) => preferred(found, isTold);

// Descendant combinators reach across shadow roots: from right to left, the nearest ancestor that fits is always right.
function standsUnder(element, segments) {
  let at = element;
  for (let i = segments.length - 1; i >= 0; i--) {
    const [segment, climbs] = segments[i];
    if (i < segments.length - 1) while (at && !matches(at, segment)) at = hostOrParent(at);
    if (!at) return false;
    for (let up = 0; up <= climbs && i > 0; up++) at = at && hostOrParent(at);
  }
  return true;
}

function innermostWith(root, wanted, exact) {
  const tops = root === document ? [bodyOf(document) || topOf(document)] : [...root.children];
  const holders = [];
  const stack = tops.filter(Boolean).reverse();
  while (stack.length) {
    const element = stack.pop();
    if (SILENT.has(tagOf(element)) || !loose(rawText(element)).includes(wanted.toLowerCase())) continue;
    const text = plainText(element);
    if (exact ? text === wanted : text.toLowerCase().includes(wanted)) holders.push(element);
    const children = childrenOf(element);
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
  // In document order an element's descendants follow it, so the next holder tells whether it is the innermost.
  const innermost = holders.filter((element, i) => !holders[i + 1] || !contains(element, holders[i + 1]));
  // The text of <input type=submit> is its value, which is no text of the elements round it.
  const buttons = [...queryIn(root, "input")].filter((input) => {
    const text = plainText(input);
    return text && (exact ? text === wanted : text.toLowerCase().includes(wanted));
  });
  return [...innermost, ...buttons];
}

const MAX_LISTED = 5;

// Either { element } or { fault }: "syntax" with the browser's words, "none", or "many" with the first few.
function seek(step) {
  let found;
  try {
    found = FINDERS[step.kind](step);
  } catch (error) {
    return { fault: "syntax", detail: String(error.message || error), final: true };
  }
  if (found.length === 1) return { element: found[0] };
  if (!found.length) return { fault: "none" };
  return { fault: "many", count: found.length, matches: found.slice(0, MAX_LISTED).map(listed) };
}
