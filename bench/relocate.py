"""Finding elements again after a page was rendered again and changed, beside a Similo-style locator in Python.

On each real page some elements are chosen, the body is replaced by a copy (so that no node lives on), and the copy is
changed: ids renamed, classes changed, blocks moved, lists re-rendered in another order, texts changed, wrappers put in,
some of the elements taken out, and all of that at once. Which copy stands for which element is kept in the page, out of
sight of both contestants. **Right**: the element was found. **Wrong**: another one was given out, or one for an element
that is gone. **Abstained**: none was given out. Precision is right / (right + wrong); recall is right / elements that
are still there.

`similo` is written from the weights of its paper and open port (tag, name, id, visible text and neighbours' text 1.5,
the rest 0.5), with normalised edit distance by rapidfuzz; it gives out the best candidate and never abstains, as
published. The weights of stillframe were tuned on the pages with even numbers; the tables are about the others.
"""

from __future__ import annotations

import json
import math
import random
import time
from typing import Any

from rapidfuzz.distance import Levenshtein

import stillframe
from bench.measure import Table, table
from bench.pages import NO_INTERNET, real_pages
from bench.selectors import element_ids
from stillframe.api.browser import Page
from stillframe.core import Fingerprint, Snapshot

CHOSEN = 12
"""Elements of each page that are looked for after each change."""
LARGEST = 1500
"""Elements of a page beyond which the rival would take minutes."""
OURS, SIMILO = "stillframe", "Similo (own Python port)"
CHANGES = ("ids", "classes", "moved", "lists", "texts", "wrappers", "removed", "all")

RENDER = """(change, chosen, seed) => {
  let state = seed;
  const random = () => ((state = (state * 1103515245 + 12345) % 2147483648) / 2147483648);
  const chance = (p) => random() < p, any = (what) => change === what || change === 'all';
  const before = [...document.querySelectorAll('*')], copy = document.body.cloneNode(true);
  const olds = [document.body, ...document.body.querySelectorAll('*')], news = [copy, ...copy.querySelectorAll('*')];
  const now = new Map(olds.map((e, i) => [e, news[i]]));
  const inner = news.slice(1).filter((e) => !e.closest('svg, script, style'));
  const targets = chosen.map((index) => now.get(before[index]));
  if (any('removed')) targets.forEach((e) => { if (chance(0.25) && e) e.remove(); });
  if (any('ids')) inner.forEach((e, i) => { if (e.id) e.id = 'n' + i + e.id.slice(0, 2); });
  if (any('classes')) inner.forEach((e) => [...e.classList].forEach((c) => {
    if (chance(0.5)) e.classList.replace(c, c[0] + 'k' + (c.length * 7 % 10) + c.slice(-1)); }));
  const isList = (e) => e.children.length > 2 && [...e.children].every((c) => c.localName === e.children[0].localName);
  if (any('lists')) inner.filter(isList).forEach((e) => {
      const shuffled = [...e.children].map((c) => [random(), c]).sort((a, b) => a[0] - b[0]);
      e.append(...shuffled.map((p) => p[1]));
      const extra = e.children[0].cloneNode(true);
      const walk = document.createTreeWalker(extra, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        if (walk.currentNode.data.trim()) walk.currentNode.data = 'Fresh ' + Math.floor(random() * 1000);
      }
      e.prepend(extra); });
  if (any('moved')) inner.filter((e) => e.children.length > 1 && chance(0.15)).forEach((e) => {
    const child = e.children[Math.floor(random() * e.children.length)]; e.append(child); });
  if (any('texts')) {
    const walk = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT), texts = [];
    const isShown = (t) => t.data.trim() && !t.parentElement.closest('script, style');
    while (walk.nextNode()) if (isShown(walk.currentNode)) texts.push(walk.currentNode);
    texts.forEach((t) => { if (!chance(0.4)) return; const words = t.data.trim().split(/\\s+/);
      const word = ['other', 'new', 'Now', 'more', 'Item'][Math.floor(random() * 5)];
      words[Math.floor(random() * words.length)] = word;
      t.data = ' ' + words.join(' ') + ' '; });
  }
  if (any('wrappers')) inner.forEach((e) => {
    if (!e.parentElement || !chance(0.06) || !/^(div|p|a|button|h[1-6]|span|section)$/.test(e.localName)) return;
    const wrap = document.createElement(/^(a|button|span)$/.test(e.localName) ? 'span' : 'div');
    e.replaceWith(wrap); wrap.append(e); });
  document.body.replaceWith(copy);
  const place = new Map([...document.querySelectorAll('*')].map((e, i) => [e, i]));
  return targets.map((e) => place.has(e) ? place.get(e) : -1);
}"""

