"""What the requests of one document ask, key by key, and which of them begin where one of their like has ended.

Rhythms alone do not tell a poll from an application at work: page after page of a list comes at even distances too, as
long as the server takes the same time for each. So it counts as well whether each asks the same as the one before, and
whether it begins by the clock or at the end of the one before (a *chain*).
"""

from __future__ import annotations

from collections import OrderedDict

import msgspec

from stillframe.settling.noise import MAX_KEYS

LONG_POLL_MS = 1000.0
"""A request that has been open this long when the actions begin is a long poll; its successor is one too."""
RENEWED_MS = 100.0
"""A request that follows a long one of its own key within this time renews it: a long poll asks again at once."""
LINK_MS = 30.0
"""A request that follows one of its own key within this time begins at its end: two frames, in which a page reads the
answer and asks for the next. Polls by the clock may come soon after an answer too, so no more."""
RENEWALS = 3
"""A long poll that asks something else each time has asked again this often before it counts as one: page after page
of a slow list does so too, but comes to its end."""


class PollPattern(msgspec.Struct):
    """What the requests of one key have done in this document; times in milliseconds."""

    asks: str
    """What the last one asked: URL, query and a digest of the body."""
    same: bool = True
    """Whether all have asked the same."""
    starts: int = 0
    links: int = 0
    """How many began at the end of the one before."""
    renewals: int = 0
    """How many of those followed one that had been open for long while nobody acted."""
    ended: float = float("-inf")
    long: bool = False
    """Whether the last one to end had been open for long, and nobody acted."""

    @property
    def chain(self) -> bool:
        """Whether all but the first began at the end of the one before."""
        return self.starts > 1 and self.links >= self.starts - 1

    @property
    def long_poll(self) -> bool:
        """Whether it has shown to be a long poll: open for long, and asked again at once."""
        return self.renewals >= (1 if self.same else RENEWALS)

    def follows(self, now: float) -> bool:
        """Tell whether a request that begins now begins at the end of the one before."""
        return now - self.ended <= LINK_MS

    def is_like(self, asks: str, now: float) -> bool:
        """Tell whether a request does as its like: asks the same if all did, follows another if all did."""
        return (not self.same or self.asks == asks) and (not self.chain or self.follows(now))

    def is_just_like(self, asks: str, now: float) -> bool:
        """Tell whether a request asks what all before have asked, by the clock and not because one has ended."""
        return self.same and self.asks == asks and not self.chain and not self.follows(now)

    def start(self, asks: str, now: float) -> None:
        """Take in the beginning of a request."""
        self.starts += 1
        self.links += self.follows(now)
        self.renewals += self.long and now - self.ended <= RENEWED_MS
        self.same = self.same and self.asks == asks
        self.asks = asks


class Polls:
    """The habits of the requests of the document that is shown."""

    def __init__(self) -> None:
        self._habits: OrderedDict[str, PollPattern] = OrderedDict()

    def replaced(self) -> None:
        """Forget all: another document is shown."""
        self._habits.clear()

    def of(self, key: str) -> PollPattern | None:
        """Return the habit of a key, or None if the document has not asked for it."""
        return self._habits.get(key)

    def started(self, key: str, asks: str, now: float) -> None:
        """Take in the beginning of a request that the actions have not caused: what they cause teaches nothing."""
        self._habits.setdefault(key, PollPattern(asks)).start(asks, now)
        self._habits.move_to_end(key)
        while len(self._habits) > MAX_KEYS:
            self._habits.popitem(last=False)

    def ended(self, key: str, now: float, *, long: bool) -> None:
        """Take in the answer to a request, or its end; `long` is one that was open for long while nobody acted."""
        habit = self._habits.get(key)
        if habit is not None:
            habit.ended, habit.long = now, long
