"""Selectors of real pages: are they unique, do they lead back to the same node, how long are they, what do they cost?

Each page is captured once. Sampled elements get a selector from stillframe (outside the browser, from the capture),
from `@medv/finder` and from Playwright's own generator (both in the page). Every selector is then asked of the page:
ours by `querySelectorAll` and, those that are not CSS, by our engine; Playwright's by Playwright's engine. Right means
that it matches one element and that this is the one it was made for, by its backend node id. Playwright's generator
names the link or button round an element on purpose, since that is what a click on the element hits: either of the two
counts as right for it, and the note says how often it was the other one. A selector of ours that is not right fails the
run.
"""

from __future__ import annotations

import json
import random
import re
import time
from typing import Any

import stillframe
from bench.injected import injected_script
from bench.measure import Table, table
from bench.pages import NO_INTERNET, PACKAGES, RealPage, real_pages
from stillframe.api.browser import Page
from stillframe.cdp_types import dom
from stillframe.core import Snapshot
from stillframe.errors import StillframeError
from stillframe.tab.deadline import Deadline
from stillframe.tab.locating.locate import locate

SAMPLED = 100
"""Elements of each page that get selectors."""
LOCATED = 25
"""Of those, how many are looked for by each of their role and text selectors too."""
MIN_PAGES = 20
OURS, FINDER, PLAYWRIGHT = "stillframe, short CSS", "@medv/finder", "Playwright generateSelectorSimple"
CONTROLS = "button,select,input,[role=button],[role=checkbox],[role=radio],a,[role=link]"
"""What Playwright names in place of an element inside of it, if it is to be seen (its `generateSelector`)."""
CSS_KINDS = frozenset({"testid", "placeholder", "label", "alt", "title", "css", "scoped", "path"})

IN_PAGE = """(indexes, ms) => {
  const all = [...document.querySelectorAll('*')], place = new Map(all.map((e, i) => [e, i]));
  const answer = {};
  for (const [name, make, find, aim] of __generators) {
    const began = performance.now();
    answer[name] = indexes.map((index) => {
      if (performance.now() - began > ms) return null;
      const start = performance.now();
      let selector;
      try { selector = make(all[index]); } catch (error) { return ['', -2, performance.now() - start]; }
      const took = performance.now() - start, found = find(selector);
      return [selector, found.length === 1 ? place.get(found[0]) : -1, took, place.get(aim(all[index]))];
    });
  }
  return answer;
}"""
CHECK = """(selectors) => {
  const place = new Map([...document.querySelectorAll('*')].map((e, i) => [e, i]));
  const found = selectors.map((s) => document.querySelectorAll(s));
  return found.map((all) => all.length === 1 ? place.get(all[0]) : -1);
}"""


def rival_script() -> str | None:
    """Return what puts the rivals into a page, or None if they are not installed."""
    finder, made = PACKAGES / "@medv/finder/finder.js", injected_script()
    if not finder.is_file() or made is None:
        return None
    plain = re.sub(r"^export ", "", finder.read_text("utf-8"), flags=re.MULTILINE)
    return f"""(() => {{
      const finder = (() => {{ {plain}; return finder; }})();
      const made = {made};
      window.__generators = [
        [{json.dumps(FINDER)}, (e) => finder(e), (s) => document.querySelectorAll(s), (e) => e],
        [{json.dumps(PLAYWRIGHT)}, (e) => made.generateSelectorSimple(e),
          (s) => made.querySelectorAll(made.parseSelector(s), document), (e) => e.closest('{CONTROLS}') || e],
      ];
    }})()"""


async def element_ids(page: Page) -> list[int]:
    """The backend node ids of the page's own elements in document order: as querySelectorAll('*') counts them."""
    root = (await page.cdp_session.send(dom.GetDocument(depth=-1))).root
    ids, stack = [], [root]
    while stack:
        node = stack.pop()
        if node.node_type == 1:
            ids.append(node.backend_node_id)
        stack += reversed(node.children or ())
    return ids


class Tally:
    """What one page said about everyone's selectors."""

    def __init__(self) -> None:
        self.micros: dict[str, list[float]] = {}
        self.lengths: dict[str, list[float]] = {}
        self.right: dict[str, list[bool]] = {}
        self.wrong: list[str] = []
        self.other: dict[str, int] = {}

    def add(self, who: str, selector: str, right: bool, micros: float) -> None:
        """Take down one selector."""
        self.micros.setdefault(who, []).append(micros)
        self.lengths.setdefault(who, []).append(len(selector))
        self.right.setdefault(who, []).append(right)


