"""Pages that tests use one after the other: a tab and its context are cleaned and handed on instead of closed.

A new context with a new tab costs 120 ms of CPU, most of it in Chrome's browser process; cleaning costs 45 (measured on
Chromium 156 with two cores). What lives in the CDP session (emulation, scripts, bindings, interception, breakpoints)
goes with the session, and all of stillframe's own objects are made again: a test gets a new `BrowserContext` and a new
`Page`. What lives in the tab or in the context is cleared here, and tests/test_page_pool.py compares the result with a
new page. A tab that cannot be cleaned with certainty is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from stillframe.api.browser import Browser, BrowserContext, Page
from stillframe.cdp import CDPSession
from stillframe.cdp_types import browser as cdp_browser
from stillframe.cdp_types import input as cdp_input
from stillframe.cdp_types import network, runtime, storage, target
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import StillframeError
from stillframe.tab.context.options import ContextOptions

CLEAN_S = 1.0
"""Seconds that cleaning may take; a page that takes longer is busy with something, and is closed."""
FORGET = "try { sessionStorage.clear() } catch {} name = ''; location.replace('about:blank')"
"""A replacement by a script keeps the tab in its process, which the next page of the same site then uses. A document
without an origin, such as that of a data: URL, has no storage."""
OUTSIDE = -100.0
"""A place outside of the page for the pointer, in pixels: a new tab has no pointer over it."""


class Idle(NamedTuple):
    """A clean tab that no test uses."""

    target_id: str
    context_id: str


class PagePool:
    """The pages of one browser; `origin` is that of the site whose pages the tests load.

    With `fresh` every page is a new one.
    """

    def __init__(self, browser: Browser, origin: str, *, fresh: bool = False) -> None:
        self._browser = browser
        self._origin = origin
        self._fresh = fresh
        self._idle: list[Idle] = []
        self.handed_on = 0
        """How often a tab was handed on."""

    @asynccontextmanager
    async def page(self) -> AsyncIterator[Page]:
        """Give a page that is like a new one in a new context."""
        page = await self._take()
        try:
            yield page
        finally:
            await self._give_back(page)

    async def close(self) -> None:
        """Close the clean tabs."""
        for idle in self._idle:
            await self._dispose(idle.context_id)
        self._idle.clear()

    async def _take(self) -> Page:
        if self._idle:
            idle = self._idle.pop()
            try:
                return await self._adopted(idle)
            except StillframeError:
                await self._dispose(idle.context_id)
        context = await self._browser.new_context()
        return await context.new_page()

    async def _adopted(self, idle: Idle) -> Page:
        """Return new objects for a clean tab and its context."""
        browser, root = self._browser, self._browser.cdp_session
        info = (await root.send(target.GetTargetInfo(target_id=idle.target_id))).target_info
        context = browser._contexts[idle.context_id] = BrowserContext(browser, idle.context_id, ContextOptions())
        await context._start()
        page = browser._listed(info)
        browser._follow(page, await root.attach(idle.target_id))
        page._tab.drawing.alone = browser.info.is_headless
        self.handed_on += 1
        return await page._ready()

    async def _give_back(self, page: Page) -> None:
        context = page.context
        if not self._may_be_cleaned(page):
            await context.close()
            return
        assert context.id is not None
        try:
            async with asyncio.timeout(CLEAN_S):
                await self._clean(page)
        except (StillframeError, TimeoutError):
            await self._dispose(context.id)
        else:
            self._idle.append(Idle(page.target_id, context.id))
        finally:
            self._browser._contexts.pop(context.id, None)
            context._release()

    def _may_be_cleaned(self, page: Page) -> bool:
        """Return whether everything that the test has done to the tab and its context can be undone."""
        tab, context = page._tab, page.context
        return (
            not self._fresh
            and not self._browser.closed
            and not page.closed
            and tab.session.error is None  # it has not crashed
            and tab.clock.virtual is None
            and context in self._browser.contexts
            and context.pages == [page]
            and len(tab.sessions()) == 1  # workers and frames of other processes end later than their page
            and context._places <= {(self._origin,)}
        )

    async def _clean(self, page: Page) -> None:
        root = self._browser.cdp_session
        await page._tab.session.detach()
        session = await root.attach(page.target_id)
        await self._clear_page(session)
        await self._clear_context(root, session, page.context.id)
        await session.detach()

    async def _clear_page(self, session: CDPSession) -> None:
        loaded = asyncio.get_running_loop().create_future()

        def navigated(event: cdp_page.FrameNavigated) -> None:
            if event.frame.parent_id is None and not loaded.done():
                loaded.set_result(None)

        session.on(cdp_page.FrameNavigated, navigated)
        session.post(cdp_page.Enable())
        outside = cdp_input.DispatchMouseEvent(type="mouseMoved", x=OUTSIDE, y=OUTSIDE)
        await session.send(outside)
        await session.send(cdp_page.ResetNavigationHistory())
        await session.send(runtime.Evaluate(expression=FORGET))
        await loaded

    async def _clear_context(self, root: CDPSession, session: CDPSession, context_id: str | None) -> None:
        await asyncio.gather(
            root.post(storage.ClearCookies(browser_context_id=context_id)),
            root.post(cdp_browser.ResetPermissions(browser_context_id=context_id)),
            session.post(storage.ClearDataForOrigin(origin=self._origin, storage_types="all")),
            session.post(network.ClearBrowserCache()),
        )

    async def _dispose(self, context_id: str) -> None:
        if not self._browser.closed:
            await self._browser.cdp_session.send(target.DisposeBrowserContext(browser_context_id=context_id))
