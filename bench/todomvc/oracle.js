// Put into every document before its own scripts. It keeps when the page changed, and reads the list of todos from the DOM:
// nothing of stillframe is in it.
(() => {
  const now = Date.now.bind(Date);
  let changes = [];
  const note = (what) => changes.push([now(), what]);

  const name = (node) => `${node.nodeName.toLowerCase()}${node.className ? `.${node.className}` : ''}`;
  const observer = new MutationObserver((records) => {
    for (const { type, target, attributeName } of records) note([type, name(target), attributeName ?? ''].join(' ').trim());
  });
  const watch = (root) => {
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    root.addEventListener('transitionend', ({ target }) => note(`transitionend ${name(target)}`), true);
    root.addEventListener('change', ({ target }) => note(`change ${name(target)}`), true);
  };
  watch(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(options) {
    const root = attach.call(this, options);
    watch(root);
    return root;
  };

  const root = () => document.querySelector('#app > *')?.shadowRoot ?? document;
  const words = (node) => node?.textContent.replace(/\s+/g, ' ').trim() ?? '';
  const shown = (selector) => [...root().querySelectorAll(selector)].filter((node) => node.checkVisibility());
  const title = (item) => words(item.querySelector('label'));
  const items = () => shown('.todo-list > li');

  // What a row's selector is about: the todos that the element holds or is in, or nothing if it is not one element.
  const about = (selector) => {
    let found = [];
    try { found = [...root().querySelectorAll(selector)]; } catch { /* not a selector of CSS */ }
    if (found.length !== 1) return null;
    return items().filter((item) => found[0].contains(item) || item.contains(found[0])).map(title);
  };

  globalThis.__todos = {
    state: () => ({
      todos: Object.fromEntries(items().map((item) => [title(item), item.querySelector('.toggle').checked])),
      count: shown('.todo-count').map(words).join(),
      filter: shown('.filters .selected').map(words).join(),
      clear: shown('.clear-completed').length > 0,
      draft: root().querySelector('.new-todo').value,
    }),
    about: (selectors) => selectors.map(about),
    begin() { observer.takeRecords(); changes = []; },
    changes: () => changes,
  };
})();
