"""An aiohttp application on a loopback port."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import pytest
from aiohttp import web

from stillframe.testing.app_server import serving


@pytest.mark.parametrize("turns", range(6))
async def test_a_connection_that_comes_while_it_closes_is_closed(turns: int) -> None:
    """What stays open, pytest reports when it is collected."""
    async with serving(web.Application()) as port:
        connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(6)]
        for _ in range(turns):
            await asyncio.sleep(0)
    for connection in connections:
        connection.settimeout(10)
        with connection, contextlib.suppress(ConnectionResetError):
            assert await asyncio.to_thread(connection.recv, 1) == b""


async def test_the_port_is_free_again_even_if_the_block_fails() -> None:
    with pytest.raises(LookupError):
        async with serving(web.Application()) as port:
            raise LookupError
    with socket.create_server(("127.0.0.1", port)):
        pass


async def test_every_address_of_loopback_can_be_served() -> None:
    async with serving(web.Application(), host="0.0.0.0") as port:
        for host in ("127.0.0.1", "127.0.0.2"):
            socket.create_connection((host, port)).close()
    async with serving(web.Application()) as port:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port))
