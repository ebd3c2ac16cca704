"""What a trace costs per action, beside Playwright's tracing, and how large a long trace is and how fast it opens.

One action is a click on a button of a page that sends a request and renders its answer; each answer is checked. The
figure is wall time per action. Playwright's clicks wait for a text that the bench knows in advance, so its rows compare
only with each other.

The long trace has `ACTIONS` actions in `SECONDS` seconds. Its report is opened in Chromium from disk; the time is that
from the navigation to the drawn lanes.
"""

from __future__ import annotations

import asyncio
import importlib
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from aiohttp import web

import stillframe
from bench.commands import installed
from bench.measure import Table, interleaved, table
from stillframe.testing.app_server import serving
from stillframe.trace.reading import read_trace
from stillframe.trace.report import report

ROUNDS = 15
CLICKS = 10
"""Clicks per sample."""
ACTIONS = 500
SECONDS = 300
"""How long they take, one after the other at a steady pace."""
QUESTION = "wall time per click"
OPEN = f"a trace of {ACTIONS} actions in {SECONDS / 60:g} minutes"
OFF, ON, FULL = "stillframe, no trace", "stillframe, trace", "stillframe, trace with screenshots"
PLAYWRIGHT_OFF, PLAYWRIGHT_ON = "Playwright, no tracing", "Playwright, tracing (snapshots, screenshots)"

PAGE = """<!doctype html><title>Counter</title><style>li { padding: 4px }</style>
<button id=go>Count</button><p id=out>0</p><ul id=list></ul>
<script>
let n = 0
go.onclick = async () => {
  const answer = await (await fetch(`/count?n=${++n}`)).text()
  out.textContent = answer
  list.insertAdjacentHTML("afterbegin", `<li>row ${answer}`)
  if (list.children.length > 30) list.lastChild.remove()
}
</script>"""

Sampler = Callable[[], Awaitable[float]]


def site() -> web.Application:
    """Return the site: a page, and the number that it asks for."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(text=PAGE, content_type="text/html")

    async def counted(request: web.Request) -> web.Response:
        return web.Response(text=request.query["n"])

    app = web.Application()
    app.router.add_get("/", page)
    app.router.add_get("/count", counted)
    return app


@asynccontextmanager
async def ours(url: str, _folder: Path, **trace: Any) -> AsyncIterator[Sampler]:
    """Clicks of stillframe, each with its verdict and its delta; `trace` are the options of its context."""
    async with stillframe.launch(**trace) as browser:
        page = await browser.new_page(url)
        clicked = count(1)

        async def sample() -> float:
            began = time.perf_counter()
            for _ in range(CLICKS):
                result = await page.click("#go")
                assert f'"to":"{next(clicked)}"' in result.to_json().decode(), result
            return (time.perf_counter() - began) * 1000 / CLICKS

        yield sample


@asynccontextmanager
async def playwright(url: str, folder: Path, *, tracing: bool) -> AsyncIterator[Sampler]:
    """Clicks of Playwright, and a wait for the answer of each."""
    module = importlib.import_module("playwright.async_api")
    found = stillframe.chrome.find_executable()
    async with module.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=found.path, args=["--no-sandbox"])
        context = await browser.new_context()
        if tracing:
            await context.tracing.start(snapshots=True, screenshots=True)
        page = await context.new_page()
        await page.goto(url)
        clicked = count(1)

        async def sample() -> float:
            began = time.perf_counter()
            for _ in range(CLICKS):
                await page.click("#go")
                await page.get_by_text(f"row {next(clicked)}", exact=True).wait_for()
            return (time.perf_counter() - began) * 1000 / CLICKS

        yield sample
        if tracing:
            await context.tracing.stop(path=folder / "playwright.zip")
        await browser.close()


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure the cost of tracing, and the size and the opening of a long trace."""
    missing = {} if installed("playwright") else {"Playwright": "pip install playwright"}
    async with AsyncExitStack() as stack:
        url = f"http://127.0.0.1:{await stack.enter_async_context(serving(site()))}/"
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        lanes = {
            OFF: ours(url, folder),
            ON: ours(url, folder, trace=folder / "on"),
            FULL: ours(url, folder, trace=folder / "full", trace_screenshots=True),
        }
        if not missing:
            lanes |= {
                PLAYWRIGHT_OFF: playwright(url, folder, tracing=False),
                PLAYWRIGHT_ON: playwright(url, folder, tracing=True),
            }
        contestants = {name: await stack.enter_async_context(lane) for name, lane in lanes.items()}
        for warm_up in contestants.values():
            await warm_up()
        samples = await interleaved(contestants, rounds)
        traces = await asyncio.gather(*(long_trace(url, folder, screenshots=each) for each in (False, True)))
        opened = [await opening(path) for path in traces]
    return [table(QUESTION, "ms", OFF, samples, missing=missing), *opened]


async def long_trace(url: str, folder: Path, *, screenshots: bool) -> Path:
    """Trace many actions at a steady pace and return the trace."""
    path = folder / f"{'with' if screenshots else 'without'} screenshots.trace.jsonl"
    async with stillframe.launch() as browser:
        page = await browser.new_page(url)
        async with page.trace(path, screenshots=screenshots):
            began = time.monotonic()
            for number in range(1, ACTIONS + 1):
                result = await page.click("#go")
                assert result.stable, result
                await asyncio.sleep(began + number * SECONDS / ACTIONS - time.monotonic())
    return path


async def opening(path: Path) -> Table:
    """Open the report of a trace some times."""
    name = path.name.partition(".")[0]
    html = path.with_suffix(".html")
    await asyncio.to_thread(html.write_text, report(read_trace(path)))
    times = []
    async with stillframe.launch(allow_schemes=["file"]) as browser, await browser.new_page() as page:
        for _ in range(5):
            began = time.perf_counter()
            await page.goto(html.as_uri())
            assert await page.evaluate("document.querySelectorAll('#steps button').length") >= ACTIONS
            times.append((time.perf_counter() - began) * 1000)
            await page.goto("about:blank")
    notes = {name: f"trace {megabytes(path)}, report {megabytes(html)}"}
    return table(f"{OPEN}, {name}: time to open its report", "ms", name, {name: times}, notes=notes)


def megabytes(path: Path) -> str:
    """Return the size of a file in words."""
    return f"{path.stat().st_size / 1e6:.1f} MB"
