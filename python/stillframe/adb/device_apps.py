"""The apps of a device that have DevTools sockets: look at them, and connect to each once."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import AsyncExitStack
from functools import partial
from typing import NamedTuple

from stillframe.adb.adb_device import AdbDevice
from stillframe.adb.devtools.app_endpoint import AppEndpoint
from stillframe.adb.devtools.diagnosed_transport import DiagnosedTransport
from stillframe.adb.devtools.discovery import find_sockets, missing_reason
from stillframe.adb.devtools.probes import Probes
from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.adb.devtools.views import Look, View, ViewQuery, choose_view, ranked, why_none
from stillframe.adb.devtools.webview_transport import WebViewTransport
from stillframe.adb.errors import AndroidError, AppFrozen
from stillframe.api.browser import Browser, Page
from stillframe.api.launch import started
from stillframe.cdp import Connection
from stillframe.cdp.transport.base import Transport
from stillframe.cdp_types import browser as cdp_browser
from stillframe.chrome.browser_info import BrowserInfo
from stillframe.errors import ConnectFailed, TargetClosed, UnsupportedByBrowser
from stillframe.security.urls import ALLOWED_SCHEMES, check_url
from stillframe.tab.context.options import ContextOptions
from stillframe.tab.deadline import Deadline
from stillframe.tab.refs import RefNumbers

LOOK_S = 0.3
"""Seconds between looks at a device while a WebView is awaited; nothing announces a new one. chrome://inspect looks
once a second, Playwright every 0.5 s."""

CHROME_KINDS = frozenset({"chrome", "samsung", "content_shell"})
"""Kinds of sockets that belong to a browser with tabs, and not to an app with WebViews."""

SocketKey = tuple[str, int | None]
"""The name of a socket and its process: Chrome keeps its name when it starts again."""

FIRST_REPLY_S = 5.0
"""Seconds for the first answer of a browser endpoint: that of a frozen process never comes."""


class ConnectedApp(NamedTuple):
    """A process on a device: its pages, and how to list them."""

    browser: Browser
    app: AppEndpoint
    webviews: WebViewTransport | None
    """None for a browser with tabs of its own, which announces them."""

    async def page(self, target_id: str) -> Page:
        """Return the page of a target, attached and ready; raises SessionLost, OptionInvalid for a context option."""
        if self.webviews is not None:
            await self.webviews.refresh()
        page = self.browser._pages.get(target_id)
        if page is None:
            raise TargetClosed(f"{self.app.name} lists no page {target_id} any more")
        await page._ready()
        # A WebView is a view of its own on the screen; tabs of a browser share a window.
        page._tab.drawing.alone = self.webviews is not None
        return page


class _Asked(NamedTuple):
    """What a process answered: its pages, the one that a user most likely looks at first."""

    socket: FoundSocket
    views: list[View]
    frozen: bool = False


class DeviceApps:
    """Looks for the DevTools sockets of a device, and keeps one connection to each process that is used."""

    def __init__(self, adb: AdbDevice, options: ContextOptions, allow_schemes: frozenset[str]) -> None:
        self.adb = adb
        self._options = options
        self._allow_schemes = allow_schemes
        self._ref_numbers = RefNumbers()
        self._probes = Probes()
        self._connected: dict[SocketKey, ConnectedApp] = {}
        self._connecting: defaultdict[SocketKey, asyncio.Lock] = defaultdict(asyncio.Lock)

    def check_url(self, url: str) -> None:
        """Raise UrlRefused unless the pages of the device may load the URL."""
        schemes = ALLOWED_SCHEMES | self._allow_schemes
        policy = self._options.policy
        check_url(url, schemes) if policy is None else policy.with_schemes(self._allow_schemes).check(url)

    # -- looking -----------------------------------------------------------------------------------

    def _app(self, socket: FoundSocket) -> AppEndpoint:
        return AppEndpoint(self.adb, socket, self._probes)

    async def sockets(self) -> list[FoundSocket]:
        """Return the DevTools sockets of the device; raises AndroidError and TransportLost."""
        return await find_sockets(self.adb)

    async def look(self, query: ViewQuery) -> Look:
        """Ask the apps that a query may mean for their pages; raises AndroidError and TransportLost."""
        sockets = [socket for socket in await self.sockets() if socket.kind not in CHROME_KINDS]
        asked = [socket for socket in sockets if socket.package is None or query.wants(socket)]
        answers = [each for each in await asyncio.gather(*map(self._asked, asked)) if query.wants(each.socket)]
        return Look(
            views=tuple(view for each in answers for view in each.views),
            sockets=tuple(each.socket for each in answers),
            frozen=tuple(each.socket for each in answers if each.frozen),
        )

    async def _asked(self, socket: FoundSocket) -> _Asked:
        """Ask a process for its pages, and for its package if nothing else tells it."""
        app = self._app(socket)
        try:
            if socket.package is None:
                socket = socket.with_package((await app.version()).package)
            return _Asked(socket, ranked(socket, await app.targets()))
        except AppFrozen:
            return _Asked(socket, [], frozen=True)
        except ConnectFailed:
            return _Asked(socket, [])  # it has just ended, or it is not a DevTools endpoint

    async def find(self, query: ViewQuery, deadline: Deadline) -> View:
        """Wait until there is the WebView that a query means; raises the AndroidError that says why there is none."""
        while True:
            look = await self.look(query)
            view = choose_view(look, query)
            if view is not None:
                return view
            if deadline.left_s < LOOK_S:
                raise await self._missing(look, query)
            await asyncio.sleep(LOOK_S)

    async def _missing(self, look: Look, query: ViewQuery) -> AndroidError:
        known = why_none(self.adb.serial, look, query)
        if known is not None:
            return known
        assert query.package is not None  # why_none knows the rest
        pages = [view.target.url for view in look.views if query.wants(view.socket)]
        return await missing_reason(self.adb, query.package, pages=pages if look.sockets else None)

    # -- connecting --------------------------------------------------------------------------------

    async def connected(self, socket: FoundSocket) -> ConnectedApp:
        """Return the connection to a process, made on first use; raises ConnectFailed and AndroidError."""
        await self._forget_closed()
        async with self._connecting[_key(socket)]:
            known = self._connected.get(_key(socket))
            if known is not None:
                return known
            connect = self._connect_browser if socket.kind in CHROME_KINDS else self._connect_webviews
            connected = self._connected[_key(socket)] = await connect(self._app(socket))
            return connected

    async def _connect_webviews(self, app: AppEndpoint) -> ConnectedApp:
        transport = await WebViewTransport.open(app)
        return ConnectedApp(await self._browser(app, transport, announces_tabs=False), app, transport)

    async def _connect_browser(self, app: AppEndpoint) -> ConnectedApp:
        """Connect to the browser endpoint of Chrome, and to its pages one by one where that is incomplete."""
        version = await app.version()
        transport = DiagnosedTransport(app, await app.open(version.web_socket_path))
        try:
            return ConnectedApp(await self._browser(app, transport, announces_tabs=True), app, None)
        except UnsupportedByBrowser:
            return await self._connect_webviews(app)

    async def _browser(self, app: AppEndpoint, transport: Transport, *, announces_tabs: bool) -> Browser:
        connection = Connection(transport)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(connection)
            info = await _identify(connection, app)
            browser = Browser(
                connection,
                info,
                options=self._options,
                allow_schemes=self._allow_schemes,
                owned=stack.pop_all(),
                by_activity=partial(_by_activity, app),
                ref_numbers=self._ref_numbers,
                announces_tabs=announces_tabs,
            )
        return await started(browser, FIRST_REPLY_S * 1000)

    async def _forget_closed(self) -> None:
        """Let go of connections that are lost: each start of an app makes a new one."""
        closed = {key: known for key, known in self._connected.items() if known.browser.closed}
        # All of them at once: another call may come while a connection closes.
        for key in closed:
            self._connecting.pop(key, None)
            del self._connected[key]
        for known in closed.values():
            await known.browser.close()

    async def close(self) -> None:
        """Close the tabs that were opened here and all connections; the apps stay as they are."""
        connected, self._connected = list(self._connected.values()), {}
        await asyncio.gather(*(each.browser.close() for each in connected))


def _key(socket: FoundSocket) -> SocketKey:
    return socket.name, socket.pid


async def _identify(connection: Connection, app: AppEndpoint) -> BrowserInfo:
    version = await connection.root.send(cdp_browser.GetVersion(), timeout=FIRST_REPLY_S)
    return BrowserInfo(
        product=version.product,
        protocol_version=version.protocol_version,
        revision=version.revision,
        user_agent=version.user_agent,
        js_version=version.js_version,
        transport="websocket",
        launched=False,
        endpoint=app.name,
    )


async def _by_activity(app: AppEndpoint) -> list[str]:
    return [target.id for target in await app.targets()]
