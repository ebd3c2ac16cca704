"""The pace of the machine that a page runs on, as its fences show it: how much longer all takes than at rest."""

from __future__ import annotations

NOMINAL_MS = 33.0
"""What a fence takes on a machine at rest: two frames at 60 Hz."""
USUAL = 1.5
"""A fence that takes no more than so many times as long is a frame that was missed, not a slow machine."""
SLOWEST = 8.0
"""No more is made of it: 264 ms of a fence, about what a renderer takes to hand an answer on at a load of 30."""


class Slowdown:
    """What the last fences took; times in milliseconds."""

    def __init__(self) -> None:
        self.fence_ms = NOMINAL_MS
        """How long the last fence took, two frames at least."""
        self._before = NOMINAL_MS

    def hear(self, took_ms: float) -> None:
        """Take in how long a fence took, without what it was asked to wait."""
        self._before = self.fence_ms
        self.fence_ms = min(max(NOMINAL_MS, took_ms), SLOWEST * NOMINAL_MS)

    @property
    def factor(self) -> float:
        """How many times as long as at rest a window has to be.

        It takes two slow fences in a row: one alone has met a long task of the page.
        """
        slower = min(self._before, self.fence_ms) / NOMINAL_MS
        return slower if slower > USUAL else 1.0
