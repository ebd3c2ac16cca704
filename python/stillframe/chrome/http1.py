"""The heads of HTTP messages that pass through the policy proxy: read by h11, and written again for the other side. No I/O.

Requests are smuggled in what one reader takes for the end of a message and another does not. So no byte of a head is
passed on as it came, and a body goes on in the framing that was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import h11

from stillframe.security.policy import Refusal

END = b"\r\n\r\n"

MAX_HEAD = 256 * 1024
"""Bytes of a head: what Chrome itself takes from a server at most."""

MAX_INTERIM = 32
"""Answers 1xx before the one that counts. Servers send one or two; Go's client gives up after five."""

HOP_BY_HOP = frozenset({b"connection", b"keep-alive", b"proxy-connection", b"upgrade", b"http2-settings"})
"""Fields about one connection alone (RFC 9110 §7.6.1), which is not what the other side has."""

BODY = frozenset({b"content-length", b"transfer-encoding"})

FRAMING = BODY | {b"host"}
"""What `Connection` cannot make go away, whatever it lists."""

FOR_PROXIES = frozenset({b"proxy-authorization"})

CLOSE = (b"Connection", b"close")

_TARGET = re.compile(rb"(?i)http://([^/?\\#@]+)((?:[/?][^#]*)?)")
"""As Chrome sends it: without a user, a fragment, or anything before the path that another reader may end a host at."""
_LINES = re.compile(rb"(?:[^\r\n\0]+\r\n)+\r\n")
_FOLDED = re.compile(rb"\r\n[ \t]")
_HEAD_END = re.compile(rb"\n\r?\n")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:([^\0\v\f\r]*)")

Field = tuple[bytes, bytes]


class Request(NamedTuple):
    """What a client asks a proxy for: `target` is `host:port` for CONNECT, else a whole http URL."""

    method: str
    target: str
    fields: tuple[Field, ...]
    """Without those that are about the connection to the client."""
    version: bytes = b"1.1"

    @property
    def is_tunnel(self) -> bool:
        """Whether a connection is asked for, whose content is no business of ours."""
        return self.method == "CONNECT"


# -- requests ------------------------------------------------------------------------------------


def new_client() -> h11.Connection:
    """Return the state of a connection that a client has made to us."""
    return h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD)


def new_server() -> h11.Connection:
    """Return the state of a connection that we have made to a server or to another proxy."""
    return h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)


def read_request(raw: bytes, client: h11.Connection) -> Request:
    """Read the head of a request to a proxy; raises ValueError for anything else, as one to a server is."""
    # h11 mends these, as a server may; Chrome sends neither, and what comes here is only Chrome's.
    if not _LINES.fullmatch(raw) or _FOLDED.search(raw):
        raise ValueError("a folded line, or one with another end than CR LF")
    try:
        client.receive_data(raw)
        event = client.next_event()
    except h11.RemoteProtocolError as error:
        raise ValueError(str(error)) from None
    if type(event) is not h11.Request:
        raise ValueError("no request")
    return _checked(event)


def for_server(request: Request) -> h11.Request:
    """Return the head that a server gets: its path alone, its host from the URL, one request per connection."""
    found = _TARGET.fullmatch(request.target.encode())
    assert found is not None  # read_request has seen to it
    host, path = found[1], found[2] if found[2].startswith(b"/") else b"/" + found[2]
    fields = [(b"Host", host), *_without(request.fields, FOR_PROXIES | {b"host"}), CLOSE]
    return h11.Request(method=request.method, target=path, headers=fields)


def for_proxy(request: Request) -> h11.Request:
    """Return the head that another proxy gets: the same, and its login is for that one."""
    fields = [*request.fields, CLOSE]
    if not any(name.lower() == b"host" for name, _ in fields):  # HTTP/1.0 has none, and we speak 1.1
        fields.insert(0, (b"Host", _host(request).encode()))
    return h11.Request(method=request.method, target=request.target, headers=fields)


