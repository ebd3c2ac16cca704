"""One browser of a pool: its contexts by identity, and their pages, in use and idle."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stillframe import Browser, BrowserContext, Page
from stillframe.cdp_types import heap_profiler
from stillframe.errors import StillframeError
from stillframe.extend import page_state

BLANK = "about:blank"
BLANK_MS = 2_000.0
"""How long a page may take to be emptied; one that takes longer is closed."""


@dataclass(eq=False)
class PooledPage:
    """A page that a pool lends: `browser` is the number of its browser, `identity` that of its context.

    `shed` is set when the machine runs out of memory and the page should end. Set `reuse` to False to have the page
    closed afterwards; one that raised, crashed, or has new routes, scripts or handlers is closed anyway.
    """

    page: Page
    browser: int
    identity: str
    reuse: bool = True
    shed: asyncio.Event = field(default_factory=asyncio.Event)


def is_at_rest(page: Page) -> bool:
    """Return whether a page has ended all of its work, as far as is known; one that goes on could navigate later."""
    verdict = page.verdict
    if page.url == BLANK or verdict is None:
        return page.url == BLANK
    return verdict.stable and verdict.reason != BEYOND and not verdict.pending and not verdict.ignored


BEYOND = "horizon"
"""The reason of a verdict whose page goes on with work beyond what was waited for."""


class Identity:
    """A context and its idle pages."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.idle: dict[Page, float] = {}
        """Since when each page is idle, by the monotonic clock; the one that was used last stands last."""
        self.in_use = 0

    async def close(self) -> None:
        """Close the context, or the idle pages of the default one."""
        if self.context.id is not None:
            await self.context.close()
        else:
            await asyncio.gather(*(page.close() for page in self.idle))
        self.idle.clear()


class PooledBrowser:
    """A browser and its pages by identity; the identity "" without options is the default context."""

    def __init__(self, number: int, browser: Browser, contexts: int) -> None:
        self.number = number
        self.browser = browser
        self.in_use: list[PooledPage] = []
        self._contexts = contexts
        self._identities: dict[str, Identity] = {}
        self._baseline: dict[Page, tuple[int, ...]] = {}
        self._opening = asyncio.Lock()

    async def open(self, identity: str, options: Mapping[str, Any] | None) -> PooledPage:
        """Return an idle page of an identity, or a new one. Raises what opening a page raises."""
        async with self._opening:  # or two pages would open one identity's context twice
            group = self._identities.get(identity) or await self._add(identity, options)
            group.in_use += 1
        try:
            page = await self._page(group)
        except BaseException:
            group.in_use -= 1
            raise
        pooled = PooledPage(page, self.number, identity)
        self.in_use.append(pooled)
        return pooled

    async def _add(self, identity: str, options: Mapping[str, Any] | None) -> Identity:
        await self._make_room()
        plain = not identity and not options
        context = self.browser.default_context if plain else await self.browser.new_context(**(options or {}))
        group = self._identities[identity] = Identity(context)
        return group

    async def _make_room(self) -> None:
        """Close the identity that was used longest ago and has no page in use, if there are too many."""
        unused = [name for name, group in self._identities.items() if not group.in_use]
        if len(self._identities) >= self._contexts and unused:
            group = self._identities.pop(unused[0])
            for page in group.idle:
                self._forget(page)
            await group.close()

    async def _page(self, group: Identity) -> Page:
        while group.idle:
            page, _ = group.idle.popitem()
            if not page.closed:
                return page
        page = await group.context.new_page()
        self._baseline[page] = page_state(page).additions
        return page

    async def take_back(self, pooled: PooledPage, *, failed: bool) -> None:
        """Keep a page for the next one, or close it."""
        self.in_use.remove(pooled)
        group = self._identities[pooled.identity]
        group.in_use -= 1
        self._identities[pooled.identity] = self._identities.pop(pooled.identity)  # the last used stands last
        page = pooled.page
        if failed or not pooled.reuse or page.closed or page_state(page).additions != self._baseline.get(page):
            await self._close(page)
        else:
            await asyncio.gather(*(popup.close() for popup in page.popups))
            if not is_at_rest(page) and not await self._emptied(page):
                return
            # V8 lets the garbage of small documents grow to some 100 MB in a renderer before it collects it by itself;
            # collected after each page, a renderer stays at some 45 MB (measured).
            page.cdp_session.post(heap_profiler.CollectGarbage())
            group.idle[page] = time.monotonic()

    async def _emptied(self, page: Page) -> bool:
        """Load an empty document into a page, which ends what runs in it; return False if it had to be closed."""
        try:
            arrived = await page.goto(BLANK, timeout_ms=BLANK_MS)
        except StillframeError:
            await self._close(page)
            return False
        if arrived.url != BLANK:  # its old document was faster
            await self._close(page)
            return False
        return True

    def _forget(self, page: Page) -> None:
        self._baseline.pop(page, None)

    async def _close(self, page: Page) -> None:
        self._forget(page)
        with contextlib.suppress(StillframeError):
            await page.close()

    async def empty_idle(self, before: float) -> None:
        """Load an empty document into each page that is idle since then; close those that do not answer."""
        for group in list(self._identities.values()):
            for page, since in list(group.idle.items()):
                if since > before or page.url == BLANK or group.idle.pop(page, None) is None:
                    continue
                if await self._emptied(page):
                    group.idle[page] = time.monotonic()

    async def close(self) -> None:
        """End the browser."""
        await self.browser.close()
