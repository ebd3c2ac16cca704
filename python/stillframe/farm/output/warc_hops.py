"""Combine the events of one request into exchanges: one per redirect and one for the end. Pure logic.

Chrome reports what really went over the wire in events of their own (ExtraInfo), which come before or after the others
and say only which request they are of. They have the order of the redirects, so they are assigned at the end.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from stillframe.cdp_types import network
from stillframe.extend.network import assigned, has_body
from stillframe.farm.output.warc_records import Exchange, Headers

UNFINISHED = "the page was left before the response was complete"
UNREAD_REDIRECT = "Chrome keeps no bodies of redirects"


class Hop:
    """One request and its response, if that has come."""

    def __init__(self, event: network.RequestWillBeSent) -> None:
        self.event = event
        self.response: network.Response | None = None
        self.has_extra_info = False


class RequestLog:
    """Everything heard of one request id; `received` counts the bytes of the body without its encodings."""

    def __init__(self) -> None:
        self.hops: list[Hop] = []
        self.sent: list[network.RequestWillBeSentExtraInfo] = []
        self.headers: list[network.ResponseReceivedExtraInfo] = []
        self.received = 0
        self.body: bytes | None = None
        self.post_data: bytes | None = None
        self.truncated = ""
        self.missing = ""
        self.error = ""
        self.from_cache = False
        self.again = False
        """Whether the body was loaded once more, because Chrome does not keep it."""
        self.ended = False

    def request(self, event: network.RequestWillBeSent) -> None:
        """Add a request; the response to the one before, if this is a redirect, comes with it."""
        if event.redirect_response is not None and self.hops:
            self.respond(event.redirect_response, bool(event.redirect_has_extra_info))
            self.received = 0
        self.hops.append(Hop(event))

    def respond(self, response: network.Response, has_extra_info: bool) -> None:
        """Record the response to the last request."""
        if self.hops:
            self.hops[-1].response = response
            self.hops[-1].has_extra_info = has_extra_info

    def exchanges(self) -> list[Exchange]:
        """Return the exchanges in order; requests that did not go over HTTP are left out."""
        # A request that failed says nothing of extra information, and may have some.
        on_wire = [hop.has_extra_info or hop.response is None for hop in self.hops]
        found = []
        for number, (hop, pair) in enumerate(zip(self.hops, assigned(on_wire, self.sent, self.headers), strict=True)):
            if hop.event.request.url.startswith(("http://", "https://")):
                found.append(self._exchange(hop, *pair, last=number == len(self.hops) - 1))
        return found

    def _exchange(
        self,
        hop: Hop,
        sent: network.RequestWillBeSentExtraInfo | None,
        received: network.ResponseReceivedExtraInfo | None,
        *,
        last: bool,
    ) -> Exchange:
        request = hop.event.request
        exchange = Exchange(
            url=request.url,
            method=request.method,
            sent_at=hop.event.wall_time,
            request_headers=_pairs(sent.headers if sent is not None else request.headers),
            post_data=(self.post_data if last else None) or _posted(request),
            error=self.error if last else "",
        )
        if hop.response is not None:
            _answer(exchange, hop.response, received)
        if last and self.again:
            exchange.notes["loadedAgain"] = "Chrome keeps no bytes of this type, so they were requested once more"
        self._end(exchange) if last else _end_redirect(exchange)
        if last and self.from_cache:
            exchange.notes["fromCache"] = "Chrome had this response already"
        return exchange

    def _end(self, exchange: Exchange) -> None:
        if exchange.status is None:
            exchange.error = exchange.error or UNFINISHED
            return
        exchange.body, exchange.truncated, exchange.missing = self.body, self.truncated, self.missing
        if not has_body(exchange.method, exchange.status):
            exchange.truncated = exchange.missing = ""
        elif self.error:
            exchange.truncated = "disconnect"
        elif not self.ended:
            exchange.truncated, exchange.missing = "time", UNFINISHED


def _answer(exchange: Exchange, response: network.Response, received: network.ResponseReceivedExtraInfo | None) -> None:
    exchange.status, exchange.status_text = response.status, response.status_text
    exchange.response_headers = _pairs(response.headers)
    exchange.protocol = response.protocol or ""
    exchange.remote_ip = (response.remote_ip_address or "").strip("[]")
    if received is None:
        return
    if received.status_code == 304 != response.status:
        # The body and the headers come from the cache, and the server only confirmed them.
        exchange.notes["revalidated"] = "the server answered 304, and Chrome took what it had"
        exchange.not_modified = _received(received)
        return
    exchange.response_headers = _received(received)
    if received.headers_text:
        exchange.status_text = _status_text(received.headers_text) or exchange.status_text


def _received(received: network.ResponseReceivedExtraInfo) -> Headers:
    """Return the headers in their order and spelling, if the server spoke HTTP/1."""
    lines = (received.headers_text or "").splitlines()[1:]
    parted = [line.partition(":") for line in lines if ":" in line]
    return [(name.strip(), value.strip()) for name, _, value in parted] or _pairs(received.headers)


def _status_text(headers_text: str) -> str:
    return headers_text.partition("\n")[0].strip().partition(" ")[2].partition(" ")[2]


def _end_redirect(exchange: Exchange) -> None:
    lengths = [value for name, value in exchange.response_headers if name.lower() == "content-length"]
    if lengths != ["0"] and has_body(exchange.method, exchange.status):
        exchange.truncated, exchange.missing = "unspecified", UNREAD_REDIRECT


def _pairs(headers: Mapping[str, Any]) -> Headers:
    """Header fields in their order; Chrome joins those of one name by line feeds."""
    return [(name, value) for name, values in headers.items() for value in str(values).split("\n")]


def _posted(request: network.Request) -> bytes:
    entries = request.post_data_entries
    if entries is not None and all(entry.bytes is not None for entry in entries):
        return b"".join(base64.b64decode(entry.bytes or "") for entry in entries)
    return (request.post_data or "").encode("utf-8", "replace")
