"""The heads of HTTP messages that pass through the gate: read, and written again for the other side. No I/O."""

from __future__ import annotations

import re
from typing import NamedTuple

from stillframe.model.policy import Refusal

END = b"\r\n\r\n"

MAX_HEAD = 256 * 1024
"""Bytes of a head: what Chrome itself takes from a server at most."""

HOP_BY_HOP = frozenset({b"connection", b"keep-alive", b"proxy-connection", b"upgrade", b"http2-settings"})
"""Fields about one connection alone (RFC 9110 §7.6.1), which is not what the other side has."""

FOR_PROXIES = frozenset({b"proxy-authorization"})

_REQUEST = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e]+) HTTP/1\.[01]")
_STATUS = re.compile(rb"HTTP/\d\.\d ([1-5][0-9][0-9])(?!\d)")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[^\r\n\0]*")
_TARGET = re.compile(rb"(?i)http://([^/?\\#@]+)((?:[/?][^#]*)?)")
"""As Chrome sends it: without a user, a fragment, or anything before the path that another reader may end a host at."""


class Head(NamedTuple):
    """The first line and the field lines of a message, without line ends."""

    first: bytes
    fields: tuple[bytes, ...]

    def without(self, names: frozenset[bytes]) -> Head:
        """Return the head without the fields of these names."""
        kept = tuple(line for line in self.fields if line.partition(b":")[0].lower() not in names)
        return Head(self.first, kept)

    def to_bytes(self, *more: bytes) -> bytes:
        """Return the head as it is sent, with more fields at its end."""
        return b"\r\n".join((self.first, *self.fields, *more)) + END


class Request(NamedTuple):
    """What a client asks a proxy for: `target` is `host:port` for CONNECT, else a whole http URL."""

    method: str
    target: str
    head: Head

    @property
    def is_tunnel(self) -> bool:
        """Whether a connection is asked for, whose content is no business of ours."""
        return self.method == "CONNECT"


def read_request(raw: bytes) -> Request:
    """Read the head of a request to a proxy; raises ValueError for anything else, as one to a server is."""
    head = _read(raw)
    found = _REQUEST.fullmatch(head.first)
    if found is None:
        raise ValueError("no request line")
    method, target = found[1].decode(), found[2].decode()
    if method != "CONNECT" and not _TARGET.fullmatch(found[2]):
        raise ValueError("this is a proxy")
    return Request(method, target, head)


def for_server(request: Request) -> bytes:
    """Return the head that a server gets: its path alone, its host from the URL, one request per connection."""
    found = _TARGET.fullmatch(request.target.encode())
    assert found is not None  # read_request has seen to it
    host, path = found[1], found[2] if found[2].startswith(b"/") else b"/" + found[2]
    first = b" ".join((request.method.encode(), path, b"HTTP/1.1"))
    head = request.head.without(HOP_BY_HOP | FOR_PROXIES | {b"host"})
    return Head(first, (b"Host: " + host, *head.fields)).to_bytes(b"Connection: close")


def for_proxy(request: Request) -> bytes:
    """Return the head that another proxy gets: the same, and its login is for that one."""
    return request.head.without(HOP_BY_HOP).to_bytes(b"Connection: close")


def status_of(line: bytes) -> int:
    """Return the status that the first line of a response tells; raises ValueError for what is no such line."""
    found = _STATUS.match(line)
    if found is None:
        raise ValueError("no status line")
    return int(found[1])


def ending(line: bytes) -> bytes:
    """Return the first line of a response and, before all other fields, that the connection ends with it.

    What follows is passed on as it is: Chrome takes more for a head than a strict reader would, and the first word on
    the connection counts.
    """
    return line.rstrip(b"\r\n") + b"\r\nConnection: close\r\n"


def is_interim(status: int) -> bool:
    """Whether another head follows."""
    return 100 <= status < 200


def answer(status: int, words: str, refusal: Refusal | None = None) -> bytes:
    """Return a response of our own, which ends the connection."""
    text = f"{refusal.rule}\n" if refusal else f"{words}\n"
    body = text.encode("ascii", "backslashreplace")
    fields = [f"Content-Length: {len(body)}", "Content-Type: text/plain", "Cache-Control: no-store"]
    if refusal is not None:
        fields.append(f"X-Stillframe-Refused: {body.decode().strip()}")
    head = "\r\n".join((f"HTTP/1.1 {status} {words}", *fields, "Connection: close"))
    return head.encode() + END + body


def _read(raw: bytes) -> Head:
    first, *fields = raw.removesuffix(END).split(b"\r\n")
    # A line that is folded, bare of a name or holds a lone line end may mean another thing to the next reader.
    if any(_FIELD.fullmatch(field) is None for field in fields):
        raise ValueError("a malformed field")
    return Head(first, tuple(fields))
