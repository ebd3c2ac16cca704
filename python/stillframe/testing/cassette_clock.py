"""The clocks of a recording and of a replay.

What the engine decides depends on the messages, on the time at which it handles them, and on the timers that fire. A
recording notes all three in their order, and shows the engine a time that stands still between them. A replay shows
the same times and lets the same timers fire, so the engine decides the same, however fast or slow the machine is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf

from stillframe.cdp.loop_clock import ClockTimer, LoopClock
from stillframe.testing.cassette_file import CassetteEntry

STALE_S = 0.05
"""Seconds for which the time that a recording shows may stand still; then it jumps, and the jump is noted."""


class RecordingClock(LoopClock):
    """The real clock until `start`; from then on, one whose time changes only where an entry notes it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._write: Callable[[CassetteEntry], object] | None = None
        self.shown = 0.0
        """The time that the engine sees."""
        self._reads = 0

    def start(self, write: Callable[[CassetteEntry], object]) -> None:
        """Note timers and jumps from now on."""
        self._write = write
        self.step()

    def stop(self) -> None:
        """Be the real clock again."""
        self._write = None

    def step(self, least: float = 0.0) -> float:
        """Show the real time, which is at least `least`, and return it; an entry notes it."""
        self.shown = max(self.shown, self.measure(), least)
        self.on_entry()
        return self.shown

    def on_entry(self) -> None:
        """Count the reads since the last entry from here."""
        self._reads = 0

    def now(self) -> float:
        """Return the time; in a recording, the one that an entry noted last, so that a replay reads the same."""
        if self._write is None:
            return max(self.shown, self.measure())
        self._reads += 1
        if self.measure() - self.shown > STALE_S:
            reads = self._reads
            self._write(CassetteEntry(self.step(), jump=reads))
        return self.shown

    def call_at(self, when: float, callback: Callable[[], object]) -> ClockTimer:
        """Call `callback` at `when`, and note it."""
        return super().call_at(when, self._noted(when, callback, least=when))

    def call_roughly_at(self, when: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` at `when` or later, and note it."""
        # After a stall it fires early by this clock, which stood still meanwhile.
        return super().call_roughly_at(when, self._noted(when, callback, least=0.0))

    def _noted(self, when: float, callback: Callable[[], object], *, least: float) -> Callable[[], object]:
        def fired() -> None:
            if self._write is not None:
                self._write(CassetteEntry(self.step(least), timer=when))
            callback()

        return fired


class ReplayTimer(ClockTimer):
    """A timer that fires when the recording says so."""

    def __init__(self, clock: ReplayClock, when: float, callback: Callable[[], object], *, is_limit: bool) -> None:
        self.when = when
        self.is_limit = is_limit
        """Whether somebody waits for what it limits."""
        self._timers = clock.timers
        self._run = callback
        self._real: asyncio.TimerHandle | None = None
        self._timers.append(self)

    def cancel(self) -> None:
        """Cancel the call; does nothing after the call."""
        if self in self._timers:
            self._timers.remove(self)
        if self._real is not None:
            self._real.cancel()

    def fire(self) -> None:
        """Call the callback, unless the timer was cancelled."""
        if self in self._timers:
            self._timers.remove(self)
            self._run()

    def start(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        """Fire in real time, after this many seconds."""
        self._real = loop.call_later(seconds, self.fire)


class _RoughTimer(asyncio.TimerHandle):
    """A ReplayTimer as a handle of asyncio."""

    def __init__(self, timer: ReplayTimer, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(inf, timer.fire, (), loop)  # infinity: it is never late
        self._timer = timer

    def cancel(self) -> None:
        self._timer.cancel()
        super().cancel()


class ReplayClock(LoopClock):
    """The clock of a recording, played: a player sets its time and fires its timers, until `release`.

    `read` is called with the number of reads since the last entry, `added` after each new timer.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, read: Callable[[int], object], added: Callable[[], object]
    ) -> None:
        super().__init__(loop)
        self.timers: list[ReplayTimer] = []
        """Those that have neither fired nor been cancelled, oldest first."""
        self._read, self._added = read, added
        self._now = 0.0
        self._reads = 0
        self._released_at: float | None = None

    # -- the player's side

    def set(self, at: float) -> None:
        """Show the time of an entry."""
        self._now = max(self._now, at)
        self.on_entry()

    def on_entry(self) -> None:
        """Count the reads since the last entry from here."""
        self._reads = 0

    def timer(self, when: float) -> ReplayTimer | None:
        """Return the oldest timer for a time."""
        return next((timer for timer in self.timers if timer.when == when), None)

    def release(self) -> None:
        """Go on in real time, because the recording is over."""
        if self._released_at is None:
            self._released_at = self.loop.time()
            for timer in tuple(self.timers):
                timer.start(self.loop, max(0.0, timer.when - self._now))

    # -- the engine's side

    def now(self) -> float:
        """Return the time of the recording at this reading."""
        if self._released_at is None:
            self._reads += 1
            self._read(self._reads)
        return self.measure()

    def measure(self) -> float:
        """Return the time of the recording; after its end it goes on with the loop's."""
        return self._now if self._released_at is None else self._now + self.loop.time() - self._released_at

    def to_loop_time(self, when: float) -> float:
        """Return the loop's time for a time of this clock, if it went on like the loop's."""
        return self.loop.time() + max(0.0, when - self.measure())

    def call_at(self, when: float, callback: Callable[[], object]) -> ClockTimer:
        """Call `callback` when the recording says that this timer fired."""
        return self._timer(when, callback, is_limit=True)

    def call_roughly_at(self, when: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call `callback` when the recording says that this timer fired."""
        return _RoughTimer(self._timer(when, callback, is_limit=False), self.loop)

    def start_heartbeat(self) -> None:
        """Do nothing: no stall shows in the recording's time."""

    def stop_heartbeat(self) -> None:
        """Do nothing, as `start_heartbeat`."""

    def _timer(self, when: float, callback: Callable[[], object], *, is_limit: bool) -> ReplayTimer:
        timer = ReplayTimer(self, when, callback, is_limit=is_limit)
        if self._released_at is None:
            self._added()
        else:
            timer.start(self.loop, max(0.0, when - self.measure()))
        return timer
