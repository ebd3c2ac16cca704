"""Track the requests of one document by key: what they query, and which begin where the previous one ended.

Rhythms alone do not distinguish a poll from a working application: page after page of a list also comes at even
intervals if the server takes equally long for each. So it matters as well whether each request queries the same as the
one before, and whether it begins at a time or at the end of the previous one (a *chain*).
"""

from __future__ import annotations

from collections import OrderedDict

import msgspec

from stillframe.settling.noise import MAX_KEYS

LONG_POLL_MS = 1000.0
"""A request that has been open this long when the actions begin is a long poll; so is its successor."""
RENEWED_MS = 100.0
"""A request that follows a long one with the same key within this time renews it: a long poll repeats at once."""
LINK_MS = 30.0
"""A request that follows another with the same key within this time begins at its end: two frames, in which a page
reads the answer and sends the next request. Timed polls may follow an answer closely too, so it is not more."""
RENEWALS = 3
"""A long poll whose query differs each time counts as one after this many renewals: loading a slow list page by page
looks the same, but ends."""


class PollPattern(msgspec.Struct):
    """The requests of one key in this document; times are in milliseconds."""

    query: str
    """The last query: URL, parameters and a digest of the body."""
    same: bool = True
    """Whether all queries were the same."""
    starts: int = 0
    links: int = 0
    """How many requests began at the end of the previous one."""
    renewals: int = 0
    """How many of those followed one that had been open for long while no actions ran."""
    ended: float = float("-inf")
    long: bool = False
    """Whether the last one to end had been open for long while no actions ran."""

    @property
    def chain(self) -> bool:
        """Whether all but the first began at the end of the previous one."""
        return self.starts > 1 and self.links >= self.starts - 1

    @property
    def long_poll(self) -> bool:
        """Whether the key is a long poll: open for long, and repeated at once."""
        return self.renewals >= (1 if self.same else RENEWALS)

    def follows(self, now: float) -> bool:
        """Return whether a request that begins now begins at the end of the previous one."""
        return now - self.ended <= LINK_MS

    def fits(self, query: str, now: float) -> bool:
        """Return whether a request fits: the same query if all had the same, at the end of another if all were."""
        return (not self.same or self.query == query) and (not self.chain or self.follows(now))

    def repeats_exactly(self, query: str, now: float) -> bool:
        """Return whether a request has the query of all before it and begins at a time, not because one has ended."""
        return self.same and self.query == query and not self.chain and not self.follows(now)

    def start(self, query: str, now: float) -> None:
        """Record the start of a request."""
        self.starts += 1
        self.links += self.follows(now)
        self.renewals += self.long and now - self.ended <= RENEWED_MS
        self.same = self.same and self.query == query
        self.query = query


class Polls:
    """The request patterns of the current document."""

    def __init__(self) -> None:
        self._patterns: OrderedDict[str, PollPattern] = OrderedDict()

    def replaced(self) -> None:
        """Forget all patterns: another document is shown."""
        self._patterns.clear()

    def get(self, key: str) -> PollPattern | None:
        """Return the pattern of a key, or None if the document has not requested it."""
        return self._patterns.get(key)

    def started(self, key: str, query: str, now: float) -> None:
        """Record the start of a request that the actions did not cause; requests that they cause teach nothing."""
        self._patterns.setdefault(key, PollPattern(query)).start(query, now)
        self._patterns.move_to_end(key)
        while len(self._patterns) > MAX_KEYS:
            self._patterns.popitem(last=False)

    def ended(self, key: str, now: float, *, long: bool) -> None:
        """Record the response to a request, or its end; `long` says that it was open for long while no actions ran."""
        pattern = self._patterns.get(key)
        if pattern is not None:
            pattern.ended, pattern.long = now, long
