"""A server on loopback whose end closes every connection."""

from __future__ import annotations

import asyncio

import pytest

from stillframe.chrome.stream_server import StreamServer


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while line := await reader.readline():
        writer.write(line)


async def test_it_serves_and_closes_after_the_client() -> None:
    server = StreamServer(_echo, name="echo")
    await server.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(b"hello\n")
    assert await reader.readline() == b"hello\n"
    assert server.connections == 1
    writer.write_eof()
    assert await reader.read() == b""
    writer.close()
    await server.aclose()
    assert server.connections == 0


async def test_its_end_closes_every_connection() -> None:
    server = StreamServer(_echo, name="echo")
    await server.start()
    connected = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(3)]
    for _, writer in connected:
        writer.write(b"x\n")
    for reader, _ in connected:
        assert await reader.readline() == b"x\n"
    await server.aclose()
    for reader, writer in connected:
        assert await reader.read() == b""
        writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", server.port)


async def test_a_connection_that_arrives_as_the_server_stops_is_closed() -> None:
    server = StreamServer(_echo, name="echo")
    await server.start()
    arriving = asyncio.open_connection("127.0.0.1", server.port)
    connecting = asyncio.ensure_future(arriving)
    await asyncio.sleep(0)
    server.stop()
    try:
        reader, writer = await connecting
        with pytest.raises(ConnectionResetError):
            await reader.readexactly(1)
        writer.close()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass  # refused, or closed without a reset
    await server.aclose()
    assert server.connections == 0


async def test_stop_is_idempotent_before_and_after_start() -> None:
    server = StreamServer(_echo, name="echo")
    server.stop()
    await server.start()
    server.stop()
    await server.aclose()
    await server.aclose()
