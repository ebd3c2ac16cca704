"""Saving and restoring cookies and localStorage of a context, without running anything of a site."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import msgspec

from stillframe.cdp import CDPSession
from stillframe.cdp_types import fetch, network
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import storage as cdp_storage
from stillframe.errors import CdpError, CommandError, OptionInvalid
from stillframe.security.urls import same_origin
from stillframe.tab.storage_state import CookieState, Item, OriginState, SameSite, StorageState

if TYPE_CHECKING:
    from stillframe.api.context import BrowserContext
    from stillframe.api.page import Page

READ = "function() { return Object.entries(localStorage) }"
WRITE = "function(items) { localStorage.clear(); for (const [name, value] of items) localStorage.setItem(name, value) }"


async def get_cookies(context: BrowserContext) -> list[CookieState]:
    """Return the cookies of a context."""
    reply = await _root(context).send(cdp_storage.GetCookies(browser_context_id=context.id))
    return [_cookie_state(cookie) for cookie in reply.cookies]


async def set_cookies(context: BrowserContext, cookies: Iterable[CookieState]) -> None:
    """Add cookies to a context; raises OptionInvalid naming one that the browser does not take."""
    wanted = list(cookies)
    params = [_cookie_param(cookie) for cookie in wanted]
    try:
        await _root(context).send(cdp_storage.SetCookies(cookies=params, browser_context_id=context.id))
    except CdpError as error:
        raise OptionInvalid(f"cookies: the browser takes none of them: {error.text}", option="cookies") from None
    # Chrome answers with success for cookies that its rules forbid, and drops them.
    there = {cookie.name for cookie in await get_cookies(context)}
    for cookie in wanted:
        if cookie.name not in there and (cookie.expires == -1 or cookie.expires > time.time()):
            raise OptionInvalid(
                f"cookies: the browser dropped {cookie.name!r}; SameSite=None needs secure, "
                "a __Host- name needs secure and the path /",
                option="cookies",
            )


async def clear_cookies(context: BrowserContext) -> None:
    """Delete all cookies of a context."""
    await _root(context).send(cdp_storage.ClearCookies(browser_context_id=context.id))


async def save(context: BrowserContext) -> StorageState:
    """Return the cookies of a context and the localStorage of the origins its pages have shown."""
    cookies = await get_cookies(context)
    origins = sorted(context.origins)
    if not origins:
        return StorageState(tuple(cookies))
    async with _blank_documents(context) as page:
        stored = [(origin, await _items(page, origin)) for origin in origins]
    return StorageState(
        tuple(cookies), tuple(OriginState(origin=origin, local_storage=items) for origin, items in stored if items)
    )


async def restore(context: BrowserContext, state: StorageState) -> None:
    """Add the cookies of a state, and replace the localStorage of the origins it names."""
    if state.cookies:
        await set_cookies(context, state.cookies)
    if not state.origins:
        return
    async with _blank_documents(context) as page:
        for origin in state.origins:
            await _show(page, origin.origin)
            await page.frames.main.call(WRITE, [[item.name, item.value] for item in origin.local_storage])
            context.origins.add(origin.origin)


def to_builtins(state: StorageState | list[CookieState]) -> Any:
    """Return a state or cookies as plain builtins, in Playwright's shape: every key that it expects is there."""
    if isinstance(state, list):
        return [_cookie_builtins(cookie) for cookie in state]
    # Through JSON, because msgspec keeps tuples as they are.
    origins = msgspec.json.decode(msgspec.json.encode(state.origins))
    return {"cookies": [_cookie_builtins(cookie) for cookie in state.cookies], "origins": origins}


def _cookie_builtins(cookie: CookieState) -> dict[str, Any]:
    plain = {
        "name": cookie.name,
        "value": cookie.value,
        "domain": cookie.domain,
        "path": cookie.path,
        "expires": cookie.expires,
        "httpOnly": cookie.http_only,
        "secure": cookie.secure,
        # Chrome treats a cookie without the attribute as Lax.
        "sameSite": cookie.same_site or "Lax",
    }
    return plain | ({"partitionKey": cookie.partition_key} if cookie.partition_key else {})


def _root(context: BrowserContext) -> CDPSession:
    return context.browser.connection.root


def _cookie_state(cookie: network.Cookie) -> CookieState:
    return CookieState(
        name=cookie.name,
        value=cookie.value,
        domain=cookie.domain,
        path=cookie.path,
        expires=-1 if cookie.session else cookie.expires,
        http_only=cookie.http_only,
        secure=cookie.secure,
        same_site=cast("SameSite | None", cookie.same_site),
        partition_key=cookie.partition_key.top_level_site if cookie.partition_key else None,
    )


def _cookie_param(cookie: CookieState) -> network.CookieParam:
    partition = cookie.partition_key
    return network.CookieParam(
        name=cookie.name,
        value=cookie.value,
        url=cookie.url,
        domain=cookie.domain,
        path=cookie.path,
        expires=None if cookie.expires == -1 else cookie.expires,
        http_only=cookie.http_only,
        secure=cookie.secure,
        same_site=cookie.same_site,
        partition_key=(
            network.CookiePartitionKey(top_level_site=partition, has_cross_site_ancestor=False) if partition else None
        ),
    )


@asynccontextmanager
async def _blank_documents(context: BrowserContext) -> AsyncIterator[Page]:
    """Open a page in which every URL is an empty document, so that no server and no script is involved."""
    page = await context.new_page()
    try:
        page.setup.stop()
        session = page.session
        session.on(fetch.RequestPaused, lambda event: session.post(_empty(event.request_id)))
        session.post(network.Enable())
        session.post(network.SetBypassServiceWorker(bypass=True))
        await session.send(fetch.Enable(patterns=[fetch.RequestPattern(url_pattern="*")]))
        yield page
    except BaseException:
        page.leave()
        raise
    await page.close()


def _empty(request_id: str) -> fetch.FulfillRequest:
    headers = [fetch.HeaderEntry(name="content-type", value="text/html")]
    return fetch.FulfillRequest(request_id=request_id, response_code=200, response_headers=headers)


async def _show(page: Page, origin: str) -> None:
    reply = await page.session.send(cdp_page.Navigate(url=f"{origin}/"))
    if reply.error_text:
        raise CommandError(f"an empty document at {origin} could not be opened: {reply.error_text}")
    await page.session.drain_events()
    # A site on the browser's list of https-only ones is shown at another origin than asked for.
    shown = await page.frames.main.evaluate("location.origin")
    if not same_origin(shown, origin):
        raise CommandError(f"an empty document at {origin} could not be opened: the browser went to {shown}")


async def _items(page: Page, origin: str) -> tuple[Item, ...]:
    await _show(page, origin)
    return tuple(Item(name, value) for name, value in await page.frames.main.call(READ))
