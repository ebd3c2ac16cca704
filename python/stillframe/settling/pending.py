"""The pending set: the work that the actions started and that has not ended.

Signals open and close rows; `requests`, `sockets`, `documents` and `calls` define how, one subject each, and `rows`
defines how long a row blocks. Work that was open before the actions is foreign, unless the wait adopts it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stillframe.settling.calls import Calls
from stillframe.settling.documents import Documents
from stillframe.settling.loads import Load
from stillframe.settling.replies import ExchangeHistory
from stillframe.settling.requests import EVENT_STREAM, READ_BY_SCRIPT, STALLED_MS, STREAM_TYPES, Requests, request_key
from stillframe.settling.rows import ADOPTABLE_KINDS, PendingRow, Rows
from stillframe.settling.signals import (
    Call,
    ClosedRootsHandedOver,
    ClosedRootsRequested,
    Committed,
    DataReceived,
    DialogClosed,
    DialogOpened,
    DocumentCreated,
    Download,
    FrameDetached,
    FrameStartedLoading,
    FrameStoppedLoading,
    Loaded,
    NavigatedWithinDocument,
    NavigationRequested,
    NavigationStarted,
    RealmDetached,
    RequestEnded,
    RequestStarted,
    ResourcesLoaded,
    ResponseStarted,
    Signal,
    SocketClosed,
    SocketOpening,
    SocketReceived,
    SocketSent,
    StreamMessage,
    TargetOpened,
    TargetSettled,
)
from stillframe.settling.sockets import Sockets
from stillframe.settling.streams import Streams

__all__ = ["PendingRow", "PendingSet", "request_key"]


CLOSED_ROOTS_MS = 2000.0
"""How long the closed shadow roots of a frame may take to be handed over, which is four round trips; a page that hangs
is not worth more time."""
TARGET_MS = 1000.0
"""How long a page that was opened may take to settle and to message its opener; a worker or a dialog gets the same."""


class PendingSet(Rows):
    """All unfinished work of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.requests = Requests(self)
        history = ExchangeHistory()
        self.sockets = Sockets(self, history)
        self.streams = Streams(self, history)
        self.documents = Documents(self)
        self.load = Load()
        self.calls = Calls(self)

    def arm(self, now: float, *, adopt: bool = False) -> None:
        """Treat the work that is open now as foreign, or adopt it."""
        self.armed = True
        self.fresh, self.arrived_while_armed = adopt, False
        self.ignored.clear()
        self.keep(lambda row: row.kind == "shadow_root" or (adopt and row.kind in ADOPTABLE_KINDS))
        self.requests.arm(now, adopt=adopt)
        self.sockets.arm(now)
        self.streams.arm(now)
        self.calls.arm()

    def disarm(self) -> None:
        """Stop attributing work to the actions, and learn rhythms again."""
        self.armed = self.fresh = self.never_settled = False
        for row in self.of_kind("request"):
            row.patient = False

    def renew_calls(self, realm: str, calls: tuple[Call, ...], now: float, horizon: float) -> None:
        """Replace the rows of a realm's calls with those that it reports now."""
        self.calls.replace(realm, calls, now, horizon)

    def feed(self, now: float, signal: Signal) -> bool:
        """Process a signal; return whether it is activity of the awaited work."""
        handler = _HANDLERS.get(type(signal))
        return handler(self, now, signal) if handler else False

    def shows_loading(self, signal: Signal) -> bool:
        """Return whether a signal, already fed, shows that the application of a new document is still loading."""
        if not self.never_settled or not self.load.record(signal):
            return False
        if isinstance(signal, RequestStarted) and self.arrived_while_armed and signal.type != "EventSource":
            # The caller navigates for this answer. A stream sends its first message at any time.
            self.requests.make_patient(signal.id)
        return self.awaits_loading

    def record_growth(self, now: float, realm: str, elements: int | None) -> bool:
        """Record the number of elements of a document; return whether its application is still loading."""
        return self.awaits_loading and elements is not None and self.load.record_growth(now, realm, elements)

    # -- signals that concern several subjects ---------------------------------------------------

    def _request_started(self, now: float, signal: RequestStarted) -> bool:
        awaited = self.requests.started(now, signal)
        if awaited and (request := self.requests.get(signal.id)) is not None and request.changes:
            self.streams.request_sent(now, request.key)
        return awaited

    def _request_ended(self, now: float, signal: RequestEnded) -> bool:
        self.documents.request_failed(now, signal)
        self.streams.ended(signal.id)
        awaited, request = self.requests.ended(now, signal)
        if awaited and request is not None and request.changes and not signal.failed:
            self.streams.expect_any(now)
        return awaited

    def _resources_loaded(self, now: float, signal: ResourcesLoaded) -> bool:
        ended = [self._request_ended(now, RequestEnded(id_)) for id_ in self.requests.ended_unannounced(signal)]
        return any(ended)

    def _document_created(self, now: float, signal: DocumentCreated) -> bool:
        ended = [self._request_ended(now, RequestEnded(id_)) for id_ in self.requests.transformed(signal.loader)]
        return any(ended)

    def _response_started(self, now: float, signal: ResponseStarted) -> bool:
        row, request = self.row("request", signal.id), self.requests.get(signal.id)
        self.requests.answered(now, signal.id, signal.mime_type)
        read = request is not None and request.type in READ_BY_SCRIPT
        if signal.mime_type not in STREAM_TYPES:
            if request is not None and read:
                request.length = signal.length
            return self._end_if_complete(now, signal.id) or row is not None
        if row is not None and read:
            # The response is written while it is read: it has ended when no more data comes.
            row.until = now + STALLED_MS
            return True
        self.streams.opened(signal.id, request.url if request else "")
        if row is not None and signal.mime_type == EVENT_STREAM:
            self.streams.expect(now, signal.id)
        return self.close("request", signal.id)

    def _data_received(self, now: float, signal: DataReceived) -> bool:
        awaited = self.requests.data_received(now, signal)
        return self._end_if_complete(now, signal.id) or awaited

    def _end_if_complete(self, now: float, id_: str) -> bool:
        """End a request whose body has arrived completely, except for its delivery; return whether it was awaited.

        The page has the body when its end is announced, or after a fence, which everything queued before precedes.
        """
        request = self.requests.get(id_)
        if request is None or not request.complete:
            return False
        awaited = self._request_ended(now, RequestEnded(id_))
        if awaited:
            request.row.received, request.row.until = True, now + self.slowdown.fence_ms
            self.open(request.row)
        return awaited

    def _committed(self, now: float, signal: Committed) -> bool:
        active = self.documents.committed(now, signal)
        if signal.main:
            self.noise.replaced()
            self.load = Load()
            self.requests.replaced()
            if signal.restored:
                self.requests.restored(signal.loader)
            self.sockets.forget()
            self.streams.forget()
            self.calls.forget_idle()
            self.fresh = self.arrived_while_armed = self.armed
            self.never_settled = True
        return active

    def _frame_stopped(self, now: float, signal: FrameStoppedLoading) -> bool:
        if signal.main:
            return self.documents.stopped_loading(now, in_flight=self.requests.__contains__)
        return self.documents.frame_stopped(now, signal)

    def _target_opened(self, now: float, signal: TargetOpened) -> bool:
        if self.armed:
            # A page without a URL is so new that it shows its first, empty document.
            url = signal.url or "about:blank"
            self.open(PendingRow("target", signal.id, url, now, url, until=now + TARGET_MS))
        return self.armed

    def _target_settled(self, _now: float, signal: TargetSettled) -> bool:
        return self.close("target", signal.id)

    def _closed_roots_requested(self, now: float, signal: ClosedRootsRequested) -> bool:
        what = "closed shadow roots"
        self.open(PendingRow("shadow_root", signal.realm, what, now, until=now + CLOSED_ROOTS_MS, realm=signal.realm))
        return False

    def _closed_roots_handed_over(self, _now: float, signal: ClosedRootsHandedOver) -> bool:
        self.close("shadow_root", signal.realm)
        return False

    def _realm_gone(self, _now: float, signal: RealmDetached) -> bool:
        return self.keep(lambda row: row.realm != signal.realm)


