"""One time limit for all the waits of an action, and the moment by which it has ended whatever the page does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stillframe.errors import CommandTimeout

LATE_S = 0.9
"""Seconds after its timeout by which an action has ended, whatever the page does."""


class Deadline:
    """A moment that several waits share; `timeout` is in seconds."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._at = asyncio.get_running_loop().time() + timeout

    @property
    def left(self) -> float:
        """Seconds that are left, never negative."""
        return max(0.0, self._at - asyncio.get_running_loop().time())

    @property
    def late(self) -> float:
        """Seconds until the action must have ended: `LATE_S` longer than what is left for it."""
        return max(0.0, self._at + LATE_S - asyncio.get_running_loop().time())

    @asynccontextmanager
    async def enforced(self, what: str) -> AsyncIterator[None]:
        """End the block when it is late; raises CommandTimeout, which says so of `what`."""
        try:
            async with asyncio.timeout(self.late):
                yield
        except TimeoutError:
            raise CommandTimeout(
                f"{what}: nothing within {self.timeout:g} s and {LATE_S:g} s more", timeout=self.timeout
            ) from None
