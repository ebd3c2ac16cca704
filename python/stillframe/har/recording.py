"""What one tab requests, from CDP's network events to the entries of a HAR file. Pure logic: events in, exchanges out.

Some information comes in events of their own (ExtraInfo), before or after the event that it belongs to; see
`stillframe.tab.network.exchanges`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from stillframe.har.exchange import Exchange, moment, named
from stillframe.har.model import (
    Body,
    HarEntry,
    PageRow,
    PageTimings,
    RequestPart,
    ResponsePart,
    Timings,
    WebSocketMessage,
)
from stillframe.tab.network.exchanges import assigned

if TYPE_CHECKING:
    from stillframe.cdp_types import network

UNKNOWN_IDS = 256
"""How many request ids are remembered of which only extra information has come: for most, the request follows."""

MESSAGES = 10_000
"""Messages of one WebSocket that are kept; the oldest go first."""


class Chain:
    """A request with its redirects, which share one id."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []
        self.sent: list[network.RequestWillBeSentExtraInfo] = []
        self.received: list[network.ResponseReceivedExtraInfo] = []

    def assign(self) -> None:
        """Give each exchange what Chrome has reported about it on the wire."""
        expected = [exchange.on_wire is not False for exchange in self.exchanges]
        extras = assigned(expected, self.sent, self.received)
        for exchange, (sent, received) in zip(self.exchanges, extras, strict=True):
            exchange.sent, exchange.received = sent, received


class Socket:
    """A WebSocket with its messages."""

    def __init__(self, url: str, pageref: str) -> None:
        self.url = url
        self.pageref = pageref
        self.asked: network.WebSocketWillSendHandshakeRequest | None = None
        self.answered: network.WebSocketHandshakeResponseReceived | None = None
        self.error = ""
        self.messages: list[WebSocketMessage] = []

    def add(self, direction: str, event: network.WebSocketFrameSent | network.WebSocketFrameReceived) -> None:
        """Keep a message."""
        frame, asked = event.response, self.asked
        if asked is None:
            return
        if len(self.messages) >= MESSAGES:
            del self.messages[0]
        self.messages.append(
            WebSocketMessage(
                type="send" if direction == "send" else "receive",
                time=round(asked.wall_time + event.timestamp - asked.timestamp, 6),
                opcode=int(frame.opcode),
                data=frame.payload_data,
            )
        )

    def entry(self) -> HarEntry | None:
        """Return the entry; None for a socket that never got as far as its handshake."""
        asked, answered = self.asked, self.answered
        if asked is None:
            return None
        headers = {name: str(value) for name, value in asked.request.headers.items()}
        reply = None if answered is None else answered.response
        received = {} if reply is None else {name: str(value) for name, value in reply.headers.items()}
        waited = 0.0 if answered is None else max(0.0, (answered.timestamp - asked.timestamp) * 1000)
        response = ResponsePart(
            status=0 if reply is None else reply.status,
            status_text="" if reply is None else reply.status_text,
            http_version="HTTP/1.1",
            cookies=[],
            headers=named(received),
            content=Body(size=0, mime_type="x-unknown"),
        )
        if self.error:
            response.error = response.failure_text = self.error
        return HarEntry(
            pageref=self.pageref or msgspec.UNSET,
            started_date_time=moment(asked.wall_time),
            time=round(waited, 3),
            request=RequestPart(
                method="GET",
                url=self.url,
                http_version="HTTP/1.1",
                cookies=[],
                headers=named(headers),
                query_string=[],
                body_size=0,
            ),
            response=response,
            timings=Timings(wait=round(waited, 3)),
            resource_type="websocket",
            web_socket_messages=self.messages,
        )


class PageRecord:
    """A document of the tab, and when its events came."""

    def __init__(self, name: str, event: network.RequestWillBeSent) -> None:
        self.name = name
        self.url = event.request.url
        self.wall_time = event.wall_time
        self.began = event.timestamp
        self.loader = event.loader_id
        self.timings = PageTimings()

    def row(self) -> PageRow:
        """Return what the HAR file says about it; its title is its URL, as in the files of DevTools."""
        return PageRow(
            id=self.name, title=self.url, started_date_time=moment(self.wall_time), page_timings=self.timings
        )


