"""A WebView or a browser on an Android device, by the words of a command line or of a server's settings."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import msgspec

from stillframe.adb.android import AndroidDevice, android
from stillframe.adb.browsers import BROWSERS, CHROME
from stillframe.adb.errors import WebViewAmbiguous
from stillframe.adb.webview import WebView
from stillframe.api.browser import Browser, Page
from stillframe.errors import OptionInvalid

_WEBVIEW = re.compile(r"(?P<package>\w+(?:\.\w+)+)(?::(?P<process>[\w.]*))?(?:@(?P<url>.+))?", re.DOTALL)


class WebViewName(NamedTuple):
    """A WebView as the command line names it, `PACKAGE[:PROCESS][@URL]`; None matches all."""

    package: str
    process: str | None = None
    url: str | None = None

    @classmethod
    def parse(cls, text: str) -> WebViewName:
        """Return the parts of a name; raises OptionInvalid."""
        found = _WEBVIEW.fullmatch(text)
        if found is None:
            raise OptionInvalid(
                f"option webview: {text!r} is not PACKAGE[:PROCESS][@URL], for example com.example.shop or "
                "com.example.shop:web@**/checkout*; `stillframe webviews` lists those of a device",
                option="webview",
            )
        name = cls(found["package"], found["process"], found["url"])
        if name.is_browser and (name.url or name.process):
            raise OptionInvalid(
                f"option webview: {name.package} is a browser, which opens a tab: leave out what follows the package",
                option="webview",
            )
        return name

    @property
    def is_browser(self) -> bool:
        """Whether the package is a browser, which opens tabs, and not an app with a WebView."""
        return self.package in BROWSERS


class DeviceChoice(msgspec.Struct, frozen=True):
    """A WebView or a browser on an Android device; without a serial, that of `ANDROID_SERIAL` or the only one."""

    serial: str | None = None
    webview: WebViewName | None = None
    """None means the browser of the device."""

    adb_server: str | None = None

    @property
    def in_webview(self) -> bool:
        """Whether the page exists already, because an app has opened it."""
        return self.webview is not None and not self.webview.is_browser

    @asynccontextmanager
    async def device(self, **options: Any) -> AsyncIterator[AndroidDevice]:
        """Open the device for the block; `options` are those of its pages."""
        async with android(self.serial, adb_server=self.adb_server, **options) as device:
            yield device

    async def find(self, device: AndroidDevice) -> WebView:
        """Wait for the WebView; raises the errors of `AndroidDevice.webview`."""
        assert self.webview is not None  # see in_webview
        package, process, url = self.webview
        return await device.webview(package=package, process=process, url=url)

    async def browser(self, device: AndroidDevice) -> Browser:
        """Connect to the browser of the device: to Chrome if several run and no package is given."""
        if self.webview is not None:
            return await device.chrome(self.webview.package)
        try:
            return await device.chrome()
        except WebViewAmbiguous as error:
            if CHROME not in error.candidates:
                raise
            return await device.chrome(CHROME)

    @asynccontextmanager
    async def page(self, url: str | None = None, **options: Any) -> AsyncIterator[Page]:
        """Yield the page of the WebView, or a new tab of the browser; load a URL in it if one is given."""
        async with self.device(**options) as device:
            if not self.in_webview:
                yield await (await self.browser(device)).new_page(url)
                return
            page = await (await self.find(device)).page()
            if url is not None:
                await page.goto(url)
            yield page
