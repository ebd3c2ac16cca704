"""One request with its response, as CDP reports it piece by piece, and the entry that it becomes. Pure logic."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from stillframe.har import cookies
from stillframe.har.model import (
    UNKNOWN,
    Body,
    HarEntry,
    Named,
    PostData,
    RequestPart,
    ResponsePart,
    Timings,
)
from stillframe.tab.network.exchanges import received_headers, sent_headers
from stillframe.tab.network.requests import FORM

if TYPE_CHECKING:
    from stillframe.cdp_types import network

PROTOCOLS = {"http/1.0": "HTTP/1.0", "http/1.1": "HTTP/1.1", "h2": "HTTP/2.0", "h3": "HTTP/3.0", "": "HTTP/1.1"}
"""ALPN ids of CDP with what HAR files say; anything else stays as it is."""

REDIRECTS = range(300, 400)


class Exchange:
    """A request, and what became of it so far."""

    def __init__(self, event: network.RequestWillBeSent, pageref: str) -> None:
        self.asked = event
        self.pageref = pageref
        self.sent: network.RequestWillBeSentExtraInfo | None = None
        self.response: network.Response | None = None
        self.on_wire: bool | None = None
        """Whether Chrome reports what went over the wire; None before the response."""
        self.received: network.ResponseReceivedExtraInfo | None = None
        self.headers_at: float | None = None
        """When the headers of the response arrived, by CDP's monotonic clock in seconds."""
        self.ended_at: float | None = None
        self.encoded_length: float | None = None
        """Bytes of the response on the wire, headers included."""
        self.error = ""
        self.posted = _posted(event.request)
        self.body = Body(size=0, mime_type="x-unknown")

    @property
    def needs_posted(self) -> bool:
        """Whether Chrome has to be asked for what the request posts."""
        return self.posted is None and bool(self.asked.request.has_post_data)

    def entry(self) -> HarEntry:
        """Return the entry of a HAR file, without the secrets being replaced."""
        response = self.response
        timings = self._timings()
        entry = HarEntry(
            pageref=self.pageref or msgspec.UNSET,
            started_date_time=moment(self.asked.wall_time),
            time=round(timings.total, 3),
            request=self._request(),
            response=self._response(),
            timings=timings,
            resource_type=(self.asked.type or "Other").lower(),
        )
        if response is not None:
            if response.remote_ip_address:
                entry.server_ip_address = response.remote_ip_address.strip("[]")
                entry.server_port = response.remote_port or 0
            if response.connection_id:
                entry.connection = f"{response.connection_id:g}"
            if response.security_details is not None:
                entry.security_details = _security(response.security_details)
        return entry

    # -- the request -----------------------------------------------------------------------------

    def _request(self) -> RequestPart:
        asked = self.asked.request
        extra = self.sent if self.on_wire is not False else None
        headers = sent_headers(extra) if extra is not None else {n: str(v) for n, v in asked.headers.items()}
        request = RequestPart(
            method=asked.method,
            url=asked.url,
            http_version=self._protocol(),
            cookies=cookies.sent(_value(headers, "cookie")),
            headers=named(headers),
            query_string=query_of(asked.url),
            body_size=len(self.posted or b""),
        )
        if self.posted is not None:
            request.post_data = post_data(self.posted, _value(headers, "content-type"))
        elif self.needs_posted:
            request.body_size = UNKNOWN
        return request

    def _protocol(self) -> str:
        spoken = "" if self.response is None else self.response.protocol or ""
        return PROTOCOLS.get(spoken, spoken)

    # -- the response ----------------------------------------------------------------------------

    def _response(self) -> ResponsePart:
        response = self.response
        if response is None:
            return self._failed(ResponsePart(**_NOTHING, content=self.body))
        headers = received_headers(response, self.received)
        set_cookie = headers.get("set-cookie", "")
        status = response.status
        head = len(self.received.headers_text) if self.received is not None and self.received.headers_text else UNKNOWN
        size = UNKNOWN
        if self.encoded_length is not None and head != UNKNOWN:
            size = max(0, int(self.encoded_length) - head)
        body = self.body
        if size != UNKNOWN and body.size > size:
            body.compression = body.size - size
        return self._failed(
            ResponsePart(
                status=status,
                status_text=response.status_text,
                http_version=self._protocol(),
                cookies=cookies.received(set_cookie, self.asked.wall_time),
                headers=named(headers),
                content=body,
                redirect_url=headers.get("location", "") if status in REDIRECTS else "",
                headers_size=head,
                body_size=size,
                transfer_size=UNKNOWN if self.encoded_length is None else int(self.encoded_length),
            )
        )

    def _failed(self, part: ResponsePart) -> ResponsePart:
        if self.error:
            part.error = part.failure_text = self.error
        return part

    # -- times -----------------------------------------------------------------------------------

    def _timings(self) -> Timings:
        began = self.asked.timestamp
        ended = self.ended_at if self.ended_at is not None else began
        timing = None if self.response is None else self.response.timing
        if timing is None or timing.request_time <= 0 or self.response is None or self.response.from_disk_cache:
            headers_at = self.headers_at if self.headers_at is not None else ended
            return Timings(wait=_ms(headers_at - began), receive=_ms(ended - headers_at))
        queued = _ms(timing.request_time - began)
        first = next((at for at in (timing.dns_start, timing.connect_start, timing.send_start) if at >= 0), 0.0)
        return Timings(
            blocked=_rounded(queued + first),
            dns=_phase(timing.dns_start, timing.dns_end),
            connect=_phase(timing.connect_start, timing.connect_end),
            ssl=_phase(timing.ssl_start, timing.ssl_end),
            send=max(0.0, _phase(timing.send_start, timing.send_end)),
            wait=_rounded(max(0.0, timing.receive_headers_end - timing.send_end)),
            receive=_ms(ended - timing.request_time - timing.receive_headers_end / 1000),
        )


