"""Where a session lives: the page it begins with, and what is given back at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from stillframe.api.browser import Browser, Page
from stillframe.sessions.plan import Plan
from stillframe.sessions.shared import OwnedBrowser, SharedBrowser


class Home(NamedTuple):
    """A page, and what closes all that was opened for it."""

    page: Page
    close: Callable[[], Awaitable[None]]


async def make(plan: Plan, shared: SharedBrowser, clock: Callable[[], float]) -> Home:
    """Open what a plan wants; raises what launching and loading do, and leaves nothing then."""
    if plan.page is not None:
        return await _borrowed(plan.page, plan.url)
    if plan.kind == "browser":
        return await _in_browser(plan)
    if plan.browser is not None:
        return await _in_context(plan.browser, plan)
    return await _in_shared(plan, shared, clock)


async def _borrowed(page: Page, url: str | None) -> Home:
    if page.closed and page.cdp_session.error is not None:
        raise page.cdp_session.error
    if url is not None:
        await page.goto(url)
    return Home(page, _nothing)


async def _in_browser(plan: Plan) -> Home:
    owned = await OwnedBrowser.launch(plan.options.all)
    try:
        return Home(await owned.browser.new_page(plan.url), owned.close)
    except BaseException:
        await asyncio.shield(owned.close())
        raise


async def _in_context(browser: Browser, plan: Plan) -> Home:
    context = await browser.new_context(**plan.options.context)
    try:
        return Home(await context.new_page(plan.url), context.close)
    except BaseException:
        await asyncio.shield(context.close())
        raise


async def _in_shared(plan: Plan, shared: SharedBrowser, clock: Callable[[], float]) -> Home:
    shared.idle.begin()
    try:
        home = await _in_context(await shared.get(), plan)
    except BaseException:
        shared.idle.end(clock())
        raise

    async def close() -> None:
        try:
            await home.close()
        finally:
            shared.idle.end(clock())

    return Home(home.page, close)


async def _nothing() -> None:
    """The caller's own page stays as it is."""
