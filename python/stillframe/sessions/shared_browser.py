"""The browser that sessions share: launched for the first session that needs it, and again after it died."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

from stillframe.api.browser import Browser
from stillframe.api.launch import launch
from stillframe.sessions.registry import IdleClock


class LaunchedBrowser:
    """A browser that sessions launched, and the way to close it."""

    def __init__(self, browser: Browser, stack: AsyncExitStack) -> None:
        self.browser = browser
        self._stack = stack

    @classmethod
    async def launch(cls, options: Mapping[str, Any]) -> LaunchedBrowser:
        """Launch a browser; see `stillframe.launch` for the options and the errors."""
        stack = AsyncExitStack()
        return cls(await stack.enter_async_context(launch(**options)), stack)

    async def close(self) -> None:
        """Close the browser and wait until nothing of it is left; idempotent."""
        await self._stack.aclose()


class SharedBrowser:
    """One browser for many sessions; `idle` measures the time without any."""

    def __init__(self, options: Mapping[str, Any], now: float) -> None:
        self.idle = IdleClock(now)
        self._options = options
        self._lock = asyncio.Lock()
        self._launched: LaunchedBrowser | None = None

    @property
    def is_launched(self) -> bool:
        """Whether a browser was launched and not closed; it may have died."""
        return self._launched is not None

    async def get(self) -> Browser:
        """Return the browser, and launch one if none lives; raises the errors of `stillframe.launch`."""
        async with self._lock:
            if self._launched is not None and self._launched.browser.closed:
                await self._close()
            if self._launched is None:
                self._launched = await LaunchedBrowser.launch(self._options)
            return self._launched.browser

    async def close(self, *, unless_used: bool = False) -> None:
        """Close the browser if there is one; with `unless_used` only if no session uses it."""
        async with self._lock:
            if not (unless_used and self.idle.users):
                await self._close()

    async def _close(self) -> None:
        launched, self._launched = self._launched, None
        if launched is not None:
            await launched.close()
