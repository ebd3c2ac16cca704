"""A relay between a rival and its browser that counts WebSocket messages and bytes: `python relay.py PORT`.

It runs as a process of its own, so that counting burdens neither side's CPU figures and waits for nobody's event loop;
one more hop on loopback takes about 0.1 ms. It speaks JSON-RPC on stdio: `counts` answers with what has passed so far.
It imports nothing but the standard library, and ends with its stdin.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys

CHUNK = 1 << 16
DATA_OPCODES = 3  # continuation, text, binary: below this
FINAL = 0x80
MASKED = 0x80
COMPRESSION = re.compile(rb"^Sec-WebSocket-Extensions:.*\r\n", re.IGNORECASE | re.MULTILINE)
LENGTH_BYTES = {126: 2, 127: 8}


class Messages:
    """Counts the messages and the bytes of one direction of a WebSocket, fed with chunks as they come.

    Everything up to the blank line of the HTTP part is left out; a connection that stays HTTP counts nothing.
    """

    def __init__(self) -> None:
        self.messages = 0
        self.bytes = 0
        self._head: bytearray | None = bytearray()
        self._body = 0
        self._frame = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        if self._head is not None:
            self._head += chunk
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            upgraded = b"upgrade: websocket" in self._head[:end].lower()
            chunk = bytes(self._head[end + 4 :]) if upgraded else b""
            self._head = None if upgraded else bytearray()
        self.bytes += len(chunk)
        self._frames(chunk)

    def _frames(self, chunk: bytes) -> None:
        at = 0
        while at < len(chunk):
            if self._body:
                step = min(self._body, len(chunk) - at)
                self._body -= step
                at += step
                continue
            self._frame.append(chunk[at])
            at += 1
            self._maybe_begin()

    def _maybe_begin(self) -> None:
        frame = self._frame
        if len(frame) < 2:
            return
        extra = LENGTH_BYTES.get(frame[1] & 0x7F, 0)
        mask = 4 if frame[1] & MASKED else 0
        if len(frame) < 2 + extra + mask:
            return
        self._body = int.from_bytes(frame[2 : 2 + extra], "big") if extra else frame[1] & 0x7F
        self.messages += bool(frame[0] & FINAL) and (frame[0] & 0x0F) < DATA_OPCODES
        frame.clear()


class Relay:
    """Passes every connection on to `port` and adds up what its two directions count."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.sent: list[Messages] = []
        self.received: list[Messages] = []

    async def serve(self) -> int:
        """Listen on a free loopback port and return it."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port: int = server.sockets[0].getsockname()[1]
        return port

    def counts(self) -> dict[str, int]:
        """Return what has passed so far, seen from the rival."""
        return {
            "sent": sum(way.bytes for way in self.sent),
            "received": sum(way.bytes for way in self.received),
            "messages": sum(way.messages for way in (*self.sent, *self.received)),
        }

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            writer.close()
            return
        self.sent.append(Messages())
        self.received.append(Messages())
        there = asyncio.create_task(_pass(reader, far_writer, self.sent[-1], first=await _uncompressed(reader)))
        await _pass(far_reader, writer, self.received[-1])
        await there


async def _uncompressed(reader: asyncio.StreamReader) -> bytes:
    """Read the first request without its offer to compress: all clients' bytes are counted as they are meant."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
        return b""
    return COMPRESSION.sub(b"", head)


async def _pass(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, counter: Messages, first: bytes = b""
) -> None:
    with contextlib.suppress(OSError):
        chunk = first or await reader.read(CHUNK)
        while chunk:
            writer.write(chunk)
            counter.feed(chunk)
            await writer.drain()
            chunk = await reader.read(CHUNK)
    writer.close()


async def main() -> None:
    """Answer requests until stdin ends."""
    relay = Relay(int(sys.argv[1]))
    port = await relay.serve()
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        request = json.loads(line)
        result = {"port": port} if request["method"] == "port" else relay.counts()
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