PROPERTIES = """() => [...document.querySelectorAll('*')].map((e) => {
  const path = (from, stop) => { const steps = [];
    for (let at = from; at && at !== stop; at = at.parentElement) { let n = 1;
      for (let s = at.previousElementSibling; s; s = s.previousElementSibling) if (s.localName === at.localName) n++;
      steps.unshift(at.localName + '[' + n + ']'); } return steps.join('/'); };
  const box = e.getBoundingClientRect(), named = e.parentElement && e.parentElement.closest('[id]');
  const text = (node) => (node ? (node.innerText || node.textContent || '') : '').trim().slice(0, 120);
  const attr = (name) => e.getAttribute(name) || '';
  return { tag: e.localName, class: attr('class'), name: attr('name'), id: e.id || '',
    href: attr('href'), alt: attr('alt'), xpath: path(e, null),
    idpath: named ? named.id + '/' + path(e, named) : path(e, null),
    button: String(/^(a|button|input)$/.test(e.localName)), x: box.x, y: box.y, area: box.width * box.height,
    shape: box.height ? box.width / box.height : 0, text: text(e), near: text(e.parentElement) }; })"""

SIMILO_WEIGHTS = {
    "tag": 1.5,
    "class": 0.5,
    "name": 1.5,
    "id": 1.5,
    "href": 0.5,
    "alt": 0.5,
    "xpath": 0.5,
    "idpath": 0.5,
}
SIMILO_WEIGHTS |= {"button": 0.5, "text": 1.5, "near": 1.5}
SIMILO_NUMBERS = 0.5
"""The weight of location, area and shape each."""


def similo(old: dict[str, Any], new: list[dict[str, Any]]) -> int:
    """Return the place of the element that Similo takes for `old`."""

    def score(one: dict[str, Any]) -> float:
        total = 0.0
        for key, weight in SIMILO_WEIGHTS.items():
            if old[key] or one[key]:
                total += weight * (
                    float(old[key] == one[key])
                    if key in ("tag", "button")
                    else Levenshtein.normalized_similarity(old[key], one[key])
                )
        total += SIMILO_NUMBERS * max(0.0, 1 - math.hypot(old["x"] - one["x"], old["y"] - one["y"]) / 100)
        for key in ("area", "shape"):
            most = max(old[key], one[key])
            total += SIMILO_NUMBERS * (min(old[key], one[key]) / most if most else 1.0)
        return total

    return max(range(len(new)), key=lambda at: score(new[at]))


