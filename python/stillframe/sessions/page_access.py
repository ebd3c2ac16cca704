"""Everything that sessions read and set on a page or browser beyond its public calls, in one place."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from stillframe.adb.webview import WebView
from stillframe.api.browser import Browser, Page
from stillframe.errors import SessionLost
from stillframe.extend import page_state
from stillframe.security.policy import UrlPolicy
from stillframe.security.urls import ALLOWED_SCHEMES, check_url


def set_session_name(page: Page, name: str | None) -> None:
    """Set the name of the session that the page belongs to; its sequences accept that name as `session_id`."""
    page_state(page).name_session(name)


def page_error(page: Page) -> SessionLost | None:
    """Return why the page does not answer: it crashed, its tab was closed, or its browser is gone."""
    return page.cdp_session.error


def lost_error(page: Page) -> SessionLost | None:
    """Return the error of a page that is gone for good, None for one that is open or only crashed."""
    return page_error(page) if page.closed else None


def on_lost(page: Page, callback: Callable[[SessionLost], None]) -> None:
    """Call back when the tab of the page is gone."""
    page.cdp_session.on_closed(callback)


async def make_ready(page: Page) -> None:
    """Wait until the page is set up."""
    await page_state(page).ready()


def is_busy(page: Page) -> bool:
    """Return whether a call runs on the page now."""
    return page_state(page).is_busy


def shown_url(page: Page) -> str:
    """Return the URL of the page without secrets."""
    return page_state(page).redactor.redact(page.url)


def check_browser_url(browser: Browser, url: str, policy: UrlPolicy | None) -> None:
    """Raise UrlRefused for a URL that a new context of the browser with this policy may not load."""
    schemes = browser.allowed_schemes - ALLOWED_SCHEMES
    check_new_url(url, policy or browser.default_context.policy, schemes)


def check_webview_url(webview: WebView, url: str) -> None:
    """Raise UrlRefused for a URL that the pages of the device may not load."""
    webview._apps.check_url(url)


def check_new_url(url: str, policy: UrlPolicy | None, schemes: AbstractSet[str]) -> None:
    """Raise UrlRefused for a URL that a new context with this policy and these additional schemes may not load."""
    check_url(url, ALLOWED_SCHEMES | schemes) if policy is None else policy.with_schemes(schemes).check(url)
