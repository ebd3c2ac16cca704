"""Who may act on a session: one after the other, in the order of asking."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Turns:
    """A lock that keeps the order of those who wait, can turn them all away, and tells who uses it.

    `async with turns: …` waits for its turn; within it the same task may enter again. `check` is called before the wait
    and after it, and may raise; `began` and `ended` are called once for every user, those who wait included.
    """

    def __init__(self, check: Callable[[], None], began: Callable[[], None], ended: Callable[[], None]) -> None:
        self._check = check
        self._began = began
        self._ended = ended
        self._taken = False
        self._holder: asyncio.Task[object] | None = None
        self._depth = 0
        self._queue: deque[asyncio.Future[None]] = deque()

    @property
    def running(self) -> bool:
        """Whether it is somebody's turn."""
        return self._taken

    @property
    def waiting(self) -> int:
        """How many stand in the queue."""
        return sum(not ticket.done() for ticket in self._queue)

    def turn_away(self, error: Callable[[], Exception]) -> None:
        """Give everybody who waits an error of their own; who has the turn keeps it."""
        queue, self._queue = self._queue, deque()
        for ticket in queue:
            if not ticket.done():
                ticket.set_exception(error())

    async def __aenter__(self) -> Turns:
        if self._holder is not asyncio.current_task():
            self._check()
            await self.take()
            try:
                self._check()
            except BaseException:
                self.give()
                raise
        else:
            self._depth += 1
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.give()

    async def take(self) -> None:
        """Wait for the turn without any check; the same task must `give` it back."""
        self._began()
        try:
            await self._wait()
        except BaseException:
            self._ended()
            raise
        self._holder = asyncio.current_task()
        self._depth = 1

    def give(self) -> None:
        """Leave once; the last leaving of a turn is the next one's turn."""
        self._depth -= 1
        if not self._depth:
            self._holder = None
            self._next()
            self._ended()

    async def _wait(self) -> None:
        if not self._taken:
            self._taken = True
            return
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(ticket)
        try:
            await ticket
        except asyncio.CancelledError:
            # Its turn may have come in the same moment; then it goes to the next.
            if ticket.done() and not ticket.cancelled() and ticket.exception() is None:
                self._next()
            raise

    def _next(self) -> None:
        while self._queue:
            ticket = self._queue.popleft()
            if not ticket.done():
                ticket.set_result(None)
                return
        self._taken = False
