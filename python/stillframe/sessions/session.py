"""A session: one page at a time under a name, one call at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from typing import Any, Unpack

from stillframe.adb.webview import WebView
from stillframe.api.browser import Browser, BrowserContext, Page
from stillframe.errors import OptionInvalid, SessionLost
from stillframe.extend import CALL_MS, time_limited
from stillframe.loopguard import LoopGuard
from stillframe.model.action_list import parse_actions
from stillframe.model.actions import Action
from stillframe.model.keywords import SequenceKeywords
from stillframe.model.result import SequenceResult
from stillframe.model.sessions import SessionCountWarning, SessionInfo, SessionKind, SessionState, TabInfo
from stillframe.model.suggest import did_you_mean
from stillframe.security.redaction import logger
from stillframe.sessions import page_access
from stillframe.sessions.fifo_lock import FifoLock
from stillframe.sessions.open_request import refuse_taken
from stillframe.sessions.page_access import shown_url
from stillframe.sessions.registry import SessionEntry
from stillframe.sessions.resources import SessionResources

CLOSE_MS = 30_000.0
"""The default limit of closing; a browser that does not answer is killed after seven seconds."""

_logger = logger("stillframe.sessions")


class Session:
    """A page under a name, opened by `Sessions.open`.

    `lock` serializes the calls. Hold it (`async with session.lock`) while you use `page` directly, and no other call
    runs in between; the task that holds it may still call `execute_sequence`. Entering the lock of a session on a
    WebView also attaches to the WebView again if its app has ended meanwhile. `warning` is set if too many sessions
    were open when this one opened.
    """

    def __init__(  # noqa: PLR0913  by keyword
        self,
        session_id: str,
        kind: SessionKind,
        resources: SessionResources,
        entry: SessionEntry,
        *,
        clock: Callable[[], float],
        on_idle: Callable[[], None],
        close: Callable[[float | None], Awaitable[None]],
        loop_guard: LoopGuard | None = None,
        warning: SessionCountWarning | None = None,
    ) -> None:
        self.id = session_id
        self.kind = kind
        self.warning = warning
        self.loop_guard = resources.page.loop_guard or loop_guard
        """The loop guard of its calls on any tab; a loop guard that the page has already takes precedence."""
        self.lock = FifoLock(self._check, self._call_began, self._call_ended, self._prepare)
        self._entry = entry
        self._clock = clock
        self._on_idle = on_idle
        self._close = close
        self._resources = resources
        self._closed_error: Callable[[], Exception] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._reattached: SessionLost | None = None
        self._reattachments = 0
        self._attaching: asyncio.Timeout | None = None
        """Set while the session attaches to its WebView; it expires when the session closes."""
        self._page = resources.page
        self._captures = resources.page.captures
        self._adopt(resources.page)

    def __repr__(self) -> str:
        return f"Session({self.id!r}, {self.state}, {self._page!r})"

    # -- state ---------------------------------------------------------------------------------

    @property
    def page(self) -> Page:
        """The page that calls act on."""
        return self._page

    @property
    def context(self) -> BrowserContext:
        """The context of the page."""
        return self._page.context

    @property
    def browser(self) -> Browser:
        """The browser of the page."""
        return self._page.browser

    @property
    def pages(self) -> list[Page]:
        """The tabs that the session can switch to, oldest first: its context's, except those of other sessions."""
        return [page for page in self.context.pages if page.session_name in (None, self.id)]

    @property
    def reattached(self) -> SessionLost | None:
        """Why the call that runs now, or ran last, had to attach to the WebView again; None if it did not.

        The page is a new one then: it shows what the app shows after its start, and the refs of before are stale.
        """
        return self._reattached

    @property
    def state(self) -> SessionState:
        """Whether calls can succeed; they can for a `lost` page as soon as its app runs again."""
        if self._page.closed:
            return "dead" if self._resources.webview is None else "lost"
        return "crashed" if page_access.page_error(self._page) else "open"

    def info(self) -> SessionInfo:
        """Return the state of the session at once, even while a call runs."""
        page = self._page
        idle_s = 0.0 if self._entry.idle.users else max(0.0, self._clock() - self._entry.idle.since)
        return SessionInfo(
            session_id=self.id,
            kind=self.kind,
            state=self.state,
            target_id=page.target_id,
            url=shown_url(page),
            tabs=tuple(TabInfo(target_id=tab.target_id, url=shown_url(tab), current=tab is page) for tab in self.pages),
            calls=self._entry.calls,
            running=self.lock.locked,
            waiting=self.lock.waiting,
            idle_ms=idle_s * 1000,
            why=str(page_access.page_error(page) or ""),
            reattached=self._reattachments,
        )

    # -- calls ---------------------------------------------------------------------------------

    async def execute_sequence(
        self,
        actions: Sequence[Action | Mapping[str, Any]],
        *,
        check: bool = False,
        **options: Unpack[SequenceKeywords],
    ) -> SequenceResult:
        """Run a sequence on the page after the calls before it; see `Page.execute_sequence`.

        If the page of a WebView is lost, it attaches to the WebView again first. A call that is cancelled while it
        waits leaves the queue, and the session stays usable.

        Args:
            actions: Structs of `stillframe.model.actions`, or dicts as in the JSON form.
            check: Whether the error of a failed action is raised, with the `index` of the action and the `result`.
            **options: The fields of `SequenceOptions`, by their Python or JSON names.

        Raises:
            ActionInvalid: An action is invalid; nothing has run.
            OptionInvalid: An option is invalid; nothing has run.
            ActionFailed: With `check`, an action fails.
            SessionLost: The tab or its browser has died; the class says what is gone.
            SessionUnknown: The session was closed in the meantime.
            AndroidError: The WebView cannot be attached to again, as for `WebView.page`.
        """
        parsed = parse_actions(actions)
        async with self.lock:
            return await self._page.execute_sequence(parsed, check=check, **options)

    @time_limited
    async def switch(self, target_id: str, *, timeout_ms: float | None = CALL_MS) -> Page:
        """Make later calls act on another tab of the context; it waits for the calls before it.

        This also continues a session whose tab was closed.

        Args:
            target_id: The target id of the tab.
            timeout_ms: The limit of the call, in ms, the wait included: 30,000 by default; None for no limit.

        Raises:
            OptionInvalid: There is no such tab.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self.lock.acquire()
        try:
            self._check_open()
            page = self._tab(target_id)
            await page_access.make_ready(page)
            self._check_open()
            self._adopt(page)
            return page
        finally:
            self.lock.release()

    @time_limited
    async def close(self, *, timeout_ms: float | None = CLOSE_MS) -> None:
        """Close the session; see `Sessions.close_session`. Idempotent."""
        if self._closing is None:
            await self._close(timeout_ms)
        else:  # another session may have its name by now
            await asyncio.shield(self._closing)

    # -- called by Sessions --------------------------------------------------------------------

    def _begin_close(self, error: Callable[[], Exception], closing: asyncio.Task[None]) -> None:
        """Refuse all further calls, including those that wait; `closing` is the task that closes the session."""
        self._closed_error, self._closing = error, closing
        self.lock.reject_waiters(error)
        if self._attaching is not None:
            self._attaching.reschedule(0)

    async def _release(self) -> None:
        """Close what the session owns; a call that still runs ends with it."""
        self._detach()
        await self._resources.close()

    def _was_used_directly(self) -> bool:
        """Return whether the caller used the page itself since the last question; sequences and snapshots count."""
        captures, self._captures = self._captures, self._page.captures
        return page_access.is_busy(self._page) or captures != self._captures

    # -- plumbing ------------------------------------------------------------------------------

    def _call_began(self) -> None:
        self._entry.idle.begin()

    def _call_ended(self) -> None:
        self._entry.calls += 1
        self._entry.idle.end(self._clock())
        self._captures = self._page.captures
        self._on_idle()

    def _check(self) -> None:
        self._check_open()
        error = page_access.lost_error(self._page)
        if error is not None and self._resources.webview is None:
            raise self._dead(error)

    def _check_open(self) -> None:
        if self._closed_error is not None:
            raise self._closed_error()

    async def _prepare(self) -> None:
        """Attach to the WebView again if its page is gone."""
        self._reattached = None
        webview, lost = self._resources.webview, page_access.lost_error(self._page)
        if webview is None or lost is None:
            return
        page = await self._attached(webview)
        self._adopt(page)
        self._reattached = lost
        self._reattachments += 1
        _logger.warning(
            "session %r lost its page and attached to %s again; refs of before are stale: %s",
            self.id,
            webview.context_name,
            lost,
        )

    async def _attached(self, webview: WebView) -> Page:
        """Wait for the page that the WebView shows now, until the session closes."""
        try:
            async with asyncio.timeout(None) as self._attaching:  # noqa: TID251  no limit: `close` ends it
                page = await webview.page()
        except TimeoutError:
            self._check_open()
            raise
        finally:
            self._attaching = None
        self._check_open()
        refuse_taken(page, option="webview", name=self.id)
        return page

    def _adopt(self, page: Page) -> None:
        self._detach()
        self._page = page
        page_access.set_session_name(page, self.id)
        page.loop_guard = self.loop_guard
        page_access.on_lost(page, lambda error: self._lost(page, error))

    def _detach(self) -> None:
        page_access.set_session_name(self._page, None)
        if self._page.loop_guard is self.loop_guard:
            self._page.loop_guard = None

    def _lost(self, page: Page, error: SessionLost) -> None:
        if page is self._page and self._resources.webview is None:
            self.lock.reject_waiters(lambda: self._dead(error))

    def _dead(self, error: SessionLost) -> SessionLost:
        """Return the same error with advice."""
        others = [page.target_id for page in self.pages if not page.closed]
        switch = f"switch to another of its tabs ({', '.join(others)}), or " if others else ""
        message = f"session {self.id!r} is dead: {error}; {switch}close it and open it again"
        dead = copy(error)
        dead.args, dead.__cause__ = (message,), error
        return dead

    def _tab(self, target_id: str) -> Page:
        tabs = {page.target_id: page for page in self.pages if not page.closed}
        if target_id in tabs:
            return tabs[target_id]
        known = ", ".join(f"{name} ({shown_url(page)})" for name, page in tabs.items()) or "none"
        hint = did_you_mean(str(target_id), tabs)
        raise OptionInvalid(
            f"session {self.id!r} has no tab {target_id!r}{hint}; its tabs: {known}", option="target_id"
        )
