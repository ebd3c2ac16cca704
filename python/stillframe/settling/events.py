"""Translate CDP events into signals: one small stateless function per event."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stillframe.cdp_types import inspector, network, page
from stillframe.settling import signals
from stillframe.settling.message_ids import END_CHARS, message_ids
from stillframe.settling.replies import MAX_CHARS, announcement, message_type
from stillframe.settling.shape import SHAPE_CHARS, shape_of
from stillframe.tab.navigation.loading import CURRENT_TAB, NEW_TAB, SAME_DOCUMENT, starts_navigation

if TYPE_CHECKING:
    from stillframe.chrome.capabilities import Capabilities

BINARY = 2
"""The opcode of binary WebSocket messages (RFC 6455); CDP sends their payload as base64."""

ENCODED_CHARS = END_CHARS // 3 * 4
"""How much of each end of a binary message to decode; four characters of base64 encode three bytes."""

BODILESS = frozenset({204, 205, 304})
"""Status codes of responses without a body (RFC 9110)."""

REFRESHES = frozenset({"metaTagRefresh", "httpHeaderRefresh"})
REFRESH_MS = 2000.0
"""The longest delay of a refresh that is awaited: the default horizon. A person is meant to read a page that stays."""

Translation = Callable[[Any, str], signals.Signal | None]
"""Takes an event and the id of the main frame."""


def _request(event: network.RequestWillBeSent, _main: str) -> signals.Signal:
    return signals.RequestStarted(
        id=event.request_id,
        url=event.request.url,
        method=event.request.method,
        type=event.type or "Other",
        loader=event.loader_id,
        initiator=_initiator(event.initiator),
        ad=bool(event.request.is_ad_related),
        began_ms=event.wall_time * 1000,
        body=f"{zlib.crc32(event.request.post_data.encode('utf-8', 'replace')):x}" if event.request.post_data else "",
    )


def _initiator(initiator: network.Initiator) -> str:
    frames = initiator.stack.call_frames if initiator.stack else []
    if frames:
        # CDP counts lines and columns from 0, stack traces from 1.
        return f"{frames[0].url}:{frames[0].line_number + 1}:{frames[0].column_number + 1}"
    return initiator.type


def _response(event: network.ResponseReceived, _main: str) -> signals.Signal:
    return signals.ResponseStarted(event.request_id, event.response.mime_type, _length(event.response))


def _length(response: network.Response) -> int | None:
    """Return the length of the body as the page gets it, or None if the headers do not give it (compressed bodies)."""
    if response.status in BODILESS:
        return 0
    headers = {name.lower(): value for name, value in response.headers.items()}
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() and "content-encoding" not in headers else None


def _text(frame: network.WebSocketFrame) -> str:
    """Return a message as text, a long one without its middle; binary messages contain words too."""
    data = frame.payload_data
    if frame.opcode != BINARY:
        return data
    if len(data) > 2 * ENCODED_CHARS:
        data = data[:ENCODED_CHARS] + data[-ENCODED_CHARS:]
    return base64.b64decode(data).decode("latin-1")


def _sent(event: network.WebSocketFrameSent, _main: str) -> signals.Signal:
    text = _text(event.response)
    return signals.SocketSent(event.request_id, message_type(text[:MAX_CHARS]), message_ids(text))


def _received(event: network.WebSocketFrameReceived, _main: str) -> signals.Signal:
    text = _text(event.response)
    head = text[:MAX_CHARS]
    return signals.SocketReceived(event.request_id, shape_of(head), announcement(head), message_ids(text))


def _streamed(event: network.EventSourceMessageReceived, _main: str) -> signals.Signal:
    announces = announcement(event.data) or announcement(event.event_name)
    return signals.StreamMessage(
        event.request_id, shape_of(f"{event.event_name}:{event.data[:SHAPE_CHARS]}"), announces
    )


def _requested(event: page.FrameRequestedNavigation, main: str) -> signals.Signal | None:
    if event.disposition in NEW_TAB:
        return signals.NewTarget(event.url)
    # A download (Alt-click) is requested like a document, and its start ends the wait for a document.
    if event.disposition not in (*CURRENT_TAB, "download") or event.url.startswith("javascript:"):
        return None
    return signals.NavigationRequested(event.frame_id, event.url, event.frame_id == main)


def _started(event: page.FrameStartedNavigating, main: str) -> signals.Signal | None:
    if event.navigation_type in SAME_DOCUMENT:
        return None
    return signals.NavigationStarted(event.frame_id, event.loader_id, event.url, event.frame_id == main)


def _scheduled(event: page.FrameScheduledNavigation, main: str) -> signals.Signal | None:
    if event.delay > 0 or event.url.startswith("javascript:"):
        return None
    return signals.NavigationRequested(event.frame_id, event.url, event.frame_id == main)


def _refreshed(event: page.FrameScheduledNavigation, main: str) -> signals.Signal | None:
    """Translate `<meta http-equiv=refresh>` and the header Refresh, by which a page leads on a little later."""
    delay_ms = event.delay * 1000
    if event.reason not in REFRESHES or not 0 < delay_ms <= REFRESH_MS:
        return None
    return signals.NavigationRequested(event.frame_id, event.url, event.frame_id == main, delay_ms)


def _document_requested(event: network.RequestWillBeSent, main: str) -> signals.Signal | None:
    if event.frame_id is None or not starts_navigation(event):
        return None
    url = event.request.url + (event.request.url_fragment or "")
    return signals.NavigationStarted(event.frame_id, event.loader_id, url, event.frame_id == main)


def _committed(event: page.FrameNavigated, main: str) -> signals.Signal:
    frame = event.frame
    url = frame.url + (frame.url_fragment or "")
    restored = event.type == "BackForwardCacheRestore"
    return signals.Committed(frame.id, frame.loader_id, url, frame.id == main, restored)


def _lifecycle(event: page.LifecycleEvent, main: str) -> signals.Signal | None:
    if event.name == "init":
        return signals.DocumentCreated(event.loader_id)
    if event.name != "load":
        return None
    return signals.Loaded(event.frame_id, event.loader_id, event.frame_id == main)


def _detached(event: page.FrameDetached, _main: str) -> signals.Signal | None:
    # A frame that swaps to another process continues to load there.
    return None if event.reason == "swap" else signals.FrameDetached(event.frame_id)


NETWORK: dict[type[Any], Translation] = {
    network.RequestWillBeSent: _request,
    network.ResponseReceived: _response,
    network.DataReceived: lambda event, _main: signals.DataReceived(event.request_id, event.data_length),
    network.LoadingFinished: lambda event, _main: signals.RequestEnded(event.request_id),
    network.LoadingFailed: lambda event, _main: signals.RequestEnded(event.request_id, failed=True),
    network.RequestServedFromCache: lambda event, _main: signals.RequestEnded(event.request_id),
    network.EventSourceMessageReceived: _streamed,
    network.WebSocketCreated: lambda event, _main: signals.SocketOpening(event.request_id, event.url),
    network.WebSocketHandshakeResponseReceived: lambda event, _main: signals.SocketReceived(event.request_id),
    network.WebSocketFrameSent: _sent,
    network.WebSocketFrameReceived: _received,
    network.WebSocketClosed: lambda event, _main: signals.SocketClosed(event.request_id),
}
"""The events of every session, workers included."""

FRAMES: dict[type[Any], Translation] = {
    page.FrameRequestedNavigation: _requested,
    page.FrameScheduledNavigation: _refreshed,
    page.FrameStartedNavigating: _started,
    page.FrameNavigated: _committed,
    page.NavigatedWithinDocument: lambda event, main: signals.NavigatedWithinDocument(
        event.frame_id, event.url, event.frame_id == main
    ),
    page.LifecycleEvent: _lifecycle,
    page.FrameStartedLoading: lambda event, main: signals.FrameStartedLoading(event.frame_id, event.frame_id == main),
    page.FrameStoppedLoading: lambda event, main: signals.FrameStoppedLoading(event.frame_id, event.frame_id == main),
    page.FrameDetached: _detached,
    page.JavascriptDialogOpening: lambda event, _main: signals.DialogOpened(event.type, event.message),
    page.JavascriptDialogClosed: lambda _event, _main: signals.DialogClosed(),
    page.DownloadWillBegin: lambda event, _main: signals.Download(event.url),
    page.WindowOpen: lambda event, _main: signals.NewTarget(event.url),
}
"""The additional events of frame sessions."""

OLDER_FRAMES: tuple[tuple[type[Any], type[Any], Translation], ...] = (
    (page.FrameRequestedNavigation, page.FrameScheduledNavigation, _scheduled),
    (page.FrameStartedNavigating, network.RequestWillBeSent, _document_requested),
)
"""What older browsers have instead of an event: the event, the other one, and its translation."""


def translations(capabilities: Capabilities, *, worker: bool) -> list[tuple[type[Any], Translation]]:
    """Return the events of a session in the order in which they are translated."""
    if worker:
        return list(NETWORK.items())
    older = [(other, translate) for event, other, translate in OLDER_FRAMES if not capabilities.has(event.method)]
    return [*older, *NETWORK.items(), *FRAMES.items()]


CRASH: type[Any] = inspector.TargetCrashed
"""The last event of a session whose renderer crashed."""
