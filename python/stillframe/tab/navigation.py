"""Loading URLs and walking the history."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from stillframe.cdp import Subscription
from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import runtime
from stillframe.errors import (
    ActionFailed,
    CdpError,
    CommandError,
    NavigationFailed,
    SessionLost,
    StillframeError,
    UrlRefused,
)
from stillframe.model.result import NavigationResult
from stillframe.tab.loading import ABORTED, EVENTS, NO_PAGE, Loading, WaitUntil
from stillframe.tab.net_errors import advice
from stillframe.tab.recorder import Recording
from stillframe.tab.tab import Tab

NAVIGATION_TIMEOUT = 30.0
"""Seconds for a navigation to commit and load: the default of the drivers people come from."""

INVALID_URL = "Cannot navigate to invalid URL"
"""How Chrome says so, under a number that it uses for other failures too."""

NEXT_TASK = "new Promise((done) => scheduler.postTask(done, { priority: 'background' }))"
"""After all that is due. Not a timer: all worlds of a window draw the ids of timers from one source, so the page could
see the gap."""
NEXT_TASK_S = 0.5
"""Seconds that a page has to get from its load to its next task, in which many pages lead elsewhere. A page that is
busy for longer has loaded."""

ENDLESS = "redirects"
"""The reason of a navigation that documents lead on and on by script; Chrome has no error for it."""

REQUESTED_S = 1.0
"""Seconds that the browser has to begin what a page asked for. It takes milliseconds, or it refuses without a word."""

ERROR_PAGE_S = 1.0
"""Seconds that Chrome has to show its error page after it has said what is wrong; it takes some milliseconds."""

STOP_S = 0.25
"""Seconds that a page has to answer after the order to stop loading; without an answer its script is ended."""


async def navigate(
    tab: Tab, url: str, *, until: WaitUntil, timeout: float | None = NAVIGATION_TIMEOUT
) -> NavigationResult:
    """Load a URL in the page, follow where it leads while it loads, and wait until the given point of its life.

    A URL that turns out to be a download is not an error: the page stays as it is. Raises UrlRefused,
    NavigationFailed.
    """
    tab.context.check_url(url)
    async with _running(tab, url, until, timeout) as run:
        reply = await _navigated(tab, url)
        if reply.is_download or run.record.downloads:
            return run.response(reply.loader_id or "", url)
        if reply.error_text and reply.error_text != NO_PAGE:
            if reply.error_text != ABORTED and not run.record.refused:
                await run.reach_error_page(reply.loader_id)
            raise run.failure(url, reply.error_text, reply.loader_id or "")
        if reply.loader_id:
            return await run.arrive(reply.loader_id)
        # Within the document: the renderer tells of the new URL after it has answered.
        await tab.session.drain_events(timeout=None)
        return NavigationResult(url=tab.url)


async def reload(tab: Tab, *, until: WaitUntil, timeout: float | None = NAVIGATION_TIMEOUT) -> NavigationResult:
    """Load the page again; all else is as in `navigate`."""
    async with _running(tab, tab.url, until, timeout) as run:
        await tab.session.send(cdp_page.Reload(), timeout=None)
        return await run.arrive()


async def go(tab: Tab, steps: int, *, until: WaitUntil, timeout: float | None = NAVIGATION_TIMEOUT) -> NavigationResult:
    """Walk the history by some entries; raises ActionFailed if there is no such entry. All else as in `navigate`."""
    history = await tab.session.send(cdp_page.GetNavigationHistory(), timeout=timeout)
    index = history.current_index + steps
    if not 0 <= index < len(history.entries):
        direction = "back" if steps < 0 else "forward"
        raise ActionFailed(
            f"there is no page to go {direction} to: this is entry {history.current_index + 1} "
            f"of {len(history.entries)} of the history"
        )
    entry = history.entries[index]
    async with _running(tab, entry.url, until, timeout) as run:
        await tab.session.send(cdp_page.NavigateToHistoryEntry(entry_id=entry.id), timeout=None)
        return await run.arrive()


async def _navigated(tab: Tab, url: str) -> cdp_page.NavigateResult:
    try:
        return await tab.session.send(cdp_page.Navigate(url=url), timeout=None)
    except CdpError as error:
        if error.text != INVALID_URL:
            raise
        raise UrlRefused(f"{url!r} is not a URL that Chrome can load: check its host and port", url=url) from None


@asynccontextmanager
async def _running(tab: Tab, url: str, until: WaitUntil, timeout: float | None) -> AsyncIterator[_Run]:
    """Listen to one navigation inside the block, and end both when time runs out."""
    loading = Loading(tab.frames.main.id)
    try:
        async with time_limit(timeout), tab.clock.running():
            with (
                # What it hears is kept in `loading`; what the subscription gives only says that there is news.
                tab.session.subscribe(*EVENTS, where=loading.hear, policy="latest") as news,
                tab.recorder.record() as record,
            ):
                yield _Run(tab, url, until, loading, news, record)
    except StillframeError:
        raise
    except TimeoutError:
        await _stop(tab)
        raise _overdue(url, loading, until, timeout) from None


class _Run:
    """One navigation under way: waits, and tells what it has come to."""

    def __init__(
        self, tab: Tab, url: str, until: WaitUntil, loading: Loading, news: Subscription[Any], record: Recording
    ) -> None:
        self.record = record
        self._tab = tab
        self._url = url
        self._until: WaitUntil = until
        self._loading = loading
        self._news = news

    async def arrive(self, loader: str | None = None) -> NavigationResult:
        """Wait until it has come to what is waited for, from the document of that loader on; raises NavigationFailed.

        Without a loader the first document counts that comes, or a step of the history within the document.
        """
        self._loading.follow(loader)
        while not await self._there():
            if self._loading.endless:
                await _stop(self._tab)
                raise self._circling()
            if self._loading.given_up:
                raise self.failure(self._url, ABORTED, self._loading.last_loader)
            if loader is None and self._loading.within == self._url and self._loading.leaving is None:
                return NavigationResult(url=self._tab.url)
            await self._next()
        return self._arrived()

    async def reach_error_page(self, loader: str | None) -> None:
        """Wait until Chrome shows its error page, so that what comes next does not still meet the document before."""
        self._loading.follow(loader)
        with contextlib.suppress(TimeoutError):
            async with time_limit(ERROR_PAGE_S):
                while not (self._loading.document and self._loading.document.failed):
                    await self._news.get()

    def _arrived(self) -> NavigationResult:
        document = self._loading.document
        assert document is not None  # else nothing has arrived
        if document.failed:
            raise self.failure(document.url, self._loading.reasons.get(document.loader, ""), document.loader)
        return self.response(document.loader, document.url if document.bodiless else self._tab.url)

    async def _there(self) -> bool:
        """Whether it has arrived, and the page does not lead on in its next task."""
        document = self._loading.document
        if document is None or not self._loading.arrived(self._until):
            return False
        if self._until == "commit" or document.failed:
            return True
        await self._next_task()
        return self._loading.document is document and self._loading.arrived(self._until)

    async def _next_task(self) -> None:
        try:
            async with time_limit(NEXT_TASK_S):
                await self._tab.frames.main.evaluate(NEXT_TASK, timeout=None)
        except SessionLost:
            raise
        except (CommandError, TimeoutError):
            return  # the document has given way to another one, or is busy

    async def _next(self) -> None:
        """Wait for news; what the page asked for and the browser does not begin is forgotten."""
        try:
            async with time_limit(REQUESTED_S if self._loading.requested else None):
                await self._news.get()
        except TimeoutError:
            self._loading.requested = None

    # -- what it has come to ---------------------------------------------------------------------

    def response(self, loader: str, url: str) -> NavigationResult:
        """Return what there was at a URL that has loaded."""
        return NavigationResult(url=url, status=self._loading.statuses.get(loader))

    def failure(self, url: str, reason: str, loader: str) -> NavigationFailed:
        """Return the error of a URL that could not be loaded."""
        if (last := self.record.last_refused) is not None:
            led = f"it led to {last.url}, which the policy refuses ({last.rule})"
            return NavigationFailed(f"{self._url} did not load: {led}", url=url, reason=f"refused: {last.rule}")
        last_url = self._loading.redirected.get(loader, url)
        led = f"{self._url} led to {last_url}, which" if last_url != self._url else self._url
        why = self._aborted(loader) if reason == ABORTED else advice(reason)
        return NavigationFailed(f"{led} did not load: {reason}{why}", url=last_url, reason=reason)

    def _aborted(self, loader: str) -> str:
        status = self._loading.statuses.get(loader)
        return f": the server answered {status}, without a document" if status else ": another navigation came first"

    def _circling(self) -> NavigationFailed:
        url = self._loading.last_url or self._url
        return NavigationFailed(
            f"{self._url} did not load: {self._loading.hops} documents in a row each led to the next, the last one to "
            f"{url}; often a cookie is missing",
            url=url,
            reason=ENDLESS,
        )


def _overdue(url: str, loading: Loading, until: WaitUntil, timeout: float | None) -> NavigationFailed:
    last = loading.last_url or url
    led = f"{url} led to {last}, which" if last != url else url
    if loading.document is None or loading.leads_on:
        why = "the server has not answered: check it, or give the navigation more time"
    else:
        why = f"it has not come to {until!r}: give the navigation more time, or wait for less (until='commit')"
    return NavigationFailed(f"{led} did not load within {timeout} s; {why}", url=last, reason="timeout")


async def _stop(tab: Tab) -> None:
    """Leave the page usable: nothing loads any more, and a script that never ends is ended."""
    with contextlib.suppress(CommandError):
        await tab.session.send(cdp_page.StopLoading(), timeout=STOP_S)
    try:
        await tab.session.drain_events(timeout=STOP_S)
    except SessionLost:
        return
    except CommandError:
        # Chrome takes this one past the script that runs.
        tab.session.post(runtime.TerminateExecution())
