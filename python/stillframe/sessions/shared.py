"""The browser that sessions share: launched when the first one needs it, and again after it died."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

from stillframe.api.browser import Browser
from stillframe.api.launch import launch
from stillframe.sessions.book import Idle


class OwnedBrowser:
    """A browser that sessions launched, and what ends it."""

    def __init__(self, browser: Browser, stack: AsyncExitStack) -> None:
        self.browser = browser
        self._stack = stack

    @classmethod
    async def launch(cls, options: Mapping[str, Any]) -> OwnedBrowser:
        """Launch one; see `stillframe.launch` for the options and for what is raised."""
        stack = AsyncExitStack()
        return cls(await stack.enter_async_context(launch(**options)), stack)

    async def close(self) -> None:
        """End it, and wait until nothing of it is left; idempotent."""
        await self._stack.aclose()


class SharedBrowser:
    """One browser for many; `idle` says since when nobody has used it."""

    def __init__(self, options: Mapping[str, Any], now: float) -> None:
        self.idle = Idle(now)
        self._options = options
        self._lock = asyncio.Lock()
        self._owned: OwnedBrowser | None = None

    @property
    def there(self) -> bool:
        """Whether a browser has been launched and not been closed; it may have died."""
        return self._owned is not None

    async def get(self) -> Browser:
        """Return the browser, launched anew if there is none that lives; raises what `stillframe.launch` does."""
        async with self._lock:
            if self._owned is not None and self._owned.browser.closed:
                await self._close()
            if self._owned is None:
                self._owned = await OwnedBrowser.launch(self._options)
            return self._owned.browser

    async def close(self, *, unless_used: bool = False) -> None:
        """End the browser if there is one; with `unless_used` only if nobody has come meanwhile."""
        async with self._lock:
            if not (unless_used and self.idle.users):
                await self._close()

    async def _close(self) -> None:
        owned, self._owned = self._owned, None
        if owned is not None:
            await owned.close()
