"""A minimal HTTP/1.1 server for the bundled shop on loopback.

Do not use it for anything else: it has no TLS and no chunked requests, and bodies must be small. The demo, the examples
and the benchmarks need no further dependency because of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import NamedTuple, Self

from stillframe.errors import OptionInvalid
from stillframe.extend.network import StreamServer

MAX_BODY = 64 * 1024
"""The maximum size of a request body in bytes; the shop's forms send a few hundred."""


class LoopbackRequest(NamedTuple):
    """A request; header names are lower case, and `path` has no query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Response(NamedTuple):
    """A response; `headers` add to the headers of every response."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = {}


Handler = Callable[[LoopbackRequest], Awaitable[Response]]


class _BadRequest(Exception):
    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class LoopbackServer:
    """Serves `handler` on 127.0.0.1 within `async with`; its end closes the port and every connection.

    With `port` 0 the server takes a free port, and `port` is its number afterwards. Entering the block raises
    OptionInvalid for a port that another program has.
    """

    def __init__(self, handler: Handler, *, port: int = 0) -> None:
        self.port = port
        self._handler = handler
        self._server = StreamServer(self._serve, name="stillframe-demo")

    async def __aenter__(self) -> Self:
        try:
            await self._server.start(self.port)
        except OSError as error:
            raise OptionInvalid(
                f"cannot listen on 127.0.0.1:{self.port}: {os.strerror(error.errno or 0)}; choose another port, or 0 "
                "for a free one",
                option="port",
            ) from None
        self.port = self._server.port
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.aclose()

    def url(self, path: str = "/") -> str:
        """Return the absolute URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._respond(reader, writer):
                pass

    async def _respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Respond to one request; return whether the connection may carry another."""
        try:
            request = await read_request(reader)
        except _BadRequest as error:
            writer.write(encode(plain(error.status), keep_alive=False))
            return False
        writer.write(encode(await self._handler(request), keep_alive=True))
        await writer.drain()
        return request.headers.get("connection", "").lower() != "close"


async def read_request(reader: asyncio.StreamReader) -> LoopbackRequest:
    """Read one request; raises _BadRequest if it is malformed or too large."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise _BadRequest(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    try:
        method, target, _version = first.split(" ")
        headers = {name.strip().lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        length = int(headers.get("content-length", "0"))
    except ValueError:
        raise _BadRequest(HTTPStatus.BAD_REQUEST) from None
    if not 0 <= length <= MAX_BODY:
        raise _BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return LoopbackRequest(method, target.partition("?")[0], headers, await reader.readexactly(length))


def plain(status: HTTPStatus) -> Response:
    """Return a response with only its status."""
    return Response(status, "text/plain; charset=utf-8", f"{status.value} {status.phrase}\n".encode())


def encode(response: Response, *, keep_alive: bool) -> bytes:
    """Encode a response as bytes."""
    headers = {
        "Content-Type": response.content_type,
        "Content-Length": str(len(response.body)),
        "Cache-Control": "no-store",
        "Connection": "keep-alive" if keep_alive else "close",
        **response.headers,
    }
    status = HTTPStatus(response.status)
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status.value} {status.phrase}\r\n{head}\r\n".encode("latin-1") + response.body
