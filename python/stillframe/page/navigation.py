"""Loading URLs and walking the history."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from stillframe.cdp import Subscription
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import ActionFailed, NavigationFailed, UrlRefused
from stillframe.model.result import RefusedUrl

if TYPE_CHECKING:
    from stillframe.page.page import Page

WaitUntil = Literal["commit", "domcontentloaded", "load"]

ALLOWED_SCHEMES = frozenset({"about", "data", "http", "https"})
"""What may be loaded unless the browser was opened with more: `file:` and `chrome:` reach beyond the web."""

LIFECYCLE_NAMES: dict[str, str] = {"domcontentloaded": "DOMContentLoaded", "load": "load"}

NAVIGATION_TIMEOUT = 30.0
"""Seconds for a navigation to commit and load: the default of the drivers people come from."""


def check_url(url: str, allowed: frozenset[str] = ALLOWED_SCHEMES) -> None:
    """Raise UrlRefused unless the URL has an allowed scheme and, for http, a host."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise UrlRefused(f"{url!r} is not a URL: {error}", url=url) from None
    if not parts.scheme:
        raise UrlRefused(f"{url!r} has no scheme: write the whole URL, for example https://{url}", url=url)
    if parts.scheme.lower() not in allowed:
        raise UrlRefused(
            f"{url!r}: the scheme {parts.scheme!r} is not allowed ({', '.join(sorted(allowed))}); "
            f"to allow it, open the browser with allow_schemes={{{parts.scheme!r}}}",
            url=url,
        )
    if parts.scheme.lower() in ("http", "https") and not parts.hostname:
        raise UrlRefused(f"{url!r} names no host", url=url)


async def navigate(page: Page, url: str, *, until: WaitUntil, timeout: float | None = NAVIGATION_TIMEOUT) -> None:
    """Load a URL in the page and wait until the given point of its life.

    A URL that turns out to be a download is not an error: the page stays as it is. Raises UrlRefused,
    NavigationFailed.
    """
    page.context.check_url(url)
    async with _deadline(url, timeout), page.settling.time.running():
        with (
            page.session.subscribe(cdp_page.FrameNavigated) as commits,
            page.session.subscribe(cdp_page.LifecycleEvent) as lifecycle,
            page.journal.record() as record,
        ):
            reply = await page.session.send(cdp_page.Navigate(url=url), timeout=None)
            if reply.is_download or record.downloads:
                return
            if reply.error_text:
                raise _failed(url, reply.error_text, record.refused)
            if not reply.loader_id:
                # Within the document: the renderer tells of the new URL after it has answered.
                await page.session.fence()
            elif until == "commit":
                while page.frames.main.loader_id != reply.loader_id:
                    await commits.get()
            else:
                await _lifecycle(page, lifecycle, reply.loader_id, LIFECYCLE_NAMES[until])


def _failed(url: str, reason: str, refused: Sequence[RefusedUrl]) -> NavigationFailed:
    if refused:
        last = refused[-1]
        return NavigationFailed(
            f"{url} did not load: it led to {last.url}, which the policy refuses ({last.rule})",
            url=url,
            reason=f"refused: {last.rule}",
        )
    return NavigationFailed(f"{url} did not load: {reason}", url=url, reason=reason)


async def _lifecycle(page: Page, events: Subscription[cdp_page.LifecycleEvent], loader_id: str, name: str) -> None:
    while True:
        event = await events.get()
        if event.loader_id == loader_id and event.name == name:
            return
        # A redirect by script replaces the document that was asked for: its own life counts then.
        if event.name == "commit" and event.frame_id == page.frames.main.id:
            loader_id = event.loader_id


async def reload(page: Page, *, timeout: float | None = NAVIGATION_TIMEOUT) -> None:
    """Load the page again and wait until the new document is there."""
    await _committed(page, lambda: page.session.send(cdp_page.Reload(), timeout=None), "reload", timeout)


async def go(page: Page, steps: int, *, timeout: float | None = NAVIGATION_TIMEOUT) -> None:
    """Walk the history by some entries; raises ActionFailed if there is no such entry."""
    history = await page.session.send(cdp_page.GetNavigationHistory())
    index = history.current_index + steps
    if not 0 <= index < len(history.entries):
        direction = "back" if steps < 0 else "forward"
        raise ActionFailed(
            f"there is no page to go {direction} to: this is entry {history.current_index + 1} "
            f"of {len(history.entries)} of the history"
        )
    entry = history.entries[index]
    command = cdp_page.NavigateToHistoryEntry(entry_id=entry.id)
    await _committed(page, lambda: page.session.send(command, timeout=None), entry.url, timeout)


async def _committed(page: Page, act: Callable[[], Awaitable[object]], what: str, timeout: float | None) -> None:
    async with _deadline(what, timeout), page.settling.time.running():
        with page.session.subscribe(cdp_page.FrameNavigated, cdp_page.NavigatedWithinDocument) as events:
            await act()
            while _frame_id(await events.get()) != page.frames.main.id:
                continue


def _frame_id(event: cdp_page.FrameNavigated | cdp_page.NavigatedWithinDocument) -> str:
    return event.frame_id if isinstance(event, cdp_page.NavigatedWithinDocument) else event.frame.id


@asynccontextmanager
async def _deadline(what: str, timeout: float | None) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(timeout):
            yield
    except TimeoutError:
        raise NavigationFailed(
            f"{what} did not load within {timeout} s; give the navigation more time or check the server",
            url=what,
            reason="timeout",
        ) from None
