"""What a wait costs while nothing happens: messages, bytes and round trips on the wire, and CPU.

The page is a list of 200 rows that does nothing. CPU is that of this process and of the browser's processes, per page,
while each page waits for a request that is not answered; what the same pages take without a wait is beside it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import stillframe
from bench.measure import Table, table, tree_cpu
from bench.site import hang, html, serving, slow
from stillframe.api.browser import Browser, Page
from stillframe.model.options import Observe
from stillframe.testing import FrameLog

ROUNDS = 5
IDLE_SECONDS = 10.0
CALM_SECONDS = 4.0
"""After this Chrome has no more news of a document that has loaded (networkIdle; it looks every two seconds)."""
REQUEST_SECONDS = 1.5
CPU_SECONDS = 5.0
ARMED_SECONDS = 1.0
PAGES = (1, 32)
WAIT_MS = 60_000
BODY = "<!doctype html><title>quiet</title><ul>" + "".join(f"<li id=row{n}>row {n}" for n in range(200)) + "</ul>"
BEGIN = "void fetch({!r})"
OBSERVED: tuple[Observe, ...] = ("protocol", "dom", "calls")


# -- the wire ------------------------------------------------------------------------------------


async def arm_and_settle(browser: Browser, url: str, observe: Observe) -> FrameLog:
    """One wait on a page that has been settled once, so that what a document needs once is not counted again."""
    async with await browser.new_context() as context:
        page = await context.new_page(url)
        await page.settle(observe=observe)
        await page.cdp_session.drain_events()
        with FrameLog(browser._connection) as wire:
            verdict = await page.settle(observe=observe)
            await page.cdp_session.drain_events()
    assert verdict.stable, verdict
    # The fence that made sure that all was counted is not the wait's.
    wire.frames = wire.frames[:-2]
    return wire


async def wire_tables(browser: Browser, url: str, rounds: int) -> list[Table]:
    """Return round trips, messages and bytes per way of observing."""
    measures = {"round trips": "round_trips", "messages": "messages", "bytes": "size"}
    samples: dict[str, dict[str, list[float]]] = {unit: {} for unit in measures}
    for _ in range(rounds):
        for observe in OBSERVED:
            wire = await arm_and_settle(browser, url, observe)
            for unit, name in measures.items():
                samples[unit].setdefault(observe, []).append(getattr(wire, name))
    return [table("arm and settle on a quiet page", unit, "dom", samples[unit]) for unit in measures]


async def silence(browser: Browser, url: str) -> Table:
    """Count what goes over the wire while nothing happens: after a wait, and in the midst of one."""
    samples: dict[str, list[float]] = {}
    async with await browser.new_context() as context:
        page = await context.new_page(url)
        await page.settle()
        with FrameLog(browser._connection) as wire:
            await _calm(wire)
            await asyncio.sleep(IDLE_SECONDS)
        samples[f"idle page, {IDLE_SECONDS:.0f} s"] = [wire.messages]
        samples[f"waiting for a request of {REQUEST_SECONDS} s"] = [await _while_pending(page, url)]
    return table("messages in both directions while nothing happens", "messages", "", samples)


async def _calm(wire: FrameLog) -> None:
    """Wait until Chrome has told the last news of a document that has loaded."""
    told = -1
    while told != wire.messages:
        told = wire.messages
        await asyncio.sleep(CALM_SECONDS)
    wire.frames.clear()


async def _while_pending(page: Page, url: str) -> int:
    await page.evaluate(BEGIN.format(f"{url}/slow?ms={REQUEST_SECONDS * 1000:.0f}"))
    with FrameLog(page.cdp_session.channel) as wire:
        waiting = asyncio.ensure_future(page.settle())
        # What arming sends is sent and answered by now; the answer of the server is far away.
        await asyncio.sleep(REQUEST_SECONDS / 3)
        wire.frames.clear()
        await asyncio.sleep(REQUEST_SECONDS / 3)
        messages = wire.messages
    await waiting
    return messages


# -- CPU -----------------------------------------------------------------------------------------


class Cpu:
    """CPU seconds of this process and of a browser's processes over a stretch of time."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.client = self.browser = self.wall = 0.0

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure a block; processes that come or go within it are left out."""
        client, wall, browser = time.process_time(), time.perf_counter(), tree_cpu(self._pid)
        yield
        after = tree_cpu(self._pid)
        self.client, self.wall = time.process_time() - client, time.perf_counter() - wall
        self.browser = sum(after[pid] - browser[pid] for pid in browser.keys() & after.keys())


async def cpu(browser: Browser, url: str, pages: int, rounds: int) -> dict[str, list[Cpu]]:
    """Measure pages with a request that is not answered, in turn with nobody and with somebody who waits for it."""
    pid = browser.info.pid
    assert pid is not None
    measured: dict[str, list[Cpu]] = {"nobody waits": [], "waiting": []}
    async with await browser.new_context() as context:
        opened = [await context.new_page(url) for _ in range(pages)]
        for page in opened:
            await page.settle()
            await page.evaluate(BEGIN.format(f"{url}/hang"))
        await asyncio.sleep(CALM_SECONDS)
        for _ in range(rounds):
            for name, used in measured.items():
                waited_for = opened if name == "waiting" else []
                async with _waiting(waited_for):
                    used.append(Cpu(pid))
                    with used[-1].measured():
                        await asyncio.sleep(CPU_SECONDS)
    return measured


@asynccontextmanager
async def _waiting(pages: list[Page]) -> AsyncIterator[None]:
    """Wait for each of the pages during the block; none of them may settle."""
    waits = [asyncio.ensure_future(page.settle(timeout_ms=WAIT_MS, horizon_ms=WAIT_MS)) for page in pages]
    await asyncio.sleep(ARMED_SECONDS)
    yield
    assert not any(wait.done() for wait in waits), [wait.result() for wait in waits if wait.done()]
    for wait in waits:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)


async def cpu_tables(browser: Browser, url: str, rounds: int) -> list[Table]:
    """Return the CPU per page of the client and of the browser, with a wait and without."""
    samples: dict[str, dict[str, list[float]]] = {"client": {}, "browser": {}}
    for pages in PAGES:
        for name, measured in (await cpu(browser, url, pages, rounds)).items():
            for side in samples:
                shares = [100 * getattr(used, side) / used.wall / pages for used in measured]
                samples[side][f"{pages} page{'s' if pages > 1 else ''}, {name}"] = shares
    return [table(f"CPU of the {side} per page", "% of a core", "", rows) for side, rows in samples.items()]


async def run(*, rounds: int = ROUNDS) -> list[Table]:
    """Measure a browser of its own."""
    routes = {"/": html(BODY), "/slow": slow, "/hang": hang}
    async with serving(routes) as port, stillframe.launch() as browser:
        url = f"http://127.0.0.1:{port}"
        wire = await wire_tables(browser, url, rounds)
        return [*wire, await silence(browser, url), *await cpu_tables(browser, url, rounds)]
