"""adbd, the daemon of a device that an adb server talks to, as an asyncio server on loopback.

The real adb server connects to it as to any device in the network:

    async with Adbd(banner, find_service) as adbd:
        # adb connect 127.0.0.1:{adbd.port}
        ...

`find_service` maps the name of a service (`shell:ls`, `localabstract:socket`) to what serves it. Everything about one
connection lives in its `AdbConnection`, because an adb server may open a second one and drop it before it says anything
(measured with adb 29 and 36). `link` says how the daemon behaves, and tests switch it at any time.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, Self

from stillframe_phone.emulated import adb_wire
from stillframe_phone.emulated.adb_wire import Packet

Service = Callable[["AdbStream"], Awaitable[None]]
"""What serves one stream; the stream closes when it returns."""
FindService = Callable[[str], Awaitable[Service | None]]
"""Finds the service of a name; None refuses it. While it waits, nothing else of this connection is handled."""

CHUNK = 64 * 1024
"""Bytes read from a connection at once."""


class Link(enum.Enum):
    """How a device answers its adb server."""

    ONLINE = "online"
    """It lets every host in, without a question about keys, and serves."""
    UNAUTHORIZED = "unauthorized"
    """It accepts no key: the dialog on its screen waits for a person."""
    OFFLINE = "offline"
    """It accepts connections, and says nothing on new ones; those that exist are closed when this begins."""
    SILENT = "silent"
    """It stops in the middle of whatever it does and keeps all connections open."""


class AdbStream:
    """One stream of a connection, as a service sees it; one packet travels at a time in each direction."""

    def __init__(self, connection: AdbConnection, local: int, remote: int, service: str) -> None:
        self.service = service
        self.closed = asyncio.Event()
        """Set when the host has closed the stream, or the connection has ended."""
        self._connection = connection
        self._local = local
        self._remote = remote
        self._received: asyncio.Queue[bytes] = asyncio.Queue()
        self._acknowledged = asyncio.Event()

    async def read(self) -> bytes:
        """Return the next packet of the host, b"" when none will come."""
        if self.closed.is_set() and self._received.empty():
            return b""
        data = await self._received.get()
        if data and not self.closed.is_set():
            await self._connection.send(Packet(b"OKAY", self._local, self._remote))
        return data

    async def read_exactly(self, size: int, buffer: bytearray) -> bytes:
        """Take `size` bytes off `buffer`, which this fills from the stream. Raises EOFError if the stream ends."""
        while len(buffer) < size:
            data = await self.read()
            if not data:
                raise EOFError(f"the host closed {self.service} {size - len(buffer)} bytes too early")
            buffer += data
        taken = bytes(buffer[:size])
        del buffer[:size]
        return taken

    async def write(self, data: bytes) -> None:
        """Send bytes and return when the host has taken them. Raises ConnectionResetError when the stream is closed."""
        size = self._connection.max_payload
        for start in range(0, len(data), size):
            await self._write_packet(data[start : start + size])

    async def _write_packet(self, data: bytes) -> None:
        if self.closed.is_set():
            raise ConnectionResetError(f"the host has closed {self.service}")
        self._acknowledged.clear()
        await self._connection.send(Packet(b"WRTE", self._local, self._remote, data))
        await self._acknowledged.wait()
        if self.closed.is_set():
            raise ConnectionResetError(f"the host has closed {self.service}")

    def receive(self, packet: Packet) -> None:
        """Take a packet of the host that belongs to this stream."""
        if packet.command == b"WRTE":
            self._received.put_nowait(packet.payload)
        else:
            self._acknowledged.set()

    def end(self) -> None:
        """Note that the host closed the stream: what reads or writes here wakes."""
        self.closed.set()
        self._received.put_nowait(b"")
        self._acknowledged.set()


class AdbConnection:
    """One TCP connection of an adb server, from CNXN to its end."""

    def __init__(self, adbd: Adbd, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.max_payload = adb_wire.OLD_MAX_PAYLOAD
        self.online = False
        """Whether the host has been let in."""
        self.public_key: bytes | None = None
        """The key that the host asked a person to accept."""
        self._adbd = adbd
        self._reader = reader
        self._writer = writer
        self._decoder = adb_wire.Decoder()
        self._checksums = True
        self._greeted = False
        self._streams: dict[int, AdbStream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_id = 0

    async def run(self) -> None:
        """Serve until the host or the device ends the connection."""
        try:
            with contextlib.suppress(ConnectionError, adb_wire.WireError):
                while data := await self._reader.read(CHUNK):
                    for packet in self._decoder.feed(data):
                        await self._adbd.answering.wait()
                        await self._handle(packet)
        finally:
            await self._end()

    async def _end(self) -> None:
        self.online = False
        streams, self._streams = self._streams, {}
        for stream in streams.values():
            stream.end()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._writer.transport.abort()

    async def send(self, packet: Packet) -> None:
        """Send a packet once the device answers at all. Raises ConnectionError when the connection is gone."""
        await self._adbd.answering.wait()
        self._writer.write(adb_wire.encode(packet, checksum=self._checksums))
        await self._writer.drain()

    # -- the greeting

    async def _handle(self, packet: Packet) -> None:
        handler = {
            b"CNXN": self._greet,
            b"AUTH": self._authenticate,
            b"OPEN": self._open,
            b"OKAY": self._forward,
            b"WRTE": self._forward,
            b"CLSE": self._close,
        }.get(packet.command)
        if handler is not None and (self.online or packet.command in (b"CNXN", b"AUTH")):
            await handler(packet)

    async def _greet(self, packet: Packet) -> None:
        version = min(packet.arg0, self._adbd.version)
        self._checksums = self._decoder.verify = version < adb_wire.VERSION
        self.max_payload = min(max(packet.arg1, adb_wire.OLD_MAX_PAYLOAD), self._adbd.max_payload)
        self._greeted = True
        await self.settle()

    async def settle(self) -> None:
        """Answer a host that waits to be let in, as the link says now."""
        if not self._greeted or self.online or self._adbd.link is Link.OFFLINE:
            return
        if self._adbd.link is Link.UNAUTHORIZED:
            await self._challenge()
        else:
            self.online = True
            self._adbd.has_host.set()
            await self.send(Packet(b"CNXN", self._adbd.version, self._adbd.max_payload, self._adbd.banner()))

    async def _challenge(self) -> None:
        await self.send(Packet(b"AUTH", adb_wire.AUTH_TOKEN, 0, secrets.token_bytes(adb_wire.TOKEN_SIZE)))

    async def _authenticate(self, packet: Packet) -> None:
        if packet.arg0 == adb_wire.AUTH_PUBLIC_KEY:
            self.public_key = packet.payload.rstrip(b"\0")
        elif self._adbd.link is Link.UNAUTHORIZED:
            await self._challenge()

    # -- streams

    async def _open(self, packet: Packet) -> None:
        name = packet.payload.rstrip(b"\0").decode(errors="surrogateescape")
        service = await self._adbd.find_service(name)
        if service is None:
            await self.send(Packet(b"CLSE", 0, packet.arg0))
            return
        self._last_id += 1
        stream = self._streams[self._last_id] = AdbStream(self, self._last_id, packet.arg0, name)
        await self.send(Packet(b"OKAY", self._last_id, packet.arg0))
        self._start(self._serve(stream, service, self._last_id, packet.arg0))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        # The loop keeps weak references only: a task that nobody else holds may be collected in mid-stream.
        task = asyncio.get_running_loop().create_task(work, name="stillframe-adbd-stream")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, stream: AdbStream, service: Service, local: int, remote: int) -> None:
        with contextlib.suppress(ConnectionError, EOFError):
            try:
                await service(stream)
            finally:
                if self._streams.pop(local, None) is not None:
                    await self.send(Packet(b"CLSE", local, remote))

    async def _forward(self, packet: Packet) -> None:
        if (stream := self._streams.get(packet.arg1)) is not None:
            stream.receive(packet)

    async def _close(self, packet: Packet) -> None:
        if (stream := self._streams.pop(packet.arg1, None)) is not None:
            stream.end()
            await self.send(Packet(b"CLSE", packet.arg1, packet.arg0))


class Adbd:
    """The daemon: a listener on a free port of 127.0.0.1, and its connections. An async context manager.

    `banner` returns what the device says about itself: `device::ro.product.name=...;features=...`. `version` and
    `max_payload` are those that the device announces.
    """

    def __init__(
        self,
        banner: Callable[[], bytes],
        find_service: FindService,
        *,
        version: int = adb_wire.VERSION,
        max_payload: int = adb_wire.MAX_PAYLOAD,
    ) -> None:
        self.banner = banner
        self.find_service = find_service
        self.version = version
        self.max_payload = max_payload
        self.port = 0
        """The port, once the daemon has started; it stays the same when the cable is pulled."""
        self.link = Link.ONLINE
        self.answering = asyncio.Event()
        """Set unless the link is silent."""
        self.answering.set()
        self.connections: set[AdbConnection] = set()
        self.has_host = asyncio.Event()
        """Set while an adb server is let in."""
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.listen()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def listening(self) -> bool:
        """Whether an adb server can connect."""
        return self._server is not None

    async def listen(self) -> None:
        """Listen, on the same port as before if there was one.

        Raises:
            OSError: Another program has taken the port.
        """
        if self._server is None:
            self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
            self.port = self._server.sockets[0].getsockname()[1]

    async def aclose(self) -> None:
        """Stop listening and drop all connections. Idempotent; `listen` undoes it."""
        if self._server is not None:
            self._server.close()
            self._server = None
        await self.drop_connections()

    async def drop_connections(self) -> None:
        """Drop all connections and wait until their streams have ended; an adb server is back in 0.3 s (measured)."""
        self.has_host.clear()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def set_link(self, link: Link) -> None:
        """Change how the daemon answers: see `Link`. What it owes to hosts that wait it sends now."""
        before, self.link = self.link, link
        if link is Link.SILENT:
            self.answering.clear()
            return
        self.answering.set()
        if link is not before and link in (Link.UNAUTHORIZED, Link.OFFLINE):
            await self.drop_connections()
        for connection in tuple(self.connections):
            with contextlib.suppress(ConnectionError):
                await connection.settle()

    # A plain function that creates the task: a task of start_server would report its cancellation.
    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None:
            writer.transport.abort()  # it was accepted just before the end
            return
        connection = AdbConnection(self, reader, writer)
        self.connections.add(connection)
        task = asyncio.get_running_loop().create_task(connection.run(), name="stillframe-adbd")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: self._disconnected(connection))
        # A task that is cancelled before its first step runs nothing, not even its `finally`.
        task.add_done_callback(lambda _: writer.transport.abort())

    def _disconnected(self, connection: AdbConnection) -> None:
        self.connections.discard(connection)
        if not any(each.online for each in self.connections):
            self.has_host.clear()
