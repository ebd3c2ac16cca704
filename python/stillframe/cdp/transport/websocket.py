"""One WebSocket to a DevTools endpoint.

The protocol is the `websockets` library's, in its form without I/O; sockets are asyncio's. That saves a queue, a
task switch and a lock per frame, which is most of what a command costs. Compression is not offered (it doubles the
browser's work on a snapshot, and some builds close the socket on it), a message may be as large as a snapshot gets and
no larger, no Origin is sent (Chrome answers 403 to one it does not know), no proxy is used.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl as ssl_module
from typing import cast

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus, InvalidURI, PayloadTooBig
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import WebSocketURI, parse_uri

from stillframe import errors
from stillframe.cdp.transport.base import OnClose, OnFrame
from stillframe.security.redaction import logger
from stillframe.security.urls import parse_host

OPEN_TIMEOUT = 10.0
"""Seconds for TCP, TLS and the upgrade together. A stopped browser still accepts TCP, so this must end."""
CLOSE_TIMEOUT = 1.0
"""Seconds for the closing handshake; after that the socket is cut."""
PING_INTERVAL = 20.0
"""Seconds between pings to a browser that is not on this machine; no answer before the next one means it is gone."""

MAX_MESSAGE = 1 << 29
"""Bytes of one message from the browser, all its fragments together: the longest string of V8 has 2²⁹ - 24 characters
(`v8::String::kMaxLength`), and the snapshot of a page of a million elements takes about half of it."""
MAX_EARLY = 1 << 20
"""Bytes that are kept for a connection which has still to be made; then the socket is left unread until it is."""
MAX_UNSENT = 1 << 28
"""Bytes that wait for the browser to read them. Pongs are among them: one that pings and never reads is cut off."""

_logger = logger("stillframe.cdp.websocket")
_logger.setLevel(logging.INFO)  # at DEBUG the library formats every frame


class _Wire(asyncio.Protocol):
    """Moves bytes between a socket and the protocol."""

    def __init__(self, protocol: ClientProtocol) -> None:
        loop = asyncio.get_running_loop()
        self.protocol = protocol
        self.response: asyncio.Future[None] = loop.create_future()
        self.lost: asyncio.Future[None] = loop.create_future()
        self.transport: asyncio.Transport | None = None
        self.on_frame: OnFrame | None = None
        self.on_close: OnClose | None = None
        self.early: list[bytes | bytearray] = []
        self.early_bytes = 0
        self.begun: bytearray | None = None
        """What has come of a message in fragments; a list of them would take more memory than they have bytes."""
        self.reason = ""
        self.pongs = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.protocol.send_request(self.protocol.connect())
        self.flush()

    def data_received(self, data: bytes) -> None:
        self.protocol.receive_data(data)
        for event in self.protocol.events_received():
            if isinstance(event, Frame):
                self.frame(event)
            elif isinstance(event, Response):
                self.answered(self.protocol.handshake_exc)
        self.flush()
        if self.protocol.parser_exc is not None:
            self.fail(self.protocol.parser_exc)

    def fail(self, error: Exception) -> None:
        """Cut the socket: the library would wait for the other side to close it, and one that floods does not."""
        if isinstance(error, PayloadTooBig):
            self.begun = None
            self.reason = f"the browser sent a message of more than {self.protocol.max_message_size} bytes"
            self.cut()

    def cut(self) -> None:
        assert self.transport is not None
        self.transport.abort()

    def eof_received(self) -> None:
        self.protocol.receive_eof()
        self.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.protocol.state is not State.CLOSED:
            with contextlib.suppress(EOFError):
                self.protocol.receive_eof()
        self.answered(self.protocol.handshake_exc or EOFError("it was closed before the upgrade"))
        if not self.lost.done():
            self.lost.set_result(None)
        self.reason = self.reason or (str(exc) if exc else self.closing())
        self.report()

    def report(self) -> None:
        """Tell of the end, once, when there is somebody to tell."""
        on_close, self.on_close, self.on_frame = self.on_close, None, None
        if on_close is not None:
            on_close(self.reason)

    def closing(self) -> str:
        close = self.protocol.close_rcvd
        return f"the browser closed the socket ({close})" if close else "the browser dropped the socket"

    def answered(self, error: Exception | None) -> None:
        """The server accepted the upgrade, or there is `error` instead."""
        if self.response.done():
            return
        if error is None:
            self.response.set_result(None)
        else:
            self.response.set_exception(error)
            self.response.exception()

    def frame(self, frame: Frame) -> None:
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            data = cast(bytes | bytearray, frame.data)  # memoryviews only go out
            if frame.fin and self.begun is None:
                self.deliver(data)
            else:
                self.fragment(data, last=frame.fin)
        elif frame.opcode is Opcode.PONG:
            self.pongs += 1

    def fragment(self, data: bytes | bytearray, *, last: bool) -> None:
        begun = self.begun if self.begun is not None else bytearray()
        begun += data
        self.begun = None if last else begun
        if last:
            self.deliver(begun)

    def deliver(self, data: bytes | bytearray) -> None:
        if self.on_frame is not None:
            self.on_frame(data)
        elif not self.lost.done():
            self.early.append(data)
            self.early_bytes += len(data)
            if self.early_bytes > MAX_EARLY:
                assert self.transport is not None
                self.transport.pause_reading()

    def begin(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Hand out what has come so far, and all that comes from now on."""
        self.on_frame, self.on_close = on_frame, on_close
        early, self.early = self.early, []
        for frame in early:
            on_frame(frame)
        assert self.transport is not None
        self.transport.resume_reading()

    def flush(self) -> None:
        assert self.transport is not None
        data = self.protocol.data_to_send()
        if not data:
            return
        if self.transport.is_closing():
            return
        if data[-1] == b"":  # the library's word for "no more from us"
            self.transport.writelines(data[:-1])
            self.transport.close()
        else:
            self.transport.write(b"".join(data) if len(data) > 1 else data[0])
        if self.transport.get_write_buffer_size() > MAX_UNSENT:
            self.reason = f"the browser left {MAX_UNSENT} bytes unread"
            self.cut()


