"""Report requests and responses of a tab as events. Settling enables the Network domain anyway, so this is free."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import network
from stillframe.errors import CommandTimeout, InputError
from stillframe.model import events
from stillframe.model.events import Request, RequestFailure
from stillframe.security.redaction import Redaction
from stillframe.tab.deadline import in_seconds

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.frame_tree import FrameTree

BODY_MS = 30_000.0
"""Default limit in milliseconds for a body to arrive."""
OPEN = 10_000
"""How many pending requests are tracked; a page that requests in a loop must not fill memory."""

TrafficName = Literal["request", "response", "requestfinished", "requestfailed"]
Tell = Callable[[TrafficName, Any], None]


BodyReader = Callable[[float | None], Awaitable[bytes]]
"""Reads the body of a response; takes the limit in seconds, None for no limit."""


class Response(events.Response, frozen=True, kw_only=True, dict=True):
    """A response; its body can be read while the requesting document lives."""

    async def body(self, *, timeout_ms: float | None = BODY_MS) -> bytes:
        """Wait for the whole body and return it; it is not redacted.

        Chrome drops large bodies, and all with the document that asked. Raises CdpError for one that it does not have,
        CommandTimeout, SessionLost for a page that is gone, InputError for a response without a page.
        """
        reader: BodyReader | None = self.__dict__.get("reader")
        if reader is None:
            raise InputError("this response was not received from a page, so it has no body to read")
        return await reader(in_seconds(timeout_ms))

    async def text(self, *, timeout_ms: float | None = BODY_MS) -> str:
        """Return the body as text in UTF-8, with U+FFFD for invalid bytes; raises as `body` does."""
        return (await self.body(timeout_ms=timeout_ms)).decode("utf-8", "replace")

    async def json(self, *, timeout_ms: float | None = BODY_MS) -> Any:
        """Return the body as JSON; raises as `body` does, and ValueError for a body that is not JSON."""
        return json.loads(await self.body(timeout_ms=timeout_ms))


class _Exchange:
    """One pending request, and whether its body has arrived."""

    def __init__(self, session: CDPSession, request_id: str, request: Request) -> None:
        self.session = session
        self.id = request_id
        self.request = request
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    async def body(self, timeout: float | None) -> bytes:
        try:
            async with time_limit(timeout):
                await _first(self.ended, self.session)
                reply = await self.session.send(network.GetResponseBody(request_id=self.id), timeout=None)
        except TimeoutError:
            timeout_ms = (timeout or 0.0) * 1000
            url = Redaction.redact_everywhere(self.request.url)
            raise CommandTimeout(
                f"the body of {url} did not arrive within {timeout_ms:g} ms",
                timeout_ms=timeout_ms,
                method="Network.getResponseBody",
                session_id=self.session.session_id,
            ) from None
        return base64.b64decode(reply.body) if reply.base64_encoded else reply.body.encode()


async def _first(ended: asyncio.Future[None], session: CDPSession) -> None:
    """Wait for the end of a request or of its session; in the latter case the command raises the error."""
    gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    remove = session.on_closed(lambda _: None if gone.done() else gone.set_result(None))
    try:
        await asyncio.wait({ended, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        remove()


class Traffic:
    """Tracks the requests of one tab from the first listener on."""

    def __init__(self, sessions: Callable[[], Iterable[CDPSession]], frames: FrameTree, tell: Tell) -> None:
        self._sessions = sessions
        self._frames = frames
        self._tell = tell
        self._open: dict[tuple[str, str], _Exchange] = {}
        self._started = False

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
        if not self._started:
            return
        session.on(network.RequestWillBeSent, lambda event: self._request(session, event))
        session.on(network.ResponseReceived, lambda event: self._response(session, event))
        session.on(network.LoadingFinished, lambda event: self._finished(session, event.request_id))
        session.on(network.LoadingFailed, lambda event: self._failed(session, event))

    def _request(self, session: CDPSession, event: network.RequestWillBeSent) -> None:
        key = session.session_id, event.request_id
        if event.redirect_response is not None and (before := self._open.get(key)) is not None:
            self._tell("response", response_of(event.redirect_response, before.request))
            self._finished(session, event.request_id)
        request = Request(
            id=event.request_id,
            url=event.request.url + (event.request.url_fragment or ""),
            method=event.request.method,
            resource_type=(event.type or "Other").lower(),
            headers=lowered(event.request.headers),
            post_data=event.request.post_data,
            is_navigation_request=event.type == "Document" and event.request_id == event.loader_id,
            frame_id=event.frame_id or "",
            redirected_from=event.redirect_response.url if event.redirect_response is not None else None,
        )
        if len(self._open) >= OPEN:
            self._open.pop(next(iter(self._open))).end()
        self._open[key] = _Exchange(session, event.request_id, request)
        self._tell("request", request)

    def _response(self, session: CDPSession, event: network.ResponseReceived) -> None:
        exchange = self._open.get((session.session_id, event.request_id))
        if exchange is not None:
            response = response_of(event.response, exchange.request)
            response.__dict__["reader"] = exchange.body
            self._tell("response", response)

    def _finished(self, session: CDPSession, request_id: str) -> None:
        exchange = self._open.pop((session.session_id, request_id), None)
        if exchange is not None:
            exchange.end()
            self._tell("requestfinished", exchange.request)

    def _failed(self, session: CDPSession, event: network.LoadingFailed) -> None:
        exchange = self._open.pop((session.session_id, event.request_id), None)
        if exchange is not None:
            exchange.end()
            failure = RequestFailure(request=exchange.request, error=event.error_text, canceled=bool(event.canceled))
            self._tell("requestfailed", failure)


def lowered(headers: dict[str, Any]) -> dict[str, str]:
    """Return headers with their names in lower case."""
    return {name.lower(): str(value) for name, value in headers.items()}


def response_of(response: network.Response, request: Request) -> Response:
    """Return a response without its body."""
    return Response(
        url=response.url,
        status=response.status,
        status_text=response.status_text,
        headers=lowered(response.headers),
        mime_type=response.mime_type,
        from_cache=bool(response.from_disk_cache or response.from_prefetch_cache),
        from_service_worker=bool(response.from_service_worker),
        request=request,
    )
