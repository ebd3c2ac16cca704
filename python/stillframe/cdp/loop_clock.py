"""A clock for time limits that stands still while the event loop is blocked, and `call_at` and a timeout that use it.

While a caller blocks the loop, answers wait in the socket and nothing can read them. `asyncio.timeout` would count that
time and blame the page for it, so every time limit uses this clock. A heartbeat, which runs only while a timer is set,
detects a block: it arrives late.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from math import isinf
from weakref import WeakKeyDictionary, ref

HEARTBEAT_S = 0.05
"""Seconds between two heartbeats: short beside every time limit, and 20 cheap wake-ups per second."""
STALL_S = 0.05
"""How late a heartbeat counts as a stall, in seconds; on a busy machine many are some milliseconds late."""
RECOVERY_S = 0.1
"""Seconds after a stall in which no time limit expires, so that the loop can read what waits in the socket."""


class LoopClock:
    """The clock of one event loop, in seconds; `loop_clock()` returns it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = ref(loop)
        self._stalled = 0.0
        """Seconds of stalls so far: the loop's time minus this clock's."""
        self._latest = 0.0
        self._beat_at = 0.0
        self._recovered_at = 0.0
        self._users = 0
        self._heartbeat: asyncio.TimerHandle | None = None

    def now(self) -> float:
        """Return the time; it never goes back."""
        return self.measure()

    def measure(self) -> float:
        """Return the time as `now` does, and notice a stall; only the clock itself and its timers call this."""
        loop_now = self.loop.time()
        if self._heartbeat is not None and loop_now - self._beat_at > HEARTBEAT_S + STALL_S:
            # Continue from the last moment at which the loop is known to have run.
            self._stalled = loop_now - max(self._latest, self._beat_at - self._stalled)
            self._beat_at, self._recovered_at = loop_now, loop_now + RECOVERY_S
        self._latest = max(self._latest, loop_now - self._stalled)
        return self._latest

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop; the clock holds only a weak reference to it."""
        loop = self._loop()
        assert loop is not None  # the caller runs in it
        return loop

    def call_at(self, when: float, callback: Callable[[], object]) -> ClockTimer:
        """Call `callback` once, at `when` by this clock."""
        return ClockTimer(self, when, callback)

    def call_roughly_at(self, when: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` once, at `when` or after a later stall; no heartbeat runs meanwhile."""
        return self.loop.call_at(self.to_loop_time(when), callback)

    def to_loop_time(self, when: float) -> float:
        """Return the loop's time for a time of this clock, if no further stall occurs."""
        return max(when + self._stalled, self._recovered_at)

    @contextmanager
    def detecting_stalls(self) -> Iterator[None]:
        """Run the heartbeat inside the block, even while no timer is set."""
        self.start_heartbeat()
        try:
            yield
        finally:
            self.stop_heartbeat()

    def start_heartbeat(self) -> None:
        """Run the heartbeat until `stop_heartbeat` has been called as often as this."""
        self._users += 1
        if self._heartbeat is None:
            self._beat_at = self.loop.time()
            self._heartbeat = self.loop.call_later(HEARTBEAT_S, self._beat)

    def stop_heartbeat(self) -> None:
        """Undo one `start_heartbeat`."""
        self._users -= 1
        if not self._users and self._heartbeat is not None:
            self._heartbeat.cancel()
            self._heartbeat = None

    def _beat(self) -> None:
        self.measure()
        self._beat_at = self.loop.time()
        self._heartbeat = self.loop.call_later(HEARTBEAT_S, self._beat)


class ClockTimer:
    """A scheduled call by a `LoopClock`; like `asyncio.TimerHandle`."""

    def __init__(self, clock: LoopClock, when: float, callback: Callable[[], object]) -> None:
        self._clock = clock
        self._when = when
        self._callback = callback
        clock.start_heartbeat()
        self._timer: asyncio.TimerHandle | None = clock.loop.call_at(clock.to_loop_time(when), self._due)

    def cancel(self) -> None:
        """Cancel the call; does nothing after the call."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._clock.stop_heartbeat()

    def _due(self) -> None:
        loop = self._clock.loop
        self._clock.measure()
        due = self._clock.to_loop_time(self._when)
        if due > loop.time() + RESOLUTION_S:
            self._timer = loop.call_at(due, self._due)
            return
        self.cancel()
        self._callback()


RESOLUTION_S = max(1e-3, time.get_clock_info("monotonic").resolution)
"""How early a loop may call, in seconds: asyncio calls timers up to one clock resolution early."""


_clocks: WeakKeyDictionary[asyncio.AbstractEventLoop, LoopClock] = WeakKeyDictionary()


_chosen: ContextVar[LoopClock | None] = ContextVar("stillframe_loop_clock", default=None)


@contextmanager
def using_clock(clock: LoopClock) -> Iterator[None]:
    """Use another clock inside the block, and in the tasks and callbacks that begin there."""
    former = _chosen.get()
    _chosen.set(clock)
    try:
        yield
    finally:
        _chosen.set(former)  # not by a token: the fixtures of pytest may leave a block in another context


def loop_clock() -> LoopClock:
    """Return the clock of the running event loop, or the one that `using_clock` chose for it."""
    loop, chosen = asyncio.get_running_loop(), _chosen.get()
    if chosen is not None and chosen.loop is loop:
        return chosen
    clock = _clocks.get(loop)
    if clock is None:
        clock = _clocks[loop] = LoopClock(loop)
    return clock


async def sleep(seconds: float) -> None:
    """Wait `seconds` by the loop's clock; it is `asyncio.sleep` for whatever sends commands afterwards."""
    clock, woken = loop_clock(), asyncio.Event()
    timer = clock.call_at(clock.now() + seconds, woken.set)
    try:
        await woken.wait()
    finally:
        timer.cancel()


@asynccontextmanager
async def time_limit(seconds: float | None) -> AsyncIterator[None]:
    """Raise TimeoutError in the block after `seconds` in which the loop could run; None and infinity never do.

    It is `asyncio.timeout` by the loop's clock.
    """
    if seconds is None or isinf(seconds):
        yield
        return
    clock = loop_clock()
    async with asyncio.timeout(None) as scope:  # noqa: TID251  this is `time_limit`
        timer = clock.call_at(clock.now() + seconds, lambda: scope.reschedule(0))
        try:
            yield
        finally:
            timer.cancel()
