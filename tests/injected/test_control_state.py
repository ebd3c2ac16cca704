"""What the observer keeps of a document is what a query finds, whatever the page does to it."""

from __future__ import annotations

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.injected import observer_source
from stillframe.settling.hooks import KEY

TWIN = """
({ everyRoot, keptControls, keptCandidates, queryIn, CONTROLS, CANDIDATES }) => {
  const fresh = (selector) => everyRoot().flatMap((root) => [...queryIn(root, selector)]);
  const differs = (kept, selector) => {
    const [own, all] = [new Set(kept.list(everyRoot())), fresh(selector)];
    return [...own].some((element) => !element.isConnected) || all.some((element) => !own.has(element));
  };
  return [fresh(CONTROLS).length, differs(keptControls, CONTROLS), differs(keptCandidates, CANDIDATES)];
}
"""
"""How many controls a query finds, and whether the lists that are kept lack any, or hold what has gone."""

EDITS = """
const rolls = (seed) => () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const PIECES = ['<input>', '<p>text</p>', '<div class=spinner><select><option>a<option>b</select></div>',
  '<x-box></x-box>', '<section aria-busy=true><textarea></textarea></section>',
  '<ul>' + '<li><input>'.repeat(40) + '</ul>',
  '<div><template shadowrootmode=open><input><b class=loading></b></template></div>'];
customElements.define('x-box', class extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: 'open' }).innerHTML = '<input><i class=loader></i>';
  }
});
const kept = [];
function edit(roll) {
  const pick = (list) => list[Math.floor(roll() * list.length)];
  const within = pick([document.body, ...document.body.querySelectorAll('div, section, li')]);
  const root = within.shadowRoot ?? within;
  pick([
    () => root.insertAdjacentHTML?.('beforeend', pick(PIECES)) ?? root.append(document.createElement('input')),
    () => document.body.setHTMLUnsafe(pick(PIECES)),
    () => root.append(...kept.splice(0)),
    () => { const gone = root.lastElementChild; if (gone) { gone.remove(); kept.push(gone); } },
    () => { within.className = pick(['', 'page-loader', 'skeleton', 'plain']); },
    () => { within.setAttribute('aria-busy', pick(['true', 'false'])); },
    () => { for (let n = 0; n < 600; n++) root.append(document.createElement(pick(['input', 'p']))); },
    () => {
      if (within.shadowRoot || within.localName !== 'div') return;
      within.attachShadow({ mode: 'open' }).innerHTML = '<input>';
    },
    () => { document.body.append(within === document.body ? document.createElement('div') : within); },
  ])();
}
"""


@pytest.mark.parametrize("seed", sampled(range(1, 7), (1,)))
async def test_what_is_kept_is_what_a_query_finds(page: Page, site: Site, seed: int) -> None:
    await page.goto(site.html("/start", f"<script>{EDITS}; roll = rolls({seed * 7919})</script><div></div>"))
    names = "everyRoot, keptControls, keptCandidates, queryIn, CONTROLS, CANDIDATES, adoptClosedRoot"
    frame = page._tab.frames.main
    source = observer_source(KEY).replace("__sfSettle", "__twin")
    twin = source.replace("return { adoptClosedRoot", "return { " + names, 1)
    assert names in twin
    await frame.evaluate(f"{twin}; 1")
    found = []
    for _ in range(40):
        await page.evaluate("edit(roll), 1")
        controls, *differences = await frame.evaluate(f"({TWIN})(__twin)")
        assert differences == [False, False]
        found.append(controls)
    assert len(set(found)) > 5
