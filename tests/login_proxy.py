"""Proxies on loopback that ask for a login, for tests of contexts and policies."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


class GuardedProxy:
    """A forward proxy for plain HTTP that requires the login `ann:hush` and answers every request itself."""

    def __init__(self) -> None:
        self.address = ""
        self.seen: list[tuple[str, str | None, str | None]] = []
        """URL, Proxy-Authorization and Authorization of every request."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                writer.write(self.answer(head))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def answer(self, head: str) -> bytes:
        first, *lines = head.split("\r\n")
        url = first.split()[1]
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
        self.seen.append((url, headers.get("proxy-authorization"), headers.get("authorization")))
        if headers.get("proxy-authorization") != basic("ann", "hush"):
            return b'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="p"\r\nContent-Length: 0\r\n\r\n'
        if "/secured" in url and "authorization" not in headers:
            return b'HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm="s"\r\nContent-Length: 0\r\n\r\n'
        body = b"<title>through the proxy</title>"
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def basic(username: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


@asynccontextmanager
async def guarded_proxy() -> AsyncIterator[GuardedProxy]:
    """Serve on loopback until the block ends."""
    proxy = GuardedProxy()
    async with _listening(proxy.serve) as proxy.address:
        yield proxy


class TunnellingProxy:
    """A proxy that makes tunnels for those who log in as `ann:hush`."""

    def __init__(self) -> None:
        self.address = ""
        self.seen: list[tuple[bool, str]] = []
        """Whether a request for a tunnel had the login, and where it led."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            place = head.split()[1]
            self.seen.append((f"{basic('ann', 'hush')}\r\n" in head, place))
            if not self.seen[-1][0]:
                writer.write(b'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="p"\r\nContent-Length: 0\r\n\r\n')
                return
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            host, _, port = place.rpartition(":")
            server = await asyncio.open_connection(host, int(port))
            try:
                await asyncio.gather(copied(reader, server[1]), copied(server[0], writer))
            finally:
                server[1].close()
        except (EOFError, OSError):
            pass
        finally:
            writer.close()


async def copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy what arrives to the other side, and its end."""
    while data := await reader.read(1 << 16):
        writer.write(data)
    writer.close()


@asynccontextmanager
async def tunnelling_proxy() -> AsyncIterator[TunnellingProxy]:
    """Serve on loopback until the block ends."""
    proxy = TunnellingProxy()
    async with _listening(proxy.serve) as proxy.address:
        yield proxy


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def _listening(serve: Serve) -> AsyncIterator[str]:
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(serve(reader, writer))
        tasks.add(task)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
