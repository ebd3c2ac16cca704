"""What the text of a page costs, beside Chrome's own accessibility tree, on pages of 4k and 20k elements.

All on one page in one browser, in turn: the outline alone, made of a capture that is at hand; the text of a page that
has not changed, and of one that has; and `Accessibility.getFullAXTree`, which other servers build their texts on, as
far as its bytes, never decoded. Texts are checked: within their budget, in reading order, every line accounted for.
The notes tell the size of what a reader gets. Other servers' texts of such a page of 4k elements: playwright-mcp
172k characters, chrome-devtools-mcp 135k (docs/design/measured.md).
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable

import stillframe
from bench.captures import CARD
from bench.measure import Table, interleaved, table
from bench.site import html, serving
from stillframe.api.browser import Page
from stillframe.cdp_types import accessibility
from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.tab.reading.aria_snapshot import BUDGET, MAX_BUDGET

ROUNDS = 5
CARDS = {"4k elements": 571, "20k elements": 2857}
"""How many cards of 7 elements make a page of that size."""
NEXT = '<button id=next onclick="count.textContent = +count.textContent + 1">next</button>'
HEAD = f"<main><h1>Products</h1>{NEXT}<b id=count>0</b>"
AX = "Accessibility.getFullAXTree, never decoded"

Sampler = Callable[[], Awaitable[float]]


class Samplers:
    """The contestants on one page; `notes` says how large the answer of each is."""

    def __init__(self, page: Page, cards: int) -> None:
        self.page = page
        self.cards = cards
        self.notes: dict[str, str] = {}

    def all(self) -> dict[str, Sampler]:
        """Return what there is to compare."""
        return {
            "outline of a capture at hand": self._outline(BUDGET),
            "outline of a capture at hand, all of it": self._outline(MAX_BUDGET),
            "page.aria_snapshot(), nothing has changed": self._snapshot("nothing", changed=False),
            "page.aria_snapshot(), a text has changed": self._snapshot("a text", changed=True),
            AX: self._ax,
        }

    def _outline(self, budget: int) -> Sampler:
        name = "outline of a capture at hand" + (", all of it" if budget == MAX_BUDGET else "")

        async def sample() -> float:
            snapshot = await self.page.snapshot()
            started = time.perf_counter()
            found = snapshot.outline(budget=budget)
            elapsed = time.perf_counter() - started
            assert found is not None
            assert len(found.text) <= budget
            assert (found["shown"] == found["total"]) is (budget == MAX_BUDGET)
            self.notes[name] = f"{len(found['text'])} characters, {found['shown']} of {found['total']} lines"
            return elapsed * 1000

        return sample

    def _snapshot(self, what: str, *, changed: bool) -> Sampler:
        name = f"page.aria_snapshot(), {what} has changed"

        async def sample() -> float:
            await self.page.snapshot()
            if changed:
                await self.page.evaluate("document.getElementById('next').click()")
            started = time.perf_counter()
            text = await self.page.aria_snapshot()
            elapsed = time.perf_counter() - started
            self._check(text)
            self.notes[name] = f"{len(text.text)} characters"
            return elapsed * 1000

        return sample

    def _check(self, text: AriaSnapshot) -> None:
        assert len(text.text) <= BUDGET
        numbers = [int(number) for number in re.findall(r'button "Add (\d+)"', text.text)]
        assert numbers == sorted(numbers)
        assert len(numbers) >= 10
        left_out = re.search(r"… (\d+) more articles", text.text)
        assert left_out is not None
        assert int(left_out[1]) + text.text.count("- article") == self.cards

    async def _ax(self) -> float:
        await self.page.snapshot()
        started = time.perf_counter()
        raw = await self.page.cdp_session.send_raw(accessibility.GetFullAXTree(), timeout=60)
        elapsed = time.perf_counter() - started
        self.notes[AX] = f"{len(raw)} bytes"
        return elapsed * 1000


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure both pages."""
    pages = {f"/{n}": html(f"<!doctype html>{HEAD}" + "".join(map(CARD.format, range(n)))) for n in CARDS.values()}
    tables = []
    async with serving(pages) as port, stillframe.launch() as browser:
        for size, cards in CARDS.items():
            async with await browser.new_page(f"http://127.0.0.1:{port}/{cards}") as page:
                await page.settle()
                samplers = Samplers(page, cards)
                contestants = samplers.all()
                for sampler in contestants.values():
                    await sampler()
                samples = await interleaved(contestants, rounds)
            question = f"the text of a page for a model, {BUDGET} characters; {size}"
            tables.append(table(question, "ms", AX, samples, notes=samplers.notes))
    return tables
