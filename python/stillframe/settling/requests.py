"""Track requests: which are awaited, what ends them, and which recur by themselves."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import TYPE_CHECKING

import msgspec

from stillframe.settling.polls import LONG_POLL_MS, Polls
from stillframe.settling.rows import PendingRow, Rows, without_query

if TYPE_CHECKING:
    from stillframe.settling.signals import DataReceived, RequestEnded, RequestStarted, ResourcesLoaded

IGNORED_TYPES = frozenset({"Ping", "Prefetch", "Media", "TextTrack", "Preflight", "CSPViolationReport", "Manifest"})
"""Requests whose response no page waits for."""
EVENT_STREAM = "text/event-stream"
XSL_TYPES = frozenset({"text/xsl", "text/xml", "application/xml", "application/xslt+xml"})
"""Types of style sheets that transform XML into another document."""
STREAM_TYPES = frozenset({EVENT_STREAM, "multipart/x-mixed-replace"})
"""Bodies that do not end; their requests close at the headers, unless a script reads them as a response."""
READ_BY_SCRIPT = frozenset({"Fetch", "XHR"})
"""Types of requests whose body a script reads to its end, whatever its content type."""
SAFE = frozenset({"GET", "HEAD"})
"""Methods that change nothing on the server."""
STALLED_MS = 500.0
"""A body that has begun and then sends no data for this long is a stream that is held open, not a response in progress;
the limit is that for a socket's reply."""
MAX_STORED = 8
"""For how many documents to remember the requests in flight; Chrome's back-forward cache holds six."""
SAME_START_MS = 20.0
"""How far the times may differ at which CDP and the page say that one request began (measured: 0.2 ms)."""
STREAMING_MS = 300.0
"""A body that arrives over a longer time than this is reported as streaming: a person would see it grow."""


class PendingRequest(msgspec.Struct):
    """One request in flight; times are in milliseconds."""

    key: str
    started: float
    changes: bool
    """Whether it may change something on the server: its method is neither GET nor HEAD."""
    url: str
    type: str
    row: PendingRow
    noise: bool = False
    """Whether it counts as recurring by itself."""
    awaited: bool = False
    """Whether it had a row: the page waits for it."""
    answered: bool = False
    """Whether its response has begun: scripts may continue from there."""
    first_data: float | None = None
    length: int | None = None
    """How many bytes its body has, if the response says so."""
    arrived: int = 0
    """How many of them have arrived."""
    began_ms: float = 0.0
    """When the page began it, in milliseconds of the browser's wall clock."""
    transforms: bool = False
    """Whether it loads a style sheet that transforms its document: Chrome announces no end of it (measured)."""
    restored: bool = False
    """Whether its document has been in the back-forward cache since: its end may have come unannounced."""

    @property
    def complete(self) -> bool:
        """Whether the whole body has arrived.

        Chrome announces the end only when the body has been read, and scripts do not always read it.
        """
        return self.length is not None and self.arrived >= self.length


