"""The heads of HTTP/1.1 messages in the policy proxy: parsed by h11, and written again for the other side. No I/O.

Request smuggling relies on two parsers that disagree about the end of a message. So the proxy never forwards a head
byte by byte, and frames each body again after parsing it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import h11

from stillframe.security.policy import Refusal

END = b"\r\n\r\n"

MAX_HEAD = 256 * 1024
"""Bytes of a head: Chrome's own limit for answers (HttpStreamParser::kMaxHeaderBufSize)."""

MAX_INTERIM = 32
"""Interim answers (1xx) before the final one. Servers send one or two; Go's client gives up after five."""

HOP_BY_HOP = frozenset({b"connection", b"keep-alive", b"proxy-connection", b"upgrade", b"http2-settings"})
"""Fields that describe one connection only (RFC 9110 §7.6.1), and not the one to the other side."""

BODY = frozenset({b"content-length", b"transfer-encoding"})

FRAMING = BODY | {b"host"}
"""Fields that stay even if `Connection` lists them."""

FOR_PROXIES = frozenset({b"proxy-authorization"})

CLOSE = (b"Connection", b"close")

_TARGET = re.compile(rb"(?i)http://([^/?\\#@]+)((?:[/?][^#]*)?)")
"""A target as Chrome sends it: without user, fragment, or a character before the path that may end the host for another
parser."""
_LINES = re.compile(rb"(?:[^\r\n\0]+\r\n)+\r\n")
_FOLDED = re.compile(rb"\r\n[ \t]")
_HEAD_END = re.compile(rb"\n\r?\n")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:([^\0\v\f\r]*)")

Field = tuple[bytes, bytes]


class HttpRequest(NamedTuple):
    """A request to a proxy: `target` is `host:port` for CONNECT, else a complete http URL."""

    method: str
    target: str
    fields: tuple[Field, ...]
    """The fields, except those about the connection to the client."""
    version: bytes = b"1.1"

    @property
    def is_tunnel(self) -> bool:
        """Whether the client asks for a tunnel, whose bytes the proxy does not parse."""
        return self.method == "CONNECT"


# -- requests ------------------------------------------------------------------------------------


def client_connection() -> h11.Connection:
    """Return the parser state of a connection from a client."""
    return h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)


def server_connection() -> h11.Connection:
    """Return the parser state of a connection to a server or an upstream proxy."""
    return h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)


def parse_request(raw: bytes, client: h11.Connection) -> HttpRequest:
    """Parse the head of a request to a proxy; raises ValueError for anything else, such as a request to a server."""
    # h11 accepts both, as a server may; Chrome sends neither.
    if not _LINES.fullmatch(raw) or _FOLDED.search(raw):
        raise ValueError("a folded line, or a line that does not end in CR LF")
    try:
        client.receive_data(raw)
        event = client.next_event()
    except h11.RemoteProtocolError as error:
        raise ValueError(str(error)) from None
    if type(event) is not h11.Request:
        raise ValueError("not a request")
    return _checked(event)


def for_server(request: HttpRequest) -> h11.Request:
    """Return the head for a server: path only, Host from the URL, one request per connection."""
    found = _TARGET.fullmatch(request.target.encode())
    assert found is not None  # parse_request has checked this
    host, path = found[1], found[2] if found[2].startswith(b"/") else b"/" + found[2]
    fields = [(b"Host", host), *_without(request.fields, FOR_PROXIES | {b"host"}), CLOSE]
    return h11.Request(method=request.method, target=path, headers=fields)


def for_proxy(request: HttpRequest) -> h11.Request:
    """Return the head for an upstream proxy, with the client's credentials for that proxy."""
    fields = [*request.fields, CLOSE]
    if not any(
        name.lower() == b"host" for name, _ in fields
    ):  # HTTP/1.0 has no Host field; the forwarded request is HTTP/1.1
        fields.insert(0, (b"Host", _host(request).encode()))
    return h11.Request(method=request.method, target=request.target, headers=fields)


