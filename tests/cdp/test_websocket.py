from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from unittest import mock

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response

from patience import HANG_S
from stillframe import errors
from stillframe.cdp import Connection, WebSocketTransport
from stillframe.cdp.transport import websocket

Serve = Callable[[ServerConnection], Awaitable[None]]


async def echo_ids(ws: ServerConnection) -> None:
    async for text in ws:
        number = str(text).split(",")[0].split(":")[1]
        await ws.send(f'{{"id":{number},"result":{{}}}}')


@asynccontextmanager
async def serving(handler: Serve = echo_ids, **options: object) -> AsyncIterator[str]:
    async with serve(handler, "127.0.0.1", 0, **options) as server:  # type: ignore[arg-type]
        port = server.sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{port}/devtools/browser/x"


async def in_turn(condition: Callable[[], bool]) -> None:
    """Turn the loop until the condition holds."""
    while not condition():  # noqa: ASYNC110  # the transport tells nobody before the connection is made
        await asyncio.sleep(0)


async def test_commands_travel_both_ways() -> None:
    async with serving() as url, Connection(await WebSocketTransport.connect(url)) as connection:
        assert connection.transport.peer == url
        assert await asyncio.gather(*(connection.root.call("A.b") for _ in range(20))) == [{}] * 20


async def test_the_request_has_no_origin_and_offers_no_compression() -> None:
    seen: list[Request] = []

    def look(_server: ServerConnection, request: Request) -> None:
        seen.append(request)

    async with serving(process_request=look) as url, Connection(await WebSocketTransport.connect(url)):
        pass
    assert "Origin" not in seen[0].headers
    assert "Sec-WebSocket-Extensions" not in seen[0].headers


async def test_large_and_fragmented_messages_arrive_whole() -> None:
    """8 MiB: the library's own default limit is 1 MiB, and snapshots are larger."""

    async def handler(ws: ServerConnection) -> None:
        await ws.send('{"method":"A.big","params":{"x":"' + "y" * 2**23 + '"}}')
        await ws.send(['{"method":"A.split",', '"params":', "{}}"])
        await ws.wait_closed()

    heard: list[tuple[str, int]] = []
    async with serving(handler) as url, Connection(await WebSocketTransport.connect(url)) as connection:
        with connection.root.subscribe("A.big", "A.split") as events:
            for _ in range(2):
                event = await events.get(timeout=10)
                heard.append((event.method, len(memoryview(event.params))))
    assert heard == [("A.big", 2**23 + 8), ("A.split", 2)]


ENDLESS = {
    "whole fragments": b"x" * 1000,
    "single bytes": b"x",
}


@pytest.mark.parametrize("fragment", ENDLESS.values(), ids=ENDLESS)
async def test_a_message_without_end_ends_the_connection(monkeypatch: pytest.MonkeyPatch, fragment: bytes) -> None:
    """A browser that never ends its message, and never closes the socket when it is asked to."""
    monkeypatch.setattr(websocket, "MAX_MESSAGE", 100_000, raising=False)
    many = Frame(Opcode.CONT, fragment, fin=False).serialize(mask=False) * 1000
    sent = 0

    async def handler(ws: ServerConnection) -> None:
        nonlocal sent
        await ws.recv()
        ws.transport.write(Frame(Opcode.TEXT, b"{", fin=False).serialize(mask=False))
        while not ws.transport.is_closing() and sent < 50_000_000:
            ws.transport.write(many)
            sent += len(many)
            await asyncio.sleep(0)
        ws.transport.abort()

    async with serving(handler) as url:
        transport = await WebSocketTransport.connect(url)
        async with Connection(transport) as connection:
            session = connection.root
            with pytest.raises(errors.ConnectionLost, match="more than 100000 bytes"):
                await session.call("A.b", timeout=20)
            assert isinstance(connection.error, errors.ConnectionLost)
            with pytest.raises(errors.ConnectionLost):
                await session.call("A.c")
        assert transport._wire.begun is None
    assert sent < 50_000_000


async def test_a_message_of_one_byte_too_many_is_refused_by_its_length_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MAX_MESSAGE", 100, raising=False)

    async def handler(ws: ServerConnection) -> None:
        await ws.recv()
        await ws.send('{"method":"A.b","params":{"x":"' + "y" * 100 + '"}}')
        await ws.wait_closed()

    async with serving(handler) as url, Connection(await WebSocketTransport.connect(url)) as connection:
        with pytest.raises(errors.ConnectionLost, match="more than 100 bytes"):
            await connection.root.call("A.b", timeout=5)


async def test_fragments_do_not_cost_more_than_their_bytes() -> None:
    transport = mock.Mock(get_write_buffer_size=lambda: 0)
    wire = websocket._Socket(mock.Mock())
    wire.transport = transport
    heard: list[bytes | bytearray] = []
    wire.begin(heard.append, lambda reason: None)
    tracemalloc.start()
    try:
        wire.frame(Frame(Opcode.TEXT, b"", fin=False))
        for _ in range(10_000):
            wire.frame(Frame(Opcode.CONT, b"", fin=False))
            wire.frame(Frame(Opcode.CONT, bytearray(b"x"), fin=False))
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    wire.frame(Frame(Opcode.CONT, b"!"))
    assert heard == [b"x" * 10_000 + b"!"]
    assert used < 100_000


async def test_a_flood_before_the_connection_is_made_waits_in_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MAX_EARLY", 100_000, raising=False)

    async def handler(ws: ServerConnection) -> None:
        for _ in range(200):
            await ws.send('{"method":"A.big","params":{"x":"' + "y" * 50_000 + '"}}')
        await ws.send('{"method":"A.last","params":{}}')
        await ws.wait_closed()

    async with serving(handler) as url:
        transport = await WebSocketTransport.connect(url)
        wire = transport._wire
        assert wire.transport is not None
        async with asyncio.timeout(10):
            await in_turn(lambda: not wire.transport.is_reading())  # type: ignore[union-attr]
        assert sum(map(len, wire.early)) < 1_000_000
        async with Connection(transport) as connection:
            with connection.root.subscribe("A.last") as events:
                await events.get(timeout=10)


