"""Everything that sessions read and set on a page or browser beyond its public calls, in one place."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from stillframe.api.browser import Browser
from stillframe.api.page import Page
from stillframe.errors import SessionLost
from stillframe.loopguard import LoopGuard
from stillframe.model.result import CaptureCounts
from stillframe.security.policy import UrlPolicy
from stillframe.tab.navigation import ALLOWED_SCHEMES, check_url


def session_name(page: Page) -> str | None:
    """Return the name of the session that the page belongs to."""
    return page.session_name


def set_session_name(page: Page, name: str | None) -> None:
    """Set the name of the session that the page belongs to; its sequences accept that name as `session_id`."""
    page.session_name = name


def loop_guard(page: Page) -> LoopGuard | None:
    """Return the loop guard of the page."""
    return page.loop_guard


def set_loop_guard(page: Page, guard: LoopGuard | None) -> None:
    """Set the loop guard of the page."""
    page.loop_guard = guard


def page_error(page: Page) -> SessionLost | None:
    """Return why the page does not answer: it crashed, its tab was closed, or its browser is gone."""
    return page.session.error


def lost_error(page: Page) -> SessionLost | None:
    """Return the error of a page that is gone for good, None for one that is open or only crashed."""
    return page_error(page) if page.closed else None


def on_lost(page: Page, callback: Callable[[SessionLost], None]) -> None:
    """Call back when the tab of the page is gone."""
    page.session.on_closed(callback)


def captures_of(page: Page) -> CaptureCounts:
    """Return the counts of captures, which change with every sequence and snapshot."""
    return page.captures


def is_busy(page: Page) -> bool:
    """Return whether a call runs on the page now."""
    return page.lock.locked()


def shown_url(page: Page) -> str:
    """Return the URL of the page without secrets."""
    return page.secrets.redact(page.url)


def is_connected(browser: Browser) -> bool:
    """Return whether the connection to the browser is open."""
    return not browser.connection.closed


def has_policy(page: Page) -> bool:
    """Return whether a policy restricts what the page may load."""
    return page.context.policy is not None


def check_page_url(page: Page, url: str) -> None:
    """Raise UrlRefused for a URL that the page may not load."""
    page.context.check_url(url)


def check_browser_url(browser: Browser, url: str, policy: UrlPolicy | None) -> None:
    """Raise UrlRefused for a URL that a new context of the browser with this policy may not load."""
    schemes = browser.allowed_schemes - ALLOWED_SCHEMES
    check_new_url(url, policy or browser.default_context.options.policy, schemes)


def check_new_url(url: str, policy: UrlPolicy | None, schemes: AbstractSet[str]) -> None:
    """Raise UrlRefused for a URL that a new context with this policy and these additional schemes may not load."""
    check_url(url, ALLOWED_SCHEMES | schemes) if policy is None else policy.with_schemes(schemes).check(url)
