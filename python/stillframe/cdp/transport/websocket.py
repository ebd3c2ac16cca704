"""One WebSocket to a DevTools endpoint.

It combines the Sans-I/O protocol of the `websockets` library with asyncio's sockets. That saves a queue, a task switch
and a lock per frame, which are most of the cost of a command. It offers no compression (which doubles the browser's
work for a DOM snapshot, and makes some builds close the socket), limits a message to the size of the largest snapshot,
sends no Origin (Chrome answers 403 to an unknown one) and uses no proxy.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl as ssl_module
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidStatus, InvalidURI, PayloadTooBig
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import WebSocketURI, parse_uri

from stillframe import errors
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp.transport.base import OnClose, OnFrame
from stillframe.cdp.transport.delivery import Delivery
from stillframe.security.redaction import logger
from stillframe.security.urls import parse_host

OPEN_TIMEOUT_S = 10.0
"""Seconds for TCP, TLS and the upgrade together. Even a stopped browser accepts TCP, so there must be a limit."""
CLOSE_TIMEOUT_S = 1.0
"""Seconds for the closing handshake; then the socket is aborted."""
PING_INTERVAL_S = 20.0
"""Seconds between pings to a browser on another machine, the default of `websockets`; without a pong before the next
ping, the connection is lost."""

MAX_MESSAGE = 1 << 29
"""Bytes of one message from the browser, including all its fragments: V8's longest string has 2²⁹ - 24 characters
(`v8::String::kMaxLength`), and the DOM snapshot of a page with a million elements takes about half of that."""
MAX_EARLY = 1 << 20
"""Bytes buffered before `start`; beyond that, reading pauses until `start`."""
MAX_UNSENT = 1 << 28
"""Bytes that may wait until the browser reads them, pongs included: a peer that pings and never reads is cut off.
Four times the largest message that this client sends."""

_logger = logger("stillframe.cdp.websocket")
_logger.setLevel(logging.INFO)  # at DEBUG the library formats every frame


class _Socket(asyncio.Protocol):
    """Connects the socket with the Sans-I/O protocol."""

    def __init__(
        self, protocol: ClientProtocol, relayed: socket.socket | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        loop = asyncio.get_running_loop()
        self.protocol = protocol
        self.headers = headers or {}
        self.relayed = relayed if hasattr(socket, "TCP_QUICKACK") else None
        """The socket, if it leads to a relay that holds data back until what it sent before is acknowledged."""
        self.response: asyncio.Future[None] = loop.create_future()
        self.lost: asyncio.Future[None] = loop.create_future()
        self.transport: asyncio.Transport | None = None
        self.delivery: Delivery | None = None
        self.on_close: OnClose | None = None
        self.early: list[bytes | bytearray] = []
        self.early_bytes = 0
        self.begun: bytearray | None = None
        """The fragments of the current message, joined: a list of small ones would take several times their size."""
        self.reason = ""
        self.pongs = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        request = self.protocol.connect()
        for name, value in self.headers.items():
            request.headers[name] = value
        self.protocol.send_request(request)
        self.flush()

    def data_received(self, data: bytes) -> None:
        if self.relayed is not None:
            # The kernel forgets the option after a while, so it is set each time.
            self.relayed.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
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
        """Abort the socket: the library would wait for the peer to close it, and a flooding peer does not."""
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
        self.answered(self.protocol.handshake_exc or EOFError("the socket was closed before the upgrade"))
        if not self.lost.done():
            self.lost.set_result(None)
        self.reason = self.reason or (str(exc) if exc else self.closing())
        self.report()

    def report(self) -> None:
        """Call `on_close` once, if `start` has set it."""
        on_close, self.on_close = self.on_close, None
        delivery, self.delivery = self.delivery, None
        if delivery is not None:
            delivery.finish()
        if on_close is not None:
            on_close(self.reason)

    def closing(self) -> str:
        close = self.protocol.close_rcvd
        return f"the browser closed the socket ({close})" if close else "the browser dropped the socket"

    def answered(self, error: Exception | None) -> None:
        """Finish the handshake: the server accepted the upgrade, or failed with `error`."""
        if self.response.done():
            return
        if error is None:
            self.response.set_result(None)
        else:
            self.response.set_exception(error)
            self.response.exception()

    def frame(self, frame: Frame) -> None:
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            data = cast("bytes | bytearray", frame.data)  # memoryviews occur only in outgoing frames
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
        if self.delivery is not None:
            self.delivery.add((data,))
        elif not self.lost.done():
            self.early.append(data)
            self.early_bytes += len(data)
            if self.early_bytes > MAX_EARLY:
                assert self.transport is not None
                self.transport.pause_reading()

    def begin(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Deliver the buffered frames, and all later ones."""
        assert self.transport is not None
        self.delivery = Delivery(on_frame, self.transport.pause_reading, self.transport.resume_reading)
        self.on_close = on_close
        early, self.early = self.early, []
        self.transport.resume_reading()
        self.delivery.add(early)

    def flush(self) -> None:
        assert self.transport is not None
        data = self.protocol.data_to_send()
        if not data:
            return
        if self.transport.is_closing():
            return
        if data[-1] == b"":  # the library's signal to half-close the connection
            self.transport.writelines(data[:-1])
            self.transport.close()
        else:
            self.transport.write(b"".join(data) if len(data) > 1 else data[0])
        if self.transport.get_write_buffer_size() > MAX_UNSENT:
            self.reason = f"the browser did not read {MAX_UNSENT} bytes"
            self.cut()


