"""Measure how slow the machine is: how much longer fences take than on a machine at rest."""

from __future__ import annotations

NOMINAL_MS = 33.0
"""The duration of a fence on a machine at rest: two frames at 60 Hz."""
TOLERANCE = 1.5
"""A fence that takes up to this many times as long missed a frame; the machine is not slow."""
MAX_FACTOR = 8.0
"""The maximum factor: a fence of 264 ms, about what a renderer takes to pass on an answer at a load of 30."""


class Slowdown:
    """The duration of the last fences; times are in milliseconds."""

    def __init__(self) -> None:
        self.fence_ms = NOMINAL_MS
        """How long the last fence took, two frames at least."""
        self._previous_ms = NOMINAL_MS

    def record(self, took_ms: float) -> None:
        """Record how long a fence took, without the time it was asked to wait."""
        self._previous_ms = self.fence_ms
        self.fence_ms = min(max(NOMINAL_MS, took_ms), MAX_FACTOR * NOMINAL_MS)

    @property
    def factor(self) -> float:
        """The factor by which windows have to be longer than on a machine at rest.

        It takes two slow fences in a row: a single one met a long task of the page.
        """
        slower = min(self._previous_ms, self.fence_ms) / NOMINAL_MS
        return slower if slower > TOLERANCE else 1.0