class Counts:
    """Right, wrong and no answers, and how many elements were still there."""

    def __init__(self) -> None:
        self.right = self.wrong = self.none = self.there = 0

    def add(self, given: int | None, truth: int | None) -> None:
        """Take down one answer."""
        self.there += truth is not None
        if given is None:
            self.none += 1
        elif given == truth:
            self.right += 1
        else:
            self.wrong += 1

    @property
    def precision(self) -> float:
        """Percent of the elements given out that were the right ones."""
        return 100 * self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Percent of the elements still there that were found."""
        return 100 * self.right / max(1, self.there)


class Case:
    """One change of one page: what was looked for, where it is, and what the page is now."""

    def __init__(self, change: str, taken: list[Fingerprint], truth: list[int | None], after: Snapshot) -> None:
        self.change, self.taken, self.truth, self.after = change, taken, truth, after


Answers = dict[tuple[str, str], Counts]


async def compete(
    page: Page, name: str, chosen_count: int, answers: Answers, micros: dict[str, list[float]]
) -> list[Case]:
    """Change one page in every way and have both look for the same elements; return the cases, for tuning."""
    cases = []
    origin = await page.evaluate("document.body.outerHTML")
    for change in CHANGES:
        await page.evaluate(f"document.body.outerHTML = {json.dumps(origin)}; 0")
        before, ids = await page.snapshot(), await element_ids(page)
        shown = await page.evaluate(
            "[...document.querySelectorAll('body *')].map((e) => e.getClientRects().length && e.localName !== 'script')"
        )
        head = len(ids) - len(shown)
        visible = [head + at for at, here in enumerate(shown) if here]
        chosen = random.Random(f"{name} {change}").sample(visible, min(chosen_count, len(visible)))
        old = await page.evaluate(f"({PROPERTIES})()", timeout_ms=60000)
        taken = [before.fingerprint("", ids[index]) for index in chosen]
        places = await page.evaluate(f"({RENDER})({json.dumps(change)}, {json.dumps(chosen)}, {len(name)})")
        after, ids = await page.snapshot(), await element_ids(page)
        new = await page.evaluate(f"({PROPERTIES})()", timeout_ms=60000)
        truth = [None if place < 0 else ids[place] for place in places]
        fingerprints = [one for one in taken if one is not None]
        cases.append(Case(change, fingerprints, truth, after))
        after.relocate(fingerprints[0])  # the index is there
        for fingerprint, index, right in zip(fingerprints, chosen, truth, strict=True):
            began = time.perf_counter()
            found = after.relocate(fingerprint)
            micros.setdefault(OURS, []).append((time.perf_counter() - began) * 1e6)
            given = found.element
            answers.setdefault((OURS, change), Counts()).add(given.backend_node_id if given else None, right)
            began = time.perf_counter()
            place = similo(old[index], new)
            micros.setdefault(SIMILO, []).append((time.perf_counter() - began) * 1e6)
            answers.setdefault((SIMILO, change), Counts()).add(ids[place], right)
    return cases


async def play(chosen: int, half: int | None) -> tuple[Answers, dict[str, list[float]], list[Case]]:
    """Let both compete on the pages of one half (0, 1; None: all)."""
    answers: Answers = {}
    micros: dict[str, list[float]] = {}
    cases: list[Case] = []
    async with real_pages() as (origin, pages), stillframe.launch(args=NO_INTERNET) as browser:
        for number, real in enumerate(pages):
            if half is not None and number % 2 != half:
                continue
            page = await browser.new_page(origin + real.path)
            await page.cdp_session.call("Emulation.setScriptExecutionDisabled", {"value": True})
            if await page.evaluate("document.querySelectorAll('*').length") <= LARGEST:
                cases += await compete(page, real.name, chosen, answers, micros)
            await page.close()
    assert answers, "no pages are installed; run `make bench` once with npm and rustup"
    return answers, micros, cases


async def run(*, rounds: int = CHOSEN) -> list[Table]:
    """Compete on the held-out pages; `rounds` is how many elements are looked for per page and change."""
    answers, micros, _ = await play(rounds, 1)
    tables = []
    for change in CHANGES:
        ours, theirs = answers[OURS, change], answers[SIMILO, change]
        notes = {
            who: f"right {one.right}, wrong {one.wrong}, abstained {one.none}, of {one.there} there"
            for who, one in ((OURS, ours), (SIMILO, theirs))
        }
        for what in ("precision", "recall"):
            figures = {OURS: [getattr(ours, what)], SIMILO: [getattr(theirs, what)]}
            tables.append(table(f"relocation, {change}: {what}", "%", OURS, figures, notes=notes))
    tables.append(table("relocation, time per element, index or properties ready", "us", OURS, micros))
    return tables
