"""A lock that serves its waiters in order; it decides which call of a session runs next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable


async def _nothing() -> None:
    """Prepare nothing."""


class FifoLock:
    """A fair lock: first in, first out. It can reject all waiters, and it reports its users.

    `async with lock: …` waits for the lock; the task that holds it may enter again. `check` runs before and after the
    wait and may raise. `on_enter` and `on_leave` run once for each user, including the users that wait. `prepare` is
    awaited with the lock held, before the block; if it raises, the lock goes to the next user.
    """

    def __init__(
        self,
        check: Callable[[], None],
        on_enter: Callable[[], None],
        on_leave: Callable[[], None],
        prepare: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        self._check = check
        self._prepare = prepare
        self._on_enter = on_enter
        self._on_leave = on_leave
        self._locked = False
        self._holder: asyncio.Task[object] | None = None
        self._depth = 0
        self._waiters: deque[asyncio.Future[None]] = deque()

    @property
    def locked(self) -> bool:
        """Whether a task holds the lock."""
        return self._locked

    @property
    def waiting(self) -> int:
        """The number of tasks that wait for the lock."""
        return sum(not waiter.done() for waiter in self._waiters)

    def reject_waiters(self, error: Callable[[], Exception]) -> None:
        """Raise a new error in each task that waits; the holder keeps the lock."""
        waiters, self._waiters = self._waiters, deque()
        for waiter in waiters:
            if not waiter.done():
                waiter.set_exception(error())

    async def __aenter__(self) -> FifoLock:
        if self._holder is not asyncio.current_task():
            self._check()
            await self.acquire()
            try:
                self._check()
                await self._prepare()
            except BaseException:
                self.release()
                raise
        else:
            self._depth += 1
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.release()

    async def acquire(self) -> None:
        """Wait for the lock without a check; the same task must `release` it."""
        self._on_enter()
        try:
            await self._wait()
        except BaseException:
            self._on_leave()
            raise
        self._holder = asyncio.current_task()
        self._depth = 1

    def release(self) -> None:
        """Leave once; the last leave hands the lock to the next waiter."""
        self._depth -= 1
        if not self._depth:
            self._holder = None
            self._hand_over()
            self._on_leave()

    async def _wait(self) -> None:
        if not self._locked:
            self._locked = True
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            # The lock may arrive together with the cancellation; then the next waiter gets it.
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._hand_over()
            raise

    def _hand_over(self) -> None:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return
        self._locked = False
