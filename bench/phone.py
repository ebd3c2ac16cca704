"""A phone for benchmarks: an emulated device behind a real adb server, whose apps show pages of a real Chromium.

It runs in this process, which is enough where nothing but the pages is measured; `bench.android` starts phones in
processes of their own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from typing import Self, Unpack

from stillframe import chrome
from stillframe.adb.android import AndroidDevice, android
from stillframe.api.browser import Page
from stillframe.tab.context.keywords import ContextKeywords
from stillframe.testing import AdbServerProcess
from stillframe_phone import EmulatedApp, EmulatedDevice, WebViewFacade

SOCKET = "webview_devtools_remote_{pid}"
"""The name that WebViews give their DevTools sockets."""


class PhoneApp:
    """An app that runs on a phone: what a context is to a browser, with cookies and storage of its own."""

    def __init__(self, device: AndroidDevice, facade: WebViewFacade) -> None:
        self.package = facade.package
        self._device = device
        self._facade = facade
        self._numbers = count(1)

    async def new_page(self) -> AbstractAsyncContextManager[Page]:
        """Return the page of a new WebView, which the app closes at the end of the block."""
        return self._page()

    @asynccontextmanager
    async def _page(self) -> AsyncIterator[Page]:
        # The number tells it from a window that an earlier page has opened and nobody closed.
        url = f"about:blank?{next(self._numbers)}"
        target_id = await self._facade.open_page(url)
        try:
            view = await self._device.webview(package=self.package, url=url)
            yield await view.page()
        finally:
            await self._facade.close_page(target_id)


class Phone:
    """A phone whose apps have WebViews: modern ones, or with the protocol of an old milestone of Chromium."""

    def __init__(
        self, server: AdbServerProcess, emulated: EmulatedDevice, endpoint: str, milestone: int | None
    ) -> None:
        self._server = server
        self._emulated = emulated
        self._endpoint = endpoint
        self._milestone = milestone
        self._numbers = count(1)

    @classmethod
    @asynccontextmanager
    async def connected(cls, *, milestone: int | None = None, args: tuple[str, ...] = ()) -> AsyncIterator[Self]:
        """Start a phone that the adb server knows; `args` are switches of the Chromium. Raises AdbBinaryMissing."""
        # A process and no `stillframe.launch`: a browser that is launched attaches to all tabs, those of apps as well.
        async with (
            chrome.launched(port=0, args=args) as chromium,
            AdbServerProcess() as server,
            EmulatedDevice() as emulated,
        ):
            await server.connect(emulated)
            assert chromium.info.endpoint is not None
            yield cls(server, emulated, chromium.info.endpoint, milestone)

    async def new_context(self, **options: Unpack[ContextKeywords]) -> AbstractAsyncContextManager[PhoneApp]:
        """Return an app that runs during a block, after the method of a browser; `options` are those of `android`."""
        return self._running(options)

    @asynccontextmanager
    async def _running(self, options: ContextKeywords) -> AsyncIterator[PhoneApp]:
        package = f"com.example.app{next(self._numbers)}"
        async with WebViewFacade(self._endpoint, milestone=self._milestone, package=package) as facade:
            app = self._emulated.install(EmulatedApp(package))
            app.listen(SOCKET, facade.port)
            app.start()
            try:
                async with self._device(options) as device:
                    yield PhoneApp(device, facade)
            finally:
                self._emulated.uninstall(package)

    def _device(self, options: ContextKeywords) -> AbstractAsyncContextManager[AndroidDevice]:
        return android(self._emulated.serial, adb_server=self._server.address, start_server=False, **options)
