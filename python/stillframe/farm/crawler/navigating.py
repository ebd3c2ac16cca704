"""A crawlee request and its session, on a page: cookies, and methods, headers and payloads of the navigation."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, cast

from crawlee import Request
from crawlee.sessions import Session

from stillframe import Page, Route
from stillframe.errors import CommandError, NavigationFailed
from stillframe.farm.loading import BLANK as BLANK
from stillframe.farm.loading import BLANK_MS, Loaded, load_whole
from stillframe.farm.output.bodies import content_type_of
from stillframe.farm.playwright_names import goto_options, referer_of
from stillframe.farm.reasons import DOWNLOAD


async def leave_document(page: Page, url: str) -> None:
    """Show an empty document if the page shows that of the URL: a fragment alone would load nothing, and wait for less.

    Raises what `Page.goto` raises.
    """
    before, fragment, _ = url.partition("#")
    if fragment and page.url.partition("#")[0] == before:
        await page.goto(BLANK, timeout_ms=BLANK_MS)


async def load(
    page: Page,
    request: Request,
    given: Mapping[str, Any],
    timeout_s: float,
    max_document_bytes: int | None,
    download_types: Container[str] = (),
) -> Loaded:
    """Navigate a page to a request, and wait until it is still.

    `given` are options of `goto`, also by Playwright's names. A response without a document leaves the page empty.
    Raises what `Page.goto` raises, NavigationFailed with the reason DOWNLOAD for a download of a type that is not one
    of `download_types`, and TOO_LARGE for a document over its limit, DocumentTruncated, DocumentReplaced, and
    RendererHung.
    """
    options = {"timeout_ms": 1000 * timeout_s, **goto_options(given, where="goto_options")}
    await leave_document(page, request.url)
    await replace_navigation(page, request, referer_of(given))
    loaded = await load_whole(page, request.url, options, max_document_bytes)
    content_type = content_type_of(page.response_headers)
    if is_download(page) and content_type not in download_types:
        kind = f"a download of the type {content_type}" if content_type else "a download without a type"
        raise NavigationFailed(
            f"{request.url} is {kind}, and the page still shows what it showed before",
            url=request.url,
            reason=DOWNLOAD,
            cause="download",
        )
    return loaded


def is_download(page: Page) -> bool:
    """Return whether the last navigation became a download, so that the page shows what it showed before."""
    return page.verdict is not None and page.verdict.reason == DOWNLOAD


async def apply_session(page: Page, session: Session | None) -> None:
    """Set the cookies of a session in the page's context."""
    cookies = session.cookies.get_cookies_as_playwright_format() if session else []
    if cookies:
        await page.context.add_cookies([{**cookie} for cookie in cookies])


async def keep_session(page: Page, session: Session | None) -> None:
    """Keep the cookies of the page's context in its session; a page that is gone has none."""
    if session is None or page.closed:
        return
    try:
        cookies = await page.context.cookies()
    except CommandError:
        return
    session.cookies.set_cookies_from_playwright_format([cast("Any", cookie) for cookie in cookies])


async def replace_navigation(page: Page, request: Request, more: Mapping[str, str]) -> None:
    """Send the navigation with the method, headers and payload of a request, if it has any, and with more headers."""
    headers = {**(request.headers or {}), **more}
    if request.method == "GET" and not headers and request.payload is None:
        return
    first = True

    async def change(route: Route) -> None:
        nonlocal first
        if not first or not route.request.is_navigation_request:
            await route.fallback()
            return
        first = False
        await route.continue_(
            method=request.method, headers={**route.request.headers, **headers}, post_data=request.payload
        )

    await page.route("**", change, use_cache=True)
