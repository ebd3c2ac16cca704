"""The resources of a session: the page it starts with, and what to close at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from stillframe.adb.webview import WebView
from stillframe.api.browser import Browser, Page
from stillframe.sessions.open_request import OpenRequest, refuse_context_without_policy, refuse_taken
from stillframe.sessions.page_access import lost_error, make_ready, set_session_name
from stillframe.sessions.shared_browser import LaunchedBrowser, SharedBrowser


class SessionResources(NamedTuple):
    """A page, and a function that closes everything that was opened for it."""

    page: Page
    close: Callable[[], Awaitable[None]]
    webview: WebView | None = None
    """What shows the page, and shows another one after its app has started again."""


async def open_resources(
    name: str, request: OpenRequest, shared: SharedBrowser, clock: Callable[[], float]
) -> SessionResources:
    """Open the page of a session; raises the errors of launching and loading, and leaves nothing open then."""
    opened = request.opened
    if opened.page is not None:
        return await _caller_page(opened.page, request.url)
    if opened.webview is not None:
        return await _webview(name, opened.webview, request)
    if request.kind == "browser":
        return await _own_browser(request)
    if opened.browser is None:
        return await _shared_context(request, shared, clock)
    return await (_tab if request.kind == "tab" else _context)(opened.browser, request)


async def _caller_page(page: Page, url: str | None) -> SessionResources:
    error = lost_error(page)
    if error is not None:
        raise error
    if url is not None:
        await page.goto(url)
    await make_ready(page)
    return SessionResources(page, _keep_open)


async def _webview(name: str, webview: WebView, request: OpenRequest) -> SessionResources:
    page = await webview.page()
    refuse_taken(page, option="webview")
    refuse_context_without_policy(request.options, page, "webview")
    set_session_name(page, name)
    try:
        return (await _caller_page(page, request.url))._replace(webview=webview)
    except BaseException:
        set_session_name(page, None)
        raise


async def _tab(browser: Browser, request: OpenRequest) -> SessionResources:
    page = await browser.new_page(request.url)
    return SessionResources(page, page.close)


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
