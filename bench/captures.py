"""What captures cost a sequence, and what is saved by never capturing the same state twice.

Both contestants run the same steps on the same page in one browser: a click that changes one text, settled, with the
change in hand. One of them captures before and after each step, as long as there is nothing to tell it that the page
stands still; the other is what `execute_sequence` does. Then both look again at the page while nothing happens. Every
answer is checked, and the captures and the bytes of each step are counted on the wire.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import stillframe
from bench.measure import Table, interleaved, table
from bench.site import html, serving
from stillframe import Click
from stillframe.api.browser import Browser, Page
from stillframe.core import Snapshot
from stillframe.model.result import CaptureCounts
from stillframe.tab.captures import Captures
from stillframe.tab.deadline import Deadline
from stillframe.testing import FrameLog

ROUNDS = 5
STEPS = 3
LOOKS = 5
CARDS = {"700 nodes": 40, "7k nodes": 410, "70k nodes": 4150}
"""How many cards make a page of that size: 17 nodes each, of which 6 are white space."""
ALWAYS, SPARED = "a capture before and after each step", "stillframe"
CARD = """
<article class="card product" data-id="{0}">
  <h3 class="title">Product {0}</h3><p>Some words about {0}.</p>
  <a href="/p/{0}" class="more link">More</a> <button type="button" aria-label="Add {0}">Add</button>
  <input name="amount{0}" value="1"> <span>€ {0}</span>
</article>"""
HEAD = '<button id=next onclick="count.textContent = +count.textContent + 1">next</button> <b id=count>0</b>'

Sampler = Callable[[], Awaitable[float]]


class AlwaysCaptures(Captures):
    """What captures were before: every one is taken and parsed."""

    async def take(self, deadline: Deadline, *, fresh: bool = False) -> Snapshot:  # noqa: ARG002  all are fresh
        """Return a new snapshot."""
        self._last = None
        return await super().take(deadline, fresh=True)


class Cost:
    """What the steps of one contestant have cost."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin again."""
        self.steps = self.bytes = 0
        self.captures = CaptureCounts()

    def note(self) -> str:
        """Return the cost of one step in words."""
        captures = f"{self.captures.taken / self.steps:.2f} captures"
        return f"{captures}, {self.captures.reused / self.steps:.2f} spared, {self.bytes / self.steps / 1000:.0f} kB"


@asynccontextmanager
async def opened(browser: Browser, url: str, *, always: bool) -> AsyncIterator[Page]:
    """A tab of its own, so that neither contestant's page is the other's."""
    async with await browser.new_context() as context, await context.new_page(url) as page:
        if always:
            page._tab.captures = AlwaysCaptures(page._tab.frames, page._tab.observation)
        await page.settle()
        await page.snapshot()
        yield page


async def sampled(page: Page, cost: Cost, times: int, turn: Callable[[], Awaitable[None]]) -> float:
    """Take some turns, add up what they cost, and return how many milliseconds one took."""
    before = page.captures
    with FrameLog(page.browser._connection) as wire:
        started = time.perf_counter()
        for _ in range(times):
            await turn()
        elapsed = time.perf_counter() - started
    cost.steps += times
    cost.bytes += wire.size
    cost.captures += page.captures - before
    return elapsed / times * 1000


def stepping(page: Page, cost: Cost) -> Sampler:
    """Milliseconds a step, from the call to the change in hand."""
    count = 0

    async def step() -> None:
        nonlocal count
        check(await page.execute_sequence([Click("#next")]), count)
        count += 1

    return lambda: sampled(page, cost, STEPS, step)


def check(result: Any, count: int) -> None:
    """The answer is the one text that changed, from and to."""
    assert result.state_change is not None, result
    told = [(row.selector, row.from_, row.to) for row in result.state_change.changed]
    assert told == [("#count", str(count), str(count + 1))], told


def looking(page: Page, cost: Cost) -> Sampler:
    """Milliseconds for a capture of a page that has not changed."""

    async def sample() -> float:
        first = await page.snapshot()

        async def look() -> None:
            assert not first.diff(await page.snapshot())

        return await sampled(page, cost, LOOKS, look)

    return sample


async def compared(
    browser: Browser, url: str, what: Callable[[Page, Cost], Sampler], question: str, rounds: int
) -> Table:
    """Run both contestants in turn, each in a tab of its own."""
    costs = {ALWAYS: Cost(), SPARED: Cost()}
    async with opened(browser, url, always=True) as one, opened(browser, url, always=False) as other:
        samplers = {ALWAYS: what(one, costs[ALWAYS]), SPARED: what(other, costs[SPARED])}
        for sampler in samplers.values():
            await sampler()
        for cost in costs.values():
            cost.clear()  # what warmed up does not count
        samples = await interleaved(samplers, rounds)
    return table(question, "ms", ALWAYS, samples, notes={name: cost.note() for name, cost in costs.items()})


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure steps and looks on pages of three sizes."""
    pages = {f"/{n}": html(f"<!doctype html>{HEAD}" + "".join(map(CARD.format, range(n)))) for n in CARDS.values()}
    tables = []
    async with serving(pages) as port, stillframe.launch() as browser:
        for size, cards in CARDS.items():
            url = f"http://127.0.0.1:{port}/{cards}"
            tables += [
                await compared(browser, url, stepping, f"one step: click, settled, the change in hand; {size}", rounds),
                await compared(browser, url, looking, f"a capture of a page that has not changed; {size}", rounds),
            ]
    return tables
