"""The session provider: finds or opens the session of a call, in one browser or on one device."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from stillframe import AndroidDevice, Browser, Page, connect, launch
from stillframe.cdp_types import runtime
from stillframe.errors import DialogOpen, OptionInvalid, SessionUnknown, StillframeError
from stillframe.loopguard import LoopGuard
from stillframe.mcp.page_logs import PageLogs
from stillframe.mcp.recordings import Recordings
from stillframe.mcp.resource_store import ResourceStore
from stillframe.security.redaction import logger
from stillframe.sessions import Session, Sessions

if TYPE_CHECKING:
    from mcp.server.connection import Connection

    from stillframe.mcp.capabilities import Capability
    from stillframe.mcp.settings import Settings
    from stillframe.sessions.device_choice import DeviceChoice

# Notices that a client's resources have changed: over the connection until 2025-11-25, by subscription since then.

MAX_SUBSCRIPTIONS = 16
"""Streams of one client by which it hears of changes."""


class Announcer:
    """Tells one client of changes; many at once are one notice."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=MAX_SUBSCRIPTIONS)
        """Serves `subscriptions/listen`."""
        self._connections: set[Any] = set()
        self._announcing: asyncio.Task[None] | None = None
        self._has_changed = False

    def add(self, connection: Connection) -> None:
        """Tell a connection of changes, until it ends."""
        if connection.protocol_version not in MODERN_PROTOCOL_VERSIONS and connection not in self._connections:
            self._connections.add(connection)
            connection.exit_stack.callback(self._connections.discard, connection)

    def announce(self) -> None:
        """Announce a change soon."""
        self._has_changed = True
        if self._announcing is None or self._announcing.done():
            self._announcing = asyncio.get_running_loop().create_task(self._announce(), name="announce resources")

    async def stop(self) -> None:
        """End the subscriptions."""
        self.listen.close()
        if self._announcing is not None and not self._announcing.done():
            self._announcing.cancel()
            await asyncio.wait([self._announcing])

    async def _announce(self) -> None:
        while self._has_changed:
            await asyncio.sleep(0)  # so that one call announces once what it stores
            self._has_changed = False
            await self._bus.publish(ResourcesListChanged())
            for connection in list(self._connections):
                await connection.send_resource_list_changed()


# The browser of `--profile`: launched for the first session, and used by one session at a time.


