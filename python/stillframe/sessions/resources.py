"""The resources of a session: the page it starts with, and what to close at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from stillframe.api.browser import Browser, Page
from stillframe.sessions.open_request import OpenRequest
from stillframe.sessions.page_access import lost_error, make_ready
from stillframe.sessions.shared_browser import LaunchedBrowser, SharedBrowser


class SessionResources(NamedTuple):
    """A page, and a function that closes everything that was opened for it."""

    page: Page
    close: Callable[[], Awaitable[None]]


async def open_resources(request: OpenRequest, shared: SharedBrowser, clock: Callable[[], float]) -> SessionResources:
    """Open the page of a session; raises the errors of launching and loading, and leaves nothing open then."""
    if request.page is not None:
        return await _caller_page(request.page, request.url)
    if request.kind == "browser":
        return await _own_browser(request)
    if request.browser is not None:
        return await _context(request.browser, request)
    return await _shared_context(request, shared, clock)


async def _caller_page(page: Page, url: str | None) -> SessionResources:
    error = lost_error(page)
    if error is not None:
        raise error
    if url is not None:
        await page.goto(url)
    await make_ready(page)
    return SessionResources(page, _keep_open)


async def _own_browser(request: OpenRequest) -> SessionResources:
    launched = await LaunchedBrowser.launch(request.options.all)
    try:
        return SessionResources(await launched.browser.new_page(request.url), launched.close)
    except BaseException:
        await asyncio.shield(launched.close())
        raise


async def _context(browser: Browser, request: OpenRequest) -> SessionResources:
    context = await browser.new_context(**request.options.context)
    try:
        return SessionResources(await context.new_page(request.url), context.close)
    except BaseException:
        await asyncio.shield(context.close())
        raise


async def _shared_context(request: OpenRequest, shared: SharedBrowser, clock: Callable[[], float]) -> SessionResources:
    shared.idle.begin()
    try:
        resources = await _context(await shared.get(), request)
    except BaseException:
        shared.idle.end(clock())
        raise

    async def close() -> None:
        try:
            await resources.close()
        finally:
            shared.idle.end(clock())

    return SessionResources(resources.page, close)


async def _keep_open() -> None:
    """Close nothing: the page belongs to the caller."""