class Requests:
    """The requests of one page and its workers."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._open: dict[str, PendingRequest] = {}
        self._armed_at = 0.0
        self._polls = Polls()
        self._long_polls: set[str] = set()
        """The keys of requests that had been open for long when the actions began."""
        self._stored: OrderedDict[str, dict[str, PendingRequest]] = OrderedDict()
        """By loader, the requests of documents that are gone and may come back from the back-forward cache."""
        self._ignored_counts: Counter[str] = Counter()
        """How many requests of a key have counted as noise since then."""

    def arm(self, now: float, *, adopt: bool) -> None:
        """Record the long polls, and adopt the open requests except those that were renewed again and again."""
        self._armed_at = now
        self._ignored_counts.clear()
        open_long = {one.key for one in self._open.values() if now - one.started >= LONG_POLL_MS}
        self._long_polls = set() if adopt else open_long
        for id_, one in self._open.items():
            if adopt and self._renews(one.key):
                self._rows.close("request", id_)
                self._rows.ignore("request", one.key)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._open

    def get(self, id_: str) -> PendingRequest | None:
        """Return a request in flight, or None."""
        return self._open.get(id_)

    def replaced(self) -> None:
        """Forget the patterns and the requests of the old document; Chrome does not announce the end of all of them.

        Requests that are still awaited belong to the new document.
        """
        for id_, one in self._open.items():
            if one.awaited and one.row.loader and self._rows.row("request", id_) is None:
                self._stored.setdefault(one.row.loader, {})[id_] = one
        while len(self._stored) > MAX_STORED:
            self._stored.popitem(last=False)
        self._open = {id_: one for id_, one in self._open.items() if self._rows.row("request", id_) is not None}
        self._polls.replaced()
        self._long_polls.clear()

    def restored(self, loader: str) -> None:
        """Await the requests of a restored document again: their responses arrive once it is shown."""
        for id_, one in self._stored.pop(loader, {}).items():
            one.restored = True
            self._open[id_] = one
            self._rows.open(one.row)

    @property
    def any_restored(self) -> bool:
        """Whether the page may have received responses while it was in the back-forward cache."""
        return any(one.restored for one in self._open.values())

    def ended_unannounced(self, signal: ResourcesLoaded) -> list[str]:
        """Return the ids of the restored requests that the page reports as loaded."""
        return [
            id_
            for id_, one in self._open.items()
            if one.restored and any(_is_of(one, url, began_ms) for url, began_ms in signal.resources)
        ]

    def make_patient(self, id_: str) -> None:
        """Await a request beyond the horizon."""
        if (row := self._rows.row("request", id_)) is not None:
            row.patient = True

    # -- signals ---------------------------------------------------------------------------------

    def started(self, now: float, signal: RequestStarted) -> bool:
        """Record a new request, or the next hop of a redirected one."""
        known = self._open.get(signal.id)
        if known is not None:
            return self._redirected(known, signal)
        if signal.url.startswith("data:") or signal.url.endswith("/favicon.ico"):
            # A data: URL needs no network; the browser itself requests the favicon, at any time.
            return False
        key = request_key(signal)
        row = _row(now, signal)
        request = PendingRequest(
            key, now, signal.method not in SAFE, signal.url, signal.type, row, began_ms=signal.began_ms
        )
        if signal.type == "Document":
            # Documents have rows of their own: the request of a frame may end in another process than it began in.
            self._open[signal.id] = request
            return False
        recurs = self._is_noise(key, signal, now) or self._is_long_poll(key)
        if self._rows.learning:
            self._polls.started(key, _query(signal), now)
        self._open[signal.id] = request
        if recurs:
            request.noise = True
            self._ignored_counts[key] += 1
        if recurs or signal.ad or signal.type in IGNORED_TYPES:
            self._rows.ignore("request", key)
            return False
        self._await_noise(key)
        if not row.loader and any(other.what == row.what and other.loader for other in self._rows.of_kind("request")):
            # A service worker repeats the page's request: the page's own request ends after it.
            return True
        request.awaited = True
        self._rows.open(row)
        return True

    def _await_noise(self, key: str) -> None:
        """Await the requests that counted as noise as well: of two with one key, either may come from the actions."""
        among = self._open.values() if self._ignored_counts[key] else ()
        for request in among:
            if request.noise and request.key == key and request.started >= self._armed_at:
                request.noise, request.awaited = False, True
                self._ignored_counts[key] -= 1
                self._rows.open(request.row)
        if self._ignored_counts[key] <= 0:
            self._rows.unignore("request", key)

    def _redirected(self, request: PendingRequest, signal: RequestStarted) -> bool:
        request.url = signal.url
        row = self._rows.row("request", signal.id)
        if row is not None:
            row.what, row.url = f"{signal.method} {signal.url}", signal.url
        return row is not None

    def _is_noise(self, key: str, signal: RequestStarted, now: float) -> bool:
        """Return whether a request belongs to a rhythm and fits the pattern of its key in this document."""
        pattern, query = self._polls.get(key), _query(signal)
        # A document begins by loading: during that, only an exact repetition is a poll.
        exactly = self._rows.fresh if self._rows.armed else self._rows.never_settled
        fits = pattern is not None and (pattern.repeats_exactly(query, now) if exactly else pattern.fits(query, now))
        return (fits or self._rows.learning) and self._rows.record_beat(key, now) and fits

    def _is_long_poll(self, key: str) -> bool:
        """Return whether a request repeats a long poll; one that runs beside it is a separate request."""
        known = key in self._long_polls or self._renews(key)
        return known and not any(one.key == key and not one.answered for one in self._open.values())

    def _renews(self, key: str) -> bool:
        pattern = self._polls.get(key)
        return pattern is not None and pattern.long_poll

    def transformed(self, loader: str) -> list[str]:
        """Return the ids of the requests by which a document has been transformed, which the new document replaces."""
        return [id_ for id_, one in self._open.items() if one.transforms and one.row.loader == loader]

    def answered(self, now: float, id_: str, mime_type: str = "") -> None:
        """Record that the response to a request has begun."""
        request = self._open.get(id_)
        if request is not None:
            request.answered = True
            request.transforms = request.type == "Stylesheet" and mime_type in XSL_TYPES
            self._note_end(now, request)

    def _note_end(self, now: float, request: PendingRequest) -> None:
        # During actions it may be a slow response, and the next request its consequence.
        self._polls.ended(request.key, now, long=not self._rows.armed and now - request.started >= LONG_POLL_MS)

    def data_received(self, now: float, signal: DataReceived) -> bool:
        """Record data of a body."""
        row, request = self._rows.row("request", signal.id), self._open.get(signal.id)
        if row is None or request is None:
            return False
        row.until = now + STALLED_MS
        request.arrived += signal.length
        if request.first_data is None:
            request.first_data = now
        elif now - request.first_data >= STREAMING_MS and not row.what.endswith(" (streaming)"):
            row.what += " (streaming)"
        return True

    def ended(self, now: float, signal: RequestEnded) -> tuple[bool, PendingRequest | None]:
        """Record the end of a request; return whether it was awaited, and the request."""
        request = self._open.pop(signal.id, None)
        if request is not None:
            self._note_end(now, request)
        return self._rows.close("request", signal.id), request


def _row(now: float, signal: RequestStarted) -> PendingRow:
    site = signal.initiator if ":" in signal.initiator else None
    what = f"{signal.method} {signal.url}"
    return PendingRow("request", signal.id, what, now, signal.url, loader=signal.loader, site=site, realm=signal.realm)


def _is_of(request: PendingRequest, url: str, began_ms: float) -> bool:
    return url == request.url and abs(began_ms - request.began_ms) <= SAME_START_MS


def _query(signal: RequestStarted) -> str:
    return f"{signal.url} {signal.body}"


def request_key(signal: RequestStarted) -> str:
    """Return the key of a request, the same the next time: method, place and initiator."""
    origin = f" @{signal.initiator}" if signal.initiator else ""
    return f"{signal.method} {without_query(signal.url)}{origin}"
