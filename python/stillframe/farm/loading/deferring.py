"""Pages that go back to the queue untried, and hosts that asked for time: nothing is wrong with the pages."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from stillframe.errors import BrowserError, ConnectionLost
from stillframe.farm.errors import DiskFull, PoolTimeout
from stillframe.farm.loading.trials import Trials
from stillframe.farm.pool import BrowserPool, PooledPage

# Hosts that asked for time, and requests that go back to a queue later.


class Holds:
    """Holds per host within one crawler; a context manager that ends what still waits."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._over = asyncio.Event()

    def hold(self, host: str, seconds: float) -> None:
        """Load nothing from a host for this many seconds."""
        self._until[host] = max(self._until.get(host, 0.0), time.monotonic() + seconds)

    def left_s(self, host: str) -> float:
        """Return how long a host is still held, 0 if it is not."""
        left = self._until.get(host, 0.0) - time.monotonic()
        if left <= 0:
            self._until.pop(host, None)
        return max(0.0, left)

    def later(self, delay_s: float, call: Callable[[], Awaitable[object]]) -> None:
        """Call something after a delay; if the crawl ends before, at once."""

        async def run() -> None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(delay_s):  # noqa: TID251  a pause, nothing fails at its end
                    await self._over.wait()
            await call()

        task = asyncio.create_task(run(), name="return request to the queue")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def __aenter__(self) -> Holds:
        self._over.clear()
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._over.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)


PAUSE_S = 2.0
"""How long a page waits that was ended because memory ran out, or that no page was free for."""
MAX_LOST_BROWSERS = 5
"""After this many, the page itself may be what ends them, and each further time counts as a try. Our choice."""
FIRST_LOST_S = 0.5
"""The longest pause after the first of them; it doubles, and is drawn, so that pages that ended together part."""
MB = 1_000_000
T = TypeVar("T")


class Deferred(Exception):
    """The page goes back to the queue for a time, which counts neither as a try nor as a failure.

    `behind` puts it behind all others. `ends` is the error that then ends the crawl, because no other page can be
    loaded either.
    """

    def __init__(
        self,
        message: str,
        *,
        delay_s: float,
        hold_host_s: float = 0.0,
        behind: bool = False,
        ends: Exception | None = None,
    ) -> None:
        super().__init__(message)
        self.delay_s = delay_s
        self.hold_host_s = hold_host_s
        self.behind = behind
        self.ends = ends


async def borrow(
    pool: BrowserPool, stack: AsyncExitStack, identity: str, *, avoid: int | None, context: Mapping[str, Any] | None
) -> PooledPage:
    """Return a page of the pool until the stack closes; raise Deferred if none can be had."""
    try:
        return await stack.enter_async_context(pool.page(identity, avoid=avoid, context=context))
    except PoolTimeout as error:
        full = _disk_full(pool, error) if error.reason == "disk" else None
        raise Deferred(str(error), delay_s=PAUSE_S, ends=full) from error
    except BrowserError as error:
        raise Deferred(str(error), delay_s=0.0, ends=error) from error


def _disk_full(pool: BrowserPool, error: PoolTimeout) -> DiskFull:
    free, needed = pool.status().free_disk_bytes, pool.settings.min_free_disk_mb * MB
    return DiskFull(
        f"{pool.folder} has {free / MB:.0f} MB left for the profiles of browsers, which need {needed / MB:.0f}: make "
        f"room, or set TMPDIR to a folder of another disk. {error}",
        path=str(pool.folder),
        free_bytes=int(free),
        needed_bytes=int(needed),
    )


def excused(url: str, trials: Trials, error: BaseException) -> Deferred | None:
    """Return how a page goes back to the queue whose browser ended; None for another error, or if it happens too often.

    A browser takes all of its pages along, and at most one of them is to blame.
    """
    if not isinstance(error, ConnectionLost):
        return None
    trials.lost_browsers += 1
    if trials.lost_browsers > MAX_LOST_BROWSERS:
        return None
    delay = FIRST_LOST_S * 2 ** (trials.lost_browsers - 1) * random.uniform(0.1, 1.0)  # noqa: S311 - it only spreads
    return Deferred(f"the browser of {url} ended: {error}", delay_s=delay)


async def until_shed(shed: asyncio.Event, work: Awaitable[T], url: str) -> T:
    """Return what the work on a page returns; end it when the pool asks for its tab, and raise Deferred."""
    working, watching = asyncio.ensure_future(work), asyncio.ensure_future(shed.wait())
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Deferred(f"the work on {url} was ended, because memory ran out", delay_s=PAUSE_S)
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)
