"""One timer for the earliest of many deadlines; it needs no task while it waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from stillframe.security.redaction import logger

_logger = logger("stillframe.sessions")


class DeadlineTimer:
    """Calls `expire` at `next_deadline`, by the caller's clock, and then waits for the next one.

    A deadline that moves back costs nothing: the timer fires, finds nothing expired, and waits again.
    """

    def __init__(
        self,
        next_deadline: Callable[[], float | None],
        expire: Callable[[], Awaitable[object]],
        clock: Callable[[], float],
    ) -> None:
        self._next_deadline = next_deadline
        self._expire = expire
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopped = False

    def start(self) -> None:
        """Wait for the next deadline, if there is one and the timer does not wait already."""
        if self._timer is not None or self._task is not None or self._stopped:
            return
        deadline = self._next_deadline()
        if deadline is not None:
            delay = max(0.0, deadline - self._clock())
            self._timer = asyncio.get_running_loop().call_later(delay, self._fire)

    async def stop(self) -> None:
        """Stop for good; waits until a running `expire` has ended."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            await self._task

    def _fire(self) -> None:
        self._timer = None
        self._task = asyncio.create_task(self._run(), name="close idle sessions")

    async def _run(self) -> None:
        try:
            await self._expire()
        except Exception:
            _logger.exception("closing an idle session failed")
        finally:
            self._task = None
            self.start()
