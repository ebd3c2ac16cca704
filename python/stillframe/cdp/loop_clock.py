"""A clock for time limits that stands still while the event loop is blocked, and `call_at` and a timeout that use it.

While a caller blocks the loop, answers wait in the socket and nothing can read them. `asyncio.timeout` would count that
time and blame the page for it, so every time limit uses this clock. A heartbeat, which runs only while a timer is set,
detects a block: it arrives late. Long work of this package itself (`working`) does not count as a block.

A caller that blocks the loop again and again would stop this clock for ever. So a limit counts all stalls beyond
`MOST_STALLED_S`, unless one stall alone was longer.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
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
MOST_STALLED_S = 1.8
"""Seconds of stalls that one limit leaves out. A call has limits within limits, mostly one level: it lasts at most
twice this, and `LATE_S`, longer than its own limit."""
STALLS_KEPT = 64
"""Stalls that the clock remembers, to find the longest since a limit began."""


class StopWatch:
    """Adds up the seconds between its starts and stops."""

    def __init__(self) -> None:
        self._before = 0.0
        self._started: float | None = None

    @property
    def running(self) -> bool:
        """Whether it was started and not stopped."""
        return self._started is not None

    def start(self, now: float) -> None:
        """Begin to count."""
        self._started = now

    def stop(self, now: float) -> None:
        """Stop counting."""
        self._before, self._started = self.seconds(now), None

    def restart(self, now: float) -> None:
        """Forget what was counted."""
        self._before = 0.0
        if self._started is not None:
            self._started = now

    def seconds(self, now: float) -> float:
        """Return the sum."""
        return self._before + (0.0 if self._started is None else now - self._started)


class OwnWork:
    """How long this package has kept the loop busy: since the last heartbeat, and since the clock was last read."""

    def __init__(self) -> None:
        self.since_heartbeat, self.since_reading = StopWatch(), StopWatch()


class LoopClock:
    """The clock of one event loop, in seconds; `loop_clock()` returns it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = ref(loop)
        self._stalled = 0.0
        """Seconds of stalls so far: the loop's time minus this clock's."""
        self._stalls: deque[tuple[float, float]] = deque(maxlen=STALLS_KEPT)
        """The last stalls: `_stalled` after each, and its seconds."""
        self._work = OwnWork()
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
            self._note_stall(loop_now)
        if loop_now - self._stalled > self._latest:
            self._latest = loop_now - self._stalled
            self._work.since_reading.restart(loop_now)
        return self._latest

    def _note_stall(self, loop_now: float) -> None:
        """Leave out the time since the last heartbeat, apart from own work, if it is long."""
        if loop_now - self._beat_at - self._work.since_heartbeat.seconds(loop_now) <= HEARTBEAT_S + STALL_S:
            return
        # Continue from the last moment at which the loop is known to have run.
        ran, worked = self._latest + self._stalled, self._work.since_reading
        if self._beat_at > ran:
            ran, worked = self._beat_at, self._work.since_heartbeat
        stalled = max(0.0, loop_now - ran - worked.seconds(loop_now))
        self._stalled += stalled
        self._stalls.append((self._stalled, stalled))
        self._beat(loop_now)
        self._recovered_at = loop_now + RECOVERY_S

    def _beat(self, loop_now: float) -> None:
        """Note that the loop runs."""
        self._beat_at = loop_now
        self._work.since_heartbeat.restart(loop_now)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count the time inside the block, in which nothing is awaited, although the loop cannot run."""
        if self._work.since_heartbeat.running:
            yield
            return
        watches = (self._work.since_heartbeat, self._work.since_reading)
        for watch in watches:
            watch.start(self.loop.time())
        try:
            yield
        finally:
            for watch in watches:
                watch.stop(self.loop.time())

    @property
    def stalled(self) -> float:
        """The seconds of stalls so far; see `uncounted`."""
        return self._stalled

    def uncounted(self, since: float) -> float:
        """Return how much earlier a limit ends than by this clock, if it began when `stalled` was `since`."""
        stalled = self._stalled - since
        if stalled <= MOST_STALLED_S:
            return 0.0
        longest = max((seconds for after, seconds in self._stalls if after > since), default=0.0)
        return max(0.0, stalled - max(MOST_STALLED_S, longest))

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
            self._beat(self.loop.time())
            self._heartbeat = self.loop.call_later(HEARTBEAT_S, self._on_heartbeat)

    def stop_heartbeat(self) -> None:
        """Undo one `start_heartbeat`."""
        self._users -= 1
        if not self._users and self._heartbeat is not None:
            self._heartbeat.cancel()
            self._heartbeat = None

    def _on_heartbeat(self) -> None:
        self.measure()
        self._beat(self.loop.time())
        self._heartbeat = self.loop.call_later(HEARTBEAT_S, self._on_heartbeat)


class ClockTimer:
    """A scheduled call by a `LoopClock`; like `asyncio.TimerHandle`."""

    def __init__(self, clock: LoopClock, when: float, callback: Callable[[], object]) -> None:
        self._clock = clock
        self._when = when
        self._callback = callback
        self._since = clock.stalled
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
        if (uncounted := self._clock.uncounted(self._since)) > 0:
            due = self._when + self._clock.stalled - uncounted
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
