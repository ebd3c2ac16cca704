"""Report requests and responses of a tab as events. Settling enables the Network domain anyway, so this is free.

An event is reported at once, unless something that belongs to it is still on its way: a body that Chrome sends only
when asked, or the headers of a response on the wire. The later events of the same request then wait for their turn.
"""

from __future__ import annotations

import asyncio
import base64
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from weakref import WeakSet

from msgspec import structs

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import network
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import BodyGone, CdpError, CommandTimeout, InputError
from stillframe.model.events import RequestFailure
from stillframe.tab.navigation.loading import ABORTED
from stillframe.tab.network.bodies import Body, encoded, length_of
from stillframe.tab.network.exchanges import (
    SET_COOKIE,
    ExtraInfo,
    Hop,
    assigned,
    has_body,
    lowered,
    made_of,
    received_headers,
)
from stillframe.tab.network.responses import BodyReader, Response, response_of

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.security.redaction import Redaction
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.network.requests import Request

OPEN = 10_000
"""How many pending requests are tracked; a page that requests in a loop must not fill memory."""
KEPT = 100
"""Requests that `recent` returns, the last ones, as in Playwright."""
UNKNOWN = 256
"""How many request ids are remembered of which only extra information has come: for most, the request follows."""
POSTED_S = 5.0
"""Seconds for Chrome to hand over what a request posts; 200 KB in a Blob took some milliseconds."""
WIRE_S = 1.0
"""Seconds for the announced headers of a response to arrive; they come within milliseconds, nearly always before it."""

TrafficName = Literal["request", "response", "requestfinished", "requestfailed"]
Tell = Callable[[TrafficName, Any], None]
"""Passes an event, from which all secrets are removed, to its listeners."""


class _News(NamedTuple):
    """An event of a request, and whether everything that belongs to it has come."""

    is_complete: Callable[[], bool]
    name: TrafficName
    value: Callable[[], Any]


