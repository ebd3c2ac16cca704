"""A WebView of an app on a device."""

from __future__ import annotations

import asyncio

from stillframe.adb.device_apps import LOOK_S, DeviceApps
from stillframe.adb.devtools.views import View, ViewQuery, context_name, process_suffix
from stillframe.adb.errors import (
    AdbServerDied,
    AdbServerUnavailable,
    AppKilled,
    DeviceNotFound,
    DeviceOffline,
    NoDevices,
    TargetNotVisible,
    TransportLost,
)
from stillframe.adb.native.rect import Rect
from stillframe.adb.native.screencap import screenshot_of
from stillframe.api.browser import Page
from stillframe.errors import CdpError, CommandError, CommandTimeout, ConnectFailed, SecretShown, TargetClosed
from stillframe.model.structs import short_url
from stillframe.tab.deadline import CALL_MS, Deadline, time_limited

DRAWN_MS = 3000.0
"""Milliseconds that a page gets to draw itself before the screen is taken: it takes some 30 ms (measured)."""

PASSING = (TargetClosed, AppKilled, ConnectFailed)
"""What the start of an app or of its page looks like from here."""
RETURNING = (TransportLost, AdbServerDied, AdbServerUnavailable, DeviceOffline, DeviceNotFound, NoDevices)
"""What a device that was there before may recover from: adb connects to it again by itself."""

WEBVIEW_MS = 10_000.0
"""Milliseconds to wait for a WebView by default: an app starts and loads its page within some seconds."""


class WebView:
    """A WebView of an app: `await view.page()` is the page that it shows.

    `AndroidDevice.webview` and `webviews` find it. It stands for the WebView of the app and not for one process: after
    the app has ended and started again, `page()` returns the page of its successor, with new refs.
    """

    def __init__(self, apps: DeviceApps, view: View, query: ViewQuery) -> None:
        self._apps = apps
        self._view = view
        self._query = query._replace(package=view.socket.package, process=process_suffix(view.socket))
        self._page: Page | None = None
        self._finding = asyncio.Lock()

    def __repr__(self) -> str:
        return f"WebView({self.context_name!r}, {short_url(self.url)})"

    # -- what it is ----------------------------------------------------------------------------------

    @property
    def package(self) -> str | None:
        """The package of the app; None if the device does not say."""
        return self._view.socket.package

    @property
    def process(self) -> str | None:
        """The name of the process, `package` or `package:name`; None if the device does not say."""
        return self._view.socket.process

    @property
    def pid(self) -> int | None:
        """The id of the process on the device; another one after the app has started again."""
        return self._view.socket.pid

    @property
    def socket_name(self) -> str:
        """The name of the DevTools socket, such as `webview_devtools_remote_4321`."""
        return self._view.socket.name

    @property
    def target_id(self) -> str:
        """The id of the page in CDP; another one after the app has started again."""
        return self._view.target.id

    @property
    def url(self) -> str:
        """The URL of the page; of one that is not used yet, the one that the app listed."""
        return self._page.url if self._page is not None else self._view.target.url

    @property
    def title(self) -> str:
        """The title of the page when the app was last asked."""
        return self._view.target.title

    @property
    def visible(self) -> bool:
        """Whether the app showed it when it was last asked."""
        return self._view.visible

    @property
    def bounds(self) -> Rect | None:
        """Where it was on the screen, in pixels of the device; None if the app does not say, or if it is empty."""
        state = self._view.target.view
        if state is None or not state.width or not state.height:
            return None
        return Rect(state.screen_x or 0, state.screen_y or 0, state.width, state.height)

    @property
    def context_name(self) -> str:
        """The name of its context in Appium: `WEBVIEW_<package>`, or `WEBVIEW_<package>:<process>`."""
        return context_name(self._view.socket)

    # -- what it shows -------------------------------------------------------------------------------

    @time_limited
    async def page(self, *, timeout_ms: float | None = WEBVIEW_MS) -> Page:
        """Return its page, attached and ready; wait for the app if it has ended and starts again.

        Args:
            timeout_ms: The limit of the call, in ms: 10,000 by default; None for no limit.

        Raises:
            AndroidError: There is no such WebView, or not any more; the class says why.
            TransportLost: The link to the device breaks.
            AdbServerDied: The adb server is gone.
            OptionInvalid: A context option is one that this WebView does not take.
        """
        async with self._finding:
            if self._page is None or self._page.closed:
                self._page = await self._attach(Deadline.of_ms(timeout_ms))
            return self._page

    async def _attach(self, deadline: Deadline) -> Page:
        """Attach to the WebView, where it was or where it is now."""
        passing = (*PASSING, *RETURNING) if self._page is not None else PASSING
        while True:
            try:
                self._view = await self._located(deadline)
                connected = await self._apps.connected(self._view.socket)
                return await connected.page(self._view.target.id)
            except passing:
                if deadline.left_s < LOOK_S:
                    raise
            await asyncio.sleep(LOOK_S)

    async def _located(self, deadline: Deadline) -> View:
        """Return the same target if it is still there, else the one that has taken its place."""
        look = await self._apps.look(self._query)
        same = [view for view in look.views if view.target.id == self.target_id]
        if same and same[0].socket.name == self.socket_name:
            return same[0]
        return await self._apps.find(self._query, deadline)

    # -- pictures ------------------------------------------------------------------------------------

    @time_limited
    async def screenshot(self, *, timeout_ms: float | None = CALL_MS) -> bytes:
        """Return a PNG of what the WebView shows, drawn by the page, or cut from the screen if the page does not draw.

        A WebView that the system does not compose may never answer; then the picture of the screen shows what is there,
        dialogs over it included.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            TargetNotVisible: The WebView is on no screen either.
            SecretShown: The page may show a secret, which only a picture by the page hides.
            ShellFailed: The device makes no picture.
            AndroidError: There is no such WebView, as for `page`.
        """
        deadline = Deadline.of_ms(timeout_ms)
        page = await self.page()
        try:
            return await page.screenshot(timeout_ms=min(DRAWN_MS, deadline.left_s * 1000))
        except (CommandTimeout, CdpError) as error:
            return await self._from_screen(page, deadline, error)

    async def _from_screen(self, page: Page, deadline: Deadline, why: CommandError) -> bytes:
        if page.context.redaction.redactor:
            raise SecretShown(
                f"{self.context_name} does not draw ({why}), and on a picture of the screen its secrets cannot be "
                "painted over; device.screenshot() takes one as it is"
            ) from why
        self._view = await self._located(deadline)
        if self.bounds is None or not self.visible:
            raise TargetNotVisible(
                f"{self.context_name} is hidden and draws nothing: bring the app to the foreground and switch the "
                "screen on",
                target_id=self.target_id,
            ) from why
        return await screenshot_of(self._apps.adb, self.bounds, timeout=deadline.left_s)
