"""The cookies of crawlee's sessions, in the contexts of pages."""

from __future__ import annotations

from typing import Any, cast

from crawlee.sessions import Session

from stillframe import Page
from stillframe.errors import CommandError


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
