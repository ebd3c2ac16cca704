"""What a mutation does to a page before it is served: the DOM of the body is changed and written out again."""

from __future__ import annotations

MUTATIONS = ("ids", "classes", "moved", "wrappers", "lists", "words", "tags", "several")
"""The mutations that a script is to survive; `several` are ids, classes, moved blocks and wrappers at once."""
REMOVED = "removed"
"""Takes the control of one action out; the script must fail and press nothing in its place."""

MUTATE = r"""(kind, seed, target) => {
  let state = seed * 7919 + 17;
  const random = () => ((state = (state * 1103515245 + 12345) % 2147483648) / 2147483648);
  const chance = (p) => random() < p, pick = (list) => list[Math.floor(random() * list.length)];
  const is = (...kinds) => kinds.includes(kind), several = kind === 'several';
  const all = () => [...document.body.querySelectorAll('*')].filter((e) => !e.matches('script, style, option'));
  if (is('ids') || several) all().forEach((e, i) => {
    if (!e.id) return;
    const id = 'n' + i + 'k' + Math.floor(random() * 1000);
    document.querySelectorAll('[for="' + e.id + '"]').forEach((l) => l.setAttribute('for', id));
    e.id = id; });
  if (is('classes') || several) all().forEach((e) => [...e.classList].forEach((c) => {
    if (chance(0.7)) e.classList.replace(c, 'css-' + c[0] + Math.floor(random() * 1e6)); }));
  if (is('moved') || several) {
    const blocks = all().filter((e) => e.children.length > 1 && !e.matches('label, select, tr, thead, table, tbody'));
    blocks.filter(() => chance(0.4)).forEach((e) => e.append(e.firstElementChild));
  }
  const isList = (e) => e.children.length > 2 && [...e.children].every((c) => c.localName === e.children[0].localName);
  if (is('lists')) all().filter(isList).forEach((e) => {
    if (e.matches('tr')) return;
    const before = [...e.children], drawn = before.map((c) => [random(), c]);
    const after = drawn.sort((a, b) => a[0] - b[0]).map((p) => p[1]);
    e.append(...(after.every((c, i) => c === before[i]) ? before.reverse() : after)); });
  if (is('wrappers') || several) all().forEach((e) => {
    if (!/^(div|p|a|button|h[1-6]|section|input|ul|select|span)$/.test(e.localName) || !chance(0.3)) return;
    if (/^(ul|tr|tbody|thead|table|select)$/.test(e.parentElement.localName)) return;
    const wrap = document.createElement(/^(a|button|span|input|select)$/.test(e.localName) ? 'span' : 'div');
    wrap.className = 'w' + Math.floor(random() * 100); e.replaceWith(wrap); wrap.append(e); });
  if (is('words')) {
    const words = ['now', 'please', 'our', 'new', 'all'];
    const change = (text) => { const parts = text.trim().split(/\s+/);
      const at = Math.floor(random() * parts.length);
      if (parts.length > 2 && chance(0.5)) parts[at] = pick(words); else parts.splice(at + 1, 0, pick(words));
      return parts.join(' '); };
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
    while (walk.nextNode()) texts.push(walk.currentNode);
    texts.filter((t) => t.data.trim() && !t.parentElement.closest('script, style, option')).forEach((t) => {
      if (chance(0.25)) t.data = ' ' + change(t.data) + ' '; });
    for (const name of ['placeholder', 'aria-label']) all().filter((e) => e.hasAttribute(name)).forEach((e) => {
      if (chance(0.25)) e.setAttribute(name, change(e.getAttribute(name))); });
  }
  if (is('tags')) all().forEach((e) => {
    const names = { button: 'div', ul: 'div', h1: 'h2', h2: 'h3', h3: 'h4', section: 'div', p: 'div', span: 'b' };
    const to = names[e.localName];
    if (!to || !chance(0.5)) return;
    const made = document.createElement(to);
    for (const { name, value } of e.attributes) made.setAttribute(name, value);
    if (e.localName === 'button') { made.setAttribute('role', e.getAttribute('role') || 'button'); made.tabIndex = 0; }
    if (e.localName === 'ul') made.setAttribute('role', e.getAttribute('role') || 'list');
    if (e.localName === 'ul') [...e.children].forEach((c) => {
      const item = document.createElement('div');
      for (const { name, value } of c.attributes) item.setAttribute(name, value);
      item.setAttribute('role', c.getAttribute('role') || 'listitem'); item.append(...c.childNodes);
      c.replaceWith(item); });
    made.append(...e.childNodes); e.replaceWith(made); });
  if (is('removed')) document.querySelector(target).remove();
  return document.documentElement.outerHTML;
}"""
