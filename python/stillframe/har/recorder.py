"""Record the traffic of all pages of a context in a HAR file. It only listens, and reads bodies as they arrive."""

from __future__ import annotations

import asyncio
import base64
import itertools
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from stillframe._core import __version__
from stillframe.cdp_types import network
from stillframe.cdp_types import page as cdp_page
from stillframe.har.bodies import BodyStore
from stillframe.har.errors import HarFailed
from stillframe.har.model import Content, Log, Product
from stillframe.har.recording import TabRecording
from stillframe.har.writing import Recorded, write
from stillframe.security.redaction import logger
from stillframe.tab.network.bodies import encoded, length_of
from stillframe.tab.network.exchanges import has_body, lowered

if TYPE_CHECKING:
    from pathlib import Path

    from stillframe.cdp import CDPSession
    from stillframe.har.exchange import Exchange
    from stillframe.security.redaction import Redaction
    from stillframe.tab.tab import Tab

BODY_S = 30.0
"""Seconds that Chrome may take to hand over a body."""

LAST_BODIES_S = 5.0
"""Seconds at the end of the recording for the bodies that are still on their way."""

log = logger("stillframe.har")


class HarRecorder:
    """Records from its beginning to `close`; `watch` adds the sessions of tabs."""

    def __init__(
        self, path: Path, content: Content, wanted: Callable[[str], bool], redaction: Redaction, product: str
    ) -> None:
        self.path = path
        self._content = content
        self._wanted = wanted
        self._redaction = redaction
        name, _, version = product.partition("/")
        self._browser = Product(name, version)
        self._tabs: dict[str, TabRecording] = {}
        self._removers: list[Callable[[], None]] = []
        self._awaited: set[asyncio.Future[Any]] = set()
        self._kept: dict[Exchange, str] = {}
        self._numbers = itertools.count(1)
        try:
            self._bodies = BodyStore(path.absolute().parent)
        except OSError as error:
            raise HarFailed(f"{path} cannot be written: {error}", path=str(path)) from None
        self.closed = False

    # -- listening -------------------------------------------------------------------------------

    def watch(self, session: CDPSession, tab: Tab) -> None:
        """Record what a session of a tab tells from now on."""
        if session.target_type == "service_worker":
            return
        tape = self._tabs.get(tab.target_id)
        if tape is None:
            tape = TabRecording(tab.target_id, f"page_{next(self._numbers)}_", self._wanted)
            self._tabs[tab.target_id] = tape
        on = session.on
        self._removers += [
            on(network.RequestWillBeSent, partial(self._asked, session, tape)),
            on(network.RequestWillBeSentExtraInfo, tape.sent),
            on(network.ResponseReceived, tape.answered),
            on(network.ResponseReceivedExtraInfo, tape.received),
            on(network.LoadingFinished, partial(self._finished, session, tape)),
            on(network.LoadingFailed, lambda event: tape.ended(event, event.error_text)),
            on(network.WebSocketCreated, tape.socket_created),
            on(network.WebSocketWillSendHandshakeRequest, tape.socket_asked),
            on(network.WebSocketHandshakeResponseReceived, tape.socket_answered),
            on(network.WebSocketFrameSent, lambda event: tape.socket(event.request_id).add("send", event)),
            on(network.WebSocketFrameReceived, lambda event: tape.socket(event.request_id).add("receive", event)),
            on(network.WebSocketFrameError, tape.socket_failed),
        ]
        if session.target_id == tab.target_id:
            self._removers += [
                on(cdp_page.DomContentEventFired, lambda event: tape.loaded("on_content_load", event.timestamp)),
                on(cdp_page.LoadEventFired, lambda event: tape.loaded("on_load", event.timestamp)),
            ]

    def forget(self, tab: Tab) -> None:
        """Leave out what a tab has reported, and will report."""
        self._tabs.pop(tab.target_id, None)

    def _asked(self, session: CDPSession, tape: TabRecording, event: network.RequestWillBeSent) -> None:
        exchange = tape.asked(event)
        if exchange is not None and exchange.needs_posted and self._content != "omit":
            reply = session.post(network.GetRequestPostData(request_id=event.request_id), timeout=BODY_S)
            self._await(reply, partial(_post, exchange))

    def _finished(self, session: CDPSession, tape: TabRecording, event: network.LoadingFinished) -> None:
        exchange = tape.ended(event)
        if exchange is None or exchange.response is None or not self._wanted(exchange.asked.request.url):
            return
        if self._content != "omit" and has_body(exchange.asked.request.method, exchange.response.status):
            reply = session.post(network.GetResponseBody(request_id=event.request_id), timeout=BODY_S)
            self._await(reply, partial(self._keep, exchange))

    def _await(self, reply: asyncio.Future[Any], take: Callable[..., None]) -> None:
        """Pass a reply on once it has come; a body that Chrome does not have any more is missing in the file."""
        self._awaited.add(reply)

        def done(reply: asyncio.Future[Any]) -> None:
            self._awaited.discard(reply)
            if not reply.cancelled() and reply.exception() is None and not self.closed:
                take(reply.result())

        reply.add_done_callback(done)

    def _keep(self, exchange: Exchange, reply: network.GetResponseBodyResult) -> None:
        response = exchange.response
        assert response is not None  # its body was asked for
        if reply.base64_encoded:
            data = base64.b64decode(reply.body)
        else:
            headers = lowered(response.headers)
            data = encoded(reply.body, headers.get("content-type", ""), length_of(headers))
        exchange.body.size = len(data)
        try:
            self._kept[exchange] = self._bodies.put(data)
        except OSError as error:
            log.warning("a body of %s cannot be kept: %s", self.path, error)

    # -- the end ---------------------------------------------------------------------------------

    async def close(self) -> None:
        """Wait for bodies on their way, write the file and stop; does nothing the second time. Raises HarFailed."""
        if self.closed:
            return
        if self._awaited:
            await asyncio.wait(set(self._awaited), timeout=LAST_BODIES_S)
        self._stop()
        await asyncio.shield(asyncio.to_thread(self._write))

    def abandon(self) -> None:
        """Write what has come so far, because the context is gone; an error is logged."""
        if not self.closed:
            self._stop()
            try:
                self._write()
            except HarFailed as error:
                log.warning("%s", error)

    def _stop(self) -> None:
        self.closed = True
        for remove in self._removers:
            remove()
        self._removers.clear()

    def _write(self) -> None:
        try:
            write(
                self.path,
                self._log(),
                self._recorded(),
                self._content,
                bodies=self._bodies,
                redactor=self._redaction.redactor,
            )
        except OSError as error:
            raise HarFailed(f"{self.path} cannot be written: {error}", path=str(self.path)) from None
        finally:
            self._bodies.close()

    def _log(self) -> Log:
        """Return the file without its entries."""
        pages = [page.row() for tape in self._tabs.values() for page in tape.pages]
        return Log(creator=Product("stillframe", __version__), browser=self._browser, pages=pages, entries=[])

    def _recorded(self) -> list[Recorded]:
        """Return all entries in the order in which they began."""
        found = [
            *(
                Recorded(exchange.entry(), self._kept.get(exchange))
                for tape in self._tabs.values()
                for exchange in tape.exchanges
            ),
            *(
                Recorded(entry, None)
                for tape in self._tabs.values()
                for socket in tape.sockets
                if (entry := socket.entry()) is not None
            ),
        ]
        return sorted(found, key=lambda each: each.entry.started_date_time)


def _post(exchange: Exchange, reply: network.GetRequestPostDataResult) -> None:
    data = reply.post_data
    exchange.posted = base64.b64decode(data) if reply.base64_encoded else data.encode("utf-8", "replace")
