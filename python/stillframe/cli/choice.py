"""The page that a command acts on: in a browser that it launches or connects to, or on a device."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.security.secret_store import Secrets

if TYPE_CHECKING:
    from pathlib import Path

    from stillframe import Browser, Page
    from stillframe.sessions.device_choice import DeviceChoice


def device_choice(
    serial: str | None, webview: str | None, chrome: bool, adb_server: str | None, *, connect: str | None
) -> DeviceChoice | None:
    """Return what the options name on a device, None if none of them does; raises OptionInvalid if they collide."""
    given = {"connect": connect is not None, "webview": webview is not None, "chrome": chrome}
    given["device"] = serial is not None and connect is not None
    named = [name for name, is_given in given.items() if is_given]
    if len(named) > 1:
        raise OptionInvalid(f"--{named[0]} and --{named[1]} name two browsers: give one of them", option=named[1])
    if webview is None and serial is None and not chrome:
        if adb_server is not None:
            raise OptionInvalid(
                "--adb-server alone has no effect: add --device, --webview or --chrome", option="adb_server"
            )
        return None
    from stillframe.sessions.device_choice import DeviceChoice, WebViewName

    return DeviceChoice(serial, None if webview is None else WebViewName.parse(webview), adb_server)


def viewport_of(text: str) -> dict[str, int]:
    """Return the viewport that `1280x800` names; raises OptionInvalid."""
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise OptionInvalid(f"--viewport: {text!r} is not a size such as 1280x800", option="viewport")
    return {"width": int(width), "height": int(height)}


def load_secrets(path: Path | None) -> Secrets | None:
    """Return the secrets of a file, None without one; raises OptionInvalid."""
    return None if path is None else Secrets.load(path)


class BrowserChoice(msgspec.Struct, frozen=True):
    """The browser of a command: one that it launches, with or without a window, one at an endpoint, or on a device."""

    headed: bool = False
    endpoint: str | None = None
    observe: str | None = None
    """How closely to observe its pages, from their first script on; None is the default of the library."""

    virtual_time: bool = False
    """Whether to launch it for virtual time."""

    device: Any = None
    """A DeviceChoice; its module imports all that drives a browser."""
    secrets: Secrets | None = None
    """Secrets that actions may name."""
    tracing: dict[str, Any] = {}
    """The options of its contexts for traces; see `options.tracing`."""
    dialogs: str | None = None
    """How its contexts answer dialogs; None is the default of the library."""

    @property
    def in_webview(self) -> bool:
        """Whether the command acts on a page that an app has opened, so that it needs no URL."""
        return self.device is not None and self.device.in_webview

    @asynccontextmanager
    async def browser(self) -> AsyncIterator[Browser]:
        """Open the browser for the block."""
        from stillframe import connect, launch

        if self.endpoint:
            opening = connect(self.endpoint, **self._options())
        else:
            opening = launch(headless=not self.headed, virtual_time=self.virtual_time, **self._options())
        async with opening as browser:
            yield browser

    @asynccontextmanager
    async def page(self, url: str | None = None) -> AsyncIterator[Page]:
        """Yield a new page, or that of the WebView; load a URL in it if one is given."""
        if self.device is not None:
            async with self.device.page(url, **self._options()) as page:
                yield page
            return
        async with self.browser() as browser:
            yield await browser.new_page(url)

    def _options(self) -> dict[str, Any]:
        options = {"observe": self.observe, "secrets": self.secrets, "dialogs": self.dialogs, **self.tracing}
        return {name: value for name, value in options.items() if value is not None}
