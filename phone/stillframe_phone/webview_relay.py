"""The WebSocket half of a `WebViewFacade`: messages between one client and the real browser."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from websockets import State
from websockets.asyncio.client import ClientConnection
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from stillframe.security.redaction import logger
from stillframe_phone.webview_messages import Step, Traffic

CHUNK = 256 * 1024
"""Bytes that are read from a client at once."""

_logger = logger("stillframe_phone.webview")
_logger.setLevel(logging.INFO)  # at DEBUG the library formats every frame


class Relay:
    """Carries messages until one side closes; while `awake` is not set, it carries nothing and answers no pings."""

    def __init__(
        self,
        traffic: Traffic,
        browser: ClientConnection,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        awake: asyncio.Event,
    ) -> None:
        self._traffic = traffic
        self._browser = browser
        self._reader = reader
        self._writer = writer
        self._awake = awake
        self._protocol = ServerProtocol(max_size=None, logger=_logger)
        self._message = bytearray()

    async def run(self, head: bytes) -> None:
        """Accept the client's request, whose head is given, and relay until the end."""
        self._protocol.receive_data(head)
        for request in self._protocol.events_received():
            assert isinstance(request, Request)
            self._protocol.send_response(self._protocol.accept(request))
        self._flush()
        if self._protocol.state is State.OPEN:
            await first_ended(self._from_client(), self._from_browser())

    async def _from_client(self) -> None:
        while data := await self._reader.read(CHUNK):
            await self._awake.wait()
            self._protocol.receive_data(data)
            for event in self._protocol.events_received():
                assert isinstance(event, Frame)
                await self._frame(event)
            self._flush()
            if self._protocol.close_expected():
                return

    async def _frame(self, frame: Frame) -> None:
        if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            return
        self._message += frame.data
        if frame.fin:
            message, self._message = self._message.decode(errors="replace"), bytearray()
            await self._take(self._traffic.from_client(message))

    async def _from_browser(self) -> None:
        # Chromium ends a connection without a closing frame, also when its page closes (measured with 156).
        async for message in self._browser:
            await self._awake.wait()
            await self._take(self._traffic.from_browser(message if isinstance(message, str) else message.decode()))

    async def _take(self, step: Step) -> None:
        for text in step.to_browser:
            await self._browser.send(text)
        for text in step.to_client:
            if self._protocol.state is State.OPEN:
                self._protocol.send_text(text.encode())
        self._flush()
        await self._writer.drain()

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._writer.write(data)


async def first_ended(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Run coroutines until one ends, cancel the others, and raise what the first raised."""
    tasks = [asyncio.create_task(each) for each in coroutines]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result


def reset(writer: asyncio.StreamWriter) -> None:
    """Close a connection with a TCP reset, as the kernel does for a process that ends with unread data."""
    with suppress(OSError):
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