async def judge(page: Page, name: str, tally: Tally, sampled: int) -> int:
    """Have everyone name the same elements of one page; return how many nodes it has."""
    # Scripts that go on changing the page would make liars of all.
    await page.cdp_session.call("Emulation.setScriptExecutionDisabled", {"value": True})
    snapshot, ids = await page.snapshot(), await element_ids(page)
    chosen = sorted(random.Random(name).sample(range(len(ids)), min(sampled, len(ids))))
    await _ours(page, name, snapshot, ids, chosen, tally)
    script = rival_script()
    if script is not None:
        await page.evaluate(script)
        answers = await page.evaluate(f"({IN_PAGE})({json.dumps(chosen)}, 20000)", timeout_ms=120000)
        for who, found in answers.items():
            for index, answer in zip(chosen, found, strict=True):
                if answer is not None:
                    tally.add(who, answer[0], answer[1] in (index, *answer[3:]), answer[2] * 1000)
                    tally.other[who] = tally.other.get(who, 0) + (answer[1] != index and answer[1] in answer[3:])
    return snapshot.node_count


async def _ours(page: Page, name: str, snapshot: Snapshot, ids: list[int], chosen: list[int], tally: Tally) -> None:
    snapshot.selectors("", ids[0])  # the index is there
    timed = []
    for index in chosen:
        began = time.perf_counter()
        selector = snapshot.selector("", ids[index])
        timed.append((selector or "", (time.perf_counter() - began) * 1e6))
    forms = [(index, form) for index in chosen for form in snapshot.selectors("", ids[index])]
    css = [(index, form.selector, form.kind) for index, form in forms if form.kind in CSS_KINDS]
    every = [(index, selector, OURS) for index, (selector, _) in zip(chosen, timed, strict=True)] + css
    places = await page.evaluate(f"({CHECK})({json.dumps([selector for _, selector, _ in every])})", timeout_ms=120000)
    for at, ((index, selector, kind), place) in enumerate(zip(every, places, strict=True)):
        if at < len(timed):
            tally.add(OURS, selector, place == index, timed[at][1])
        else:
            tally.right.setdefault(f"stillframe, {kind}", []).append(place == index)
        if place != index:
            tally.wrong.append(f"{name}: {kind} {selector} leads to {place}, not {index}")
    located = set(chosen[:: max(1, len(chosen) // LOCATED)])
    for index, form in forms:
        if form.kind not in CSS_KINDS and index in located:
            found = await _located(page, form.selector)
            tally.right.setdefault(f"stillframe, {form['kind']}", []).append(found == ids[index])
            if found != ids[index]:
                tally.wrong.append(f"{name}: {form['kind']} {form['selector']} leads to {found}, not {ids[index]}")


async def _located(page: Page, selector: str) -> Any:
    try:
        handle = await locate(page._tab, selector, Deadline(0.0))
    except StillframeError as error:
        return f"{error.code}: {error}"
    return (await handle.session.send(dom.DescribeNode(object_id=handle.object_id))).node.backend_node_id


async def run(*, rounds: int = SAMPLED) -> list[Table]:
    """Judge all pages; `rounds` is how many elements of each get selectors."""
    tally, nodes = Tally(), []
    async with real_pages() as (origin, pages), stillframe.launch(args=NO_INTERNET) as browser:
        assert len(pages) >= MIN_PAGES, (
            f"only {len(pages)} pages are installed; run `make bench` once with npm and rustup"
        )
        for real in pages:
            page = await browser.new_page(origin + real.path)
            nodes.append(await judge(page, real.name, tally, rounds))
            await page.close()
    assert not tally.wrong, "\n".join(tally.wrong[:40]) + f"\n{len(tally.wrong)} selectors are wrong"
    return _tables(tally, nodes, pages)


def _tables(tally: Tally, nodes: list[int], pages: list[RealPage]) -> list[Table]:
    missing = {} if rival_script() is not None else {FINDER: "make bench, with npm", PLAYWRIGHT: "make bench, with npm"}
    notes = {who: f"{len(right)} selectors" for who, right in tally.right.items()}
    notes |= {
        who: f"{notes[who]}, {n} on purpose of the control round the element" for who, n in tally.other.items() if n
    }
    percent = {who: [100 * sum(right) / len(right)] for who, right in tally.right.items()}
    where = f"{len(pages)} pages of {min(nodes)}-{max(nodes)} nodes"
    return [
        table(f"selectors that match the one element they were made for, {where}", "%", OURS, percent, notes=notes),
        table("time per selector, index or page ready", "us", OURS, tally.micros, missing=missing),
        table("length of a selector", "characters", OURS, tally.lengths, missing=missing),
    ]