class TabRecording:
    """What one tab requested from the URLs that are `wanted`; `prefix` begins the names of its pages."""

    def __init__(self, main_frame: str, prefix: str, wanted: Callable[[str], bool]) -> None:
        self._main_frame = main_frame
        self._prefix = prefix
        self._wanted = wanted
        self._chains: dict[str, Chain] = {}
        self._unknown: OrderedDict[str, Chain] = OrderedDict()
        self._sockets: dict[str, Socket] = {}
        self.exchanges: list[Exchange] = []
        self.sockets: list[Socket] = []
        self.pages: list[PageRecord] = []

    @property
    def pageref(self) -> str:
        """The name of the page that is loading or shown; empty before the first."""
        return self.pages[-1].name if self.pages else ""

    # -- requests --------------------------------------------------------------------------------

    def asked(self, event: network.RequestWillBeSent) -> Exchange | None:
        """Take in a request; returns it unless it is not wanted, or not the page's: CORS preflights, `data:` URLs."""
        if event.initiator.type == "preflight" or event.request.url.startswith("data:"):
            return None
        chain = self._chains.get(event.request_id)
        if chain is None:
            chain = self._chains[event.request_id] = self._unknown.pop(event.request_id, Chain())
        elif event.redirect_response is not None:
            before = chain.exchanges[-1]
            before.response, before.on_wire = event.redirect_response, event.redirect_has_extra_info
            before.headers_at = before.ended_at = event.timestamp
            before.encoded_length = event.redirect_response.encoded_data_length
            before.body.mime_type = event.redirect_response.mime_type or before.body.mime_type
        if event.type == "Document" and event.frame_id == self._main_frame and event.redirect_response is None:
            self.pages.append(PageRecord(f"{self._prefix}{len(self.pages) + 1}", event))
        exchange = Exchange(event, self.pageref)
        chain.exchanges.append(exchange)
        chain.assign()
        if self._wanted(event.request.url):
            self.exchanges.append(exchange)
            return exchange
        return None

    def answered(self, event: network.ResponseReceived) -> None:
        """Take in the response of a request."""
        exchange = self.pending(event.request_id)
        if exchange is not None:
            exchange.response, exchange.on_wire = event.response, event.has_extra_info
            exchange.headers_at = event.timestamp
            exchange.body.mime_type = event.response.mime_type or exchange.body.mime_type
            self._chains[event.request_id].assign()

    def ended(self, event: network.LoadingFinished | network.LoadingFailed, error: str = "") -> Exchange | None:
        """Take in the end of a request; returns its last exchange if that is known."""
        exchange = self.pending(event.request_id)
        if exchange is None:
            return None
        exchange.ended_at, exchange.error = event.timestamp, error
        exchange.encoded_length = getattr(event, "encoded_data_length", exchange.encoded_length)
        return exchange

    def pending(self, request_id: str) -> Exchange | None:
        """Return the last exchange of a request id."""
        chain = self._chains.get(request_id)
        return chain.exchanges[-1] if chain is not None else None

    def sent(self, event: network.RequestWillBeSentExtraInfo) -> None:
        """Take in what a request had on the wire."""
        chain = self._chain(event.request_id)
        chain.sent.append(event)
        chain.assign()

    def received(self, event: network.ResponseReceivedExtraInfo) -> None:
        """Take in what a response had on the wire."""
        chain = self._chain(event.request_id)
        chain.received.append(event)
        chain.assign()

    def _chain(self, request_id: str) -> Chain:
        """Return the chain of a request id, which may not have been heard of yet."""
        known = self._chains.get(request_id)
        if known is not None:
            return known
        if request_id not in self._unknown and len(self._unknown) >= UNKNOWN_IDS:
            self._unknown.popitem(last=False)
        return self._unknown.setdefault(request_id, Chain())

    # -- pages -----------------------------------------------------------------------------------

    def loaded(self, name: str, timestamp: float) -> None:
        """Take in `on_content_load` or `on_load` of the document in the main frame."""
        if self.pages:
            page = self.pages[-1]
            setattr(page.timings, name, round(max(0.0, (timestamp - page.began) * 1000), 3))

    # -- WebSockets ------------------------------------------------------------------------------

    def socket_created(self, event: network.WebSocketCreated) -> None:
        """Take in a new WebSocket."""
        if self._wanted(event.url):
            socket = self._sockets[event.request_id] = Socket(event.url, self.pageref)
            self.sockets.append(socket)

    def socket_asked(self, event: network.WebSocketWillSendHandshakeRequest) -> None:
        """Take in the handshake of a WebSocket."""
        self.socket(event.request_id).asked = event

    def socket_answered(self, event: network.WebSocketHandshakeResponseReceived) -> None:
        """Take in the answer to it."""
        self.socket(event.request_id).answered = event

    def socket_failed(self, event: network.WebSocketFrameError) -> None:
        """Take in an error of a WebSocket."""
        self.socket(event.request_id).error = event.error_message

    def socket(self, request_id: str) -> Socket:
        """Return a WebSocket; one from before the recording is not kept."""
        return self._sockets.get(request_id) or Socket("", "")
