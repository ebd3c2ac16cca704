"""A phone in a process of its own: `python -m bench.android.phone '{"endpoint": …}'` runs until its input ends.

It prints one line of JSON once it listens. What the emulation costs is the CPU time of this process and not that of
the client, which is measured in another one.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import msgspec

from bench.android.discovery import COMMANDS
from bench.android.phone_process import BARE, WEBVIEW, Order, Ready
from stillframe_phone import EmulatedApp, EmulatedDevice
from stillframe_phone.emulated.shell_io import Input, Streams
from stillframe_phone.webview import WebViewFacade

SOCKET = "webview_devtools_remote_{pid}"
CROWD_SOCKETS = 900
CROWD_PROCESSES = 600
"""Rows of `/proc/net/unix` and of `ps -A` on a phone that is in use; estimates, not measured."""


class CrowdedDevice(EmulatedDevice):
    """Has as many sockets and processes as a phone, and repeats what a command printed when it ran first.

    So the shell in Python, which no phone has, does not count.
    """

    def __init__(self) -> None:
        super().__init__()
        self._printed: dict[str, tuple[bytes, bytes, int]] = {}

    async def run_shell(self, command: str, streams: Streams) -> int:
        """Run a command the first time, and print the same at all others."""
        if command not in self._printed:
            out, err = bytearray(), bytearray()
            status = await super().run_shell(command, Streams(streams.stdin, out.extend, err.extend))
            self._printed[command] = bytes(out), bytes(err), status
        stdout, stderr, status = self._printed[command]
        for sink, content in ((streams.stdout, stdout), (streams.stderr, stderr)):
            if content:
                sink(content)
        return status

    async def crowd(self, commands: Iterable[str]) -> None:
        """Start apps and open sockets, and run these commands once."""
        for number in range(CROWD_PROCESSES):
            self.processes.spawn(f"com.vendor.service{number}", user=f"u0_a{number}")
        for number in range(CROWD_SOCKETS):
            self.listen(f"com.vendor.service.channel-{number}", _hold)
        for package, process, name in APPS:
            app = self.install(EmulatedApp(package))
            app.listen(name, _hold, process=process)
            app.start(process)
        for command in commands:
            await self.run_shell(command, Streams(Input(), _drop, _drop))


APPS = (
    ("com.android.chrome", "", "chrome_devtools_remote"),
    ("com.example.shop", "", SOCKET),
    ("com.example.news", ":web", SOCKET),
)
"""The apps with a DevTools socket among the crowd: package, process, name of the socket."""


async def _hold(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()


def _drop(_content: bytes) -> None:
    pass


async def serve(order: Order) -> None:
    """Be the phone until the input ends."""
    async with AsyncExitStack() as stack:
        ready = await (_crowded(stack) if order.crowd else _shop(stack, order))
        print(msgspec.json.encode(ready).decode(), flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def _crowded(stack: AsyncExitStack) -> Ready:
    device = CrowdedDevice()
    await device.crowd(COMMANDS)
    await stack.enter_async_context(device)
    return Ready(device.port, _owners(device))


async def _shop(stack: AsyncExitStack, order: Order) -> Ready:
    device = await stack.enter_async_context(EmulatedDevice())
    shown = await _facade(stack, order)
    beside = await _facade(stack, order) if order.beside else None
    for package, port in ((BARE, urlsplit(order.endpoint).port or 0), (WEBVIEW, shown.port)):
        app = device.install(EmulatedApp(package))
        app.listen(SOCKET, port)
        app.start()
    return Ready(device.port, _owners(device), beside.port if beside else 0)


def _owners(device: EmulatedDevice) -> dict[str, tuple[int, str]]:
    owned = {name: device.processes.get(each.pid or 0) for name, each in device.processes.sockets.items()}
    return {name: (process.pid, process.name) for name, process in owned.items() if process is not None}


async def _facade(stack: AsyncExitStack, order: Order) -> WebViewFacade:
    facade = await stack.enter_async_context(WebViewFacade(order.endpoint, package=WEBVIEW))
    await facade.open_page(order.url)
    return facade


if __name__ == "__main__":
    asyncio.run(serve(msgspec.json.decode(sys.argv[1], type=Order)))
