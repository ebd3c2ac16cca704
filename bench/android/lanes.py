"""Five ways from this client to a page of one Chromium; see the head of the package."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

import stillframe
from bench.android.meter import ADB_SERVER, CHROMIUM, EMULATION, CpuSeconds, process_cpu, tree_cpu
from bench.android.phone_process import BARE, WEBVIEW, Phone, adb_address
from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.android import android
from stillframe.adb.device_apps import DeviceApps
from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import target
from stillframe.tab.context.options import ContextOptions
from stillframe.testing import AdbServerProcess

DIRECT = "attached directly"
SOCKET = "by the page's own WebSocket"
BARE_ADB = "over adb, without the facade"
FACADE = "WebView, without adb"
ADB = "WebView over adb"

BESIDE = {SOCKET: DIRECT, BARE_ADB: SOCKET, FACADE: SOCKET, ADB: FACADE}
"""The lane that has everything but one thing of a lane, which `ADDS` names."""
ADDS = {
    SOCKET: "a WebSocket of its own instead of a session adds",
    BARE_ADB: "the adb server and the emulated adbd add",
    FACADE: "the facade adds",
    ADB: "the adb server and the emulated adbd add",
}
IDLE = {ADB_SERVER: frozenset({DIRECT, SOCKET, FACADE}), EMULATION: frozenset({DIRECT, SOCKET})}
"""The lanes in which a process takes no part."""


class Lanes(NamedTuple):
    """The page of each lane, the site's origin, and the other processes that take part."""

    pages: dict[str, Page]
    site: str
    cpu: dict[str, CpuSeconds]

    async def show(self, path: str) -> None:
        """Load a page of the site in all lanes."""
        for page in self.pages.values():
            await page.goto(self.site + path, settle=True)


@asynccontextmanager
async def open_lanes(chromium: Browser, server: AdbServerProcess, phone: Phone, site: str) -> AsyncIterator[Lanes]:
    """Open a page in each lane; all belong to one Chromium, each to a browser context of its own."""
    own_url, bare_url = f"{site}/small?own", f"{site}/small?bare"
    async with AsyncExitStack() as stack:
        for url in (own_url, bare_url):
            await _open_tab(chromium, url)
        device = await stack.enter_async_context(
            android(phone.serial, adb_server=f"127.0.0.1:{server.port}", start_server=False)
        )
        chromium_port = urlsplit(chromium.info.endpoint or "").port or 0
        pages = {
            DIRECT: await direct_page(stack, chromium, f"{site}/small"),
            SOCKET: await _page_beside(stack, server, chromium_port, own_url),
            BARE_ADB: await (await device.webview(package=BARE, url=bare_url)).page(),
            FACADE: await _page_beside(stack, server, phone.ready.beside_port, f"{site}/small"),
            ADB: await (await device.webview(package=WEBVIEW)).page(),
        }
        yield Lanes(pages, site, processes(chromium, server, phone))


def processes(chromium: Browser, server: AdbServerProcess, *phones: Phone) -> dict[str, CpuSeconds]:
    """Return what tells the CPU seconds of everything besides the client, by what it is."""
    assert server.pid is not None
    assert chromium.info.pid is not None
    return {
        ADB_SERVER: partial(process_cpu, server.pid),
        EMULATION: lambda: sum(process_cpu(phone.pid) for phone in phones),
        CHROMIUM: partial(tree_cpu, chromium.info.pid),
    }


async def direct_page(stack: AsyncExitStack, chromium: Browser, url: str) -> Page:
    """Open a tab of the Chromium in a new context, over a connection of its own."""
    browser = await stack.enter_async_context(stillframe.connect(chromium.info.endpoint or ""))
    context = await stack.enter_async_context(await browser.new_context())
    return await context.new_page(url)


async def _open_tab(chromium: Browser, url: str) -> None:
    """Open a tab to which nothing is attached, in a new context."""
    context = await chromium.cdp_session.send(target.CreateBrowserContext())
    command = target.CreateTarget(url=url, browser_context_id=context.browser_context_id)
    await chromium.cdp_session.send(command)


class _Beside(AdbDevice):
    """Connects to a port of this machine where a device would be reached through adb."""

    def __init__(self, server: AdbServer, port: int) -> None:
        super().__init__(server, f"127.0.0.1:{port}")
        self._port = port

    async def open(self, service: str, *, timeout: float = 3.0) -> socket.socket:  # noqa: ARG002  a port answers at once
        assert service.startswith("localabstract:"), service
        sock = socket.socket()
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", self._port))
        return sock


async def _page_beside(stack: AsyncExitStack, server: AdbServerProcess, port: int, url: str) -> Page:
    """Return a page through the same code of the client as on a device, but without adb."""
    device = _Beside(AdbServer(adb_address(server), start=False), port)
    apps = DeviceApps(device, ContextOptions(), frozenset())
    stack.push_async_callback(apps.close)
    connected = await apps.connected(FoundSocket("webview_devtools_remote_0", "webview", package=WEBVIEW))
    (wanted,) = [each for each in await connected.app.targets() if each.url == url]
    return await connected.page(wanted.id)
