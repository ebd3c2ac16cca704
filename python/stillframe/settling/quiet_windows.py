"""Learn the quiet window per origin from changes that came too late.

A change soon after a verdict shows that the window of its origin was too short: the window grows by half of what was
missing, so one stray change costs little and a slow page is known soon. Every verdict without a late change shrinks it
again. Nothing is written to disk; the pages of a browser context may share one `QuietWindows`.
"""

from __future__ import annotations

from collections import OrderedDict

LATE_MS = 500.0
"""How soon after a verdict a change counts as late, and not as something new."""
MAX_EXTRA_MS = 440.0
"""The maximum extra time: with the window of `dom` it makes 500 ms, the window of docs/design/proposal.md."""
MARGIN_MS = 20.0
"""How much longer than the delay of the late change the window should have been."""
LEARNING_RATE = 0.5
"""The share of the missing time that one late change adds."""
DECAY = 0.8
"""The share of the extra time that is left after a verdict without a late change."""
MIN_EXTRA_MS = 5.0
"""Extra time below this is dropped."""
MAX_ORIGINS = 256
"""How many origins to remember; the least recently used one goes first."""


class QuietWindows:
    """The extra time of the quiet windows of origins, in milliseconds."""

    def __init__(self) -> None:
        self._extra: OrderedDict[str, float] = OrderedDict()

    def extra_ms(self, origin: str) -> float:
        """Return how much longer the window of an origin is than the usual one."""
        return self._extra.get(origin, 0.0)

    def record_late(self, origin: str, after_ms: float, *, slowdown: float = 1.0) -> None:
        """Learn that a change came this long after a verdict that should have awaited it.

        The delay is divided by `slowdown`, the factor by which the machine is slower than at rest: the window stretches
        by the same factor.
        """
        after_ms /= slowdown
        if not origin or after_ms > LATE_MS:
            return
        extra = self.extra_ms(origin) + LEARNING_RATE * (after_ms + MARGIN_MS)
        self._extra[origin] = min(MAX_EXTRA_MS, extra)
        self._extra.move_to_end(origin)
        while len(self._extra) > MAX_ORIGINS:
            self._extra.popitem(last=False)

    def record_quiet(self, origin: str) -> None:
        """Learn that no late change came."""
        extra = self.extra_ms(origin) * DECAY
        if extra >= MIN_EXTRA_MS:
            self._extra[origin] = extra
        else:
            self._extra.pop(origin, None)