def _checked(event: h11.Request) -> Request:
    method, target = event.method.decode(), event.target.decode()
    if event.http_version not in (b"1.0", b"1.1"):
        raise ValueError("another version of HTTP")
    if method != "CONNECT" and not _TARGET.fullmatch(event.target):
        raise ValueError("this is a proxy")
    names = {name for name, _ in event.headers}
    # RFC 9112 §6.1: the one means something else to the next reader than the other.
    if b"transfer-encoding" in names and (b"content-length" in names or event.http_version == b"1.0"):
        raise ValueError("two framings")
    fields = _end_to_end(event)
    if method == "CONNECT":
        fields = _without(fields, BODY)  # what follows is the tunnel's, whatever it is called
    return Request(method, target, tuple(fields), event.http_version)


def _host(request: Request) -> str:
    return request.target if request.is_tunnel else request.target.split("/")[2]


# -- answers -------------------------------------------------------------------------------------


def end_of_head(data: bytes | bytearray, start: int = 0) -> int | None:
    """Return where the head of an answer ends, the empty line included; None if that has still to come."""
    found = _HEAD_END.search(data, max(0, start - 2))
    return found.end() if found else None


def tidied(raw: bytes) -> bytes:
    """Return the head of an answer as a strict reader takes it.

    Chrome passes over lines that are no field and takes a repeated `chunked` for one, so pages with such heads exist.
    """
    first, *lines = raw.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
    fields = [first.rstrip(b" \t\r"), *_framed_once(_fields(lines))]
    return b"\r\n".join(fields) + END


def for_client(answer: h11.Response | h11.InformationalResponse) -> h11.Response | h11.InformationalResponse:
    """Return the head that the client gets: that of the answer, but the connection ends with it."""
    fields = list(_end_to_end(answer))
    if type(answer) is h11.InformationalResponse:
        return h11.InformationalResponse(status_code=answer.status_code, reason=answer.reason, headers=fields)
    return h11.Response(status_code=answer.status_code, reason=answer.reason, headers=[CLOSE, *fields])


def answer(status: int, words: str, refusal: Refusal | None = None) -> bytes:
    """Return a response of our own, which ends the connection."""
    text = f"{refusal.rule}\n" if refusal else f"{words}\n"
    body = text.encode("ascii", "backslashreplace")
    fields = [f"Content-Length: {len(body)}", "Content-Type: text/plain", "Cache-Control: no-store"]
    if refusal is not None:
        fields.append(f"X-Stillframe-Refused: {body.decode().strip()}")
    head = "\r\n".join((f"HTTP/1.1 {status} {words}", *fields, "Connection: close"))
    return head.encode() + END + body


def _fields(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines that are fields, and those that go on with one."""
    begun = False
    for line in lines:
        if line[:1] in (b" ", b"\t"):
            if begun and line.strip():
                yield line
            continue
        found = _FIELD.fullmatch(line.rstrip(b"\r"))
        begun = found is not None
        if found is not None:
            yield found[1] + b":" + found[2]


def _framed_once(lines: Iterable[bytes]) -> Iterator[bytes]:
    chunked = False
    for line in lines:
        name, _, value = line.partition(b":")
        if name.lower() != b"transfer-encoding":
            yield line
        elif value.strip().lower() == b"chunked":
            if not chunked:
                yield line
            chunked = True
        elif value.strip().lower() != b"identity":  # which says nothing (RFC 2616 §3.6)
            yield line


# -- both ----------------------------------------------------------------------------------------


def _end_to_end(head: h11.Request | h11.Response | h11.InformationalResponse) -> Iterator[Field]:
    """Return the fields, spelled as they came, that are not about the connection that they came on."""
    listed = (value for name, value in head.headers if name == b"connection")
    named = {name.strip().lower() for value in listed for name in value.split(b",")}
    return _without(head.headers.raw_items(), HOP_BY_HOP | (named - FRAMING))


def _without(fields: Iterable[Field], names: frozenset[bytes] | set[bytes]) -> Iterator[Field]:
    return (field for field in fields if field[0].lower() not in names)
