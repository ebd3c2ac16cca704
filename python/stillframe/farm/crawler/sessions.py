"""The cookies of crawlee's sessions, in the contexts of pages.

crawlee hands any session to any request. So a session's cookies are those of the identity that used it last, and no
other one gets them: they would sign one person in as another.
"""

from __future__ import annotations

from typing import Any, cast

from crawlee.sessions import Session

from stillframe import Page
from stillframe.errors import CommandError

OWNER = "stillframeIdentity"
"""Key of `session.user_data`: the identity whose cookies the session has. Those that a program gave it have none."""


async def apply_session(page: Page, session: Session | None, identity: str) -> None:
    """Set the cookies of a session in the page's context, if they are those of its identity."""
    if session is None or session.user_data.get(OWNER, identity) != identity:
        return
    cookies = session.cookies.get_cookies_as_playwright_format()
    if cookies:
        await page.context.add_cookies([{**cookie} for cookie in cookies])


async def keep_session(page: Page, session: Session | None, identity: str) -> None:
    """Keep the cookies of the page's context in its session; a page that is gone has none."""
    if session is None or page.closed:
        return
    try:
        cookies = await page.context.cookies()
    except CommandError:
        return
    if session.user_data.get(OWNER, identity) != identity:
        session.cookies.jar.clear()
    session.user_data[OWNER] = identity
    session.cookies.set_cookies_from_playwright_format([cast("Any", cookie) for cookie in cookies])
