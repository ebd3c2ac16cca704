"""Load URLs and go through the history."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import (
    ActionFailed,
    CdpError,
    CommandError,
    NavigationFailed,
    OptionInvalid,
    SessionLost,
    StillframeError,
    UrlRefused,
)
from stillframe.injected import elements
from stillframe.model.result import NavigationResult
from stillframe.tab.deadline import Deadline
from stillframe.tab.evaluation import terminate
from stillframe.tab.navigation.held_connections import Held, connections_freed
from stillframe.tab.navigation.hung_browser import found_silent
from stillframe.tab.navigation.hung_page import NO_ACTIVE_PAGE, handlers_limited, make_leavable
from stillframe.tab.navigation.loading import (
    ABORTED,
    CUT_OFF,
    EVENTS,
    NO_PAGE,
    WAIT_UNTIL,
    Loading,
    WaitUntil,
    advice,
    cause_of,
)
from stillframe.tab.navigation.next_document import REQUESTED_S

if TYPE_CHECKING:
    from stillframe.cdp import Subscription
    from stillframe.cdp_types._base import Command
    from stillframe.tab.events.recorder import EventRecording
    from stillframe.tab.tab import Tab

R = TypeVar("R")

NAVIGATION_TIMEOUT = 30.0
"""Seconds for a navigation to commit and load, as in other drivers."""

INVALID_URL = "Cannot navigate to invalid URL"
"""Chrome's message; its error number is shared with other failures."""

NEXT_TASK_S = 0.5
"""Seconds for a page to reach the task after its load, in which many pages navigate elsewhere. A page that is busy for
longer counts as loaded."""

ENDLESS = "redirects"
"""The failure reason when documents keep leading on by script; Chrome has no error for it."""

UNRESPONSIVE = "unresponsive"
"""The failure reason when the page that is to be left hangs; Chrome has no error for it."""
HANGS = "a script of it runs without a pause, or its renderer is stopped; navigate again, or close the page"
HANGS_ON = f"the page does not answer and cannot be left: {HANGS}"

LEFT_S = 5.0
"""Seconds that a step through the history or a reload waits for a navigation that began before it; after them it
replaces that navigation."""

SILENT_S = 0.1
"""Seconds without an event after which a step through the history may have changed frames of the page alone: frames of
other processes report to sessions of their own, and the page itself reports nothing."""

ERROR_PAGE_S = 1.0
"""Seconds for Chrome to show its error page after it reported the error; it takes some milliseconds."""

STOP_S = 0.25
"""Seconds for a page to answer after it was ordered to stop loading; then its script is terminated."""

STOPPED_S = 2.0
"""Seconds in which a page is ordered to stop loading while its documents lead on."""
STOPPED_LATE_S = 0.5
"""The same after the time limit: less than `deadline.LATE_S`, by which the call must have ended."""


async def navigate(
    tab: Tab,
    url: str,
    *,
    until: WaitUntil,
    deadline: Deadline,
    referer: str | None = None,
) -> NavigationResult:
    """Load a URL, follow where it leads while it loads, and wait until the document reaches `until`.

    `referer` is the URL of the page that leads there. A URL that turns out to be a download is not an error: the page
    stays as it is. Raises UrlRefused, NavigationFailed.
    """
    url = tab.context.absolute(url)
    tab.context.check_url(url)
    return await _performed(tab, url, until, deadline, lambda run: _load(tab, url, referer, run))


async def _load(tab: Tab, url: str, referer: str | None, run: _Run) -> NavigationResult:
    reply = await _navigated(tab, url, referer)
    if reply.is_download or run.record.downloads:
        return run.response(reply.loader_id or "", url)
    if reply.error_text and reply.error_text != NO_PAGE:
        if reply.error_text != ABORTED and not run.record.refused:
            await run.reach_error_page(reply.loader_id)
        raise run.failure(url, reply.error_text, reply.loader_id or "")
    if reply.loader_id:
        return await run.arrive(reply.loader_id)
    # A same-document navigation: the renderer reports the new URL after it has answered.
    await tab.session.drain_events(timeout=None)
    return run.within_document()


