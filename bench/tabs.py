"""Many tabs: what a click costs in each of five, and how long many take that settle at once.

The first table clicks in five tabs of one context in turn, and in a tab with a popup beside it: the newest is the one
that a window shows. The others ask how long all tabs take together, and how far behind its own page each verdict is.

In every tab a click fetches something that takes 300 ms and then shows it; all tabs but one are in the background. The
oracle is the page's own mark of that moment. Two cores have to render all of them, so what 32 tabs take beyond one is
what the machine takes, as long as no tab is much later than the others (`high`).
"""

from __future__ import annotations

import asyncio
import time

import stillframe
from bench.measure import Table, table
from bench.site import html, serving, slow
from stillframe.api.browser import Browser, Page
from stillframe.model.actions import Click
from stillframe.model.options import SequenceOptions

ROUNDS = 5
TABS = (1, 8, 32)
HOST = "http://tab{}.localhost:{}/"
"""Chrome makes six requests to one host at a time, so each tab has a host of its own."""
OPTIONS = SequenceOptions(timeout_ms=60_000, horizon_ms=20_000)
BODY = """<!doctype html><title>tab</title><button id=go>Go</button><p id=out></p>
<script>
go.onclick = async () => { await fetch("/slow?ms=300"); out.textContent = "done"; shown = Date.now() };
</script>"""


PLAIN = """<!doctype html><title>tab</title>
<button onclick="this.textContent += 1">Go</button><a onclick="window.open(location)">More</a>"""


async def click(page: Page) -> float:
    """Click, settle, and return how many milliseconds after the page's mark the verdict came."""
    async with page._settler.armed(OPTIONS) as settling:
        await page.evaluate("go.click()")
        verdict = await settling.verdict()
    returned = time.time() * 1000
    assert verdict.reason == "quiet", verdict
    excess = returned - await page.evaluate("shown")
    assert excess > 0, "premature"
    return float(excess)


TURNS = 3
"""Clicks in each tab per round: after three that nobody draws Chrome throttles the frames of a tab."""
FIVE = 5
POPUP = "a tab behind its popup"


async def turns(browser: Browser, url: str, rounds: int) -> dict[str, list[float]]:
    """Click in five tabs in turn, and return how many milliseconds a click took in each of them."""
    samples: dict[str, list[float]] = {}
    async with await browser.new_context() as context:
        pages = {f"tab {number} of {FIVE}": await context.new_page(url) for number in range(1, FIVE + 1)}
        pages[POPUP] = await context.new_page(url)
        await pages[POPUP].execute_sequence([Click("a")])
        for page in pages.values():
            await timed_click(page)
        for _ in range(rounds * TURNS):
            for name, page in pages.items():
                samples.setdefault(name, []).append(await timed_click(page))
    return samples


async def timed_click(page: Page) -> float:
    """Click and return how many milliseconds it took until the answer was there."""
    began = time.perf_counter()
    result = await page.execute_sequence([Click("button")])
    elapsed = (time.perf_counter() - began) * 1000
    assert result.stable, result.outcome
    assert result.state_change is not None
    return elapsed


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure five tabs in turn, and 1, 8 and 32 tabs of one browser at once."""
    walls: dict[str, list[float]] = {}
    excesses: dict[str, list[float]] = {}
    routes = {"/": html(BODY), "/slow": slow, "/plain": html(PLAIN)}
    async with serving(routes) as port, stillframe.launch() as browser:
        clicks = await turns(browser, f"http://localhost:{port}/plain", rounds)
        for number in TABS:
            async with await browser.new_context() as context:
                pages = [await context.new_page(HOST.format(tab, port)) for tab in range(number)]
                name = f"{number} tab{'s' if number > 1 else ''}"
                for _ in range(rounds):
                    began = time.perf_counter()
                    excess = await asyncio.gather(*(click(page) for page in pages))
                    walls.setdefault(name, []).append((time.perf_counter() - began) * 1000)
                    excesses.setdefault(name, []).extend(excess)
    return [
        table("a click in each of five tabs, in turn", "ms", f"tab {FIVE} of {FIVE}", clicks),
        table("all tabs clicked and settled, wall time", "ms", "1 tab", walls),
        table("a tab's verdict after the page's own mark", "ms", "1 tab", excesses),
    ]
