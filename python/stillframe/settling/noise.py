"""Recognize requests that recur by themselves: learn their rhythms while no actions run.

A key (method, path, initiator) whose requests came at least four times at even intervals is *recurrent*. During
actions, each period earns the key one request: a request that was earned is noise, an additional one is not. So a
refresh button that requests the same URL as the page's own poll is still awaited, and a poll that is late under load
stays a poll.

Rhythms belong to one document. Of the previous document's rhythms only the periods are kept, as *hints*: a key that
beats twice at its old interval gets its rhythm back at once; any other key is learned from nothing. So the requests
that a document sends when it loads are not a rhythm, however often it is opened again.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from itertools import pairwise
from statistics import fmean, pstdev
from typing import NamedTuple

RING = 8
"""How many beats to remember."""
MIN_INTERVALS = 3
"""Fewer intervals than this are not a rhythm."""
MAX_VARIATION = 0.35
"""The coefficient of variation up to which intervals count as even."""
JITTER_MS = 50.0
"""How far a beat may miss its time even if the rhythm is perfect: a timer under load is late by tens of milliseconds.
Not more: an early request may be the effect of the actions, and for two requests with one key this is the only
difference."""
MAX_EARNED = 2.0
"""How many beats a rhythm can save up: a late one and the one after it."""
SILENT_PERIODS = 4
"""A rhythm ends after a silence of this many periods."""
MAX_KEYS = 512
"""How many keys to remember; the least recently used one goes first."""


class Hint(NamedTuple):
    """A rhythm of the previous document; times are in milliseconds."""

    period: float
    jitter: float

    def agrees(self, gap: float) -> bool:
        """Return whether two beats at this interval may belong to this rhythm."""
        return abs(gap - self.period) <= self.jitter


class Recurrence:
    """The rhythm of one recurring event; times are in milliseconds."""

    def __init__(self, hint: Hint | None = None) -> None:
        self.hint = hint
        """The rhythm in the previous document."""
        self.period: float | None = None
        """The mean interval of the beats, or None while they are too few or uneven."""
        self._jitter = JITTER_MS
        self._beats: deque[float] = deque(maxlen=RING)
        self._last_beat = 0.0
        self._earned = 0.0

    def learn(self, now: float) -> bool:
        """Learn from a beat outside of actions, or of a loading document; return whether it fits the rhythm."""
        if self._has_ended(now):
            self._beats.clear()
        early = bool(self._beats) and self.period is not None and now - self._last_beat < self.period - self._jitter
        self._beats.append(now)
        self._last_beat, self._earned = now, 0.0
        gaps = [later - earlier for earlier, later in pairwise(self._beats)]
        if len(gaps) >= MIN_INTERVALS:
            self.period = _period(gaps)
            self._jitter = max(JITTER_MS, 2 * pstdev(gaps))
        elif self.hint is not None and gaps and self.hint.agrees(gaps[-1]):
            self.period, self._jitter = self.hint
        return self.period is not None and not early

    def as_hint(self) -> Hint | None:
        """Return what to remember of the rhythm when its document is gone."""
        return self.hint if self.period is None else Hint(self.period, self._jitter)

    def spend(self, now: float) -> bool:
        """Return whether the rhythm has earned a beat that comes during actions."""
        # Not every beat is recorded from here on, so these beats no longer measure the period.
        self._beats.clear()
        if self.period is None or self._has_ended(now):
            return False
        self._earned = min(MAX_EARNED, self._earned + (now - self._last_beat) / self.period)
        self._last_beat = now
        if self._earned < 1 - self._jitter / self.period:
            return False
        self._earned = max(0.0, self._earned - 1)
        return True

    def _has_ended(self, now: float) -> bool:
        return self.period is not None and now - self._last_beat > SILENT_PERIODS * self.period + JITTER_MS


def _period(gaps: list[float]) -> float | None:
    mean = fmean(gaps)
    return mean if mean > 0 and pstdev(gaps) / mean < MAX_VARIATION else None


class Noise:
    """The rhythms of all keys in the current document."""

    def __init__(self) -> None:
        self._rhythms: OrderedDict[str, Recurrence] = OrderedDict()
        self._hints: dict[str, Hint] = {}

    def replaced(self) -> None:
        """Turn the rhythms into hints: another document is shown."""
        hints = {key: hint for key, rhythm in self._rhythms.items() if (hint := rhythm.as_hint()) is not None}
        self._hints = dict(list({**self._hints, **hints}.items())[-MAX_KEYS:])
        self._rhythms.clear()

    def record(self, key: str, now: float, *, learn: bool) -> bool:
        """Record a beat; return whether it is noise. Rhythms are learned only outside of actions (`learn`)."""
        rhythm = self._rhythms.get(key)
        if not learn:
            return rhythm is not None and rhythm.spend(now)
        rhythm = rhythm or self._rhythms.setdefault(key, Recurrence(self._hints.get(key)))
        fits = rhythm.learn(now)
        self._rhythms.move_to_end(key)
        while len(self._rhythms) > MAX_KEYS:
            self._rhythms.popitem(last=False)
        return fits

    def rate(self, key: str) -> float:
        """Return the beats per second of a key; 0 if it has no rhythm."""
        rhythm = self._rhythms.get(key)
        period = rhythm.period if rhythm else None
        return 1000 / period if period else 0.0
