"""Many tabs of one browser settle at once: all but one are in the background, and none of them may starve."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from typing import Any, TypeVar

import pytest

from sampling import sampled
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.model.actions import Click
from stillframe.model.verdict import Verdict

MANY, MOST = 8, 32
"""How many tabs; that all but one are in the background shows with few as well."""
T = TypeVar("T")

PAGE = """
<button id=go>Go</button><p id=out></p>
<script>
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const get = (url) => fetch(url).then((answer) => answer.text());
go.onclick = async () => {{ {work}; out.textContent = "done"; }};
</script>
"""

KINDS: dict[str, tuple[str, str]] = {
    "nothing": ("return", "no_effect"),
    "request": ("await get('/slow?ms=300')", "quiet"),
    "chain": ("for (let i = 0; i < 3; i++) await get('/slow?ms=100')", "quiet"),
    "hung": ("await get('/hang')", "horizon: request"),
}
"""The effect of the button of a page, and the beginning of the outcome of its verdict."""
HORIZON_MS = 3000
"""Long enough for a machine on which many renderers process their clicks at once."""

FRAMES = """
new Promise((resolve) => {
  let frames = 0;
  const began = performance.now();
  const tick = (now) => { if (now - began < 1000) { frames++; requestAnimationFrame(tick); } else resolve(frames); };
  requestAnimationFrame(tick);
})
"""
TIMERS = """
new Promise((resolve) => {
  let ticks = 0;
  const began = performance.now();
  const tick = () => { if (performance.now() - began < 1000) { ticks++; setTimeout(tick, 10); } else resolve(ticks); };
  setTimeout(tick, 10);
})
"""


@pytest.fixture(scope="module", params=sampled((MANY, MOST), (MANY,)))
async def opened(request: pytest.FixtureRequest, browser: Browser) -> AsyncIterator[list[Page]]:
    """Tabs of one context; the last one opened is in front."""
    async with await browser.new_context() as context:
        yield [await context.new_page() for _ in range(request.param)]


@pytest.fixture
async def tabs(opened: list[Page], site: Site) -> list[Page]:
    """The tabs, each with a fresh page of its kind."""
    for kind, (work, _) in KINDS.items():
        site.html(f"/{kind}", PAGE.format(work=work), title=kind)
    # Chrome sends at most six requests to one host at a time: each tab has a host of its own.
    urls = [site.url(f"/{[*KINDS][n % len(KINDS)]}", host=f"tab{n}.localhost") for n in range(len(opened))]
    await together(page.goto(url) for page, url in zip(opened, urls, strict=True))
    return opened


@pytest.fixture
async def blank(opened: list[Page]) -> list[Page]:
    """The tabs, all empty."""
    await together(page.goto("about:blank") for page in opened)
    return opened


async def together(work: Any) -> list[Any]:
    return list(await asyncio.gather(*work))


async def timed(work: Awaitable[T]) -> tuple[T, float]:
    """Await a result, and return it with its time."""
    return await work, time.monotonic()


def expected(verdicts: list[Any]) -> None:
    """Check that each verdict is that of its own page."""
    starts = [start for _, start in KINDS.values()] * (len(verdicts) // len(KINDS))
    astray = [(v.outcome, start) for v, start in zip(verdicts, starts, strict=True) if not v.outcome.startswith(start)]
    assert astray == []


async def test_many_tabs_settle_at_once_each_with_its_own_verdict(tabs: list[Page]) -> None:
    results = await together(
        page.execute_sequence([Click("#go")], horizon_ms=HORIZON_MS, timeout_ms=60_000, action_timeout_ms=60_000)
        for page in tabs
    )
    assert [result.failed for result in results if result.failed] == []
    expected(results)
    done = [await page.evaluate("out.textContent") for page in tabs]
    assert done == ["", "done", "done", ""] * (len(tabs) // len(KINDS))


async def test_no_tab_starves(blank: list[Page]) -> None:
    """Tabs with the same work finish at about the same time: none waits for the others."""
    began = time.monotonic()
    answers: list[tuple[Verdict, float]] = await together(timed(page.settle(timeout_ms=60_000)) for page in blank)
    took = sorted(when - began for _, when in answers)
    assert all(verdict.stable for verdict, _ in answers)
    assert took[-1] <= 3 * took[len(took) // 2] + 0.2, took


async def test_a_busy_tab_does_not_hold_up_the_others(blank: list[Page]) -> None:
    busy, *others = blank
    await busy.evaluate("void setTimeout(() => { const end = Date.now() + 4000; while (Date.now() < end); }, 0)")
    hung, *verdicts = await together(
        [busy.settle(timeout_ms=1500), *(page.settle(timeout_ms=60_000) for page in others)]
    )
    assert (hung.stable, hung.reason) == (False, "hung")
    assert all(verdict.stable for verdict in verdicts)


async def test_a_background_tab_runs_at_the_rate_of_one_in_front(browser: Browser, site: Site) -> None:
    """Unwatched, Chrome gives a background tab no frames and one timer a second; a front tab gets 60 and about 95."""
    async with await browser.new_context() as context:
        behind = [await context.new_page(site.html("/", "<p>behind")) for _ in range(2)]
        front = await context.new_page(site.html("/", "<p>front"))
        tabs = (*behind, front)
        frames, timers = await together(together(page.evaluate(script) for page in tabs) for script in (FRAMES, TIMERS))
        assert min(frames) >= 30, frames
        assert min(timers) >= 40, timers
        assert [await page.evaluate("document.visibilityState") for page in behind] == ["visible"] * 2
