// What is the same in every framework: which todos a filter shows, the filter that the address names, and the words
// after the number of todos left.
export const FILTERS = { all: () => true, active: (todo) => !todo.done, completed: (todo) => todo.done };

export const route = () => {
  const name = location.hash.replace(/^#\/?/, '');
  return name in FILTERS ? name : 'all';
};

export const count = (left) => (left === 1 ? ' item left' : ' items left');