async def test_a_browser_that_pings_and_never_reads_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MAX_UNSENT", 1_000_000, raising=False)
    pings = Frame(Opcode.PING, b"x" * 125).serialize(mask=False) * 500
    sent = 0

    async def handler(ws: ServerConnection) -> None:
        nonlocal sent
        ws.transport.pause_reading()
        while not ws.transport.is_closing() and sent < 50_000_000:
            ws.transport.write(pings)
            sent += len(pings)
            await asyncio.sleep(0)
        ws.transport.abort()

    async with serving(handler) as url, Connection(await WebSocketTransport.connect(url)) as connection:
        async with asyncio.timeout(20):
            await connection.wait_closed()
        assert "did not read" in str(connection.error)


async def test_what_arrives_before_the_connection_is_made_is_kept() -> None:
    async def handler(ws: ServerConnection) -> None:
        await ws.send('{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{}}}')
        await echo_ids(ws)

    async with serving(handler) as url:
        transport = await WebSocketTransport.connect(url)
        async with asyncio.timeout(HANG_S):
            await in_turn(lambda: bool(transport._wire.early))
        async with Connection(transport) as connection:
            assert "S" in connection.sessions


async def test_a_closing_browser_ends_the_connection_with_its_words() -> None:
    async def handler(ws: ServerConnection) -> None:
        await ws.recv()
        await ws.close(1001, "going home")

    async with serving(handler) as url, Connection(await WebSocketTransport.connect(url)) as connection:
        with pytest.raises(errors.ConnectionLost, match="going home"):
            await connection.root.call("A.b")


async def test_a_dropped_socket_ends_the_connection() -> None:
    async def handler(ws: ServerConnection) -> None:
        await ws.recv()
        ws.transport.abort()
        with contextlib.suppress(Exception):
            await ws.wait_closed()

    async with serving(handler) as url, Connection(await WebSocketTransport.connect(url)) as connection:
        with pytest.raises(errors.ConnectionLost):
            await connection.root.call("A.b")


async def test_a_socket_lost_before_the_connection_is_made_is_reported() -> None:
    async def handler(ws: ServerConnection) -> None:
        await ws.close(1000, "at once")

    async with serving(handler) as url:
        transport = await WebSocketTransport.connect(url)
        await transport._wire.lost
        connection = Connection(transport)
        with pytest.raises(errors.ConnectionLost, match="at once"):
            await connection.root.call("A.b")
        await connection.aclose()


@pytest.mark.parametrize(("status", "hint"), [(403, "origin"), (404, "stale"), (500, "answered 500")])
async def test_a_refused_upgrade_says_what_to_do(status: int, hint: str) -> None:
    def refuse(ws: ServerConnection, request: Request) -> Response:
        return ws.respond(status, "no")

    async with serving(process_request=refuse) as url:
        with pytest.raises(errors.ConnectFailed, match=hint) as caught:
            await WebSocketTransport.connect(url)
        assert caught.value.endpoint == url


async def test_nobody_listening_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(errors.ConnectFailed, match="no browser listens there"):
        await WebSocketTransport.connect(f"ws://127.0.0.1:{port}/")


async def test_a_browser_that_only_accepts_is_given_up() -> None:
    """A stopped browser's kernel still accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"ws://127.0.0.1:{server.getsockname()[1]}/"
        with pytest.raises(errors.ConnectFailed, match="no answer within"):
            await WebSocketTransport.connect(url, timeout=0.05)


async def test_something_else_listening_says_so() -> None:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n\r\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(shout, "127.0.0.1", 0)
    async with server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        with pytest.raises(errors.ConnectFailed, match="DevTools endpoint"):
            await WebSocketTransport.connect(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9222", "nonsense", "ws://"])
async def test_what_is_not_a_websocket_url_is_an_error(url: str) -> None:
    with pytest.raises(errors.ConnectFailed, match="ws://host:port"):
        await WebSocketTransport.connect(url)


async def test_a_cancelled_open_leaves_no_socket() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"ws://127.0.0.1:{server.getsockname()[1]}/"
        task = asyncio.create_task(WebSocketTransport.connect(url))
        loop = asyncio.get_running_loop()
        server.setblocking(False)
        peer, _ = await loop.sock_accept(server)
        with peer:
            assert b"Upgrade" in await loop.sock_recv(peer, 4096)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await loop.sock_recv(peer, 4096) == b""


async def test_a_remote_browser_that_answers_no_ping_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "is_loopback", lambda host: False)
    monkeypatch.setattr(websocket, "PING_INTERVAL_S", 0.02)
    held = asyncio.Event()

    async def handler(ws: ServerConnection) -> None:
        ws.transport.pause_reading()
        await held.wait()
        ws.transport.abort()

    async with serving(handler) as url:
        connection = Connection(await WebSocketTransport.connect(url))
        await connection.wait_closed()
        assert "no answer to a ping" in str(connection.error)
        held.set()
        await connection.aclose()


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("a.localhost", True),
        ("10.0.0.1", False),
        ("x.test", False),
    ],
)
def test_loopback_is_known_without_a_resolver(host: str, here: bool) -> None:
    assert websocket.is_loopback(host) is here


def test_a_pipe_does_not_pay_for_websockets() -> None:
    code = "import stillframe.cdp, sys; print('websockets' in sys.modules); stillframe.cdp.WebSocketTransport"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert output == "False\n"