_NOTHING: dict[str, Any] = {"status": 0, "status_text": "", "http_version": "HTTP/1.1", "cookies": [], "headers": []}
"""The response of a request that got none."""


def moment(at: float) -> str:
    """Return a time since 1970 in seconds as HAR files have it, ISO 8601.

    >>> moment(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def named(headers: Mapping[str, str]) -> list[Named]:
    r"""Return headers as a list; one that came several times has its values on lines, and becomes several.

    >>> [header.value for header in named({"set-cookie": "a=1\\nb=2"})]
    ['a=1', 'b=2']
    """
    return [Named(name, line) for name, value in headers.items() for line in value.split("\n")]


def query_of(url: str) -> list[Named]:
    """Return the parameters of a URL's query, decoded; none for one that is no URL."""
    try:
        return [Named(*pair) for pair in parse_qsl(urlsplit(url).query, keep_blank_values=True)]
    except ValueError:
        return []


def post_data(posted: bytes, content_type: str) -> PostData:
    """Return what a request posts: as text where its bytes are UTF-8, with the fields of a form besides."""
    try:
        text = posted.decode()
    except UnicodeDecodeError:
        return PostData(mime_type=content_type, text=base64.b64encode(posted).decode(), encoding="base64")
    params: list[Named] = []
    if content_type.partition(";")[0].strip().lower() == FORM:
        params = [Named(*pair) for pair in parse_qsl(text, keep_blank_values=True)]
    return PostData(mime_type=content_type, text=text, params=params)


def _posted(request: network.Request) -> bytes | None:
    entries = request.post_data_entries or []
    if entries and all(entry.bytes is not None for entry in entries):
        return b"".join(base64.b64decode(entry.bytes or "") for entry in entries)
    return None if request.post_data is None or entries else request.post_data.encode("utf-8", "surrogatepass")


def _value(headers: Mapping[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")


def _security(details: network.SecurityDetails) -> dict[str, Any]:
    return {
        "protocol": details.protocol,
        "subjectName": details.subject_name,
        "issuer": details.issuer,
        "validFrom": details.valid_from,
        "validTo": details.valid_to,
    }


def _ms(elapsed_s: float) -> float:
    return _rounded(max(0.0, elapsed_s * 1000))


def _phase(begin: float, end: float) -> float:
    return _rounded(end - begin) if begin >= 0 and end >= begin else UNKNOWN


def _rounded(ms: float) -> float:
    return round(ms, 3)
