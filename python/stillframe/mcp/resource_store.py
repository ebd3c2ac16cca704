"""The resource store: keeps what a client may read later, for a short time and under a URI that nobody can guess.

It holds what does not fit into a reply, and the files that calls make: screenshots, downloads, PDFs, traces, HAR.
"""

from __future__ import annotations

import builtins
import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import msgspec

Kind = Literal["reply", "screenshot", "download", "pdf", "trace", "har", "file"]
"""What a resource is: the first part of its path."""

KINDS: tuple[Kind, ...] = get_args(Kind)

TTL_S = 900.0
"""Seconds that a resource can be read: a model that wants more asks within a few turns."""

MAX_PER_SESSION = 16
"""Resources of one kind in one session; the oldest goes first."""

MAX_BYTES = 16_000_000
"""Bytes of one resource: it travels as one message, a third larger as base64."""

MAX_TOTAL_BYTES = 64_000_000
"""Bytes of all resources of a client; a full reply about a page of 20,000 elements has about 1 million."""

SCHEME = "stillframe://"


class Resource(msgspec.Struct, frozen=True):
    """One stored text or file; `created` is a time of the store's clock, in seconds."""

    uri: str
    session: str
    kind: Kind
    title: str
    mime_type: str
    content: str | bytes
    created: float
    size: int
    """Bytes."""


class ResourceStore:
    """Stores resources by URI, limited in number, size and age.

    `clock` returns seconds; `on_change` is called when the list of resources has changed.
    """

    def __init__(self, clock: Callable[[], float], on_change: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._on_change = on_change
        self._stored: OrderedDict[str, Resource] = OrderedDict()

    def put(
        self, session: str, title: str, content: str | bytes, mime_type: str = "text/plain", kind: Kind = "reply"
    ) -> Resource:
        """Store a text, or bytes, under a URI that nobody can guess; raises ValueError for more than `MAX_BYTES`."""
        size = len(content.encode()) if isinstance(content, str) else len(content)
        if size > MAX_BYTES and kind != "reply":
            raise ValueError(f"{title}: {size:,} bytes are more than the {MAX_BYTES:,} that a resource may have")
        uri = f"{SCHEME}{kind}/{secrets.token_urlsafe(9)}"
        resource = Resource(uri, session, kind, title, mime_type, content, self._clock(), size)
        self._stored[uri] = resource
        self._trim(resource)
        self._on_change()
        return resource

    def get(self, uri: str) -> Resource | None:
        """Return the resource of a URI, or None if there is none or it has expired."""
        self._expire()
        return self._stored.get(uri)

    def list(self) -> list[Resource]:
        """Return all resources, newest first."""
        self._expire()
        return list(reversed(self._stored.values()))

    def discard(self, session: str) -> None:
        """Discard the resources of a session."""
        gone = [each for each in self._stored.values() if each.session == session]
        self._remove(gone)

    def _trim(self, newest: Resource) -> None:
        self._expire()
        alike = [each for each in self._stored.values() if (each.session, each.kind) == (newest.session, newest.kind)]
        self._remove(alike[:-MAX_PER_SESSION])
        size = sum(each.size for each in self._stored.values())
        while size > MAX_TOTAL_BYTES and len(self._stored) > 1:
            size -= self._stored.popitem(last=False)[1].size

    def _expire(self) -> None:
        oldest = self._clock() - TTL_S
        expired: builtins.list[Resource] = []
        for each in self._stored.values():
            if each.created >= oldest:
                break
            expired.append(each)
        self._remove(expired)

    def _remove(self, resources: Sequence[Resource]) -> None:
        for each in resources:
            del self._stored[each.uri]
        if resources:
            self._on_change()
