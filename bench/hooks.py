"""What observing calls costs beside observing the DOM: to navigate and settle, to crawl, and per call of the page.

Two pages, each in a context of its own of one browser, take turns, so both meet the same machine. A navigation goes to
the same URL again and is over when the page is still; what the page did is checked each time. Chrome keeps the heap of
the old document while the new one loads, which is what makes conditions on natives dear.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import stillframe
from bench.measure import Table, interleaved, table
from bench.site import html, serving
from stillframe.api.browser import Browser, Page
from stillframe.model.options import Observe

ROUNDS = 15
CRAWLED = 200
CALLS = 2000
WAYS: tuple[Observe, ...] = ("dom", "calls")
FILLER = "<p>text</p>" * 20


class Load(NamedTuple):
    """A page that is loaded and settled, and what it says when that was done right."""

    name: str
    body: str
    done: str = "true"
    rounds: int | None = None


def _frames(count: int) -> str:
    return FILLER + "<iframe srcdoc='<p>frame<script>document.title = 1</script>'></iframe>" * count


HEAP = """<script>
var kept = [];
for (let at = 0; at < 1250000; at++) kept.push({ at, next: kept[at - 1] });
</script>"""
"""Objects of 80 bytes in all, each with a name and a reference: 100 MB that a walk has to follow."""
TIMERS = "<script>var ran = 0; for (let at = 0; at < 3000; at++) setTimeout(() => ran++, at % 50)</script>"

LOADS = (
    Load("a trivial page", FILLER),
    Load("a page with 100 MB of heap", FILLER + HEAP, "kept.length === 1250000", 7),
    Load("a page with 60 iframes", _frames(60), "frames.length === 60"),
    Load("a page with 200 iframes", _frames(200), "frames.length === 200", 5),
    Load("a page with 3,000 timers", FILLER + TIMERS, "ran === 3000"),
)

MEASURE = f"""(() => {{
  const nothing = () => {{}}, ids = [], start = performance.now();
  for (let at = 0; at < {CALLS}; at++) ids.push(setTimeout(nothing, 1e6));
  const taken = performance.now() - start;
  ids.forEach(clearTimeout);
  if (ids.at(-1) - ids[0] !== {CALLS - 1}) throw new Error("not all calls were made");
  return taken / {CALLS} * 1000;
}})()"""


async def _visit(page: Page, url: str, done: str) -> float:
    start = time.perf_counter()
    await page.goto(url)
    verdict = await page.settle(timeout_ms=60_000)
    taken = (time.perf_counter() - start) * 1000
    assert verdict.stable, verdict
    assert await page.evaluate(done), done
    return taken


async def _load(browser: Browser, url: str, load: Load, rounds: int) -> Table:
    async with await browser.new_context(observe="dom") as plain, await browser.new_context(observe="calls") as hooked:
        pages = {"dom": await plain.new_page(), "calls": await hooked.new_page()}

        def visiting(page: Page) -> Callable[[], Awaitable[float]]:
            return lambda: _visit(page, url, load.done)

        for page in pages.values():
            await _visit(page, url, load.done)
        samples = await interleaved({name: visiting(page) for name, page in pages.items()}, load.rounds or rounds)
    return table(f"navigate and settle, {load.name}", "ms", "dom", samples)


async def _crawl(browser: Browser, url: Callable[[int], str]) -> Table:
    """Visit pages one after the other in both ways, in blocks that take turns; report pages per second."""
    samples: dict[str, list[float]] = {way: [] for way in WAYS}
    blocks, size = 10, CRAWLED // 10
    for block in range(blocks):
        for way in WAYS if block % 2 else WAYS[::-1]:
            async with await browser.new_context(observe=way) as context, await context.new_page() as page:
                start = time.perf_counter()
                for number in range(block * size, (block + 1) * size):
                    await _visit(page, url(number), "document.querySelectorAll('p').length === 20")
                samples[way].append(size / (time.perf_counter() - start))
    return table(f"a crawl of {CRAWLED} pages", "pages/s", "dom", samples)


async def _calls(browser: Browser, url: str, rounds: int) -> Table:
    async with await browser.new_context(observe="dom") as plain, await browser.new_context(observe="calls") as hooked:
        pages = {"dom": await plain.new_page(url), "calls": await hooked.new_page(url)}

        def calling(page: Page) -> Callable[[], Awaitable[float]]:
            async def call() -> float:
                return float(await page.evaluate(MEASURE))

            return call

        samples = await interleaved({name: calling(page) for name, page in pages.items()}, rounds)
    return table("one call of setTimeout", "us", "dom", samples)


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure loads, a crawl and single calls."""
    routes = {f"/{number}": html(load.body) for number, load in enumerate(LOADS)}
    routes["/page/{number}"] = html(FILLER)
    async with serving(routes) as port, stillframe.launch() as browser:
        site = f"http://127.0.0.1:{port}"
        tables = [await _load(browser, f"{site}/{number}", load, rounds) for number, load in enumerate(LOADS)]
        tables.append(await _crawl(browser, lambda number: f"{site}/page/{number}"))
        tables.append(await _calls(browser, f"{site}/0", rounds))
    return tables