async def reload(tab: Tab, *, until: WaitUntil, deadline: Deadline) -> NavigationResult:
    """Reload the page, after a navigation that has begun before; everything else is as in `navigate`."""
    await _left(tab, deadline)

    async def again(run: _Run) -> NavigationResult:
        await _sent(tab, cdp_page.Reload(), deadline)
        return await run.arrive()

    return await _performed(tab, tab.url, until, deadline, again)


async def go(tab: Tab, steps: int, *, until: WaitUntil, deadline: Deadline) -> NavigationResult:
    """Go `steps` entries through the history, after a navigation that has begun before.

    Raises ActionFailed if there is no such entry; everything else is as in `navigate`.
    """
    await _left(tab, deadline)
    await tab.leaving_frames.awaited(tab.session, deadline.within(min(LEFT_S, deadline.left_s / 2)))
    history = await _sent(tab, cdp_page.GetNavigationHistory(), deadline)
    index = history.current_index + steps
    if not 0 <= index < len(history.entries):
        direction = "back" if steps < 0 else "forward"
        raise ActionFailed(
            f"cannot go {direction}: the page is at entry {history.current_index + 1} "
            f"of {len(history.entries)} in its history"
        )
    entry = history.entries[index]

    async def step(run: _Run) -> NavigationResult:
        await _sent(tab, cdp_page.NavigateToHistoryEntry(entry_id=entry.id), deadline)
        return await run.arrive(entry=entry.id)

    return await _performed(tab, entry.url, until, deadline, step)


async def _left(tab: Tab, deadline: Deadline) -> None:
    """Wait until the page shows the document that an earlier navigation leads to."""
    async with tab.clock.running():
        await tab.next_document.awaited(deadline.within(min(LEFT_S, deadline.left_s / 2)))


async def _sent(tab: Tab, command: Command[R], deadline: Deadline) -> R:
    """Send a command that Chrome refuses while one document replaces another; then send it again after that."""
    while True:
        try:
            return await tab.session.send(command, timeout=deadline.left_s)
        except CdpError as error:
            if error.text != NO_ACTIVE_PAGE:
                raise
            if not deadline.left_s:
                raise _unresponsive(tab.url, HANGS_ON) from None
        await tab.next_document.awaited(deadline)


async def _navigated(tab: Tab, url: str, referer: str | None) -> cdp_page.NavigateResult:
    try:
        return await tab.session.send(cdp_page.Navigate(url=url, referrer=referer), timeout=None)
    except CdpError as error:
        if error.text != INVALID_URL:
            raise
        raise UrlRefused(f"{url!r} is not a URL that Chrome can load: check the host and the port", url=url) from None


async def _performed(
    tab: Tab, url: str, until: WaitUntil, deadline: Deadline, perform: Callable[[_Run], Awaitable[NavigationResult]]
) -> NavigationResult:
    """Perform a navigation; perform it again if it had to be stopped to get a connection."""
    held = Held()
    async with _running(tab, url, until, deadline, held) as run:
        try:
            result = await perform(run)
        except NavigationFailed:
            if not held.stopped:
                raise
        else:
            if not held.stopped:
                return result
    async with _running(tab, url, until, deadline, held) as run:
        return await perform(run)


