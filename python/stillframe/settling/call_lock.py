"""One call at a time on a page; what a locator handler calls belongs to the call that runs it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LENT: ContextVar[frozenset[int]] = ContextVar("stillframe_lent_calls", default=frozenset())
"""The locks, by identity, that the running task has from the call that started it."""


class CallLock:
    """A lock that the holder may lend to what it runs."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    @property
    def is_lent(self) -> bool:
        """Return whether the running task has the lock from its holder."""
        return id(self) in _LENT.get()

    def locked(self) -> bool:
        """Return whether a call holds the lock."""
        return self._lock.locked()

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Let what runs inside the block, and the tasks that it starts, pass as the holder."""
        token = _LENT.set(_LENT.get() | {id(self)})
        try:
            yield
        finally:
            _LENT.reset(token)

    async def __aenter__(self) -> None:
        if not self.is_lent:
            await self._lock.acquire()

    async def __aexit__(self, *exc: object) -> None:
        if not self.is_lent:
            self._lock.release()
