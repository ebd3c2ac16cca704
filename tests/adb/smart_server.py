"""A scripted adb server for tests: it says what a test wants, split and delayed as a test wants."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

from stillframe.adb.address import AdbAddress
from stillframe.chrome.stream_server import StreamServer

OKAY = b"OKAY"
GUARD_S = 20.0
"""Seconds after which a test that waits for something has failed."""


async def until(condition: Callable[[], object]) -> None:
    """Wait until a condition of another party holds."""
    async with asyncio.timeout(GUARD_S):
        while not condition():  # noqa: ASYNC110  nobody announces it
            await asyncio.sleep(0.001)


def block(text: str | bytes, *, upper: bool = False) -> bytes:
    """Return content with its length in front, in upper-case digits if `upper`."""
    content = text.encode() if isinstance(text, str) else text
    return (b"%04X" if upper else b"%04x") % len(content) + content


def fail(text: str) -> bytes:
    """Return a refusal with its reason."""
    return b"FAIL" + block(text)


class Dialog:
    """One connection, from the server's side."""

    def __init__(self, server: SmartServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._server = server
        self._reader = reader
        self._writer = writer

    async def request(self) -> str:
        """Return the next service that the client asks for, which must be well-formed; "" at the end."""
        digits = await self._reader.read(4)
        if not digits:
            return ""
        digits += await self._reader.readexactly(4 - len(digits))
        assert re.fullmatch(rb"[0-9a-f]{4}", digits), digits
        service = (await self._reader.readexactly(int(digits, 16))).decode()
        self._server.requests.append(service)
        return service

    async def read_exactly(self, size: int) -> bytes:
        """Return the next bytes of the client."""
        return await self._reader.readexactly(size)

    async def send(self, *segments: bytes) -> None:
        """Send segments so that the client reads each by itself."""
        for segment in segments:
            self._writer.write(segment)
            await self._writer.drain()
            await asyncio.sleep(0.001)

    async def end(self) -> None:
        """Wait until the client closes."""
        while await self._reader.read(65536):
            pass

    def reset(self) -> None:
        """Close at once with a reset."""
        self._writer.transport.abort()


Script = Callable[[Dialog], Awaitable[None]]
Answer = Sequence[bytes] | Script
"""What is sent for a service, segment by segment, or what goes on with the connection after the request."""


class SmartServer:
    """Listens on loopback and answers every connection by its script; `requests` are the services asked for.

    `failures` are what the script raised.
    """

    def __init__(self, script: Script) -> None:
        self.requests: list[str] = []
        self.failures: list[Exception] = []
        self._script = script
        self._server = StreamServer(self._serve, name="smart-server")

    @property
    def address(self) -> AdbAddress:
        """Where it listens."""
        return AdbAddress("127.0.0.1", self._server.port)

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return self._server.connections

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._script(Dialog(self, reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has closed, which most tests end with
        except Exception as error:
            self.failures.append(error)
            raise

    async def all_closed(self) -> None:
        """Wait until no connection is open: clients have closed all of theirs."""
        await until(lambda: not self.connections)

    async def start(self, port: int = 0) -> None:
        """Listen on a port, 0 for a free one."""
        await self._server.start(port)

    async def aclose(self) -> None:
        """End, and close every connection."""
        await self._server.aclose()


def answering(answers: Mapping[str, Answer]) -> Script:
    """Return a script that answers by a table; `host:transport:…` is granted if the table does not say otherwise."""

    async def script(dialog: Dialog) -> None:
        while service := await dialog.request():
            answer = answers.get(service)
            if answer is None and service.startswith("host:transport:"):
                answer = [OKAY]
            assert answer is not None, f"the test has no answer for {service!r}"
            if callable(answer):
                await answer(dialog)
            else:
                await dialog.send(*answer)
            if not service.startswith("host:transport:"):
                return

    return script


@asynccontextmanager
async def smart_server(script: Script | Mapping[str, Answer]) -> AsyncIterator[SmartServer]:
    """Run a scripted server; at the end, check that the client has closed all its connections."""
    server = SmartServer(script if callable(script) else answering(script))
    await server.start()
    try:
        yield server
        await server.all_closed()
    finally:
        await server.aclose()
        assert not server.failures


async def hang(dialog: Dialog) -> None:
    """Never answer."""
    await dialog.end()


async def cut(dialog: Dialog) -> None:
    """Close without an answer."""
    raise ConnectionError


def then(*segments: bytes) -> Script:
    """Send segments and keep the connection open until the client closes it."""

    async def script(dialog: Dialog) -> None:
        await dialog.send(*segments)
        await dialog.end()

    return script