@asynccontextmanager
async def _running(tab: Tab, url: str, until: WaitUntil, deadline: Deadline, held: Held) -> AsyncIterator[_Run]:
    """Listen to one navigation inside the block, and stop it when time runs out. Raises OptionInvalid for `until`."""
    if until not in WAIT_UNTIL:
        names = ", ".join(map(repr, WAIT_UNTIL))
        raise OptionInvalid(
            f"until is {until!r}: it must be one of {names}; to wait until the page is still, pass settle=True",
            option="until",
        )
    loading = Loading(tab.frames.main.id, announced=tab.context.capabilities.has("Page.frameStartedNavigating"))
    async with tab.clock.running():
        # Before anything listens: the page may lose its renderer, which ends what listens to it.
        if not await make_leavable(tab, deadline):
            raise _unresponsive(
                url, await found_silent(tab, deadline.hard().within(deadline.hard_left_s / 2)) or HANGS_ON
            )
        with (
            # `loading` keeps the state; the subscription only signals that something has changed.
            tab.session.subscribe(*EVENTS, where=loading.hear, policy="latest") as news,
            tab.recorder.record() as record,
        ):
            run = _Run(tab, url, until, loading, news, record)
            try:
                async with (
                    time_limit(deadline.left_s),
                    handlers_limited(tab.session, loading),
                    connections_freed(tab, loading, held, deadline),
                ):
                    yield run
            except StillframeError:
                raise
            except TimeoutError:
                error = _overdue(url, loading, until, deadline)
                await run.stop(Deadline(STOPPED_LATE_S))
                raise error from None


class _Run:
    """One navigation in progress: waits for it and reports its result."""

    def __init__(
        self, tab: Tab, url: str, until: WaitUntil, loading: Loading, news: Subscription[Any], record: EventRecording
    ) -> None:
        self.record = record
        self._tab = tab
        self._url = url
        self._until: WaitUntil = until
        self._loading = loading
        self._news = news

    async def arrive(self, loader: str | None = None, *, entry: int | None = None) -> NavigationResult:
        """Wait until the navigation reaches `until`, from the document of `loader` on; raises NavigationFailed.

        Without a loader, the first new document counts, or a step to an `entry` of the history that keeps the document.
        """
        self._loading.follow(loader)
        while not await self._has_settled():
            if self._loading.endless:
                error = self._endless()
                await self.stop(Deadline(STOPPED_S))
                raise error
            if self._loading.given_up:
                raise self.failure(self._url, ABORTED, self._loading.last_loader)
            if loader is None and self._loading.within == self._url and self._loading.leaving is None:
                return self.within_document()
            heard = await self._next(None if entry is None else SILENT_S)
            if not heard and entry is not None and await self._is_at(entry):
                return self.within_document()
        return self._arrived()

    async def reach_error_page(self, loader: str | None) -> None:
        """Wait until Chrome shows its error page, so that later commands do not reach the previous document."""
        self._loading.follow(loader)
        with contextlib.suppress(TimeoutError):
            async with time_limit(ERROR_PAGE_S):
                while not (self._loading.document and self._loading.document.failed):
                    await self._news.get()

    def _arrived(self) -> NavigationResult:
        document = self._loading.document
        assert document is not None  # _has_settled() checked it
        if document.failed:
            raise self.failure(document.url, self._loading.reasons.get(document.loader, ""), document.loader)
        return self.response(document.loader, document.url if document.bodiless else self._tab.url)

    async def _has_settled(self) -> bool:
        """Return whether it has arrived and the page does not lead on in its next task."""
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
                await self._tab.frames.main.call(elements.next_task(), timeout=None)
        except SessionLost:
            raise
        except (CommandError, TimeoutError):
            return  # the document was replaced, or is busy

    async def _next(self, quiet_s: float | None = None) -> bool:
        """Wait for an event; forget a requested navigation that the browser does not start.

        Returns whether an event came within `quiet_s`.
        """
        try:
            async with time_limit(REQUESTED_S if self._loading.requested else quiet_s):
                await self._news.get()
        except TimeoutError:
            self._loading.requested = None
            return False
        return True

    async def _is_at(self, entry: int) -> bool:
        """Return whether the history is at an entry although the page has kept its document."""
        session, loading = self._tab.session, self._loading
        if loading.documents or loading.leads_on:
            return False
        try:
            history = await session.send(cdp_page.GetNavigationHistory(), timeout=NEXT_TASK_S)
            await session.drain_events(timeout=NEXT_TASK_S)
        except CommandError:
            return False
        at_entry = history.entries[history.current_index].id == entry
        return at_entry and not (loading.documents or loading.leads_on)

    async def stop(self, deadline: Deadline) -> None:
        """Leave the page usable: stop loading until no document leads on, and terminate a script that never ends.

        A document that the browser had committed before the order still runs its scripts and may lead on, which would
        replace the next navigation.
        """
        with contextlib.suppress(TimeoutError):
            async with time_limit(deadline.left_s):
                while await _stop(self._tab) and not await self._rests():
                    pass

    async def _rests(self) -> bool:
        """Return whether the last document has ended loading and does not lead on in its next task."""
        count = len(self._loading.documents)
        if not self._loading.rests:
            return False
        await self._next_task()
        return self._loading.rests and len(self._loading.documents) == count

    # -- results ---------------------------------------------------------------------------------

    def response(self, loader: str, url: str) -> NavigationResult:
        """Return the response for a URL that has loaded."""
        self._tab.response_headers = self._loading.headers(loader)
        return self._recorded(NavigationResult(url=url, status=self._loading.statuses.get(loader)))

    def within_document(self) -> NavigationResult:
        """Return the result of a navigation that kept the document."""
        return self._recorded(NavigationResult(url=self._tab.url))

    def _recorded(self, result: NavigationResult) -> NavigationResult:
        self._tab.response = result
        return result

    def failure(self, url: str, reason: str, loader: str) -> NavigationFailed:
        """Return the error for a URL that could not be loaded."""
        if (last := self.record.last_refused) is not None:
            led = f"it led to {last.url}, which the policy refuses ({last.rule})"
            return NavigationFailed(
                f"{self._url} did not load: {led}", url=url, reason=f"refused: {last.rule}", cause="refused"
            )
        last_url = self._loading.redirected.get(loader, url)
        led = f"{self._url} led to {last_url}, which" if last_url != self._url else self._url
        why = self._aborted(loader) if reason == ABORTED else self._advice(last_url, reason)
        return NavigationFailed(
            f"{led} did not load: {reason}{why}", url=last_url, reason=reason, cause=cause_of(reason)
        )

    def _advice(self, url: str, reason: str) -> str:
        failed = self._tab.context.failed_certificate(url) if reason in CUT_OFF else None
        return advice(reason) if failed is None else f": {failed}"

    def _aborted(self, loader: str) -> str:
        status = self._loading.statuses.get(loader)
        if status:
            return f": the server answered {status} without a document"
        return ": another navigation replaced it, or its answer is nothing that a page can show"

    def _endless(self) -> NavigationFailed:
        url = self._loading.last_url or self._url
        return NavigationFailed(
            f"{self._url} did not load: {self._loading.hops} documents in a row each navigated on, the last one to "
            f"{url}; a missing cookie is a frequent cause",
            url=url,
            reason=ENDLESS,
            cause="redirects",
        )


