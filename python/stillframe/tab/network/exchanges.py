"""Combine what Chrome reports about one request id: its redirects, and what really went over the wire. Pure logic.

`requestWillBeSent` and `responseReceived` have the headers as the renderer knows them: without cookies, and without
what the network service adds. Those come in events of their own (ExtraInfo), before or after the others, for a worker
even in another session, and say only which request id they are of. They have the order of the redirects; a response
from a cache, a service worker or a route has none.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from stillframe.tab.network.requests import Progress, Request

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession
    from stillframe.cdp_types import network
    from stillframe.security.redaction import Redaction

Sent = TypeVar("Sent")
Received = TypeVar("Received")

BODILESS = frozenset({204, 205, 304})
"""Statuses without a body; RFC 9110 §15."""

SET_COOKIE = "set-cookie"
"""The one header whose values cannot be joined by commas, which dates contain."""

NOT_MODIFIED = 304
"""The server confirmed what the cache has: Chrome reports the status and the headers of the cached response."""


def has_body(method: str, status: int | None) -> bool:
    """Return whether a response to a request of this method with this status has a body at all."""
    return method != "HEAD" and status not in BODILESS


def assigned(
    on_wire: Iterable[bool], sent: Sequence[Sent], received: Sequence[Received]
) -> Iterator[tuple[Sent | None, Received | None]]:
    """Yield the extra information about each request of a redirect chain; `on_wire` says which ones have some."""
    next_sent, next_received = iter(sent), iter(received)
    for has_extra_info in on_wire:
        yield (next(next_sent, None), next(next_received, None)) if has_extra_info else (None, None)


def lowered(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return headers with their names in lower case."""
    return {name.lower(): str(value) for name, value in headers.items()}


def sent_headers(extra: network.RequestWillBeSentExtraInfo) -> dict[str, str]:
    """Return the headers of a request on the wire, without the pseudo-headers of HTTP/2 and later."""
    return {name: value for name, value in _joined(extra.headers).items() if not name.startswith(":")}


def received_headers(response: network.Response, extra: network.ResponseReceivedExtraInfo | None) -> dict[str, str]:
    """Return the headers of a response; the values of Set-Cookie are on lines of their own."""
    reported = _joined(response.headers)
    if extra is None:
        return reported
    on_wire = _joined(extra.headers)
    if extra.status_code == NOT_MODIFIED != response.status:
        return reported | {name: value for name, value in on_wire.items() if name == SET_COOKIE}
    return on_wire


def _joined(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return headers by their names in lower case, with several values of one name as one list (RFC 9110 §5.3)."""
    return {
        name: value if name == SET_COOKIE else value.replace("\n", ", ") for name, value in lowered(headers).items()
    }


class ExtraInfo:
    """What Chrome has reported about one request id in extra events, and what a route answered."""

    def __init__(self) -> None:
        self.sent: list[network.RequestWillBeSentExtraInfo] = []
        self.received: list[network.ResponseReceivedExtraInfo] = []
        self.answered: bytes | None = None
        """The body with which a route fulfilled the request."""
        self.cookies: str | None = None
        """The Set-Cookie lines of that answer, which Chrome does not report."""


class Hop:
    """One request of a chain of redirects."""

    def __init__(
        self,
        session: CDPSession,
        event: network.RequestWillBeSent,
        redaction: Redaction,
        extras: Mapping[str, Any],
        before: Hop | None = None,
    ) -> None:
        self._event = event
        self._extras = extras
        self.progress = Progress(session, event)
        self._before = before
        self._redaction = redaction
        self._planned = redaction.redact(lowered(event.request.headers))
        self._headers = dict(self._planned)
        """What listeners see: it becomes what goes over the wire."""
        self._request: Request | None = None
        self.on_wire: bool | None = None
        """Whether Chrome reports what went over the wire; None before the response, and before Chrome 97."""
        self.has_waited = False
        """Whether the headers of the response did not arrive in time."""
        self.posted: asyncio.Future[network.GetRequestPostDataResult] | None = None
        """The body, if Chrome has not reported it with the request."""

    @property
    def request(self) -> Request:
        """Return the request, always the same value; its headers become those on the wire."""
        if self._request is None:
            self._request = self._made()
        return self._request

    @property
    def method(self) -> str:
        """Return the method of the request."""
        return self._event.request.method

    @property
    def frame(self) -> str:
        """Return the frame that asked; empty for a worker."""
        return self._event.frame_id or ""

    @property
    def loader(self) -> str:
        """Return the document that asked, or that the request is for."""
        return self._event.loader_id

    def is_read(self) -> bool:
        """Return whether the body of the request is known, or cannot be."""
        return self.posted is None or self.posted.done()

    def is_received(self) -> bool:
        """Return whether the headers of the response are those on the wire, or cannot be."""
        return not self.on_wire or self.progress.received is not None or self.has_waited

    def correct(self, extra: network.RequestWillBeSentExtraInfo | None) -> None:
        """Let the request have the headers on the wire; None restores those that Chrome meant to send."""
        self.progress.wire = extra
        if extra is not None:
            self.progress.note_sent()
        headers = self._planned if extra is None else self._redaction.redact(sent_headers(extra))
        self._headers |= headers
        for name in self._headers.keys() - headers.keys():
            del self._headers[name]

    def _made(self) -> Request:
        made = made_of(self._event, self._redaction, self._extras, self._headers, self._post_data())
        made.__dict__["progress"] = self.progress
        if self._before is not None:
            self.progress.before = self._before.request
            self._before.progress.after = made
        return made

    def _post_data(self) -> str | None:
        self.progress.body = self._posted_bytes()
        if self.posted is None or self.progress.body is None:
            return self._event.request.post_data
        return self.progress.body.decode("utf-8", "replace")

    def _posted_bytes(self) -> bytes | None:
        if (
            self.posted is not None
            and self.posted.done()
            and not self.posted.cancelled()
            and not self.posted.exception()
        ):
            result = self.posted.result()
            return base64.b64decode(result.post_data) if result.base64_encoded else result.post_data.encode()
        entries = self._event.request.post_data_entries or ()
        parts = [base64.b64decode(entry.bytes or "") for entry in entries]
        return b"".join(parts) if parts else None


def made_of(
    event: network.RequestWillBeSent,
    redaction: Redaction,
    extras: Mapping[str, Any],
    headers: dict[str, str] | None = None,
    post_data: str | None = None,
) -> Request:
    """Return a request without secrets; without `headers` and `post_data` it has those that the page gave."""
    redact = redaction.redact
    made = Request(
        id=event.request_id,
        url=redact(event.request.url),
        method=redact(event.request.method),
        resource_type=(event.type or "Other").lower(),
        headers=redact(lowered(event.request.headers)) if headers is None else headers,
        post_data=redact(event.request.post_data if post_data is None else post_data),
        is_navigation_request=event.type == "Document" and event.request_id == event.loader_id,
        frame_id=event.frame_id or "",
        redirected_from_url=redact(event.redirect_response.url) if event.redirect_response is not None else None,
    )
    made.__dict__.update(extras)
    return made
