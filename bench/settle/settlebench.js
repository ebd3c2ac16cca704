// Served as /settlebench.js and loaded by every page, before the page can replace anything.
// `mark(text)` notes when a change that the action caused has been applied; `show(text)` makes such a change and marks it.
(() => {
  const now = Date.now.bind(Date);
  const marks = {};
  const truth = JSON.parse(document.getElementById('truth')?.textContent || '{}');
  const { kind = 'click' } = truth.action || {};
  const EVENTS = {
    click: ['click'],
    type: ['input'],
    key: ['keydown'],
    hover: ['mouseenter'],
    scroll: ['wheel', 'scroll'],
  };
  const once = kind === 'hover' || kind === 'scroll';
  for (const type of EVENTS[kind] || []) {
    addEventListener(
      type,
      (event) => {
        if (event.isTrusted && !(once && '@acted' in marks)) marks['@acted'] = now();
      },
      true,
    );
  }
  window.settlebench = {
    marks,
    mark(text) {
      if (!(text in marks)) marks[text] = now();
    },
    show(text, parent = document.body) {
      const line = document.createElement('p');
      line.textContent = text;
      parent.append(line);
      settlebench.mark(text);
    },
  };
})();
