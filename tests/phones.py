"""A phone for tests: an emulated device behind a real adb server, whose apps show pages of a real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from itertools import count
from typing import NamedTuple, Self
from zlib import crc32

import stillframe
from stillframe.adb.android import AndroidDevice
from stillframe.api.browser import Browser, Page
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice, WebViewFacade

LANES = {"desktop": None, "adb": None, "adb-74": 74}
"""How a test reaches its page: a tab of the browser, a WebView over adb, or one with the protocol of Chromium 74 (the
WebView of Android 10's emulator image)."""

SOCKET = "webview_devtools_remote_{pid}"


SAMPLE = 32
"""In `make test` one in this many tests of sequences also runs over adb; in `make test-all` each runs in every lane."""


def lanes_of(test: str, markers: AbstractSet[str], *, every: bool) -> list[str]:
    """Return the lanes of a test: a tab, and for a sample that its name decides one of the others; `every` lane."""
    if "desktop" in markers:
        return ["desktop"]
    over_adb = ["adb"] if "modern" in markers else ["adb", "adb-74"]
    if every:
        return ["desktop", *over_adb]
    number = crc32(test.encode())
    return ["desktop"] if number % SAMPLE else ["desktop", over_adb[number // SAMPLE % len(over_adb)]]


class RunningApp(NamedTuple):
    """An app on a phone and the DevTools socket of its WebViews."""

    app: EmulatedApp
    facade: WebViewFacade


class Phone:
    """An emulated device, the adb server that it is connected to, and a Chromium that draws what its apps show."""

    def __init__(self, server: AdbServerProcess, emulated: EmulatedDevice, chromium: Browser) -> None:
        self.server = server
        self.emulated = emulated
        self.chromium = chromium
        self.device: AndroidDevice
        self._numbers = count(1)

    @classmethod
    @asynccontextmanager
    async def connected(cls) -> AsyncIterator[Self]:
        """Start everything; it ends with the block."""
        async with stillframe.launch(port=0) as chromium, AdbServerProcess() as server, EmulatedDevice() as emulated:
            await server.connect(emulated)
            phone = cls(server, emulated, chromium)
            async with stillframe.android(emulated.serial, adb_server=server.address) as phone.device:
                yield phone

    @asynccontextmanager
    async def running(
        self, package: str | None = None, *, milestone: int | None = None, url: str = "about:blank"
    ) -> AsyncIterator[RunningApp]:
        """Run an app with one WebView, which is gone after the block; its cookies and storage are its own."""
        name = package or f"com.example.app{next(self._numbers)}"
        assert self.chromium.info.endpoint is not None
        async with WebViewFacade(self.chromium.info.endpoint, milestone=milestone, package=name) as facade:
            await facade.open_page(url)
            app = self.emulated.install(EmulatedApp(name))
            app.listen(SOCKET, facade.port)
            app.start()
            try:
                yield RunningApp(app, facade)
            finally:
                app.kill()
                self.emulated.uninstall(name)

    @asynccontextmanager
    async def page(self, lane: str) -> AsyncIterator[Page]:
        """Give the page of a fresh app."""
        async with self.running(milestone=LANES[lane]) as running:
            view = await self.device.webview(package=running.app.package)
            page = await view.page()
            try:
                yield page
            finally:
                await page.browser.close()
