"""The login sequence end to end: ours, a poll, and Playwright for Python with network idle.

The poll is the rule of docs/design/proposal.md.

Playwright takes an aria snapshot before and after, since that is how its users see what changed.

The page is the bundled shop's login: the server answers after 150 ms, and 50 ms later the page shows the welcome. The
oracle is the page's own mark of that moment, in the runs of stillframe; figures are wall time from the first action to
the answer in hand. Every answer is checked for the welcome.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import stillframe
from bench.commands import installed
from bench.measure import Table, interleaved, table
from stillframe.demo.shop import PASSWORD, USER, Shop

ROUNDS = 15
QUESTION = "login: fill, fill, click, settled, with the change in hand"
CAUSAL = "stillframe, causal"
ORACLE = "oracle: the welcome is in the document"
MARKED = "performance.timeOrigin + performance.getEntriesByName('welcome')[0].startTime"
PLAYWRIGHT = "Playwright, networkidle + aria"
WELCOME = "Welcome"

Sampler = Callable[[], Awaitable[float]]
ACTIONS = (
    stillframe.SetValue("#user", USER),
    stillframe.SetValue("#pass", stillframe.Secret(PASSWORD)),
    stillframe.Click("#submit"),
)


oracle_ms: list[float] = []
"""When the welcome was there, in each run of the causal rule, from the first action on."""
premature: list[bool] = []
"""Whether Playwright's answer lacked the welcome, in each of its runs."""


async def _timed(work: Awaitable[Any]) -> tuple[float, Any]:
    clock = asyncio.get_running_loop().time
    started = clock()
    answer = await work
    return (clock() - started) * 1000, answer


@asynccontextmanager
async def ours(shop: Shop, **options: Any) -> AsyncIterator[Sampler]:
    """`execute_sequence` with the given options."""
    async with stillframe.launch() as browser:
        page = await browser.new_page()

        async def sample() -> float:
            await page.goto(shop.url("/login"))
            started = time.time() * 1000
            elapsed, result = await _timed(page.execute_sequence(ACTIONS, **options))
            assert result.completed == len(ACTIONS), result.failed
            assert WELCOME in result.to_json().decode(), result
            if not options:
                oracle_ms.append(await page.evaluate(MARKED) - started)
            return elapsed

        yield sample


@asynccontextmanager
async def playwright(shop: Shop) -> AsyncIterator[Sampler]:
    """What a careful Playwright script does: aria snapshot, fill, fill, click, network idle, aria snapshot."""
    module = importlib.import_module("playwright.async_api")
    found = stillframe.chrome.find_executable()
    async with module.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=found.path, args=["--no-sandbox"])
        page = await browser.new_page()

        async def act() -> str:
            before = await page.locator("body").aria_snapshot()
            await page.fill("#user", USER)
            await page.fill("#pass", PASSWORD)
            await page.click("#submit")
            await page.wait_for_load_state("networkidle")
            after: str = await page.locator("body").aria_snapshot()
            assert before != after
            return after

        async def sample() -> float:
            await page.goto(shop.url("/login"))
            elapsed, after = await _timed(act())
            premature.append(WELCOME not in after)
            return elapsed

        yield sample
        await browser.close()


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure our two rules and Playwright, if it is installed, in one run."""
    missing = {} if installed("playwright") else {"Playwright": "pip install playwright"}
    async with AsyncExitStack() as stack:
        shop = await stack.enter_async_context(Shop())
        contestants = {
            CAUSAL: await stack.enter_async_context(ours(shop)),
            "the proposal's poll (settle='quiet')": await stack.enter_async_context(ours(shop, settle="quiet")),
        }
        if not missing:
            contestants[PLAYWRIGHT] = await stack.enter_async_context(playwright(shop))
        for warm_up in contestants.values():
            await warm_up()
        samples = await interleaved(contestants, rounds)
    samples[ORACLE] = oracle_ms[1:]
    notes = {PLAYWRIGHT: f"the welcome missing in {sum(premature[1:])} of {len(premature) - 1}"}
    return [table(QUESTION, "ms", ORACLE, samples, missing=missing, notes=notes)]
