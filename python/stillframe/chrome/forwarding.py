"""One request that passes through the policy proxy, and what comes back, as fast as the slower side takes it."""

from __future__ import annotations

import asyncio
import contextlib

import h11

from stillframe.chrome import http1

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

CHUNK = 1 << 16
TLS_HANDSHAKE = b"\x16"
"""The first byte of every TLS connection (RFC 8446 §5.1)."""


class Exchange:
    """A request of a client, and the connection to who answers it."""

    def __init__(self, request: http1.Request, state: h11.Connection, client: Streams, server: Streams) -> None:
        self.request = request
        self._client = client
        self._server = server
        self._to_client = state
        self._to_server = http1.new_server()
        self._early = bytearray()
        """What the server has sent after the head that was read last."""

    async def pass_on(self, head: h11.Request) -> None:
        """Send the request on and its answer back; raises OSError, EOFError and h11.ProtocolError.

        When the client has gone nobody wants the answer; when that is there, nobody sends any more.
        """
        await _write(self._server[1], self._to_server.send(head))
        sending = asyncio.ensure_future(self._send())
        receiving = asyncio.ensure_future(self._receive())
        try:
            await asyncio.wait({sending, receiving}, return_when=asyncio.FIRST_COMPLETED)
            if receiving.done() or self._ends_early(sending):
                await receiving
            else:
                sending.result()
        finally:
            sending.cancel()
            receiving.cancel()
            await asyncio.gather(sending, receiving, return_exceptions=True)

    async def open_tunnel(self, head: h11.Request) -> bool:
        """Ask another proxy for a connection, and pass its answer on; says whether there is one."""
        await _write(self._server[1], self._to_server.send(head))
        answer = await self._head()
        if not 200 <= answer.status_code < 300:
            await self._answer(answer)
            return False
        await _write(self._client[1], b"HTTP/1.1 200 Connected" + http1.END + bytes(self._early))
        return True

    async def relay(self, *, tls_only: bool) -> None:
        """Pass bytes both ways until both sides have ended, or one is lost."""
        if tls_only:
            first = await self._client[0].read(CHUNK)
            if first and not first.startswith(TLS_HANDSHAKE):
                return  # an unencrypted socket, which is http by another name
            await _write(self._server[1], first)
        ways = [_copied(self._client[0], self._server[1]), _copied(self._server[0], self._client[1])]
        tasks = [asyncio.ensure_future(way) for way in ways]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _ends_early(self, sending: asyncio.Future[None]) -> bool:
        """Whether the server takes no more of the request; it may have said why, and its answer counts then."""
        client = self._client[0]
        return isinstance(sending.exception(), OSError) and client.exception() is None and not client.at_eof()

    # -- the request ---------------------------------------------------------------------------

    async def _send(self) -> None:
        """Pass the body of the request on, and return when the client has gone."""
        await _body((self._to_client, self._client[0]), (self._to_server, self._server[1]))
        while await self._client[0].read(CHUNK):
            pass  # another request; it gets no answer, for the connection ends with this one's

    # -- the answer ----------------------------------------------------------------------------

    async def _receive(self) -> None:
        await self._answer(await self._head())

    async def _head(self) -> h11.Response:
        """Return the head that counts; those before it are passed on, though not without end."""
        for _ in range(http1.MAX_INTERIM + 1):
            self._to_server.receive_data(http1.tidied(await self._raw_head()))
            event = self._to_server.next_event()
            if type(event) is h11.Response:
                return event
            if type(event) is h11.InformationalResponse:
                await self._interim(event)
        raise h11.RemoteProtocolError(f"more than {http1.MAX_INTERIM} interim answers")

    async def _raw_head(self) -> bytes:
        """Return the bytes up to the next empty line."""
        looked = 0
        while (end := http1.end_of_head(self._early, looked)) is None:
            looked = len(self._early)
            data = await self._server[0].read(CHUNK)
            if not data:
                raise EOFError("the server closed the connection before its answer")
            self._early += data
            if looked > http1.MAX_HEAD:
                raise h11.RemoteProtocolError("the head of an answer is too large")
        raw = bytes(self._early[:end])
        del self._early[:end]
        return raw

    async def _interim(self, answer: h11.InformationalResponse) -> None:
        if self.request.version >= b"1.1" and not self.request.is_tunnel:
            await _write(self._client[1], self._to_client.send(http1.for_client(answer)))

    async def _answer(self, answer: h11.Response) -> None:
        """Pass an answer on, its head and all that follows."""
        await _write(self._client[1], self._to_client.send(http1.for_client(answer)))
        if self._early:
            self._to_server.receive_data(bytes(self._early))
        await _body((self._to_server, self._server[0]), (self._to_client, self._client[1]))


async def _body(
    source: tuple[h11.Connection, asyncio.StreamReader], sink: tuple[h11.Connection, asyncio.StreamWriter]
) -> None:
    """Pass a body on from the one framing to the other, as much at a time as has come."""
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
    # Without what trails it: a browser makes nothing of that, and not every framing has it.
    await _write(sink[1], ready + sink[0].send(h11.EndOfMessage()))


async def _write(writer: asyncio.StreamWriter, data: bytes | bytearray) -> None:
    # Waited for each time: it is what slows the one side to the other, and what says that one has gone.
    if data:
        writer.write(data)
        await writer.drain()


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK):
        await _write(writer, data)
    if writer.can_write_eof():
        with contextlib.suppress(OSError):
            writer.write_eof()
