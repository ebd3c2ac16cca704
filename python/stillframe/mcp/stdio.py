"""The transport on standard input and output.

The SDK's own transport reads in threads that wait for the next line even after a signal, and it drops invalid messages
silently. This one ends at once, limits the length of lines, and replies to invalid messages with errors.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from stillframe.extend import time_limit

MAX_LINE_BYTES = 4 * 1024 * 1024
"""Bytes of one message: the limit of the SDK's HTTP transport."""

CHUNK = 65_536
FLUSH_S = 2.0
"""Seconds that a client gets to read the last replies when the server ends."""


class Line(bytes):
    """A complete line of input."""


class TooLong:
    """A line above the limit; its bytes are gone."""


def split(limit: int = MAX_LINE_BYTES) -> Callable[[bytes], Iterator[Line | TooLong]]:
    """Return a function that takes chunks of bytes and yields complete lines, without their line feeds."""
    kept = bytearray()
    over = False

    def feed(chunk: bytes) -> Iterator[Line | TooLong]:
        nonlocal over
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            kept.extend(piece if not over else b"")
            too_long = over or len(kept) > limit
            line, over = bytes(kept), False
            kept.clear()
            yield TooLong() if too_long else Line(line)
        kept.extend(b"" if over else rest)
        if len(kept) > limit:
            over = True
            kept.clear()

    return feed


def read_message(line: Line | TooLong) -> types.JSONRPCMessage | types.JSONRPCError:
    """Parse a line as a message, or return the error that replies to it."""
    if isinstance(line, TooLong):
        return _error(types.INVALID_REQUEST, f"the message is longer than {MAX_LINE_BYTES} bytes")
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        is_json = "json_invalid" not in str(getattr(error, "errors", list)())
        if is_json:
            return _error(types.INVALID_REQUEST, "not a JSON-RPC 2.0 message")
        return _error(types.PARSE_ERROR, "not JSON")
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(line):
        # The sender waits for a reply; the SDK takes a request with an invalid id for a notification.
        return _error(types.INVALID_REQUEST, "an id must be a string or an integer")
    return message


def _error(code: int, message: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=code, message=message))


@contextmanager
def standard_streams() -> Iterator[tuple[int, int]]:
    """Reserve both streams for the transport: other output goes to standard error, and child processes read nothing."""
    sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield wire_in, wire_out
    finally:
        sys.stdout.flush()
        os.dup2(wire_in, 0)
        os.dup2(wire_out, 1)
        # The descriptors stay open: a thread may still read from one of them, and nobody may reuse its number.


@asynccontextmanager
async def stdio() -> AsyncIterator[tuple[Any, Any]]:
    """Give the block the two streams of `Server.run`; the client ends the input, the block ends the output."""
    with standard_streams() as (wire_in, wire_out):
        incoming, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write_stream, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        writer = Writer(wire_out)
        async with anyio.create_task_group() as group:
            group.start_soon(_pump_in, wire_in, incoming, writer)
            group.start_soon(_pump_out, outgoing, writer)
            try:
                yield read_stream, write_stream
            finally:
                group.cancel_scope.cancel()
        await asyncio.shield(writer.finish())


async def _pump_in(wire: int, incoming: Any, writer: Writer) -> None:
    async with incoming:
        async for line in _lines(wire, writer.broken):
            if not line:
                continue
            message = read_message(line)
            if isinstance(message, types.JSONRPCError) and message.id is None:
                writer.write(message.model_dump_json(by_alias=True, exclude_unset=True))
            else:
                await incoming.send(SessionMessage(message))


async def _pump_out(outgoing: Any, writer: Writer) -> None:
    async with outgoing:
        async for sent in outgoing:
            writer.write(sent.message.model_dump_json(by_alias=True, exclude_unset=True))


async def _lines(wire: int, broken: asyncio.Event) -> AsyncIterator[Line | TooLong]:
    """Yield lines until the input ends or the output breaks."""
    loop = asyncio.get_running_loop()
    chunks: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        chunk = b"-"
        while chunk:
            try:
                chunk = os.read(wire, CHUNK)
            except OSError:
                chunk = b""
            try:
                loop.call_soon_threadsafe(chunks.put_nowait, chunk)
            except RuntimeError:
                return  # the loop has ended

    # A daemon thread: nothing can interrupt a read of a terminal or a pipe, and the process must end anyway.
    threading.Thread(target=read, name="read standard input", daemon=True).start()
    gone = asyncio.create_task(broken.wait(), name="watch standard output")
    try:
        feed = split()
        while chunk := await _next(chunks, gone):
            for line in feed(chunk):
                yield line
    finally:
        gone.cancel()


async def _next(chunks: asyncio.Queue[bytes], gone: asyncio.Task[Any]) -> bytes:
    chunk = asyncio.ensure_future(chunks.get())
    try:
        await asyncio.wait([chunk, gone], return_when=asyncio.FIRST_COMPLETED)
        return chunk.result() if chunk.done() else b""
    finally:
        chunk.cancel()


class Writer:
    """Writes lines in a thread, so that a client that does not read cannot block the loop.

    It sets `broken` when the client leaves.
    """

    def __init__(self, wire: int) -> None:
        self.broken = asyncio.Event()
        self._wire = wire
        self._loop = asyncio.get_running_loop()
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._done = asyncio.Event()
        threading.Thread(target=self._run, name="write standard output", daemon=True).start()

    def write(self, line: str) -> None:
        """Write a line after the lines before it."""
        self._lines.put(line.encode() + b"\n")

    async def finish(self) -> None:
        """Wait until everything is written, for `FLUSH_S` at most."""
        self._lines.put(None)
        try:
            async with time_limit(FLUSH_S):
                await self._done.wait()
        except TimeoutError:
            return

    def _run(self) -> None:
        try:
            while (line := self._lines.get()) is not None:
                view = memoryview(line)
                while view:
                    view = view[os.write(self._wire, view) :]
        except OSError:
            self._notify(self.broken.set)
        self._notify(self._done.set)

    def _notify(self, callback: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(callback)
        except RuntimeError:
            return  # the loop has ended
