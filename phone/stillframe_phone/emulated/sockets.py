"""The abstract sockets of an emulated device: what `/proc/net/unix` lists and `localabstract:` opens.

The kernel completes connections to a listening socket even if its process never accepts them. So a frozen app still
takes connections, and they wait in a queue of limited length; when that is full, the next one blocks its client,
which is the one thread of adbd that serves the whole device. Thawed, the app accepts and answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable

from stillframe_phone.adbd import CHUNK, AdbStream

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Serves one connection; it closes when the handler returns."""
Backend = int | Handler
"""What answers at a socket: a TCP port on loopback, or a handler."""

BACKLOG = 4096
"""Connections that wait at a DevTools socket since Chromium 144; before, it was 10 (Chromium's sources)."""


class EmulatedSocket:
    """One listening abstract socket; `pid` is its process, None for one that no app owns."""

    def __init__(
        self, name: str, backend: Backend, *, inode: int, pid: int | None = None, backlog: int = BACKLOG
    ) -> None:
        self.name = name
        self.backend = backend
        self.inode = inode
        self.pid = pid
        self.backlog = backlog
        self.waiting = 0
        """Connections that the kernel has completed and the frozen process has not accepted."""
        self._awake = asyncio.Event()
        self._awake.set()
        self._changed = asyncio.Event()
        self._closed = False
        self._tasks: set[asyncio.Task[object]] = set()

    @property
    def connections(self) -> int:
        """The streams that are open to this socket."""
        return len(self._tasks)

    def freeze(self) -> None:
        """Neither accept nor answer from now on."""
        self._awake.clear()

    def thaw(self) -> None:
        """Accept what waits, and answer again."""
        self.waiting = 0
        self._awake.set()
        self._wake_blocked()

    def close(self) -> None:
        """Drop all connections, as the end of the process does. Idempotent."""
        self._closed = True
        self._wake_blocked()
        for task in tuple(self._tasks):
            task.cancel()

    def _wake_blocked(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def connect(self) -> bool:
        """Connect as the kernel does, and return False if the socket is gone. Blocks while the queue is full."""
        while not self._closed and not self._awake.is_set() and self.waiting > self.backlog:
            await self._changed.wait()
        if not self._closed and not self._awake.is_set():
            self.waiting += 1
        return not self._closed

    async def serve(self, stream: AdbStream) -> None:
        """Carry one connection between a stream and the backend until either side ends, or the process does."""
        task: asyncio.Task[object] = asyncio.ensure_future(self._serve(stream))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self._closed:
            task.cancel()
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _serve(self, stream: AdbStream) -> None:
        if await self._accepted(stream):
            async with contextlib.AsyncExitStack() as stack:
                reader, writer = await self._connect_backend(stack)
                await self._carry(stream, reader, writer)

    async def _accepted(self, stream: AdbStream) -> bool:
        """Wait until the process is awake; False if the host gave up before."""
        await first(self._awake.wait(), stream.closed.wait())
        return self._awake.is_set()

    async def _connect_backend(
        self, stack: contextlib.AsyncExitStack
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self.backend, int):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.backend)
        else:
            ours, theirs = socket.socketpair()
            # A task that is cancelled before its first step, or while it connects, closes nothing itself.
            stack.callback(ours.close)
            stack.callback(theirs.close)
            reader, writer = await asyncio.open_connection(sock=ours)
            handler = asyncio.ensure_future(_handle(self.backend, theirs))
            stack.push_async_callback(_cancel, handler)
        stack.callback(writer.transport.abort)
        return reader, writer

    async def _carry(self, stream: AdbStream, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await first(self._up(stream, writer), self._down(reader, stream))

    async def _up(self, stream: AdbStream, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await stream.read():
                await self._awake.wait()
                writer.write(data)
                await writer.drain()
            writer.close()
            await writer.wait_closed()

    async def _down(self, reader: asyncio.StreamReader, stream: AdbStream) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(CHUNK):
                await self._awake.wait()
                await stream.write(data)


async def _handle(handler: Handler, end: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=end)
    try:
        with contextlib.suppress(ConnectionError):
            await handler(reader, writer)
            writer.close()
            await writer.wait_closed()
    finally:
        writer.transport.abort()


async def _cancel(task: asyncio.Future[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def first(*works: Awaitable[object]) -> None:
    """Wait until one of these is done, cancel the others, and wait for their end."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# -- the kernel's table --------------------------------------------------------------------------

HEADING = "Num       RefCount Protocol Flags    Type St Inode Path\n"
SYSTEM_ROWS = (
    b"0000000000000000: 00000002 00000000 00010000 0001 01 10120 /dev/socket/zygote\n"
    b"0000000000000000: 00000003 00000000 00000000 0001 03 10644 /dev/socket/adbd\n"
    b"0000000000000000: 00000002 00000000 00010000 0001 01 11002 @jdwp-control\n"
    b"0000000000000000: 00000002 00000000 00000000 0002 01 11371\n"
    b"0000000000000000: 00000002 00000000 00010000 0001 01 12217 @vendor\x80\xfe\x01.ipc\n"
)
"""Rows of the system; one name is binary, which makes `grep` without `-a` print no lines."""


def unix_table(sockets: list[EmulatedSocket]) -> bytes:
    """Return `/proc/net/unix` with these sockets, and a row for each of their connections."""
    rows = [
        f"0000000000000000: {count:08x} 00000000 {flags} 0001 {state} {each.inode + number} @{each.name}\n"
        for each in sockets
        for number, (count, flags, state) in enumerate(
            [(2, "00010000", "01"), *[(3, "00000000", "03")] * each.connections]
        )
    ]
    return HEADING.encode() + SYSTEM_ROWS + "".join(rows).encode()
