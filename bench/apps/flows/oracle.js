// Put into every document before its own scripts. It keeps when the page last changed in a way that matters to a person,
// and lends its words to the truths of the flows. It reads the DOM only: nothing of stillframe is in it.
(() => {
  const now = Date.now.bind(Date);
  const STATES = ['aria-checked', 'aria-selected', 'aria-expanded', 'aria-pressed', 'aria-sort', 'aria-invalid', 'aria-disabled',
    'aria-current', 'aria-valuenow', 'aria-valuetext', 'aria-label', 'checked', 'selected', 'disabled', 'open', 'hidden', 'value',
    'placeholder', 'title', 'alt', 'src'];
  const WATCHED = [...STATES, 'style'];  // scripts animate by styles
  const SILENT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'LINK', 'META', 'HEAD', 'TITLE']);
  const WEIGHTY = 'input, select, textarea, button, img, svg, canvas, iframe, video';
  let noise = '', last = 0, input = 0;

  const host = (node) => (node instanceof Element ? node : node.parentElement || node.getRootNode().host || null);
  const isNoise = (node) => !!noise && !!host(node)?.closest(noise);
  const isShown = (node) => !!host(node)?.checkVisibility({ visibilityProperty: true });
  const weighs = (node) => node instanceof Text ? !!node.data.trim()
    : node instanceof Element && !SILENT.has(node.tagName)
      && (!!node.textContent.trim() || node.matches(WEIGHTY) || !!node.querySelector(WEIGHTY) || !!node.shadowRoot);
  const matters = (record) => {
    const { type, target } = record;
    if (isNoise(target) || SILENT.has(host(target)?.tagName)) return false;
    if (type === 'attributes') return target.getAttribute(record.attributeName) !== record.oldValue && isShown(target);
    if (type === 'characterData') return target.data !== record.oldValue && isShown(target);
    const counts = (node) => weighs(node) && !isNoise(node);
    return [...record.addedNodes].some((node) => counts(node) && isShown(node)) || [...record.removedNodes].some(counts);
  };

  const observer = new MutationObserver((records) => { if (records.some(matters)) last = now(); });
  const watch = (root) => observer.observe(root, { subtree: true, childList: true, characterData: true,
    characterDataOldValue: true, attributeOldValue: true, attributeFilter: WATCHED });
  watch(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(options) {
    const root = attach.call(this, options);
    watch(root);
    return root;
  };
  for (const type of ['transitionend', 'animationend']) {
    addEventListener(type, ({ target }) => { if (target instanceof Element && !isNoise(target) && isShown(target)) last = now(); }, true);
  }
  for (const type of ['pointerdown', 'pointerup', 'keydown', 'keyup', 'input', 'wheel']) {
    addEventListener(type, (event) => { if (event.isTrusted) input = now(); }, true);
  }

  const words = (text) => text.replace(/\s+/g, ' ').trim();
  const control = (node) => {
    const told = STATES.flatMap((name) => node.hasAttribute(name) && !['src', 'value', 'checked', 'selected'].includes(name)
      ? [`${name}=${node.getAttribute(name)}`] : []);
    if ('value' in node && ['INPUT', 'TEXTAREA', 'SELECT'].includes(node.tagName)) {
      told.push(node.type === 'checkbox' || node.type === 'radio' ? `checked=${node.checked}` : node.type === 'password' ? '' : node.value);
    }
    return words(told.join(' '));
  };
  const walk = (node, lines) => {
    if (node instanceof Text) {
      if (node.data.trim() && isShown(node)) lines.push(words(node.data));
      return;
    }
    if (node instanceof Element) {
      if (SILENT.has(node.tagName) || (noise && node.matches(noise)) || !node.checkVisibility()) {
        if (SILENT.has(node.tagName) || getComputedStyle(node).display !== 'contents') return;
      }
      const told = control(node);
      if (told && isShown(node)) lines.push(`<${node.localName}> ${told}`);
      if (node.shadowRoot) walk(node.shadowRoot, lines);
    }
    for (const child of node.childNodes) walk(child, lines);
  };

  globalThis.__flows = {
    begin(selector) { noise = selector; last = input = 0; },
    moments: () => ({ last, input }),
    // All that a person sees but the noise, a line for each text and for each control with its state.
    lines() { const lines = []; if (document.body) walk(document.body, lines); return lines; },
    everything() { const kept = noise; noise = ''; try { return __flows.lines(); } finally { noise = kept; } },
    // The words of the truths.
    page: () => words(__flows.everything().join(' ')),
    one: (selector) => document.querySelector(selector),
    all: (selector) => [...document.querySelectorAll(selector)].filter(isShown),
    shown: (selector) => words(__flows.all(selector).map((node) => node.innerText).join(' | ')),
    server: async (path, options) => words(await (await fetch(path, options)).text()),
  };
})();
