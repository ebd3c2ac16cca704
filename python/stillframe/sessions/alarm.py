"""One timer for what falls due; it runs no task until then."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from stillframe.security.redaction import logger

_logger = logger("stillframe.sessions")


class Alarm:
    """Calls `ring` when `wake` says so, on the caller's clock, and asks anew after it.

    A deadline that moves back costs nothing: the timer rings, finds nothing due, and is set again.
    """

    def __init__(
        self, wake: Callable[[], float | None], ring: Callable[[], Awaitable[object]], clock: Callable[[], float]
    ) -> None:
        self._wake = wake
        self._ring = ring
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopped = False

    def set(self) -> None:
        """Have it ring if anything can fall due; does nothing if it is set already."""
        if self._timer is not None or self._task is not None or self._stopped:
            return
        when = self._wake()
        if when is not None:
            delay = max(0.0, when - self._clock())
            self._timer = asyncio.get_running_loop().call_later(delay, self._start)

    async def stop(self) -> None:
        """Never ring again; waits for what has begun."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            await self._task

    def _start(self) -> None:
        self._timer = None
        self._task = asyncio.create_task(self._run(), name="close idle sessions")

    async def _run(self) -> None:
        try:
            await self._ring()
        except Exception:
            _logger.exception("an idle session could not be closed in order")
        finally:
            self._task = None
            self.set()