class WebSocketTransport:
    """An open WebSocket to a browser; made by `connect`."""

    def __init__(self, url: str, wire: _Socket) -> None:
        self.peer = url
        self._wire = wire
        self._loop = asyncio.get_running_loop()
        self._flushing = False
        self._pinger: asyncio.TimerHandle | None = None

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        timeout: float = OPEN_TIMEOUT_S,
        ssl: ssl_module.SSLContext | None = None,
        sock: socket.socket | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> WebSocketTransport:
        """Open `url` (ws:// or wss://), over `sock` if it is given; raises ConnectFailed if no endpoint answers there.

        `headers` are sent with the request to upgrade.

        `sock` is connected and does not block; it belongs to the transport from now on, and is closed on failure. It
        leads to a relay such as an adb server, which sends without TCP_NODELAY: without immediate acknowledgements each
        second packet of an answer comes 40 ms late (measured with adb 29 and 36; Linux only).
        """
        try:
            uri = parse_uri(url)
        except InvalidURI as error:
            raise errors.ConnectFailed(
                f"{url!r} is not a WebSocket URL: {error}; expected ws://host:port/devtools/…", endpoint=url
            ) from error
        wire = await _open(url, uri, timeout, ssl, sock, headers or {})
        transport = cls(url, wire)
        if not is_loopback(uri.host):
            transport._ping(wire.pongs - 1)
        return transport

    def start(self, on_frame: OnFrame, on_close: OnClose) -> None:
        """Start to deliver frames, those that have already arrived first."""
        self._wire.begin(on_frame, on_close)
        if self._wire.lost.done():
            self._loop.call_soon(self._wire.report)

    def send(self, frame: bytes) -> None:
        """Queue one frame without blocking; frames of one turn of the loop leave in one write."""
        protocol = self._wire.protocol
        if protocol.state is not State.OPEN:
            return
        protocol.send_text(frame)
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    async def aclose(self) -> None:
        """Close with a closing handshake, and abort if the peer does not answer it in time. Idempotent."""
        wire = self._wire
        assert wire.transport is not None
        self._stop_pinging()
        wire.reason = wire.reason or "closed by this client"
        if wire.protocol.state is State.OPEN:
            wire.protocol.send_close(1000)
            wire.flush()
        try:
            async with time_limit(CLOSE_TIMEOUT_S):
                await asyncio.shield(wire.lost)
        except TimeoutError:
            pass
        finally:
            wire.transport.abort()
        await asyncio.shield(wire.lost)

    def _flush(self) -> None:
        self._flushing = False
        self._wire.flush()

    # -- pings to a browser on another machine

    def _ping(self, seen: int) -> None:
        if self._wire.lost.done():
            return
        if self._wire.pongs == seen:
            assert self._wire.transport is not None
            self._wire.reason = f"no answer to a ping within {PING_INTERVAL_S:g} s"
            self._wire.transport.abort()
            return
        self._wire.protocol.send_ping(b"")
        self._wire.flush()
        self._pinger = self._loop.call_later(PING_INTERVAL_S, self._ping, self._wire.pongs)

    def _stop_pinging(self) -> None:
        if self._pinger is not None:
            self._pinger.cancel()


def is_loopback(host: str) -> bool:
    """Return whether the text of `host` names this machine."""
    try:
        return parse_host(host).is_loopback
    except ValueError:
        return False


async def _open(
    url: str,
    uri: WebSocketURI,
    timeout: float,
    ssl: ssl_module.SSLContext | None,
    sock: socket.socket | None,
    headers: Mapping[str, str],
) -> _Socket:
    protocol = ClientProtocol(uri, max_size=MAX_MESSAGE, logger=_logger)
    context = (ssl or ssl_module.create_default_context()) if uri.secure else None
    loop = asyncio.get_running_loop()
    transport: asyncio.Transport | None = None
    where: dict[str, Any] = {"host": uri.host, "port": uri.port} if sock is None else {"sock": sock}
    try:
        async with time_limit(timeout):
            transport, wire = await loop.create_connection(
                partial(_Socket, protocol, sock, headers), **where, ssl=context
            )
            await wire.response
    except BaseException as error:
        if transport is not None:
            transport.abort()
        elif sock is not None:
            sock.close()
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
        return "connection refused; no browser listens there. Start one with --remote-debugging-port, or check the port"
    return f"{error or type(error).__name__}; is it a DevTools endpoint?"


_STATUS_HINTS = {
    403: "the browser answered 403; a proxy may have added an Origin header, which --remote-allow-origins must allow",
    404: "the browser answered 404; the id in the URL is stale: read webSocketDebuggerUrl from /json/version again",
}
