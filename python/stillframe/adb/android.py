"""Android devices: `android()` opens one, which finds the WebViews of its apps and its browsers."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Unpack

from stillframe.adb.adb_device import AdbDevice, ShellResult
from stillframe.adb.adb_server import AdbServer
from stillframe.adb.address import parse_address
from stillframe.adb.apps import foreground_package, start_app, stop_app
from stillframe.adb.chrome_launch import CHROME, launched_chrome
from stillframe.adb.device_apps import CHROME_KINDS, DeviceApps
from stillframe.adb.device_info import DeviceInfo, read_device_info
from stillframe.adb.device_list import choose_device
from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.adb.devtools.views import ViewQuery, context_name
from stillframe.adb.errors import AppNotRunning, WebViewAmbiguous, WebViewHasNoPages
from stillframe.adb.native.native_ui import NativeUi
from stillframe.adb.native.screencap import screenshot
from stillframe.adb.webview import WEBVIEW_MS, WebView
from stillframe.api.browser import Browser, Page
from stillframe.api.context_proxies import check_certificates
from stillframe.api.launch import Opening
from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown
from stillframe.tab.context.keywords import ContextKeywords
from stillframe.tab.context.options import parse_context_options
from stillframe.tab.deadline import CALL_MS, Deadline, in_seconds, time_limited
from stillframe.tab.network.url_patterns import url_matcher

NATIVE = "NATIVE_APP"
CHROMIUM = "CHROMIUM"
"""Appium's names of the contexts that are not a WebView: the native screen, and a browser with tabs."""

LAUNCH_MS = 30_000.0
"""Milliseconds for Chrome to start on a device: a cold start on a slow phone takes some seconds."""


def android(
    serial: str | None = None,
    *,
    adb_server: str | None = None,
    start_server: bool = True,
    timeout_ms: float = CALL_MS,
    allow_schemes: Iterable[str] = (),
    **options: Unpack[ContextKeywords],
) -> Opening[AndroidDevice]:
    """Open an Android device: `async with android() as device: …`, or `device = await android()` and `device.close()`.

    Nothing is installed on the device, and nothing is left on it.

    Args:
        serial: The serial of the device; without it `ANDROID_SERIAL` names it, or there is only one.
        adb_server: `host:port`; by default the server that adb's own variables name (`ADB_SERVER_SOCKET`,
            `ANDROID_ADB_SERVER_ADDRESS`, `ANDROID_ADB_SERVER_PORT`), on this machine at port 5037.
        start_server: Whether to start the server if it does not run.
        timeout_ms: The limit of the call, in ms: 30,000 by default.
        allow_schemes: URL schemes that pages may load besides the usual ones.
        **options: The fields of `ContextOptions`, for all pages that are used.

    Returns:
        The AndroidDevice, once it is awaited or entered.

    Raises:
        AdbServerUnavailable: No adb server answers.
        AdbBinaryMissing: There is no program `adb` to start one with.
        AdbServerTooOld: The server is too old.
        NoDevices: No device is connected.
        DeviceNotFound: No device has this serial.
        DeviceAmbiguous: Several devices are connected, and none is named.
        DeviceUnauthorized: The device has not allowed this machine yet.
        DeviceOffline: The server knows the device, which does not answer.
        UsbPermission: This machine may not open the device.
        OptionInvalid: An option is unknown or invalid.
    """
    return Opening(_android(serial, adb_server, start_server, timeout_ms, frozenset(allow_schemes), {**options}))


async def _android(
    serial: str | None,
    adb_server: str | None,
    start_server: bool,
    timeout_ms: float,
    allow_schemes: frozenset[str],
    options: dict[str, Any],
) -> AndroidDevice:
    context_options = parse_context_options(options)
    check_certificates(context_options)
    server = AdbServer(None if adb_server is None else parse_address(adb_server), start=start_server)
    async with Deadline.of_ms(timeout_ms).enforced("android"):
        await server.ensure_running()
        entry = choose_device(await server.devices(), serial or os.environ.get("ANDROID_SERIAL") or None)
        adb = AdbDevice(server, entry.serial)
        info = await read_device_info(adb)
    return AndroidDevice(adb, info, DeviceApps(adb, context_options, allow_schemes))


