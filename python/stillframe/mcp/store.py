"""What did not fit into a reply, kept for a while under an address."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable

import msgspec

TTL_S = 900.0
"""Seconds that an overflow can be read: a model that wants more asks within a few turns."""

PER_SESSION = 16
"""Overflows that are kept for one session; the oldest goes first."""

MOST_BYTES = 32_000_000
"""All of them together; a full reply about a page of 20,000 elements takes some 1 MB."""

SCHEME = "stillframe://reply/"


class Overflow(msgspec.Struct, frozen=True):
    """One text that can be read; `born` is on the clock of its store, in seconds."""

    uri: str
    session: str
    title: str
    mime_type: str
    text: str
    born: float


class Store:
    """Overflows by address: bounded in number, size and age. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, Overflow] = OrderedDict()

    def put(self, session: str, title: str, text: str, mime_type: str = "text/plain") -> Overflow:
        """Keep a text; its address cannot be guessed."""
        uri = f"{SCHEME}{secrets.token_urlsafe(9)}"
        kept = self._kept[uri] = Overflow(uri, session, title, mime_type, text, self._clock())
        self._trim(session)
        return kept

    def get(self, uri: str) -> Overflow | None:
        """Return what is kept at an address, or None if it is gone or never was."""
        self._expire()
        return self._kept.get(uri)

    def list(self) -> list[Overflow]:
        """Return all that can be read, newest first."""
        self._expire()
        return list(reversed(self._kept.values()))

    def forget(self, session: str) -> None:
        """Drop what a session left."""
        for kept in [kept for kept in self._kept.values() if kept.session == session]:
            del self._kept[kept.uri]

    def _trim(self, session: str) -> None:
        self._expire()
        own = [kept for kept in self._kept.values() if kept.session == session]
        for kept in own[:-PER_SESSION]:
            del self._kept[kept.uri]
        size = sum(len(kept.text) for kept in self._kept.values())
        while size > MOST_BYTES and len(self._kept) > 1:
            size -= len(self._kept.popitem(last=False)[1].text)

    def _expire(self) -> None:
        oldest = self._clock() - TTL_S
        while self._kept and next(iter(self._kept.values())).born < oldest:
            self._kept.popitem(last=False)