_HANDLERS: dict[type[Signal], Callable[[PendingSet, float, Any], bool]] = {
    RequestStarted: PendingSet._request_started,
    ResponseStarted: PendingSet._response_started,
    DataReceived: PendingSet._data_received,
    RequestEnded: PendingSet._request_ended,
    ResourcesLoaded: PendingSet._resources_loaded,
    SocketOpening: lambda rows, now, signal: rows.sockets.opening(now, signal),
    SocketSent: lambda rows, now, signal: rows.sockets.sent(now, signal),
    SocketReceived: lambda rows, now, signal: rows.sockets.received(now, signal),
    SocketClosed: lambda rows, now, signal: rows.sockets.closed(now, signal),
    StreamMessage: lambda rows, now, signal: rows.streams.message(now, signal),
    NavigationRequested: lambda rows, now, signal: rows.documents.requested(now, signal),
    NavigationStarted: lambda rows, now, signal: rows.documents.started(now, signal),
    Committed: PendingSet._committed,
    DocumentCreated: PendingSet._document_created,
    Loaded: lambda rows, now, signal: rows.documents.loaded(now, signal),
    FrameStartedLoading: lambda rows, now, signal: rows.documents.frame_started(now, signal),
    FrameStoppedLoading: PendingSet._frame_stopped,
    FrameDetached: lambda rows, now, signal: rows.documents.frame_detached(now, signal),
    Download: lambda rows, now, signal: rows.documents.download(now, signal),
    NavigatedWithinDocument: lambda rows, now, signal: rows.documents.url_changed(now, signal),
    TargetOpened: PendingSet._target_opened,
    TargetSettled: PendingSet._target_settled,
    DialogOpened: lambda rows, now, signal: rows.documents.dialog_opened(now, signal),
    DialogClosed: lambda rows, now, signal: rows.documents.dialog_closed(now, signal),
    ClosedRootsRequested: PendingSet._closed_roots_requested,
    ClosedRootsHandedOver: PendingSet._closed_roots_handed_over,
    RealmDetached: PendingSet._realm_gone,
}
