"""The residual window, learned per origin from what came too late.

A change soon after a verdict shows that the window of its origin was too short: the window grows half of the way to
what would have been enough, so one stray change costs little and a slow page is soon known. Every calm verdict lets it
shrink again. Nothing is written to disk; the pages of a browser context may share one `QuietWindows`.
"""

from __future__ import annotations

from collections import OrderedDict

LATE_MS = 500.0
"""How soon after a verdict a change counts as too late for it, and not as something new."""
MAX_EXTRA_MS = 440.0
"""How much may be learned: with the window of `dom` that makes 500 ms, the window of the original proposal."""
MARGIN_MS = 20.0
"""How much longer than the late change took the window would have had to be."""
APPROACH = 0.5
"""Which part of the way to what would have been enough one late change is worth."""
CALM = 0.8
"""What a calm verdict leaves of the extra."""
LEAST_MS = 5.0
"""An extra below this is forgotten."""
MAX_ORIGINS = 256
"""How many origins are remembered; the one not met for longest goes first."""


class QuietWindows:
    """What the residual windows of origins have grown by, in milliseconds."""

    def __init__(self) -> None:
        self._extra: OrderedDict[str, float] = OrderedDict()

    def grown(self, origin: str) -> float:
        """Return how much longer the window of an origin is than the usual one."""
        return self._extra.get(origin, 0.0)

    def late(self, origin: str, after_ms: float, *, slowdown: float = 1.0) -> None:
        """Learn that a change came this long after a verdict that should have waited for it.

        On a machine that is `pace` times as slow as at rest the time counts for so much less: the window stretches too.
        """
        after_ms /= slowdown
        if not origin or after_ms > LATE_MS:
            return
        extra = self.grown(origin) + APPROACH * (after_ms + MARGIN_MS)
        self._extra[origin] = min(MAX_EXTRA_MS, extra)
        self._extra.move_to_end(origin)
        while len(self._extra) > MAX_ORIGINS:
            self._extra.popitem(last=False)

    def calm(self, origin: str) -> None:
        """Learn that nothing came late."""
        extra = self.grown(origin) * CALM
        if extra >= LEAST_MS:
            self._extra[origin] = extra
        else:
            self._extra.pop(origin, None)