class AndroidDevice:
    """A device at an adb server. `webview` finds the WebView of an app, `chrome` and `launch_chrome` a browser.

    It holds a connection only to apps that are used; `close`, or its `async with` block, ends those and closes the tabs
    that were opened here.
    """

    def __init__(self, adb: AdbDevice, info: DeviceInfo, apps: DeviceApps) -> None:
        self.adb = adb
        """The device at its adb server: shell, files, streams."""
        self.info = info
        """Manufacturer, model, version of Android."""
        self.native = NativeUi(adb)
        """The screen as a whole, native apps included: elements, taps, keys."""
        self._apps = apps
        self._launched = AsyncExitStack()

    def __repr__(self) -> str:
        return f"AndroidDevice({self.serial!r}, {self.info.model!r})"

    @property
    def serial(self) -> str:
        """The serial number of the device, as `adb devices` lists it."""
        return self.adb.serial

    # -- WebViews ------------------------------------------------------------------------------------

    @time_limited
    async def webviews(self, *, package: str | None = None, timeout_ms: float | None = CALL_MS) -> list[WebView]:
        """Return the WebViews of all apps, or of one package: hidden ones too, the shown ones of an app first.

        An app that Android has frozen is not asked, and its WebViews are left out.

        Args:
            package: The package; by default all.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            TransportLost: The link to the device breaks.
            AdbServerUnavailable: No adb server answers.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        query = ViewQuery(package=package, hidden=True)
        look = await self._apps.look(query)
        return [WebView(self._apps, view, query) for view in look.views]

    @time_limited
    async def webview(
        self,
        *,
        package: str | None = None,
        url: str | re.Pattern[str] | None = None,
        process: str | None = None,
        hidden: bool = False,
        timeout_ms: float | None = WEBVIEW_MS,
    ) -> WebView:
        """Return the WebView of an app, and wait until there is one.

        Of several WebViews in one process the shown one counts, then the largest, then the last active one.

        Args:
            package: The package of the app; by default any.
            url: A glob as in `Page.wait_for_url`, or a regular expression.
            process: The part of the process name after the colon, for apps with several.
            hidden: Whether one that the app does not show will do as well.
            timeout_ms: The limit of the call, in ms: 10,000 by default; None for no limit.

        Raises:
            AppNotRunning: After `timeout_ms`, the app does not run.
            AppFrozen: After `timeout_ms`, Android has frozen the app.
            NoDebuggableWebView: After `timeout_ms`, the app has no DevTools socket.
            WebViewHasNoPages: After `timeout_ms`, the app has no page that matches.
            TargetNotVisible: After `timeout_ms`, the app does not show it.
            WebViewAmbiguous: Several apps match.
        """
        query = ViewQuery(
            package=package,
            process=process,
            url=None if url is None else url_matcher(url),
            pattern=url.pattern if isinstance(url, re.Pattern) else url or "",
            hidden=hidden,
        )
        view = await self._apps.find(query, Deadline.of_ms(timeout_ms))
        return WebView(self._apps, view, query)

    # -- browsers ------------------------------------------------------------------------------------

    @time_limited
    async def chrome(self, package: str | None = None, *, timeout_ms: float | None = CALL_MS) -> Browser:
        """Connect to Chrome, or another browser built on it, that runs on the device.

        The browser closes with the device, the tabs that were open stay.

        Args:
            package: The package of the browser, if several run.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            AppNotRunning: It does not run.
            AppFrozen: Android has frozen it.
            WebViewAmbiguous: Several browsers run.
            ConnectFailed: Its DevTools endpoint does not answer.
        """
        return (await self._apps.connected(await self._browser_socket(package))).browser

    async def _browser_socket(self, package: str | None) -> FoundSocket:
        browsers = [socket for socket in await self._apps.sockets() if socket.kind in CHROME_KINDS]
        wanted = [socket for socket in browsers if package in (None, socket.package)]
        return only_browser(self.serial, wanted, package)

    @time_limited
    async def launch_chrome(
        self,
        url: str | None = None,
        *,
        package: str = CHROME,
        args: Iterable[str] = (),
        timeout_ms: float | None = LAUNCH_MS,
    ) -> Browser:
        """Start Chrome on the device with a DevTools socket of its own, and connect to it.

        Chrome ends with the device.

        Args:
            url: The URL to load.
            package: The package of the browser.
            args: Switches for its command line, which Chrome takes from a debuggable build or while it is the app that
                Android debugs; both that setting and the file with the switches are gone again once it runs.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            UrlRefused: The URL is not allowed.
            BrowserNotFound: The package is not installed.
            LaunchFailed: No DevTools socket opens.
            ShellFailed: A command on the device fails.
        """
        if url is not None:
            self._apps.check_url(url)
        launched = launched_chrome(self.adb, package=package, args=tuple(args), url=url)
        name = await self._launched.enter_async_context(launched)
        socket = next(each for each in await self._apps.sockets() if each.name == name)
        return (await self._apps.connected(socket)).browser

    # -- contexts, as Appium names them ---------------------------------------------------------------

    @time_limited
    async def contexts(self, *, timeout_ms: float | None = CALL_MS) -> list[str]:
        """Return Appium's names of what can be acted on: `NATIVE_APP`, `WEBVIEW_<package>`, `CHROMIUM`."""
        sockets = await self._apps.sockets()
        webviews = [context_name(socket) for socket in sockets if socket.kind not in CHROME_KINDS]
        browsers = [CHROMIUM for socket in sockets if socket.kind in CHROME_KINDS]
        return list(dict.fromkeys([NATIVE, *webviews, *browsers]))

    @time_limited
    async def context(self, name: str, *, timeout_ms: float | None = CALL_MS) -> Page:
        """Return the page of a context by Appium's name: `WEBVIEW_<package>`, or `CHROMIUM` for the tab in front.

        The native screen is not a page; `device.native` acts on it.

        Args:
            name: One of `contexts()`.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: It is none of them.
            AndroidError: It has no page, as for `webview` and `chrome`.
        """
        deadline = Deadline.of_ms(timeout_ms)
        if name == CHROMIUM:
            page = await (await self.chrome()).active_page()
            if page is None:
                raise WebViewHasNoPages("the browser has no tab", package=None)
            return page
        sockets = {context_name(socket): socket for socket in await self._apps.sockets()}
        if name not in sockets:
            advice = "; device.native acts on the native screen" if name == NATIVE else ""
            raise OptionInvalid(unknown("context", name, list(sockets)) + advice, option="name")
        _, _, process = name.partition(":")
        query = ViewQuery(package=sockets[name].package, process=process)
        view = WebView(self._apps, await self._apps.find(query, deadline), query)
        return await view.page(timeout_ms=deadline.left_s * 1000)

    # -- the device itself ---------------------------------------------------------------------------

    @time_limited
    async def start_app(self, package: str, activity: str | None = None, *, timeout_ms: float | None = CALL_MS) -> None:
        """Start an app, or bring it to the front.

        Args:
            package: The package of the app.
            activity: The screen to show; by default that of its launcher icon.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            AppNotRunning: The package is not installed, or has no such screen.
            ShellFailed: The device refuses.
            TransportLost: The link to the device breaks.
        """
        await start_app(self.adb, package, activity)

    @time_limited
    async def stop_app(self, package: str, *, timeout_ms: float | None = CALL_MS) -> None:
        """End all processes of an app (`am force-stop`).

        Args:
            package: The package of the app.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            ShellFailed: The device refuses.
            TransportLost: The link to the device breaks.
        """
        await stop_app(self.adb, package)

    @time_limited
    async def foreground_package(self, *, timeout_ms: float | None = CALL_MS) -> str | None:
        """Return the package of the app in front; None if the device does not say."""
        return await foreground_package(self.adb)

    async def shell(self, command: str, *, check: bool = True, timeout_ms: float = CALL_MS) -> ShellResult:
        """Run a command in the device's shell and return its output and exit code.

        Args:
            command: The command line.
            check: Whether an exit code other than 0 is an error.
            timeout_ms: The limit of the call, in ms: 30,000 by default.

        Raises:
            ShellFailed: With `check`, the exit code is not 0.
            TransportLost: The link to the device breaks.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        return await self.adb.shell(command, timeout=in_seconds(timeout_ms) or 0.0, check=check)

    @time_limited
    async def screenshot(
        self, path: str | os.PathLike[str] | None = None, *, timeout_ms: float | None = CALL_MS
    ) -> bytes:
        """Return a PNG of the screen.

        Args:
            path: The file to write it to as well.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            ShellFailed: The device makes no picture.
            TransportLost: The link to the device breaks.
        """
        png = await screenshot(self.adb)
        if path is not None:
            await asyncio.to_thread(Path(path).write_bytes, png)
        return png

    async def close(self) -> None:
        """Close the connections to apps, the tabs opened here, and the browsers launched here. Idempotent."""
        try:
            await self._apps.close()
        finally:
            await self._launched.aclose()

    async def __aenter__(self) -> AndroidDevice:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


def only_browser(serial: str, sockets: list[FoundSocket], package: str | None) -> FoundSocket:
    """Return the socket of the browser that is meant; raises AppNotRunning, WebViewAmbiguous."""
    if len(sockets) == 1:
        return sockets[0]
    if not sockets:
        raise AppNotRunning(
            f"{package or 'Chrome'} does not run on {serial}, or shows its first-run screen: start it on the device, "
            "or call launch_chrome()",
            package=package or CHROME,
            serial=serial,
        )
    names = [socket.package or socket.name for socket in sockets]
    raise WebViewAmbiguous(
        f"several browsers run on {serial}: {', '.join(names)}; name one by its package", candidates=names
    )
