"""The pages behind `sessionId`: sessions, the default one, and the browser they are opened in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from stillframe.api.browser import Browser
from stillframe.api.launch import connect
from stillframe.errors import SessionUnknown
from stillframe.loopguard import LoopGuard
from stillframe.mcp.settings import Settings
from stillframe.sessions import Session, Sessions

DEFAULT = "default"
"""The session of calls that name none; opened at the first of them."""


class Desk:
    """Finds, opens and closes sessions for the tools."""

    def __init__(self, settings: Settings, sessions: Sessions, browser: Browser | None) -> None:
        self.settings = settings
        self.sessions = sessions
        self._browser = browser
        self._opening: asyncio.Task[Session] | None = None

    async def session(self, session_id: str | None) -> Session:
        """Return an open session, or open the default one if none is named; raises SessionUnknown."""
        name = session_id or DEFAULT
        try:
            return self.sessions.get(name)
        except SessionUnknown:
            if name != DEFAULT:
                raise
        # Several first calls at once share one opening, and a cancelled one leaves it to the others.
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(self.open(DEFAULT), name="open the default session")
        return await asyncio.shield(self._opening)

    async def open(self, session_id: str | None, *, url: str | None = None, own_browser: bool = False) -> Session:
        """Open a session; raises what `Sessions.open` raises."""
        more: dict[str, Any] = {"own_browser": own_browser}
        if self._browser is not None and not own_browser:
            more = {"browser": self._browser, **self.settings.context_options()}
        return await self.sessions.open(session_id, url=url, **more)

    async def stop(self) -> None:
        """End an opening that nobody waits for any more."""
        if self._opening is not None and not self._opening.done():
            self._opening.cancel()
            await asyncio.wait([self._opening])


@asynccontextmanager
async def opened(settings: Settings, browser: Browser | None = None) -> AsyncIterator[Desk]:
    """Have sessions for the block; all of them end with it, and the browsers that were launched for them."""
    async with AsyncExitStack() as stack:
        if settings.connect is not None:
            browser = await stack.enter_async_context(connect(settings.connect, **settings.context_options()))
        loops = None if settings.loops == "off" else lambda: LoopGuard(mode=settings.loops)  # type: ignore[arg-type]
        virtual = settings.sequence.get("settle") == "virtual"
        options = {"headless": not settings.headed, "virtual_time": virtual, **settings.context_options()}
        sessions = await stack.enter_async_context(Sessions(idle_ms=settings.idle_ms, loops=loops, **options))
        desk = Desk(settings, sessions, browser)
        try:
            yield desk
        finally:
            await asyncio.shield(desk.stop())
