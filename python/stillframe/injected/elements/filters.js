// Filters take the matches so far and keep some of them; groups find by whole selectors that stand inside a step.

const FILTERS = {
  nth: ({ index }, found) => found.slice(index).slice(0, found.length + index < 0 ? 0 : 1),

  visible: ({ visible }, found) => found.filter((element) => isRendered(element) === visible),

  "has-text": (step, found) => {
    const wanted = wantedOf({ text: step.text, exact: false, pattern: step.pattern });
    const having = new Set(topmost(found).flatMap((top) => {
      const reading = read(top);
      return havingText(reading, wanted).map((i) => reading.elements[i]);
    }));
    return found.filter((element) => having.has(element) === step.wanted);
  },

  has: ({ steps, wanted }, found) => found.filter((element) => matchesIn(steps, element).length > 0 === wanted),

  and: ({ steps }, found, root) => {
    const others = new Set(inSteps(steps, root, root).found);
    return found.filter((element) => others.has(element));
  },
};

const matchesIn = (steps, element) => inSteps(steps, [element], [element]).found;

// What is on the left of an `or` may begin in a scope; what is on its right begins where the whole selector does.
FINDERS.or = ({ left, right }, scope, root) => {
  const found = [...inSteps(left, scope, root).found || [], ...inSteps(right, root, root).found];
  return inOrder(found, true);
};

// Each scope is searched by itself, so that `nth=` and the like count in it.
FINDERS.chain = ({ steps }, scope, root) => scope ? fromEach(scope, (each) => matchesIn(steps, each))
  : inSteps(steps, root, root).found;
