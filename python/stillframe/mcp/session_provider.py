"""The session provider: finds or opens the session of a call, in one browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from stillframe import Browser, connect
from stillframe.errors import SessionUnknown
from stillframe.loopguard import LoopGuard
from stillframe.mcp.settings import Settings
from stillframe.sessions import Session, Sessions

DEFAULT_SESSION = "default"
"""The session of calls without a `sessionId`; the first such call opens it."""


class SessionProvider:
    """Finds, opens and closes sessions for the tools."""

    def __init__(self, settings: Settings, sessions: Sessions, browser: Browser | None) -> None:
        self.settings = settings
        self.sessions = sessions
        self._browser = browser
        self._opening: asyncio.Task[Session] | None = None

    async def get(self, session_id: str | None) -> Session:
        """Return an open session, or open the default one; raises SessionUnknown."""
        name = session_id or DEFAULT_SESSION
        try:
            return self.sessions.get(name)
        except SessionUnknown:
            if name != DEFAULT_SESSION:
                raise
        # Concurrent first calls share one opening, and a cancelled call leaves it to the others.
        if self._opening is None or self._opening.done():
            self._opening = asyncio.create_task(self.open(DEFAULT_SESSION), name="open the default session")
        return await asyncio.shield(self._opening)

    async def open(self, session_id: str | None, *, url: str | None = None, own_browser: bool = False) -> Session:
        """Open a session; raises the errors of `Sessions.open`."""
        options: dict[str, Any] = {"own_browser": own_browser}
        if self._browser is not None and not own_browser:
            options = {"browser": self._browser, **self.settings.context_options()}
        return await self.sessions.open(session_id, url=url, **options)

    async def stop(self) -> None:
        """Cancel the opening of the default session."""
        if self._opening is not None and not self._opening.done():
            self._opening.cancel()
            await asyncio.wait([self._opening])


@asynccontextmanager
async def session_provider(settings: Settings, browser: Browser | None = None) -> AsyncIterator[SessionProvider]:
    """Provide sessions for the block; its end closes them and the browsers that were launched for them."""
    async with AsyncExitStack() as stack:
        if settings.connect is not None:
            browser = await stack.enter_async_context(connect(settings.connect, **settings.context_options()))
        virtual = settings.sequence.get("settle") == "virtual"
        options = {"headless": not settings.headed, "virtual_time": virtual, **settings.context_options()}
        sessions = await stack.enter_async_context(
            Sessions(idle_ms=settings.idle_ms, loops=_loop_guard_factory(settings), **options)
        )
        provider = SessionProvider(settings, sessions, browser)
        try:
            yield provider
        finally:
            await asyncio.shield(provider.stop())


def _loop_guard_factory(settings: Settings) -> Callable[[], LoopGuard] | None:
    mode = settings.loops
    return None if mode == "off" else lambda: LoopGuard(mode=mode)
