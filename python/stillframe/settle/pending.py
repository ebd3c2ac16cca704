"""The pending set: what the actions started and what has not ended.

Rows are opened and closed by signals. A row blocks the verdict until it is closed, until its own `until` passes, or,
unless it is `patient`, until the horizon. What was open before the actions is foreign and never gets a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from stillframe.model.verdict import Ignored, Pending
from stillframe.settle.noise import Noise
from stillframe.settle.signals import (
    Call,
    Committed,
    DataReceived,
    DialogClosed,
    DialogOpened,
    Download,
    FrameDetached,
    FrameStartedLoading,
    FrameStoppedLoading,
    Loaded,
    NavigationRequested,
    NavigationStarted,
    RequestEnded,
    RequestStarted,
    ResponseStarted,
    Signal,
    SocketClosed,
    SocketOpening,
    SocketReceived,
    SocketSent,
    StreamMessage,
    WithinDocument,
)

IGNORED_TYPES = frozenset({"Ping", "Prefetch", "Media", "TextTrack", "Preflight", "CSPViolationReport", "Manifest"})
"""Requests whose answer no page waits for (settle.md §4.2)."""
STREAM_TYPES = frozenset({"text/event-stream", "multipart/x-mixed-replace"})
"""Bodies that do not end; their requests close at the headers."""
STALLED_MS = 500.0
"""A body that began and then brings nothing for this long is a stream held open, not an answer on its way; the cap
that settle.md §2 gives to a socket's reply."""
SOCKET_REPLY_MS = 500.0
"""How long a reply to what was sent over a socket is expected (settle.md §2)."""
STREAM_GRACE_MS = 300.0
"""How long an open event stream may bring the effect of a request that is not a GET (settle.md §2)."""
LONG_POLL_MS = 1000.0
"""A request that had been open this long when the actions began is a long poll; its successor is one too."""
REQUESTED_MS = 1000.0
"""How long a navigation may be requested before the browser begins it."""
ABORTED_MS = 100.0
"""How long after its request failed a navigation is given up: an answer without a document (204), a download."""
DIALOG_MS = 1000.0
"""How long an open dialog is waited for: answering it is the page's policy, which takes one round trip."""

OVERDUE_MS = 30.0
"""How long after a fence a call that is overdue, or repeats, is looked at again: what a fence takes at least."""
TASK_MS = 60.0
"""How long a call whose end nobody can know is given; the residual window of a tier that cannot see calls."""
FRAME_CALLS = frozenset({"requestAnimationFrame", "requestVideoFrameCallback"})
"""Calls that run with a frame, not with a clock."""
OWN = frozenset({"timer", "indicator"})
"""Kinds of rows that end by the page's clock alone; an indicator is taken away by something that has its own row."""

STANDING = frozenset({"request", "dialog", "indicator"})
"""Rows that are facts and stay on record when nobody waits for them any more; the others are expectations."""


class Row(msgspec.Struct):
    """One piece of unfinished work; times in milliseconds."""

    kind: str
    key: str
    what: str
    opened: float
    url: str | None = None
    until: float | None = None
    """When it stops blocking by itself."""
    patient: bool = False
    """Whether it blocks beyond the horizon, up to the timeout."""
    later: bool = False
    """Whether it is known to last beyond the horizon, so that waiting is pointless."""
    loader: str = ""
    """The document it belongs to; empty when it belongs to none in particular."""
    site: str | None = None
    """Where in the page's code it was started."""
    realm: str = ""
    """The realm that told of it by answering a fence, and whose next answer renews it."""

    @property
    def external(self) -> bool:
        """Whether real time has to pass for it to end: the page's own timers alone will not end it."""
        return self.kind not in OWN

    def pending(self, now: float) -> Pending:
        """Return what the verdict says about it."""
        return Pending(self.kind, self.what, round(now - self.opened, 1), self.url, self.site)


class _Request(msgspec.Struct):
    key: str
    started: float
    changes: bool


