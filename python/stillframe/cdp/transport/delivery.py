"""Deliver frames in turns of some milliseconds, so that a flood of events does not starve other tasks."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from stillframe.cdp.loop_clock import loop_clock
from stillframe.cdp.transport.base import OnFrame

TURN_S = 0.008
"""Seconds of one turn. A frame is some 0.05 ms of work; one that takes longer than a turn is a turn of its own."""


class Delivery:
    """Hands frames over in their order, and pauses what reads more of them while some are left."""

    def __init__(self, on_frame: OnFrame, pause: Callable[[], object], resume: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._clock = loop_clock()
        self._frames: deque[bytes | bytearray] = deque()
        self.on_frame, self._pause, self._resume = on_frame, pause, resume
        self.paused = False
        """Whether frames are left for the next turns."""

    def add(self, frames: Iterable[bytes | bytearray]) -> None:
        """Deliver frames after those that are left; as many as one turn takes at once."""
        self._frames.extend(frames)
        if not self.paused:
            self._take_turn()

    def clear(self) -> None:
        """Drop the frames that are left."""
        self._frames.clear()

    def finish(self) -> None:
        """Deliver the frames that are left at once, because no others will come."""
        while self._frames:
            self.on_frame(self._frames.popleft())

    def _take_turn(self) -> None:
        frames, now = self._frames, self._loop.time
        end = now() + TURN_S
        with self._clock.working():
            while frames:
                self.on_frame(frames.popleft())
                if now() >= end:
                    break
        if frames:
            if not self.paused:
                self.paused = True
                self._pause()
            self._loop.call_soon(self._take_turn)
        elif self.paused:
            self.paused = False
            self._resume()
