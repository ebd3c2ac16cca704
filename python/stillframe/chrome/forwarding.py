"""Forwards one request through the policy proxy and returns its answer, with backpressure in both directions."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

import h11

from stillframe.chrome import http1

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

CHUNK = 1 << 16
"""Bytes of one read: the default limit of asyncio's streams."""
TLS_HANDSHAKE = b"\x16"
"""The first byte of every TLS connection (RFC 8446 §5.1)."""


class ForwardedRequest:
    """A client's request, and the connection to the server or upstream proxy that answers it."""

    def __init__(self, request: http1.HttpRequest, state: h11.Connection, client: Streams, server: Streams) -> None:
        self.request = request
        self._client = client
        self._server = server
        self._to_client = state
        self._to_server = http1.server_connection()
        self._received = bytearray()
        """Bytes from the server after the last parsed head."""

    async def forward(self, head: h11.Request) -> None:
        """Forward the request and its answer; raises OSError, EOFError and h11.ProtocolError.

        It returns when the answer is complete, or when the client has gone and does not need it.
        """
        await _write(self._server[1], self._to_server.send(head))
        sending = asyncio.ensure_future(self._send_body())
        receiving = asyncio.ensure_future(self._forward_answer())
        try:
            await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
            if receiving.done() or self._server_stopped_reading(sending):
                await receiving
            else:
                sending.result()
        finally:
            sending.cancel()
            receiving.cancel()
            await asyncio.gather(sending, receiving, return_exceptions=True)

    async def open_tunnel(self, head: h11.Request) -> bool:
        """Ask the upstream proxy for a tunnel, forward its answer, and return whether it agreed."""
        if (refusal := await self.ask_for_tunnel(head)) is not None:
            await self.send_answer(refusal)
            return False
        await _write(self._client[1], b"HTTP/1.1 200 Connected" + http1.END + bytes(self._received))
        return True

    async def ask_for_tunnel(self, head: h11.Request) -> h11.Response | None:
        """Ask the upstream proxy for a tunnel; return its answer if it refuses, for `send_answer`."""
        await _write(self._server[1], self._to_server.send(head))
        answer = await self._final_head()
        return None if 200 <= answer.status_code < 300 else answer

    async def relay(self, *, tls_only: bool) -> None:
        """Copy bytes both ways until both sides have ended, or one connection is lost."""
        if tls_only:
            first = await self._client[0].read(CHUNK)
            if first and not first.startswith(TLS_HANDSHAKE):
                return  # a plain-text tunnel would be http under another name
            await _write(self._server[1], first)
        await copy_both_ways(self._client, self._server, until=asyncio.FIRST_EXCEPTION)

    def _server_stopped_reading(self, sending: asyncio.Future[None]) -> bool:
        """Return whether the server reads no more of the request; its answer may say why, so it still counts."""
        client = self._client[0]
        return isinstance(sending.exception(), OSError) and client.exception() is None and not client.at_eof()

    # -- the request ---------------------------------------------------------------------------

    async def _send_body(self) -> None:
        """Forward the body of the request, and return when the client has gone."""
        await _forward_body((self._to_client, self._client[0]), (self._to_server, self._server[1]))
        while await self._client[0].read(CHUNK):
            pass  # a second request gets no answer: the connection closes after the first

    # -- the answer ----------------------------------------------------------------------------

    async def _forward_answer(self) -> None:
        await self.send_answer(await self._final_head())

    async def _final_head(self) -> h11.Response:
        """Return the head of the final answer, and forward a limited number of interim answers before it."""
        for _ in range(http1.MAX_INTERIM + 1):
            self._to_server.receive_data(http1.normalized(await self._raw_head()))
            event = self._to_server.next_event()
            if type(event) is h11.Response:
                return event
            if type(event) is h11.InformationalResponse:
                await self._send_interim(event)
        raise h11.RemoteProtocolError(f"more than {http1.MAX_INTERIM} interim answers")

    async def _raw_head(self) -> bytes:
        """Return the bytes up to the next empty line."""
        searched = 0
        while (end := http1.end_of_head(self._received, searched)) is None:
            searched = len(self._received)
            data = await self._server[0].read(CHUNK)
            if not data:
                raise EOFError("the server closed the connection before its answer")
            self._received += data
            if searched > http1.MAX_HEAD:
                raise h11.RemoteProtocolError("the head of the answer is too large")
        raw = bytes(self._received[:end])
        del self._received[:end]
        return raw

    async def _send_interim(self, answer: h11.InformationalResponse) -> None:
        if self.request.version >= b"1.1" and not self.request.is_tunnel:
            await _write(self._client[1], self._to_client.send(http1.for_client(answer)))

    async def send_answer(self, answer: h11.Response) -> None:
        """Forward the head of an answer and its body."""
        await _write(self._client[1], self._to_client.send(http1.for_client(answer)))
        if self._received:
            self._to_server.receive_data(bytes(self._received))
        await _forward_body((self._to_server, self._server[0]), (self._to_client, self._client[1]))


@dataclass
class Copied:
    """What one side has sent: how many bytes, whether its stream has ended, and the error that ended it otherwise."""

    bytes: int = 0
    ended: bool = False
    error: Exception | None = None


async def copy_both_ways(client: Streams, server: Streams, *, until: str) -> tuple[Copied, Copied]:
    """Copy bytes both ways until both sides have ended, or one (`asyncio.FIRST_COMPLETED`); an error ends both.

    Returns what the client and what the server has sent until then.
    """
    sent, received = Copied(), Copied()
    tasks = [
        asyncio.ensure_future(_copy(client[0], server[1], sent)),
        asyncio.ensure_future(_copy(server[0], client[1], received)),
    ]
    try:
        await asyncio.wait(tasks, return_when=until)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return sent, received


async def _forward_body(
    source: tuple[h11.Connection, asyncio.StreamReader], sink: tuple[h11.Connection, asyncio.StreamWriter]
) -> None:
    """Forward a body from one framing to the other, in the chunks that arrive."""
    ready = bytearray()
    while type(event := source[0].next_event()) is not h11.EndOfMessage:
        if type(event) is h11.Data:
            ready += sink[0].send(h11.Data(data=event.data))
        elif event is h11.NEED_DATA:
            await _write(sink[1], ready)
            ready = bytearray()
            source[0].receive_data(await source[1].read(CHUNK))
        else:
            raise h11.RemoteProtocolError("the body has no end")
    # Drop trailers: browsers ignore them, and not every framing can carry them.
    await _write(sink[1], ready + sink[0].send(h11.EndOfMessage()))


async def _write(writer: asyncio.StreamWriter, data: bytes | bytearray) -> None:
    # Drain after each write: that slows a fast side down to the slow one, and detects a side that has gone.
    if data:
        writer.write(data)
        await writer.drain()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, copied: Copied) -> None:
    try:
        while data := await reader.read(CHUNK):
            copied.bytes += len(data)
            await _write(writer, data)
    except Exception as error:
        copied.error = error
        raise
    copied.ended = True
    if writer.can_write_eof():
        with contextlib.suppress(OSError):
            writer.write_eof()