class PendingSet:
    """All that is unfinished in one page."""

    def __init__(self) -> None:
        self.noise = Noise()
        self.armed = False
        self.ignored: dict[tuple[str, str], Ignored] = {}
        self._rows: dict[tuple[str, str], Row] = {}
        self._requests: dict[str, _Request] = {}
        self._sockets: dict[str, str] = {}
        self._streams: set[str] = set()
        self._long_polls: set[str] = set()

    def arm(self, now: float) -> None:
        """Take what is open now for foreign: only what starts from here on gets a row."""
        self.armed = True
        self._rows.clear()
        self.ignored.clear()
        self._long_polls = {request.key for request in self._requests.values() if now - request.started >= LONG_POLL_MS}

    def disarm(self) -> None:
        """Stop keeping rows; rhythms are learned again."""
        self.armed = False

    def blocking(self, now: float, horizon: float) -> list[Row]:
        """Return the rows that still hold the verdict back, oldest first."""
        return [row for row in self._rows.values() if now < self._end(row, horizon)]

    def external(self, now: float, horizon: float) -> list[Row]:
        """Return the blocking rows that real time has to end; a clock may jump when there are none."""
        return [row for row in self.blocking(now, horizon) if row.external]

    def next_end(self, now: float, horizon: float) -> float | None:
        """Return when the first of the blocking rows stops blocking by itself, or None if none will."""
        ends = [end for row in self._rows.values() if now < (end := self._end(row, horizon)) < float("inf")]
        return min(ends, default=None)

    def unfinished(self, now: float) -> list[Row]:
        """Return all rows that are not closed, blocking or not, but for expectations whose time is over."""
        return [row for row in self._rows.values() if row.until is None or now < row.until or row.kind in STANDING]

    def open(self, row: Row) -> None:
        """Add a row of the caller's own; a row with the same kind and key keeps its age."""
        old = self._rows.get((row.kind, row.key))
        if old is not None:
            row.opened = old.opened
        self._rows[(row.kind, row.key)] = row

    def row(self, kind: str, key: str) -> Row | None:
        """Return an open row, or None."""
        return self._rows.get((kind, key))

    def close(self, kind: str, key: str) -> bool:
        """Remove a row; tell whether it was there."""
        return self._rows.pop((kind, key), None) is not None

    def close_kind(self, kind: str) -> None:
        """Remove all rows of a kind."""
        for key in [key for key in self._rows if key[0] == kind]:
            del self._rows[key]

    def renew(self, kind: str, rows: list[Row]) -> None:
        """Replace all rows of a kind by these; those that were there keep their age."""
        for key in [key for other, key in self._rows if other == kind and key not in {row.key for row in rows}]:
            self.close(kind, key)
        for row in rows:
            self.open(row)

    def renew_calls(self, realm: str, calls: tuple[Call, ...], now: float, horizon: float) -> None:
        """Replace the rows of the calls that a realm told of by those that it tells of now."""
        rows = _call_rows(realm, calls, now, horizon)
        kept = {(row.kind, row.key) for row in rows}
        for key in [key for key, row in self._rows.items() if row.realm == realm and key not in kept]:
            del self._rows[key]
        for row in rows:
            self._rows[(row.kind, row.key)] = row

    def doubt(self, kind: str, now: float) -> None:
        """Let the rows of a kind block no longer; they stay on record until they are renewed or closed."""
        for row in self._rows.values():
            if row.kind == kind:
                row.until = now

    def feed(self, now: float, signal: Signal) -> bool:
        """Take in a signal; tell whether it is a sign of life of what the actions caused."""
        handler = _HANDLERS.get(type(signal))
        return handler(self, now, signal) if handler else False

    @staticmethod
    def _end(row: Row, horizon: float) -> float:
        if row.later:
            return float("-inf")
        end = float("inf") if row.until is None else row.until
        return end if row.patient else min(end, horizon)

    # -- requests --------------------------------------------------------------------------------

    def _request_started(self, now: float, signal: RequestStarted) -> bool:
        if signal.id in self._requests:
            return self._redirected(signal)
        if signal.url.startswith("data:") or signal.url.endswith("/favicon.ico"):
            # The first needs no network, the second is the browser's own and comes when it likes.
            return False
        key = request_key(signal)
        noise = self.noise.hear(key, now, learn=not self.armed)
        self._requests[signal.id] = _Request(key, now, signal.method not in ("GET", "HEAD"))
        if not self.armed or signal.type == "Document":
            # Documents have rows of their own: a frame's request may end in another process than it began.
            return False
        if noise or key in self._long_polls or not _awaited(signal):
            self._ignore("request", key)
            return False
        what = f"{signal.method} {signal.url}"
        self.open(Row("request", signal.id, what, now, signal.url, loader=signal.loader))
        return True

    def _redirected(self, signal: RequestStarted) -> bool:
        row = self._rows.get(("request", signal.id))
        if row is not None:
            row.what, row.url = f"{signal.method} {signal.url}", signal.url
        return row is not None

    def _response_started(self, now: float, signal: ResponseStarted) -> bool:
        if signal.mime_type in STREAM_TYPES:
            self._streams.add(signal.id)
            return self.close("request", signal.id)
        return ("request", signal.id) in self._rows

    def _data_received(self, now: float, signal: DataReceived) -> bool:
        row = self._rows.get(("request", signal.id))
        if row is not None:
            row.until = now + STALLED_MS
        return row is not None

    def _request_ended(self, now: float, signal: RequestEnded) -> bool:
        self._streams.discard(signal.id)
        request = self._requests.pop(signal.id, None)
        self._navigation_failed(now, signal)
        known = self.close("request", signal.id)
        if known and request is not None and request.changes and not signal.failed:
            for stream in self._streams:
                self.open(Row("stream", stream, "event stream", now, until=now + STREAM_GRACE_MS))
        return known

    def _navigation_failed(self, now: float, signal: RequestEnded) -> None:
        row = self._rows.get(("navigation", ""))
        if row is not None and signal.failed and row.loader == signal.id:
            row.until = now + ABORTED_MS

    def _ignore(self, kind: str, key: str) -> None:
        self.ignored[(kind, key)] = Ignored(kind, key, round(self.noise.rate(key), 2))

    # -- sockets and streams ---------------------------------------------------------------------

    def _socket_opening(self, now: float, signal: SocketOpening) -> bool:
        self._sockets[signal.id] = signal.url
        return self._expect_reply(now, signal.id)

    def _socket_sent(self, now: float, signal: SocketSent) -> bool:
        key = f"websocket {_place(self._sockets.get(signal.id, ''))}"
        if self.noise.hear(key, now, learn=not self.armed):
            if self.armed:
                self._ignore("websocket", key)
            return False
        return self._expect_reply(now, signal.id)

    def _expect_reply(self, now: float, socket: str) -> bool:
        if self.armed:
            url = self._sockets.get(socket, "")
            self.open(Row("websocket", socket, url, now, url, until=now + SOCKET_REPLY_MS))
        return self.armed

    def _socket_received(self, now: float, signal: SocketReceived) -> bool:
        return self.close("websocket", signal.id)

    def _socket_closed(self, now: float, signal: SocketClosed) -> bool:
        self._sockets.pop(signal.id, None)
        return self.close("websocket", signal.id)

    def _stream_message(self, now: float, signal: StreamMessage) -> bool:
        self._streams.add(signal.id)
        return self.close("stream", signal.id)

    # -- documents -------------------------------------------------------------------------------

    def _navigation_requested(self, now: float, signal: NavigationRequested) -> bool:
        if not self.armed or not signal.main or ("navigation", "") in self._rows:
            return False
        self.open(Row("navigation", "", signal.url, now, signal.url, until=now + REQUESTED_MS, patient=True))
        return True

    def _navigation_started(self, now: float, signal: NavigationStarted) -> bool:
        if not self.armed or not signal.main:
            return False
        self.open(Row("navigation", "", signal.url, now, signal.url, patient=True, loader=signal.loader))
        return True

    def _committed(self, now: float, signal: Committed) -> bool:
        if not signal.main:
            return ("frame", signal.frame) in self._rows
        # What the old document had started died with it; Chrome does not announce the end of all of it.
        self._rows = {key: row for key, row in self._rows.items() if row.loader == signal.loader}
        self.close("navigation", "")
        self._requests = {id_: self._requests[id_] for id_ in self._requests if ("request", id_) in self._rows}
        self._streams.clear()
        self._sockets.clear()
        if self.armed and not signal.restored:
            self.open(Row("document", signal.loader, signal.url, now, signal.url, patient=True))
        return self.armed

    def _loaded(self, now: float, signal: Loaded) -> bool:
        return signal.main and self.close("document", signal.loader)

    def _frame_started(self, now: float, signal: FrameStartedLoading) -> bool:
        if not self.armed or signal.main:
            return False
        self.open(Row("frame", signal.frame, f"frame {signal.frame}", now))
        return True

    def _frame_stopped(self, now: float, signal: FrameStoppedLoading) -> bool:
        if not signal.main:
            return self.close("frame", signal.frame)
        row = self._rows.get(("navigation", ""))
        if row is not None and row.loader not in self._requests:
            row.until = now + ABORTED_MS
        had_document = any(kind == "document" for kind, _ in self._rows)
        self.close_kind("document")
        return had_document

    def _frame_detached(self, now: float, signal: FrameDetached) -> bool:
        return self.close("frame", signal.frame)

    def _download(self, now: float, signal: Download) -> bool:
        self.close("navigation", "")
        return self.armed

    def _within_document(self, now: float, signal: WithinDocument) -> bool:
        row = self._rows.get(("navigation", ""))
        if row is not None and signal.main and not row.loader:
            self.close("navigation", "")
        return self.armed

    # -- dialogs ---------------------------------------------------------------------------------

    def _dialog_opened(self, now: float, signal: DialogOpened) -> bool:
        self.open(Row("dialog", "", f"{signal.kind}: {signal.message}", now, until=now + DIALOG_MS, patient=True))
        return True

    def _dialog_closed(self, now: float, signal: DialogClosed) -> bool:
        return self.close("dialog", "")


