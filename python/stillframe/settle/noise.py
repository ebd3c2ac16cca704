"""Which requests come by themselves: rhythms learned while nobody acts.

A key (method, path, place of origin) whose requests came at least four times at even distances is *recurrent*. One
that then comes when the rhythm says it should is noise; one that comes at another time is not, so a refresh button that
asks the same URL as the page's own poll is still awaited.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from itertools import pairwise
from statistics import fmean, pstdev

RING = 8
"""How many beats are remembered (settle.md §4.4)."""
MIN_INTERVALS = 3
"""Fewer intervals than this are no rhythm (settle.md §4.4)."""
MAX_VARIATION = 0.35
"""The coefficient of variation up to which intervals count as even (settle.md §4.4)."""
JITTER_MS = 50.0
"""How far a beat may miss its time however short the period: a timer under load is late by tens of milliseconds."""
MISSED_BEATS = 3
"""How many beats may be missing before a rhythm is over."""
MAX_KEYS = 512
"""How many keys are remembered; the least recently heard one goes first."""


class Rhythm:
    """The times of the last beats of one thing, in milliseconds."""

    def __init__(self) -> None:
        self._beats: deque[float] = deque(maxlen=RING)

    def beat(self, now: float) -> None:
        """Note a beat."""
        self._beats.append(now)

    @property
    def period(self) -> float | None:
        """The mean distance of the beats in milliseconds, or None while they are too few or uneven."""
        gaps = [later - earlier for earlier, later in pairwise(self._beats)]
        if len(gaps) < MIN_INTERVALS:
            return None
        mean = fmean(gaps)
        return mean if mean > 0 and pstdev(gaps) / mean < MAX_VARIATION else None

    def due(self, now: float) -> bool:
        """Tell whether a beat at this time would keep the rhythm."""
        period = self.period
        if period is None:
            return False
        gap = now - self._beats[-1]
        turns = max(1, round(gap / period))
        return turns <= MISSED_BEATS and abs(gap - turns * period) <= MAX_VARIATION * period + JITTER_MS


class Noise:
    """The rhythms of all keys."""

    def __init__(self) -> None:
        self._rhythms: OrderedDict[str, Rhythm] = OrderedDict()

    def hear(self, key: str, now: float, *, learn: bool) -> bool:
        """Tell whether this beat is noise, and remember it.

        While somebody acts (`learn` false) only beats that keep a known rhythm are remembered: what the actions cause
        must not teach a rhythm.
        """
        rhythm = self._rhythms.get(key)
        due = rhythm is not None and rhythm.due(now)
        if learn or due:
            rhythm = rhythm or self._rhythms.setdefault(key, Rhythm())
            rhythm.beat(now)
            self._rhythms.move_to_end(key)
            while len(self._rhythms) > MAX_KEYS:
                self._rhythms.popitem(last=False)
        return due

    def rate(self, key: str) -> float:
        """Return the beats per second of a key; 0 when it has no rhythm."""
        rhythm = self._rhythms.get(key)
        period = rhythm.period if rhythm else None
        return 1000 / period if period else 0.0
