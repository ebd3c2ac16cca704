"""Time as an event loop could use it: stalls of the loop are left out.

While a caller blocks the loop, answers lie in the socket and nobody can take them. A limit that counted this time would
blame the page for it. So all limits go by a clock that stands still while the loop does: a beat, which runs only while
somebody holds a limit, tells a stall by coming late.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from math import isinf
from weakref import WeakKeyDictionary, ref

BEAT_S = 0.05
"""Seconds between two beats."""
STALL_S = 0.05
"""A beat that comes this much late tells of a stall; on a busy machine many come some milliseconds late."""
RECOVERY_S = 0.1
"""Seconds after a stall in which no limit ends: what lies in the socket has to be read first."""


class LoopTime:
    """The clock of one event loop, in seconds; `loop_time()` returns it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = ref(loop)
        self._lost = 0.0
        self._told = 0.0
        self._beaten = 0.0
        self._recovered = 0.0
        self._holders = 0
        self._beat: asyncio.TimerHandle | None = None

    def now(self) -> float:
        """Return the time; it never goes back."""
        wall = self.loop.time()
        if self._beat is not None and wall - self._beaten > BEAT_S + STALL_S:
            # It goes on from the last moment in which the loop is known to have run.
            self._lost = wall - max(self._told, self._beaten - self._lost)
            self._beaten, self._recovered = wall, wall + RECOVERY_S
        self._told = max(self._told, wall - self._lost)
        return self._told

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop; the clock does not keep it alive."""
        loop = self._loop()
        assert loop is not None  # the caller runs in it
        return loop

    def call_at(self, at: float, call: Callable[[], object]) -> LoopAlarm:
        """Call once, when it is that late by this clock."""
        return LoopAlarm(self, at, call)

    def wall(self, at: float) -> float:
        """Return the time of the loop at which it is that late, if no stall comes or has just been."""
        return max(at + self._lost, self._recovered)

    @contextmanager
    def held(self) -> Iterator[None]:
        """See stalls inside the block, also while no limit is set."""
        self.hold()
        try:
            yield
        finally:
            self.release()

    def hold(self) -> None:
        """Let the beat run until `release` is called as often."""
        self._holders += 1
        if self._beat is None:
            self._beaten = self.loop.time()
            self._beat = self.loop.call_later(BEAT_S, self._on_beat)

    def release(self) -> None:
        """Take back one `hold`."""
        self._holders -= 1
        if not self._holders and self._beat is not None:
            self._beat.cancel()
            self._beat = None

    def _on_beat(self) -> None:
        self.now()
        self._beaten = self.loop.time()
        self._beat = self.loop.call_later(BEAT_S, self._on_beat)


class LoopAlarm:
    """A call that was ordered for a time of a loop's clock."""

    def __init__(self, time: LoopTime, at: float, call: Callable[[], object]) -> None:
        self._time = time
        self._at = at
        self._call = call
        time.hold()
        self._timer: asyncio.TimerHandle | None = time.loop.call_at(time.wall(at), self._due)

    def cancel(self) -> None:
        """Give the order back; does nothing if the call was made."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._time.release()

    def _due(self) -> None:
        loop = self._time.loop
        self._time.now()
        due = self._time.wall(self._at)
        if due > loop.time() + loop_resolution(loop):
            self._timer = loop.call_at(due, self._due)
            return
        self.cancel()
        self._call()


def loop_resolution(loop: asyncio.AbstractEventLoop) -> float:
    """Return by how much a loop may call too early."""
    return max(1e-3, getattr(loop, "_clock_resolution", 0.0))


_times: WeakKeyDictionary[asyncio.AbstractEventLoop, LoopTime] = WeakKeyDictionary()


def loop_time() -> LoopTime:
    """Return the clock of the running loop."""
    loop = asyncio.get_running_loop()
    time = _times.get(loop)
    if time is None:
        time = _times[loop] = LoopTime(loop)
    return time


@asynccontextmanager
async def time_limit(seconds: float | None) -> AsyncIterator[None]:
    """End the block after some seconds in which the loop could run; None and infinity for no limit.

    Raises TimeoutError, as asyncio.timeout does.
    """
    if seconds is None or isinf(seconds):
        yield
        return
    time = loop_time()
    async with asyncio.timeout(None) as scope:
        alarm = time.call_at(time.now() + seconds, lambda: scope.reschedule(0))
        try:
            yield
        finally:
            alarm.cancel()