def _checked(event: h11.Request) -> HttpRequest:
    method, target = event.method.decode(), event.target.decode()
    if event.http_version not in (b"1.0", b"1.1"):
        raise ValueError("unsupported version of HTTP")
    if method != "CONNECT" and not _TARGET.fullmatch(event.target):
        raise ValueError("not a request to a proxy")
    names = {name for name, _ in event.headers}
    # Two parsers may disagree on which one counts (RFC 9112 §6.1).
    if b"transfer-encoding" in names and (b"content-length" in names or event.http_version == b"1.0"):
        raise ValueError("both Content-Length and Transfer-Encoding")
    fields = _end_to_end(event)
    if method == "CONNECT":
        fields = _without(fields, BODY)  # the bytes after the head belong to the tunnel
    return HttpRequest(method, target, tuple(fields), event.http_version)


def _host(request: HttpRequest) -> str:
    return request.target if request.is_tunnel else request.target.split("/")[2]


# -- answers -------------------------------------------------------------------------------------


def end_of_head(data: bytes | bytearray, start: int = 0) -> int | None:
    """Return the offset after the empty line that ends a head, or None if it has not arrived."""
    found = _HEAD_END.search(data, max(0, start - 2))
    return found.end() if found else None


def normalized(raw: bytes) -> bytes:
    """Return the head of an answer in a form that a strict parser accepts.

    Chrome ignores lines that are not fields and accepts a repeated `chunked`, so servers with such heads exist.
    """
    first, *lines = raw.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    fields = [first.rstrip(b" \t\r"), *_without_repeated_chunked(_fields(lines))]
    return b"\r\n".join(fields) + END


def for_client(answer: h11.Response | h11.InformationalResponse) -> h11.Response | h11.InformationalResponse:
    """Return the head for the client: the answer's, with `Connection: close`."""
    fields = list(_end_to_end(answer))
    if type(answer) is h11.InformationalResponse:
        return h11.InformationalResponse(status_code=answer.status_code, reason=answer.reason, headers=fields)
    return h11.Response(status_code=answer.status_code, reason=answer.reason, headers=[CLOSE, *fields])


def proxy_answer(status: int, reason: str, refusal: Refusal | None = None) -> bytes:
    """Return an answer of the proxy itself, which closes the connection."""
    text = f"{refusal.rule}\n" if refusal else f"{reason}\n"
    body = text.encode("ascii", "backslashreplace")
    fields = [f"Content-Length: {len(body)}", "Content-Type: text/plain", "Cache-Control: no-store"]
    if refusal is not None:
        fields.append(f"X-Stillframe-Refused: {body.decode().strip()}")
    head = "\r\n".join((f"HTTP/1.1 {status} {reason}", *fields, "Connection: close"))
    return head.encode() + END + body


def _fields(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines that are fields, and the lines that continue a field."""
    in_field = False
    for line in lines:
        if line[:1] in (b" ", b"\t"):
            if in_field and line.strip():
                yield line
            continue
        found = _FIELD.fullmatch(line.rstrip(b"\r"))
        in_field = found is not None
        if found is not None:
            yield found[1] + b":" + found[2]


def _without_repeated_chunked(lines: Iterable[bytes]) -> Iterator[bytes]:
    chunked = False
    for line in lines:
        name, _, value = line.partition(b":")
        if name.lower() != b"transfer-encoding":
            yield line
        elif value.strip().lower() == b"chunked":
            if not chunked:
                yield line
            chunked = True
        elif value.strip().lower() != b"identity":  # `identity` has no effect (RFC 2616 §3.6)
            yield line


# -- requests and answers --------------------------------------------------------------------------


def _end_to_end(head: h11.Request | h11.Response | h11.InformationalResponse) -> Iterator[Field]:
    """Return the end-to-end fields of a head, with their original spelling."""
    listed = (value for name, value in head.headers if name == b"connection")
    named = {name.strip().lower() for value in listed for name in value.split(b",")}
    return _without(head.headers.raw_items(), HOP_BY_HOP | (named - FRAMING))


def _without(fields: Iterable[Field], names: frozenset[bytes] | set[bytes]) -> Iterator[Field]:
    return (field for field in fields if field[0].lower() not in names)
