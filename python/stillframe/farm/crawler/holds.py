"""Hosts that asked for time, and requests that go back to a queue later."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable


class Holds:
    """Holds per host within one crawler; a context manager that ends what still waits."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

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
            try:
                await asyncio.sleep(delay_s)
            finally:
                await call()

        task = asyncio.create_task(run(), name="return request to the queue")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def __aenter__(self) -> Holds:
        return self

    async def __aexit__(self, *exc: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