class WebSocketTransport:
    """An open WebSocket to a browser; made by `connect`."""

    def __init__(self, url: str, wire: _Wire) -> None:
        self.peer = url
        self._wire = wire
        self._loop = asyncio.get_running_loop()
        self._flushing = False
        self._pinger: asyncio.TimerHandle | None = None

    @classmethod
    async def connect(
        cls, url: str, *, timeout: float = OPEN_TIMEOUT, ssl: ssl_module.SSLContext | None = None
    ) -> WebSocketTransport:
        """Open `url` (ws:// or wss://).

        Raises ConnectFailed, with what to do about it, when there is no DevTools endpoint.
        """
        try:
            uri = parse_uri(url)
        except InvalidURI as error:
            raise errors.ConnectFailed(
                f"{url!r} is not a WebSocket URL: {error}; expected ws://host:port/devtools/…", endpoint=url
            ) from error
        wire = await _open(url, uri, timeout, ssl)
        transport = cls(url, wire)
        if not is_loopback(uri.host):
            transport._ping(wire.pongs - 1)
        return transport

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        self._wire.begin(on_frame, on_close)
        if self._wire.lost.done():
            self._loop.call_soon(self._wire.report)

    def send(self, frame: bytes) -> None:
        protocol = self._wire.protocol
        if protocol.state is not State.OPEN:
            return
        protocol.send_text(frame)
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    async def aclose(self) -> None:
        wire = self._wire
        assert wire.transport is not None
        self._stop_pinging()
        wire.reason = wire.reason or "closed by us"
        if wire.protocol.state is State.OPEN:
            wire.protocol.send_close(1000)
            wire.flush()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT):
                await asyncio.shield(wire.lost)
        except TimeoutError:
            pass
        finally:
            wire.transport.abort()
        await asyncio.shield(wire.lost)

    def _flush(self) -> None:
        self._flushing = False
        self._wire.flush()

    # -- liveness of a browser elsewhere

    def _ping(self, seen: int) -> None:
        if self._wire.lost.done():
            return
        if self._wire.pongs == seen:
            assert self._wire.transport is not None
            self._wire.reason = f"no answer to a ping within {PING_INTERVAL:g} s"
            self._wire.transport.abort()
            return
        self._wire.protocol.send_ping(b"")
        self._wire.flush()
        self._pinger = self._loop.call_later(PING_INTERVAL, self._ping, self._wire.pongs)

    def _stop_pinging(self) -> None:
        if self._pinger is not None:
            self._pinger.cancel()


def is_loopback(host: str) -> bool:
    """Whether `host` names this machine without asking a resolver."""
    try:
        return parse_host(host).is_loopback
    except ValueError:
        return False


async def _open(url: str, uri: WebSocketURI, timeout: float, ssl: ssl_module.SSLContext | None) -> _Wire:
    protocol = ClientProtocol(uri, max_size=MAX_MESSAGE, logger=_logger)
    context = (ssl or ssl_module.create_default_context()) if uri.secure else None
    loop = asyncio.get_running_loop()
    transport: asyncio.Transport | None = None
    try:
        async with asyncio.timeout(timeout):
            transport, wire = await loop.create_connection(lambda: _Wire(protocol), uri.host, uri.port, ssl=context)
            await wire.response
    except BaseException as error:
        if transport is not None:
            transport.abort()
        if isinstance(error, Exception):
            raise _refusal(url, error, timeout) from error
        raise
    return wire


def _refusal(url: str, error: Exception, timeout: float) -> errors.ConnectFailed:
    return errors.ConnectFailed(f"cannot connect to {url}: {_why(error, timeout)}", endpoint=url)


def _why(error: Exception, timeout: float) -> str:
    if isinstance(error, InvalidStatus):
        return _STATUS_HINTS.get(error.response.status_code, f"the server answered {error.response.status_code}")
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} s; the browser may be stopped or the address wrong"
    if isinstance(error, ConnectionRefusedError):
        return "refused; no browser listens there. Start one with --remote-debugging-port and check the port"
    return f"{error or type(error).__name__}; is it a DevTools endpoint?"


_STATUS_HINTS = {
    403: "the browser answered 403; it wants its origin allowed (--remote-allow-origins) or a proxy added one",
    404: "the browser answered 404; the id in the URL is stale. Read webSocketDebuggerUrl from /json/version anew",
}
