"""Just enough HTTP/1.1 to serve the bundled shop to a browser on loopback.

Not a web server for anything else: no TLS, no chunked requests, one small body per request. It lives here so that the
demo, the examples and the benchmarks need no dependency of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import NamedTuple, Self

MAX_BODY = 64 * 1024
"""Bytes of a request body that are accepted; the shop's forms send a few hundred."""


class Request(NamedTuple):
    """One request; header names are lower case, `path` is without the query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Response(NamedTuple):
    """One response; `headers` are added to the ones that every response has."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = {}


Handler = Callable[[Request], Awaitable[Response]]


class _Refused(Exception):
    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class LoopbackServer:
    """Serve `handler` on 127.0.0.1; `port` 0 takes a free one, and then `port` tells which.

    An async context manager: leaving it closes the port and every connection.
    """

    def __init__(self, handler: Handler, *, port: int = 0) -> None:
        self.port = port
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    def url(self, path: str = "/") -> str:
        """Return the absolute URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    # A plain function, so that the task is ours: one made by start_server would report its cancellation.
    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._converse(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._answer(reader, writer):
                    pass
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; say whether the connection may carry another."""
        try:
            request = await read_request(reader)
        except _Refused as refused:
            writer.write(encode(plain(refused.status), keep_alive=False))
            return False
        writer.write(encode(await self._handler(request), keep_alive=True))
        await writer.drain()
        return request.headers.get("connection", "").lower() != "close"


async def read_request(reader: asyncio.StreamReader) -> Request:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise _Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    try:
        method, target, _version = first.split(" ")
        headers = {name.strip().lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        length = int(headers.get("content-length", "0"))
    except ValueError:
        raise _Refused(HTTPStatus.BAD_REQUEST) from None
    if not 0 <= length <= MAX_BODY:
        raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return Request(method, target.partition("?")[0], headers, await reader.readexactly(length))


def plain(status: HTTPStatus) -> Response:
    """Return a response that says nothing but its status."""
    return Response(status, "text/plain; charset=utf-8", f"{status.value} {status.phrase}\n".encode())


def encode(response: Response, *, keep_alive: bool) -> bytes:
    """Return a response as bytes for the wire."""
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
