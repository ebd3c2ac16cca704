"""The shells of an emulated device: `shell:` and `exec:` (raw), and `shell,v2:` (packets, and an exit status)."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable

from stillframe_phone.adbd import AdbStream
from stillframe_phone.emulated.shell_io import Input, Streams
from stillframe_phone.emulated.sockets import first

PACKET = struct.Struct("<BI")
STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN = range(5)
"""The kinds of packets of shell v2 (AOSP, shell_protocol.h)."""

RunShell = Callable[[str, Streams], Awaitable[int]]
"""Runs a command line and returns its exit status."""


class Outbox:
    """Sends what a command writes while the command runs on."""

    def __init__(self, stream: AdbStream) -> None:
        self._stream = stream
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()

    def put(self, data: bytes) -> None:
        """Queue bytes."""
        if data:
            self._queue.put_nowait(data)

    def put_packet(self, kind: int, data: bytes) -> None:
        """Queue one packet of shell v2."""
        self.put(PACKET.pack(kind, len(data)) + data)

    def finish(self) -> None:
        """Queue the end."""
        self._queue.put_nowait(None)

    async def run(self) -> None:
        """Send until `finish`. Raises ConnectionResetError when the host closes the stream."""
        while (data := await self._queue.get()) is not None:
            await self._stream.write(data)


async def raw_shell(stream: AdbStream, command: str, run: RunShell, *, carriage_returns: bool = False) -> None:
    """Serve `shell:` and `exec:`: output and errors mixed, no exit status.

    `carriage_returns` puts one before each newline, as the terminal of `shell:` did before Android 7.
    """
    outbox = Outbox(stream)

    def write(data: bytes) -> None:
        outbox.put(data.replace(b"\n", b"\r\n") if carriage_returns else data)

    async def work() -> None:
        await run(command, Streams(Input(stream.read), write, write))

    await _attend(stream, outbox, work)


async def shell_v2(stream: AdbStream, command: str, run: RunShell) -> None:
    """Serve `shell,v2,raw:`."""
    outbox = Outbox(stream)
    streams = Streams(
        Input(PacketReader(stream).read),
        lambda data: outbox.put_packet(STDOUT, data) if data else None,
        lambda data: outbox.put_packet(STDERR, data) if data else None,
    )

    async def work() -> None:
        status = await run(command, streams)
        outbox.put_packet(EXIT, bytes([status & 0xFF]))

    await _attend(stream, outbox, work)


async def _attend(stream: AdbStream, outbox: Outbox, work: Callable[[], Awaitable[None]]) -> None:
    """Run a command and send its output; end it when the host closes the stream, as the hang-up of a terminal does."""

    async def finished() -> None:
        await work()
        outbox.finish()

    async def everything() -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(finished(), name="stillframe-adbd-command")
            tasks.create_task(outbox.run(), name="stillframe-adbd-output")

    await first(everything(), stream.closed.wait())


class PacketReader:
    """Reads the input of a command from the packets of shell v2."""

    def __init__(self, stream: AdbStream) -> None:
        self._stream = stream
        self._buffer = bytearray()
        self._ended = False

    async def read(self) -> bytes:
        """Return the next bytes of the input, b"" at its end."""
        while not self._ended:
            try:
                kind, size = PACKET.unpack(await self._stream.read_exactly(PACKET.size, self._buffer))
                data = await self._stream.read_exactly(size, self._buffer)
            except EOFError:
                break
            if kind == STDIN and data:
                return data
            self._ended = kind == CLOSE_STDIN
        self._ended = True
        return b""
