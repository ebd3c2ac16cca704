"""Requests: which are awaited, what ends them, and which come by themselves."""

from __future__ import annotations

import msgspec

from stillframe.settle.noise import MAX_KEYS
from stillframe.settle.rows import Row, Rows, place
from stillframe.settle.signals import DataReceived, RequestEnded, RequestStarted

IGNORED_TYPES = frozenset({"Ping", "Prefetch", "Media", "TextTrack", "Preflight", "CSPViolationReport", "Manifest"})
"""Requests whose answer no page waits for (settle.md §4.2)."""
EVENT_STREAM = "text/event-stream"
STREAM_TYPES = frozenset({EVENT_STREAM, "multipart/x-mixed-replace"})
"""Bodies that do not end; their requests close at the headers, unless a script reads them as an answer."""
READ_BY_SCRIPT = frozenset({"Fetch", "XHR"})
"""Types of requests whose body a script reads to its end, whatever its content type."""
SAFE = frozenset({"GET", "HEAD"})
"""Methods that change nothing on the server."""
STALLED_MS = 500.0
"""A body that began and then brings nothing for this long is a stream held open, not an answer on its way; the cap
that settle.md §2 gives to a socket's reply."""
STREAMING_MS = 300.0
"""A body whose pieces come over a longer time than this is told to be streaming: a person would see it grow."""
LONG_POLL_MS = 1000.0
"""A request that had been open this long when the actions began is a long poll; its successor is one too."""
RENEWED_MS = 100.0
"""A request that follows one of its own key within this time has renewed it: a long poll asks again at once."""


class Request(msgspec.Struct):
    """One request under way; times in milliseconds."""

    key: str
    started: float
    changes: bool
    """Whether it may change something on the server: its method is neither GET nor HEAD."""
    url: str
    type: str
    row: Row
    noise: bool = False
    """Whether it was taken for one that comes by itself."""
    first_data: float | None = None
    length: int | None = None
    """How many bytes its body has, if the response told."""
    arrived: int = 0
    """How many of them are here."""

    @property
    def complete(self) -> bool:
        """Whether all of the body is here. Chrome tells of an end only when the body has been read, and scripts do not
        always care to."""
        return self.length is not None and self.arrived >= self.length


class Requests:
    """The requests of one page and its workers."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._open: dict[str, Request] = {}
        self._armed_at = 0.0
        self._asked: dict[str, str | None] = {}
        """Per key, what its requests ask as long as all ask the same, and None once they differ."""
        self._long_polls: set[str] = set()
        self._renewed: set[str] = set()
        self._ended_polls: dict[str, float] = {}

    def arm(self, now: float, *, adopt: bool) -> None:
        """Take note of the long polls; what is open is adopted unless it was seen to be renewed again and again."""
        self._armed_at = now
        self._long_polls = set(self._renewed)
        if not adopt:
            self._long_polls |= {one.key for one in self._open.values() if now - one.started >= LONG_POLL_MS}
        for id_, one in self._open.items():
            if adopt and one.key in self._long_polls:
                self._rows.close("request", id_)
                self._rows.ignore("request", one.key)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._open

    def get(self, id_: str) -> Request | None:
        """Return a request that is under way."""
        return self._open.get(id_)

    def forget_closed(self) -> None:
        """Forget the requests that have no row: their document is gone, and the end of some is never announced."""
        self._open = {id_: one for id_, one in self._open.items() if self._rows.row("request", id_) is not None}
        self._renewed.clear()
        self._ended_polls.clear()

    # -- signals ---------------------------------------------------------------------------------

    def started(self, now: float, signal: RequestStarted) -> bool:
        """Take in a new request, or the next hop of a redirected one."""
        known = self._open.get(signal.id)
        if known is not None:
            return self._redirected(known, signal)
        if signal.url.startswith("data:") or signal.url.endswith("/favicon.ico"):
            # The first needs no network, the second is the browser's own and comes when it likes.
            return False
        key = request_key(signal)
        noise = self._is_like_before(key, signal) and self._rows.is_noise("request", key, now)
        row = _row(now, signal)
        self._open[signal.id] = Request(key, now, signal.method not in SAFE, signal.url, signal.type, row, noise)
        if signal.type == "Document":
            # Documents have rows of their own: a frame's request may end in another process than it began.
            return False
        if noise:
            return False
        if self._is_long_poll(key, now) or signal.ad or signal.type in IGNORED_TYPES:
            self._rows.ignore("request", key)
            return False
        self._doubt_noise(key)
        if not row.loader and any(other.what == row.what and other.loader for other in self._rows.of_kind("request")):
            # A service worker asks for what the page has asked for: the page's own request ends after it.
            return True
        self._rows.open(row)
        return True

    def _doubt_noise(self, key: str) -> None:
        """Await what was taken for noise as well: of two that share a key, nobody knows which the actions caused."""
        for request in self._open.values():
            if request.noise and request.key == key and request.started >= self._armed_at:
                request.noise = False
                self._rows.open(request.row)

    def _redirected(self, request: Request, signal: RequestStarted) -> bool:
        request.url = signal.url
        row = self._rows.row("request", signal.id)
        if row is not None:
            row.what, row.url = f"{signal.method} {signal.url}", signal.url
        return row is not None

    def _is_like_before(self, key: str, signal: RequestStarted) -> bool:
        """Tell whether a request asks what its like have always asked, if they have always asked the same."""
        asked = f"{signal.url} {signal.body}"
        if not self._rows.armed:
            same = self._asked.setdefault(key, asked) == asked
            if not same:
                self._asked[key] = None
            if len(self._asked) > MAX_KEYS:
                del self._asked[next(iter(self._asked))]
            return True
        return self._asked.get(key) in (None, asked)

    def _is_long_poll(self, key: str, now: float) -> bool:
        if now - self._ended_polls.get(key, float("-inf")) <= RENEWED_MS:
            self._renewed.add(key)
            self._long_polls.add(key)
        return key in self._long_polls

    def data_received(self, now: float, signal: DataReceived) -> bool:
        """Take in a piece of a body."""
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

    def ended(self, now: float, signal: RequestEnded) -> tuple[bool, Request | None]:
        """Take in the end of a request; return whether it was awaited, and what it was."""
        request = self._open.pop(signal.id, None)
        if request is not None and not self._rows.armed and now - request.started >= LONG_POLL_MS:
            # While somebody acts it may be a slow answer, and the next one its consequence.
            self._ended_polls[request.key] = now
        return self._rows.close("request", signal.id), request


def _row(now: float, signal: RequestStarted) -> Row:
    site = signal.initiator if ":" in signal.initiator else None
    what = f"{signal.method} {signal.url}"
    return Row("request", signal.id, what, now, signal.url, loader=signal.loader, site=site, realm=signal.realm)


def request_key(signal: RequestStarted) -> str:
    """Return what makes a request the same one the next time: method, place and where it was started from."""
    origin = f" @{signal.initiator}" if signal.initiator else ""
    return f"{signal.method} {place(signal.url)}{origin}"
