"""The overflow store: keeps what does not fit into a reply, for a short time and under a URI."""

from __future__ import annotations

import builtins
import secrets
from collections import OrderedDict
from collections.abc import Callable

import msgspec

TTL_S = 900.0
"""Seconds that an overflow can be read: a model that wants more asks within a few turns."""

MAX_PER_SESSION = 16
"""Overflows of one session; the oldest goes first."""

MAX_TOTAL_CHARS = 32_000_000
"""Characters of all overflows; a full reply about a page of 20,000 elements has about 1 million."""

SCHEME = "stillframe://reply/"


class Overflow(msgspec.Struct, frozen=True):
    """One stored text; `created` is a time of the store's clock, in seconds."""

    uri: str
    session: str
    title: str
    mime_type: str
    text: str
    created: float


class OverflowStore:
    """Stores overflows by URI, limited in number, size and age. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._stored: OrderedDict[str, Overflow] = OrderedDict()

    def put(self, session: str, title: str, text: str, mime_type: str = "text/plain") -> Overflow:
        """Store a text under a URI that nobody can guess."""
        uri = f"{SCHEME}{secrets.token_urlsafe(9)}"
        overflow = self._stored[uri] = Overflow(uri, session, title, mime_type, text, self._clock())
        self._trim(session)
        return overflow

    def get(self, uri: str) -> Overflow | None:
        """Return the overflow of a URI, or None if there is none or it has expired."""
        self._expire()
        return self._stored.get(uri)

    def list(self) -> list[Overflow]:
        """Return all overflows, newest first."""
        self._expire()
        return list(reversed(self._stored.values()))

    def discard(self, session: str) -> None:
        """Discard the overflows of a session."""
        for overflow in self._of(session):
            del self._stored[overflow.uri]

    def _of(self, session: str) -> builtins.list[Overflow]:
        return [overflow for overflow in self._stored.values() if overflow.session == session]

    def _trim(self, session: str) -> None:
        self._expire()
        for overflow in self._of(session)[:-MAX_PER_SESSION]:
            del self._stored[overflow.uri]
        size = sum(len(overflow.text) for overflow in self._stored.values())
        while size > MAX_TOTAL_CHARS and len(self._stored) > 1:
            size -= len(self._stored.popitem(last=False)[1].text)

    def _expire(self) -> None:
        oldest = self._clock() - TTL_S
        while self._stored and next(iter(self._stored.values())).created < oldest:
            self._stored.popitem(last=False)