def _overdue(url: str, loading: Loading, until: WaitUntil, deadline: Deadline) -> NavigationFailed:
    last = loading.last_url or url
    led = f"{url} led to {last}, which" if last != url else url
    if loading.document is not None and not loading.leads_on:
        why = f"it has not reached {until!r}: raise timeout_ms, or wait for an earlier point (until='commit')"
    elif loading.unsent:
        why = "its request got no connection: the server takes none, or others hold all that Chrome opens to a host"
    elif loading.awaits_server:
        why = "the server has not answered: check the server, or raise timeout_ms"
    else:
        why = f"the page that it replaces does not answer: {HANGS}"
    text = f"{led} did not load within {deadline.shown}; {why}"
    return NavigationFailed(text, url=last, reason="timeout", cause="timeout")


def _unresponsive(url: str, why: str) -> NavigationFailed:
    return NavigationFailed(f"{url} did not load: {why}", url=url, reason=UNRESPONSIVE, cause="unresponsive")


async def _stop(tab: Tab) -> bool:
    """Order the page to stop loading; returns whether it answers. A script that keeps it from that is terminated."""
    with contextlib.suppress(CommandError):
        await tab.session.send(cdp_page.StopLoading(), timeout=STOP_S)
    try:
        await tab.session.drain_events(timeout=STOP_S)
    except SessionLost:
        return False
    except CommandError:
        terminate(tab.session)
        return False
    return True
