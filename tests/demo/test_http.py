"""The loopback server speaks enough HTTP/1.1 for a browser, and bad requests do not stop it."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

import pytest

from stillframe.demo.http import MAX_BODY, LoopbackRequest, LoopbackServer, Response, plain
from stillframe.errors import OptionInvalid


async def echo(request: LoopbackRequest) -> Response:
    return Response(HTTPStatus.OK, "text/plain", f"{request.method} {request.path} ".encode() + request.body)


async def exchange(server: LoopbackServer, sent: bytes) -> bytes:
    """Send bytes, close the sending side, and return the response."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        writer.write(sent)
        writer.write_eof()
        async with asyncio.timeout(5):
            return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()


async def test_two_requests_on_one_connection_are_answered_in_order() -> None:
    async with LoopbackServer(echo) as server:
        answer = await exchange(
            server,
            b"POST /a?q=1 HTTP/1.1\r\nContent-Length: 2\r\n\r\nhiGET /b HTTP/1.1\r\nConnection: close\r\n\r\n",
        )
    assert answer.count(b"HTTP/1.1 200 OK") == 2
    assert answer.index(b"POST /a hi") < answer.index(b"GET /b ")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1), 413),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
    ],
)
async def test_what_is_not_a_request_is_refused(sent: bytes, status: int) -> None:
    async with LoopbackServer(echo) as server:
        answer = await exchange(server, sent)
    assert answer.startswith(b"HTTP/1.1 %d " % status)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort"])
async def test_a_request_that_breaks_off_ends_its_connection_alone(sent: bytes) -> None:
    async with LoopbackServer(echo) as server:
        assert await exchange(server, sent) == b""
        assert b"GET /next" in await exchange(server, b"GET /next HTTP/1.1\r\n\r\n")


async def test_hung_page_closes_open_connections_and_the_port() -> None:
    async def never(request: LoopbackRequest) -> Response:
        entered.set()
        await asyncio.Event().wait()
        return plain(HTTPStatus.OK)

    entered = asyncio.Event()
    async with LoopbackServer(never) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        await entered.wait()
    assert await reader.read() == b""
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", server.port)


async def test_a_port_that_another_program_has_is_named() -> None:
    async with LoopbackServer(echo) as server:
        words = f"cannot listen on 127.0.0.1:{server.port}: Address already in use; choose another port"
        with pytest.raises(OptionInvalid, match=words):
            await LoopbackServer(echo, port=server.port).__aenter__()