class _Exchange:
    """One pending request with its redirects, the events to tell, and whether its body has arrived."""

    def __init__(self, session: CDPSession, request_id: str, wire: ExtraInfo) -> None:
        self.session = session
        """The session that has the body: a frame of another process takes it over from its parent."""
        self.id = request_id
        self.hops: list[Hop] = []
        self.wire = wire
        self.news: deque[_News] = deque()
        self.is_empty = False
        """Whether the last response says that it has no body."""
        self.headers: dict[str, str] = {}
        """Those of the last response."""
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.left: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once the document that asked has gone: nothing tells the end of a body that no script has read then."""

    @property
    def hop(self) -> Hop:
        return self.hops[-1]

    def end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def leave(self, frame: str, loader: str) -> None:
        """Note that a frame has another document now, or none."""
        if self.hop.frame == frame and self.hop.loader != loader and not self.left.done():
            self.left.set_result(None)

    def assign(self) -> None:
        """Give each request what Chrome has reported about it on the wire."""
        expected = [hop.on_wire is not False for hop in self.hops]
        for hop, (sent, received) in zip(
            self.hops, assigned(expected, self.wire.sent, self.wire.received), strict=True
        ):
            hop.correct(sent)
            hop.progress.received = received

    async def body(self, deadline: Deadline) -> Body:
        try:
            async with time_limit(deadline.left_s):
                await _first(self.ended, self.left, self.session)
                return Body(b"") if self.is_empty else await self._read()
        except TimeoutError:
            timeout_ms = deadline.timeout * 1000
            raise CommandTimeout(
                f"the body of {self.hop.request.url} did not arrive within {timeout_ms:g} ms",
                timeout_ms=timeout_ms,
                method=network.GetResponseBody.method,
                session_id=self.session.session_id,
            ) from None

    async def _read(self) -> Body:
        try:
            reply = await self.session.send(network.GetResponseBody(request_id=self.id), timeout=None)
        except CdpError as error:
            if self.wire.answered is not None:
                return Body(self.wire.answered)
            raise self._gone(error) from None
        if reply.base64_encoded:
            body = Body(base64.b64decode(reply.body))
        else:
            content_type = self.headers.get("content-type", "")
            body = Body(encoded(reply.body, content_type, length_of(self.headers)), reply.body)
        # Chrome throws the body of a failed stylesheet away, and then hands over an empty one.
        return body if body.content else Body(self.wire.answered or b"")

    def _gone(self, error: CdpError) -> BodyGone:
        url = self.hop.request.url
        why = "the page has left the document that asked for it" if self.left.done() else error.text
        return BodyGone(
            error.number,
            f"the browser no longer has the body of {url}: {why}",
            method=error.method,
            session_id=error.session_id,
        )


async def _first(ended: asyncio.Future[None], left: asyncio.Future[None], session: CDPSession) -> None:
    """Wait for the end of a request, of its document or of its session; then the command raises the error."""
    gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    remove = session.on_closed(lambda _: None if gone.done() else gone.set_result(None))
    try:
        await asyncio.wait({ended, left, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        remove()


async def _no_redirect_body(_: Deadline) -> Body:
    raise InputError("this response redirected its request, and Chrome keeps no bodies of redirects")


def _is_of_page(event: network.RequestWillBeSent) -> bool:
    return event.initiator.type != "preflight" and not event.request.url.startswith("data:")


def _always() -> bool:
    return True


class Traffic:
    """Tracks the requests of one tab from the first listener on.

    Listeners hear what the page and its dedicated workers ask for: not what a service worker sends to answer it, no
    CORS preflights, which Chrome sends by itself, and no `data:` URLs, which ask nobody.
    """

    def __init__(
        self,
        sessions: Callable[[], Iterable[CDPSession]],
        redaction: Redaction,
        tell: Tell,
        extras: Mapping[str, Any],
    ) -> None:
        self._sessions = sessions
        self._redaction = redaction
        self._tell = tell
        self._extras = extras
        """What each request knows beside its fields."""
        self._open: dict[str, _Exchange] = {}
        self._unknown: dict[str, ExtraInfo] = {}
        self._readable: WeakSet[_Exchange] = WeakSet()
        """Those whose response somebody has."""
        self._started = False
        self._recent: deque[Hop | network.RequestWillBeSent] = deque(maxlen=KEPT)
        """The last requests; of those before the first listener only the event, without what belongs to its script."""

    def start(self) -> None:
        """Track requests from now on, to their end so that bodies can be read; sends nothing."""
        if not self._started:
            self._started = True
            for session in self._sessions():
                self.joined(session)

    def stop(self) -> None:
        """Do nothing: requests are tracked to their end."""

    def joined(self, session: CDPSession) -> None:
        """Track the requests of a new session of the tab, if there was a listener."""
        if session.target_type == "service_worker":
            return
        if not self._started:
            session.on(network.RequestWillBeSent, self._note)
            return
        session.on(network.RequestWillBeSent, partial(self._request, session))
        session.on(network.RequestWillBeSentExtraInfo, self._sent)
        session.on(network.ResponseReceived, self._response)
        session.on(network.ResponseReceivedExtraInfo, self._received)
        session.on(network.LoadingFinished, partial(self._finished, session))
        session.on(network.LoadingFailed, partial(self._failed, session))
        session.on(cdp_page.FrameNavigated, lambda event: self._left(event.frame.id, event.frame.loader_id))
        session.on(cdp_page.FrameDetached, self._detached)

    def answered(self, request_id: str, body: bytes, cookies: str | None) -> None:
        """Keep what a route answered and Chrome may not tell: the body, and the Set-Cookie lines.

        Without a listener so far it keeps nothing.
        """
        if self._started:
            wire = self._wire(request_id)
            wire.answered, wire.cookies = body, cookies

    def recent(self) -> list[Request]:
        """Return the last requests, oldest first."""
        return [
            each.request if isinstance(each, Hop) else made_of(each, self._redaction, self._extras)
            for each in self._recent
        ]

    # -- events ----------------------------------------------------------------------------------

    def _note(self, event: network.RequestWillBeSent) -> None:
        """Keep a request that nobody listens to; what Chrome says of its script may be long."""
        if not self._started and _is_of_page(event):
            initiator = network.Initiator(type=event.initiator.type)
            self._recent.append(structs.replace(event, initiator=initiator))

    def _request(self, session: CDPSession, event: network.RequestWillBeSent) -> None:
        if not _is_of_page(event):
            return
        exchange = self._open.get(event.request_id)
        if exchange is None:
            exchange = self._opened(session, event.request_id)
        elif event.redirect_response is not None:
            before, exchange.wire.answered = exchange.hop, None
            self._respond(exchange, event.redirect_response, event.redirect_has_extra_info, _no_redirect_body)
            before.progress.note_end(event.timestamp, event.redirect_response.encoded_data_length)
            self._add(exchange, "requestfinished", lambda: before.request)
        hop = Hop(session, event, self._redaction, self._extras, exchange.hops[-1] if exchange.hops else None)
        exchange.hops.append(hop)
        self._recent.append(hop)
        exchange.assign()
        if event.request.has_post_data and event.request.post_data is None:
            hop.posted = session.post(network.GetRequestPostData(request_id=event.request_id), timeout=POSTED_S)
            hop.posted.add_done_callback(lambda _: self._advance(exchange))
        self._add(exchange, "request", lambda: hop.request, hop.is_read)

    def _opened(self, session: CDPSession, request_id: str) -> _Exchange:
        if len(self._open) >= OPEN:
            self._open.pop(next(iter(self._open))).end()
        exchange = self._open[request_id] = _Exchange(session, request_id, self._unknown.pop(request_id, ExtraInfo()))
        return exchange

    def _response(self, event: network.ResponseReceived) -> None:
        exchange = self._open.get(event.request_id)
        if exchange is not None:
            exchange.headers = lowered(event.response.headers)
            exchange.is_empty = not has_body(exchange.hop.method, event.response.status) or (
                exchange.headers.get("content-length") == "0"
            )
            self._readable.add(exchange)
            self._respond(exchange, event.response, event.has_extra_info, exchange.body)

    def _respond(
        self, exchange: _Exchange, response: network.Response, on_wire: bool | None, reader: BodyReader
    ) -> None:
        hop = exchange.hop
        hop.on_wire = on_wire
        hop.progress.raw = response
        exchange.assign()
        cookies, exchange.wire.cookies = exchange.wire.cookies, None
        self._add(exchange, "response", lambda: self._made(response, hop, cookies, reader), hop.is_received)
        if not hop.is_received():
            asyncio.get_running_loop().call_later(WIRE_S, self._give_up, exchange, hop)

    def _made(self, response: network.Response, hop: Hop, cookies: str | None, reader: BodyReader) -> Response:
        redact = self._redaction.redact
        headers = received_headers(response, hop.progress.received)
        if cookies is not None and hop.on_wire is False:
            headers.setdefault(SET_COOKIE, cookies)
        made = response_of(response, hop.request, redact(headers), redact)
        made.__dict__.update(reader=reader, progress=hop.progress, redact=redact)
        hop.progress.note_answer(made)
        return made

    def _sent(self, event: network.RequestWillBeSentExtraInfo) -> None:
        self._wire(event.request_id).sent.append(event)
        self._corrected(event.request_id)

    def _received(self, event: network.ResponseReceivedExtraInfo) -> None:
        self._wire(event.request_id).received.append(event)
        self._corrected(event.request_id)

    def _wire(self, request_id: str) -> ExtraInfo:
        """Return what is known about a request on the wire; the request itself may come later."""
        exchange = self._open.get(request_id)
        if exchange is not None:
            return exchange.wire
        if request_id not in self._unknown and len(self._unknown) >= UNKNOWN:
            del self._unknown[next(iter(self._unknown))]
        return self._unknown.setdefault(request_id, ExtraInfo())

    def _corrected(self, request_id: str) -> None:
        exchange = self._open.get(request_id)
        if exchange is not None:
            exchange.assign()
            self._advance(exchange)

    def _give_up(self, exchange: _Exchange, hop: Hop) -> None:
        hop.has_waited = True
        self._advance(exchange)

    def _finished(self, session: CDPSession, event: network.LoadingFinished) -> None:
        exchange = self._open.get(event.request_id)
        if exchange is not None:
            exchange.hop.progress.note_end(event.timestamp, event.encoded_data_length)
            self._end(session, exchange, "requestfinished", lambda: exchange.hop.request)

    def _failed(self, session: CDPSession, event: network.LoadingFailed) -> None:
        exchange = self._open.get(event.request_id)
        if exchange is None:
            return
        if exchange.is_empty and event.error_text == ABORTED:
            # Chrome calls a response without a body aborted when no script reads it.
            exchange.hop.progress.note_end(event.timestamp, 0)
            self._end(session, exchange, "requestfinished", lambda: exchange.hop.request)
            return
        error = self._redaction.redact(event.error_text)
        exchange.hop.progress.note_end(event.timestamp, 0, error)
        failure = partial(RequestFailure, error=error, canceled=bool(event.canceled))
        self._end(session, exchange, "requestfailed", lambda: failure(request=exchange.hop.request))

    def _detached(self, event: cdp_page.FrameDetached) -> None:
        if event.reason == "remove":  # otherwise another process may have the frame, with its next document
            self._left(event.frame_id)

    def _left(self, frame: str, loader: str = "") -> None:
        for exchange in list(self._readable):
            exchange.leave(frame, loader)

    def _end(self, session: CDPSession, exchange: _Exchange, name: TrafficName, value: Callable[[], Any]) -> None:
        exchange.session = exchange.hop.progress.session = session
        exchange.end()
        self._add(exchange, name, value)

    # -- telling ---------------------------------------------------------------------------------

    def _add(
        self, exchange: _Exchange, name: TrafficName, value: Callable[[], Any], ready: Callable[[], bool] = _always
    ) -> None:
        exchange.news.append(_News(ready, name, value))
        self._advance(exchange)

    def _advance(self, exchange: _Exchange) -> None:
        """Tell the next events of a request as far as they are complete, and forget it after its end."""
        while exchange.news and exchange.news[0].is_complete():
            news = exchange.news.popleft()
            self._tell(news.name, news.value())
        if exchange.ended.done() and not exchange.news:
            exchange.hop.progress.note_answer(None)  # unless there was a response
            self._open.pop(exchange.id, None)