class ProfileBrowser:
    """A browser on a user data directory: its default context has the cookies there, and there is only one of it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self.turn = asyncio.Lock()
        """Held while a session opens."""
        self._browser: Browser | None = None
        self._user: tuple[Sessions, str] | None = None

    async def place(self, sessions: Sessions, name: str) -> dict[str, Any]:
        """Return the arguments of `Sessions.open` for the one session that may use the profile.

        Raises OptionInvalid if there is one already, and the errors of `launch`, ProfileLocked among them.
        """
        user = self._user
        if user is not None and any(info.session_id == user[1] for info in user[0].list()):
            whose = f"session {user[1]!r} has" if user[0] is sessions else "another client has"
            raise OptionInvalid(
                f"{whose} the profile of this server, which serves one session: use that session, or close it first",
                option="sessionId",
            )
        if self._browser is None or self._browser.closed:
            await self.close()
            self._browser = await launch(**self._options)
        self._user = sessions, name
        return {"browser": self._browser, "own_context": False}

    async def close(self) -> None:
        """End the browser, if there is one."""
        browser, self._browser = self._browser, None
        if browser is not None:
            await browser.close()


RECORDED: frozenset[Capability] = frozenset({"console", "network"})
"""The capabilities that read what pages did before the call."""

SAVE_MS = 5_000.0
"""The limit of reading cookies and storage before a session closes."""

_logger = logger("stillframe.mcp")

DEFAULT_SESSION = "default"
"""The session of calls without a `sessionId`; the first such call opens it."""


class OnDevice(NamedTuple):
    """The device that a server acts on, and what it uses there."""

    device: AndroidDevice
    choice: DeviceChoice

    async def place(self, sessions: Sessions) -> dict[str, Any]:
        """Return the arguments of `Sessions.open` for the WebView, or for a tab of the browser.

        Raises OptionInvalid if another session has the WebView, and the errors of `AndroidDevice.webview` and `chrome`.
        """
        if not self.choice.in_webview:
            return {"browser": await self.choice.browser(self.device), "own_context": False}
        for info in sessions.list():
            if info.kind == "webview":
                raise OptionInvalid(
                    f"session {info.session_id!r} has the WebView of this server, and a WebView opens no tabs: use "
                    "that session, or close it first",
                    option="sessionId",
                )
        return {"webview": await self.choice.find(self.device)}


class SessionProvider:
    """Finds, opens and closes the sessions of one client for the tools; `store` has what its replies left out."""

    def __init__(
        self,
        settings: Settings,
        sessions: Sessions,
        browser: Browser | None,
        on_device: OnDevice | None = None,
        profile: ProfileBrowser | None = None,
    ) -> None:
        self.settings = settings
        self.sessions = sessions
        self.announcer = Announcer()
        self.store = ResourceStore(time.monotonic, self.announcer.announce)
        self.logs = PageLogs(records=bool(settings.caps & RECORDED), downloads="files" in settings.caps)
        self.asked: WeakKeyDictionary[Page, str] = WeakKeyDictionary()
        """The documents that pages showed before the call that a dialog ended."""
        self.states: dict[str, dict[str, Any]] = {}
        """The cookies and storage that the model has saved, by name."""
        self.recordings = Recordings()
        self._browser = browser
        self._on_device = on_device
        self._profile = profile
        self._opening: asyncio.Task[Session] | None = None
        self._launching: asyncio.Task[None] | None = None
        self._opens_default = True

    def beside(self, *, opens_default: bool = True) -> SessionProvider:
        """Return a provider for another client: it shares the browser, and neither sees the sessions of the other.

        Without `opens_default` it refuses calls without a session instead of opening the default one.
        """
        provider = SessionProvider(self.settings, self.sessions.beside(), self._browser, profile=self._profile)
        provider._opens_default = opens_default
        return provider

    @property
    def is_on_device(self) -> bool:
        """Return whether the sessions are on a device, which has one of each WebView for all clients."""
        return self._on_device is not None

    async def get(self, session_id: str | None) -> Session:
        """Return an open session, or open the default one; raises SessionUnknown."""
        name = session_id or DEFAULT_SESSION
        try:
            return self.sessions.get(name)
        except SessionUnknown:
            if name != DEFAULT_SESSION or not self._opens_default:
                raise
        # Concurrent first calls share one opening, and a cancelled call leaves it to the others.
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(self.open(DEFAULT_SESSION), name="open the default session")
        return await asyncio.shield(self._opening)

    async def open(self, session_id: str | None, *, url: str | None = None, own_browser: bool = False) -> Session:
        """Open a session, and record its page from the start; raises the errors of `Sessions.open` and `Page.goto`."""
        session = await self._opened(session_id, own_browser)
        self.logs.follow(session.context, session.page)
        try:
            async with session.lock:
                if self.settings.init_script is not None:
                    await add_init_script(session, self.settings.init_script)
                if url is not None:
                    await session.page.goto(url)
        except DialogOpen:
            pass  # the page is there, and the next call says that it waits for an answer
        except BaseException:
            await asyncio.shield(session.close())
            raise
        return session

    async def _opened(self, session_id: str | None, own_browser: bool) -> Session:
        if self._profile is None:
            return await self.sessions.open(session_id, **await self._place(own_browser))
        if own_browser:
            raise OptionInvalid("this server has one profile and launches no other browser", option="ownBrowser")
        async with self._profile.turn:
            name = session_id or DEFAULT_SESSION
            return await self.sessions.open(name, **await self._profile.place(self.sessions, name))

    async def _place(self, own_browser: bool) -> dict[str, Any]:
        """Return the arguments of `Sessions.open` that say where a session opens."""
        if self._on_device is not None:
            if own_browser:
                raise OptionInvalid("this server acts on a device and launches no browser", option="ownBrowser")
            return await self._on_device.place(self.sessions)
        if self._browser is not None and not own_browser:
            return {"browser": self._browser, **self.settings.context_options()}
        return {"own_browser": own_browser}

    def launch_ahead(self) -> None:
        """Begin to launch the browser that sessions will share, if there will be one and the settings say so."""
        has_place = self._browser is not None or self._on_device is not None or self._profile is not None
        if self.settings.launch_ahead and not has_place and self._launching is None:
            self._launching = asyncio.create_task(self._launch_ahead(), name="launch the browser ahead")

    async def _launch_ahead(self) -> None:
        with suppress(StillframeError):  # the first call launches it again, and says what is wrong
            await self.sessions.launch_browser()

    async def stop(self) -> None:
        """Cancel the opening of the default session and the launch ahead of it, and end the subscriptions."""
        await self.announcer.stop()
        await self.recordings.discard()
        begun = [task for task in (self._opening, self._launching) if task is not None and not task.done()]
        for task in begun:
            task.cancel()
        if begun:
            await asyncio.wait(begun)

    async def close(self) -> None:
        """Close all sessions of this client."""
        await self.stop()
        await self.sessions.close()


@asynccontextmanager
async def session_provider(settings: Settings, browser: Browser | None = None) -> AsyncIterator[SessionProvider]:
    """Provide sessions for the block; its end closes them and the browsers that were launched for them."""
    async with AsyncExitStack() as stack:
        on_device = await stack.enter_async_context(_on_device(settings))
        if settings.connect is not None:
            browser = await stack.enter_async_context(
                connect(settings.connect, headers=settings.connect_headers, **settings.context_options())
            )
        virtual = settings.sequence.get("settle") == "virtual"
        launching = {"headless": not settings.headed, "virtual_time": virtual, "webmcp": "webmcp" in settings.caps}
        options = {**launching, **settings.launching, **settings.context_options()}
        profile = None
        if settings.profile is not None:
            profile = ProfileBrowser({**options, "profile": settings.profile})
            stack.push_async_callback(profile.close)
        sessions = await stack.enter_async_context(
            Sessions(
                idle_ms=settings.idle_ms, loops=_loop_guard_factory(settings), on_close=_saving(settings), **options
            )
        )
        provider = SessionProvider(settings, sessions, browser, on_device, profile)
        try:
            yield provider
        finally:
            await asyncio.shield(provider.stop())


async def add_init_script(session: Session, script: str) -> None:
    """Run a script in every later document of a session; raises OptionInvalid if it does not parse."""
    parsed = await session.page.cdp_session.send(runtime.Evaluate(expression=f"if (0) {{\n{script}\n}}", silent=True))
    if (details := parsed.exception_details) is not None:
        message = (details.exception.description if details.exception else None) or details.text
        raise OptionInvalid(
            f"the --init-script of this server does not parse: {message.splitlines()[0]} in line "
            f"{details.line_number}; a person has to correct it",
            option="init_script",
        )
    await session.context.add_init_script(script)


def _saving(settings: Settings) -> Callable[[Session], Awaitable[object]] | None:
    """Return what writes the file of --save-storage-state when the default session closes."""
    path = settings.save_storage_state
    if path is None:
        return None

    async def save(session: Session) -> None:
        if session.id != DEFAULT_SESSION:
            return
        try:
            await session.context.storage_state(path, timeout_ms=SAVE_MS)
        except (StillframeError, OSError) as error:
            _logger.warning("--save-storage-state: %s was not written: %s", path, error)

    return save


@asynccontextmanager
async def _on_device(settings: Settings) -> AsyncIterator[OnDevice | None]:
    """Open the device for the block, if the settings name one; raises the errors of `stillframe.android`."""
    if settings.device is None:
        yield None
        return
    async with settings.device.device(**settings.context_options()) as device:
        yield OnDevice(device, settings.device)


def _loop_guard_factory(settings: Settings) -> Callable[[], LoopGuard] | None:
    mode = settings.loops
    return None if mode == "off" else lambda: LoopGuard(mode=mode)
