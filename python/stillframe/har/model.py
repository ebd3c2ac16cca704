"""The fields of a HAR file, as the HTTP Archive 1.2 specification names them. Those with an underscore are extensions.

`_resourceType`, `_transferSize`, `_webSocketMessages` and `_error` are those of Chrome's DevTools; `_failureText`,
`_securityDetails`, `_serverPort` and `_file` are Playwright's.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

VERSION = "1.2"

Content = Literal["embed", "attach", "omit"]
"""Where bodies go: into the file, into files of their own, nowhere."""

UNKNOWN = -1
"""What the specification writes for a size or a time that is not known or does not apply."""


class Named(msgspec.Struct, frozen=True):
    """A header, a parameter of a query or a field of a form."""

    name: str
    value: str


class Cookie(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A cookie that was sent or set."""

    name: str
    value: str
    path: str | None = None
    domain: str | None = None
    expires: str | None = None
    http_only: bool = False
    secure: bool = False
    same_site: str | None = None


class PostData(msgspec.Struct, kw_only=True, omit_defaults=True, rename={"mime_type": "mimeType", "file": "_file"}):
    """What a request posts."""

    mime_type: str
    text: str = ""
    params: list[Named] = []
    encoding: str | None = None
    """`base64` for bytes that are not text; the specification has nothing for them."""
    file: str | None = None


class RequestPart(msgspec.Struct, kw_only=True, rename="camel"):
    """The request of an entry."""

    method: str
    url: str
    http_version: str
    cookies: list[Cookie]
    headers: list[Named]
    query_string: list[Named]
    headers_size: int = UNKNOWN
    body_size: int = UNKNOWN
    post_data: PostData | msgspec.UnsetType = msgspec.UNSET
    comment: str | msgspec.UnsetType = msgspec.UNSET


class Body(msgspec.Struct, kw_only=True, omit_defaults=True, rename={"mime_type": "mimeType", "file": "_file"}):
    """The body of a response; `size` counts its bytes without compression."""

    size: int
    mime_type: str
    compression: int | None = None
    text: str | None = None
    encoding: str | None = None
    file: str | None = None


class ResponsePart(
    msgspec.Struct,
    kw_only=True,
    rename={
        "status_text": "statusText",
        "http_version": "httpVersion",
        "redirect_url": "redirectURL",
        "headers_size": "headersSize",
        "body_size": "bodySize",
        "transfer_size": "_transferSize",
        "failure_text": "_failureText",
        "error": "_error",
    },
):
    """The response of an entry; its status is 0 if there was none."""

    status: int
    status_text: str
    http_version: str
    cookies: list[Cookie]
    headers: list[Named]
    content: Body
    redirect_url: str = ""
    headers_size: int = UNKNOWN
    body_size: int = UNKNOWN
    transfer_size: int = UNKNOWN
    failure_text: str | msgspec.UnsetType = msgspec.UNSET
    error: str | msgspec.UnsetType = msgspec.UNSET


class Timings(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds of the phases of an exchange; `ssl` is a part of `connect`."""

    blocked: float = UNKNOWN
    dns: float = UNKNOWN
    connect: float = UNKNOWN
    ssl: float = UNKNOWN
    send: float = 0
    wait: float = 0
    receive: float = 0

    @property
    def total(self) -> float:
        """The time of the whole exchange."""
        parts = (self.blocked, self.dns, self.connect, self.send, self.wait, self.receive)
        return sum(part for part in parts if part > 0)


class WebSocketMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message of a WebSocket; `time` is in seconds since 1970, `data` in Base64 unless `opcode` is 1."""

    type: Literal["send", "receive"]
    time: float
    opcode: int
    data: str


class HarEntry(
    msgspec.Struct,
    kw_only=True,
    rename={
        "started_date_time": "startedDateTime",
        "server_ip_address": "serverIPAddress",
        "resource_type": "_resourceType",
        "server_port": "_serverPort",
        "security_details": "_securityDetails",
        "web_socket_messages": "_webSocketMessages",
    },
):
    """A request with its response."""

    pageref: str | msgspec.UnsetType = msgspec.UNSET
    started_date_time: str
    time: float
    request: RequestPart
    response: ResponsePart
    cache: dict[str, Any] = {}
    timings: Timings
    server_ip_address: str | msgspec.UnsetType = msgspec.UNSET
    connection: str | msgspec.UnsetType = msgspec.UNSET
    resource_type: str | msgspec.UnsetType = msgspec.UNSET
    server_port: int | msgspec.UnsetType = msgspec.UNSET
    security_details: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    web_socket_messages: list[WebSocketMessage] | msgspec.UnsetType = msgspec.UNSET


class PageTimings(msgspec.Struct, kw_only=True, rename="camel"):
    """Milliseconds from the request for a document to its events."""

    on_content_load: float = UNKNOWN
    on_load: float = UNKNOWN


class PageRow(msgspec.Struct, kw_only=True, rename="camel"):
    """A document that a tab has shown."""

    id: str
    title: str
    started_date_time: str
    page_timings: PageTimings


class Product(msgspec.Struct, frozen=True):
    """What made the file, or the browser."""

    name: str
    version: str


class Log(msgspec.Struct, kw_only=True):
    """All that was recorded."""

    version: str = VERSION
    creator: Product
    browser: Product
    pages: list[PageRow]
    entries: list[HarEntry]


class Har(msgspec.Struct):
    """A HAR file."""

    log: Log
