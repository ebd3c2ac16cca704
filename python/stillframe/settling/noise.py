"""Which requests come by themselves: rhythms learned while nobody acts.

A key (method, path, place of origin) whose requests came at least four times at even distances is *recurrent*. While
somebody acts, each period earns it one request; what comes within its earnings is noise, what exceeds them is not. So a
refresh button that asks for the same URL as the page's own poll is still awaited, and a poll that is late under load
stays a poll.

All this belongs to one document. Of the rhythms of the document before it only their periods are kept, as a *hint*: a
key that beats twice at the distance that it had there has its rhythm back at once; one that does not is learned from
nothing. So what a document asks for when it loads is no rhythm, however often it is opened again.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from itertools import pairwise
from statistics import fmean, pstdev
from typing import NamedTuple

RING = 8
"""How many beats are remembered (settle.md §4.4)."""
MIN_INTERVALS = 3
"""Fewer intervals than this are no rhythm (settle.md §4.4)."""
MAX_VARIATION = 0.35
"""The coefficient of variation up to which intervals count as even (settle.md §4.4)."""
JITTER_MS = 50.0
"""How far a beat may miss its time however even the rhythm: a timer under load is late by tens of milliseconds. No
more: what comes before its time may be what the actions caused; two that share a key are told apart by this alone."""
MAX_EARNED = 2.0
"""How many beats a rhythm can have saved up: one that was late, and the one after it."""
SILENT_PERIODS = 4
"""After a silence of this many periods a rhythm is over."""
MAX_KEYS = 512
"""How many keys are remembered; the least recently heard one goes first."""


class Hint(NamedTuple):
    """A rhythm of the document before; times in milliseconds."""

    period: float
    jitter: float

    def agrees(self, gap: float) -> bool:
        """Tell whether two beats at this distance may be of this rhythm."""
        return abs(gap - self.period) <= self.jitter


class Recurrence:
    """The beats of one thing; times in milliseconds."""

    def __init__(self, hint: Hint | None = None) -> None:
        self.hint = hint
        """What it was like in the document before."""
        self.period: float | None = None
        """The mean distance of the beats, or None while they are too few or uneven."""
        self._jitter = JITTER_MS
        self._beats: deque[float] = deque(maxlen=RING)
        self._heard = 0.0
        self._earned = 0.0

    def learn(self, now: float) -> bool:
        """Note a beat of a time when nobody acts, or of a document that loads; tell whether it is one of the rhythm."""
        if self._over(now):
            self._beats.clear()
        early = bool(self._beats) and self.period is not None and now - self._heard < self.period - self._jitter
        self._beats.append(now)
        self._heard, self._earned = now, 0.0
        gaps = [later - earlier for earlier, later in pairwise(self._beats)]
        if len(gaps) >= MIN_INTERVALS:
            self.period = _period(gaps)
            self._jitter = max(JITTER_MS, 2 * pstdev(gaps))
        elif self.hint is not None and gaps and self.hint.agrees(gaps[-1]):
            self.period, self._jitter = self.hint
        return self.period is not None and not early

    def as_hint(self) -> Hint | None:
        """Return what is worth knowing of it when its document is gone."""
        return self.hint if self.period is None else Hint(self.period, self._jitter)

    def spend(self, now: float) -> bool:
        """Tell whether a beat, while somebody acts, is one that the rhythm has earned."""
        # What is between the beats from here on was not all heard: they are no measure of the period any more.
        self._beats.clear()
        if self.period is None or self._over(now):
            return False
        self._earned = min(MAX_EARNED, self._earned + (now - self._heard) / self.period)
        self._heard = now
        if self._earned < 1 - self._jitter / self.period:
            return False
        self._earned = max(0.0, self._earned - 1)
        return True

    def _over(self, now: float) -> bool:
        return self.period is not None and now - self._heard > SILENT_PERIODS * self.period + JITTER_MS


def _period(gaps: list[float]) -> float | None:
    mean = fmean(gaps)
    return mean if mean > 0 and pstdev(gaps) / mean < MAX_VARIATION else None


class Noise:
    """The rhythms of all keys of the document that is shown."""

    def __init__(self) -> None:
        self._rhythms: OrderedDict[str, Recurrence] = OrderedDict()
        self._hints: dict[str, Hint] = {}

    def replaced(self) -> None:
        """Keep the rhythms as hints only: another document is shown."""
        told = {key: hint for key, rhythm in self._rhythms.items() if (hint := rhythm.as_hint()) is not None}
        self._hints = dict(list({**self._hints, **told}.items())[-MAX_KEYS:])
        self._rhythms.clear()

    def hear(self, key: str, now: float, *, learn: bool) -> bool:
        """Take in a beat; tell whether it is noise. Rhythms are learned only while nobody acts (`learn`)."""
        rhythm = self._rhythms.get(key)
        if not learn:
            return rhythm is not None and rhythm.spend(now)
        rhythm = rhythm or self._rhythms.setdefault(key, Recurrence(self._hints.get(key)))
        own = rhythm.learn(now)
        self._rhythms.move_to_end(key)
        while len(self._rhythms) > MAX_KEYS:
            self._rhythms.popitem(last=False)
        return own

    def rate(self, key: str) -> float:
        """Return the beats per second of a key; 0 when it has no rhythm."""
        rhythm = self._rhythms.get(key)
        period = rhythm.period if rhythm else None
        return 1000 / period if period else 0.0