def _call_rows(realm: str, calls: tuple[Call, ...], now: float, horizon: float) -> list[Row]:
    told: Counter[str] = Counter()
    rows = []
    for call in calls:
        told[call.key] += 1
        rows.append(_call_row(realm, f"{realm} {call.key} {told[call.key]}", call, now, horizon))
    return rows


def _call_row(realm: str, key: str, call: Call, now: float, horizon: float) -> Row:
    opened = now - call.age_ms
    kind = "task" if call.due_ms is None or call.kind in FRAME_CALLS else "timer"
    until = opened + TASK_MS
    if call.due_ms is not None:
        # One that should have run and has not waits for a busy thread.
        until = now + (call.due_ms if call.due_ms > 0 else OVERDUE_MS)
    later = kind == "timer" and until > horizon
    return Row(kind, key, call.what, opened, until=until, later=later, site=call.site, realm=realm)


def request_key(signal: RequestStarted) -> str:
    """Return what makes a request the same one the next time: method, place and where it was started from."""
    origin = f" @{signal.initiator}" if signal.initiator else ""
    return f"{signal.method} {_place(signal.url)}{origin}"


def _place(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:  # not a URL by Python's rules, which are not the page's
        return url
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _awaited(signal: RequestStarted) -> bool:
    return not (signal.ad or signal.type in IGNORED_TYPES)


_HANDLERS: dict[type[Signal], Callable[[PendingSet, float, Any], bool]] = {
    RequestStarted: PendingSet._request_started,
    ResponseStarted: PendingSet._response_started,
    DataReceived: PendingSet._data_received,
    RequestEnded: PendingSet._request_ended,
    SocketOpening: PendingSet._socket_opening,
    SocketSent: PendingSet._socket_sent,
    SocketReceived: PendingSet._socket_received,
    SocketClosed: PendingSet._socket_closed,
    StreamMessage: PendingSet._stream_message,
    NavigationRequested: PendingSet._navigation_requested,
    NavigationStarted: PendingSet._navigation_started,
    Committed: PendingSet._committed,
    Loaded: PendingSet._loaded,
    FrameStartedLoading: PendingSet._frame_started,
    FrameStoppedLoading: PendingSet._frame_stopped,
    FrameDetached: PendingSet._frame_detached,
    Download: PendingSet._download,
    WithinDocument: PendingSet._within_document,
    DialogOpened: PendingSet._dialog_opened,
    DialogClosed: PendingSet._dialog_closed,
}
