"""The login sequence end to end: ours, the proposal's poll, and Playwright for Python with network idle.

Playwright takes an aria snapshot before and after, since that is how its users see what changed.

The page is the bundled shop's login: the server answers after 150 ms, the page shows the welcome 50 ms later. The
oracle is the page's own mark of that moment; the figure is wall time from the first action to the answer in hand.
Each contestant's answer is checked: it must hold the welcome.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import stillframe
from bench.commands import installed
from bench.measure import Table, interleaved, table
from stillframe.demo.shop import PASSWORD, USER, Shop

ROUNDS = 15
QUESTION = "login: fill, fill, click, settled, with the change in hand"
ORACLE = "oracle (server 150 ms + timer 50 ms)"
ORACLE_MS = 200.0
WELCOME = "Welcome"

Sampler = Callable[[], Awaitable[float]]
ACTIONS = (
    stillframe.SetValue("#user", USER),
    stillframe.SetValue("#pass", stillframe.Secret(PASSWORD)),
    stillframe.Click("#submit"),
)


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
            elapsed, result = await _timed(page.execute_sequence(ACTIONS, **options))
            assert result.completed == len(ACTIONS), result.failed
            assert WELCOME in result.to_json().decode(), result
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

        premature: list[bool] = []
        yield sample
        await browser.close()
        playwright_premature[:] = premature


playwright_premature: list[bool] = []


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure our two rules and Playwright, if it is installed, in one run."""
    missing = {} if installed("playwright") else {"Playwright": "pip install playwright"}
    async with AsyncExitStack() as stack:
        shop = await stack.enter_async_context(Shop())
        contestants = {
            "stillframe, causal": await stack.enter_async_context(ours(shop)),
            "the proposal's poll (settle='quiet')": await stack.enter_async_context(ours(shop, settle="quiet")),
        }
        if not missing:
            contestants["Playwright, networkidle + aria"] = await stack.enter_async_context(playwright(shop))
        for warm_up in contestants.values():
            await warm_up()
        samples = await interleaved(contestants, rounds)
    samples[ORACLE] = [ORACLE_MS]
    early = sum(playwright_premature)
    notes = {"Playwright, networkidle + aria": f"premature in {early} of {len(playwright_premature)}"} if early else {}
    return [table(QUESTION, "ms", ORACLE, samples, missing=missing, notes=notes)]
