"""Starts the emulated phones, each in a process of its own, and connects the adb server to them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import AdbAddress
from stillframe.testing import AdbServerProcess

WEBVIEW = "com.example.webview"
"""The app whose WebView is behind the facade."""
BARE = "com.example.bare"
"""The app whose socket is that of Chromium itself: adb without the facade."""
START_S = 30.0
"""Seconds that a phone may take to start; the one with a crowd runs its commands once before."""
END_S = 5.0
"""Seconds that it has to end after its input has ended."""


class Order(msgspec.Struct):
    """What a phone shall be: `endpoint` is the Chromium's, `url` the page of its WebView; or one with a crowd.

    With `beside` it has another WebView, whose facade is not behind adb.
    """

    endpoint: str = ""
    url: str = ""
    beside: bool = False
    crowd: bool = False


class Ready(msgspec.Struct):
    """Where a phone listens; `beside_port` is that of the facade that is not behind adb."""

    port: int
    owners: dict[str, tuple[int, str]]
    """The pid and the name of its process, by DevTools socket."""
    beside_port: int = 0


class Phone(NamedTuple):
    """A phone that the adb server is connected to."""

    pid: int
    ready: Ready

    @property
    def webview_socket(self) -> str:
        """The DevTools socket of the app with the WebView."""
        return next(socket for socket, (_, process) in self.ready.owners.items() if process == WEBVIEW)

    @property
    def serial(self) -> str:
        """The serial that the adb server lists."""
        return f"127.0.0.1:{self.ready.port}"


def adb_address(server: AdbServerProcess) -> AdbAddress:
    """Return the address of the private server."""
    return AdbAddress("127.0.0.1", server.port)


@asynccontextmanager
async def connected_phone(server: AdbServerProcess, order: Order) -> AsyncIterator[Phone]:
    """Start a phone, connect the adb server to it, and end it after the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.android.phone", msgspec.json.encode(order).decode()),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    try:
        phone = Phone(process.pid, await _ready(process))
        client = AdbServer(adb_address(server), start=False)
        await client.connect_device(phone.serial)
        yield phone
        await client.disconnect_device(phone.serial)
    finally:
        await asyncio.shield(_end(process))


async def _ready(process: asyncio.subprocess.Process) -> Ready:
    assert process.stdout is not None
    async with asyncio.timeout(START_S):
        line = await process.stdout.readline()
    assert line, f"a phone did not start and ended with {await process.wait()}; its message is above"
    return msgspec.json.decode(line, type=Ready)


async def _end(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(END_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
