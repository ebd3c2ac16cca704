"""A named session: one page at a time, its calls one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from stillframe.api.browser import Browser, BrowserContext, Page
from stillframe.api.page import parts_of
from stillframe.errors import OptionInvalid, SessionLost
from stillframe.loopguard import LoopGuard
from stillframe.model.actions import parse_actions
from stillframe.model.result import SequenceResult
from stillframe.model.sessions import Crowd, Kind, SessionInfo, State, TabInfo
from stillframe.model.suggest import did_you_mean
from stillframe.sessions.book import Entry
from stillframe.sessions.home import Home
from stillframe.sessions.turns import Turns
from stillframe.tab.deadline import CALL_MS, time_limited

CLOSE_S = 30.0
"""Seconds that closing may take by default; `chrome.owned_process` kills a browser that does not answer after seven."""


class Keeper(Protocol):
    """What a session needs of the `Sessions` it is one of."""

    def now(self) -> float:
        """The time in seconds, on whatever clock it goes by."""

    def rested(self) -> None:
        """Hear that a session has become idle."""

    async def close(self, session_id: str, *, timeout_ms: float | None) -> None:
        """Close a session; see `Sessions.close`."""


class NamedSession:
    """A page under a name, made by `Sessions.open`.

    `lock` is what serialises its calls: hold it (`async with session.lock`) round what is done to `page` directly, and
    no other call comes between; the same task may still call `execute_sequence` meanwhile. `warning` is there if more
    sessions were open than is wise when this one was opened.
    """

    def __init__(
        self, session_id: str, kind: Kind, home: Home, entry: Entry, keeper: Keeper, guard: LoopGuard | None = None
    ) -> None:
        self.id = session_id
        self.kind = kind
        self.warning: Crowd | None = None
        self.loop_guard = home.page.loop_guard or guard
        """What watches its calls for loops, whichever tab they act on; a page's own guard stays."""
        self.lock = Turns(self._check, self._began, self._ended)
        self._entry = entry
        self._keeper = keeper
        self._home = home
        self._closed: Callable[[], Exception] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._page = home.page
        self._used = home.page.captures
        self._take(home.page)

    def __repr__(self) -> str:
        return f"NamedSession({self.id!r}, {self.state}, {self._page!r})"

    # -- what it is ----------------------------------------------------------------------------

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
        """The tabs it can switch to, oldest first: those of its context that are not another session's."""
        return [page for page in self.context.pages if page.session_name in (None, self.id)]

    @property
    def state(self) -> State:
        """Whether calls can succeed."""
        if self._page.closed:
            return "dead"
        return "crashed" if self._page.cdp_session.error else "open"

    def info(self) -> SessionInfo:
        """Return how it stands; never waits, not even for a call that runs."""
        page = self._page
        return SessionInfo(
            session_id=self.id,
            kind=self.kind,
            state=self.state,
            target_id=page.target_id,
            url=_url(page),
            tabs=tuple(TabInfo(target_id=tab.target_id, url=_url(tab), current=tab is page) for tab in self.pages),
            calls=self._entry.calls,
            running=self.lock.running,
            waiting=self.lock.waiting,
            idle_s=0.0 if self._entry.idle.users else max(0.0, self._keeper.now() - self._entry.idle.since),
            why=str(page.cdp_session.error or ""),
        )

    # -- doing ---------------------------------------------------------------------------------

    async def execute_sequence(self, actions: Sequence[Any], **options: Any) -> SequenceResult:
        """Run a sequence on the page when its turn has come; see `Page.execute_sequence`.

        Raises SessionLost (the class says what is gone) when the tab or its browser has died, SessionUnknown when the
        session was closed meanwhile. Cancelled while it waits it leaves the queue; the session stays usable either way.
        """
        plan = parse_actions(actions)
        async with self.lock:
            return await self._page.execute_sequence(plan, **options)

    @time_limited
    async def switch(self, target_id: str, *, timeout_ms: float | None = CALL_MS) -> Page:
        """Let later calls act on another tab of the context; serialised with them.

        Also the way on when the session's own tab was closed. The wait for its turn counts too.
        Raises OptionInvalid for a tab that is not there, and CommandTimeout.
        """
        await self.lock.take()
        try:
            self._check_open()
            page = self._tab(target_id)
            await parts_of(page).tab.ready()
            self._check_open()
            self._take(page)
            return page
        finally:
            self.lock.give()

    @time_limited
    async def close(self, *, timeout_ms: float | None = CLOSE_S * 1000) -> None:
        """Close the session; see `Sessions.close`. Idempotent."""
        if self._closing is None:
            await self._keeper.close(self.id, timeout_ms=timeout_ms)
        else:  # by now another session may have its name
            await asyncio.shield(self._closing)

    # -- for Sessions --------------------------------------------------------------------------

    def dismiss(self, error: Callable[[], Exception], closing: asyncio.Task[None]) -> None:
        """Refuse calls from now on, those that wait included; `closing` is what closes it."""
        self._closed, self._closing = error, closing
        self.lock.turn_away(error)

    async def release(self) -> None:
        """Give back what is the session's own; a call that still runs ends with it."""
        self._let_go()
        await self._home.close()

    def used_directly(self) -> bool:
        """Whether the page was used past the session since this was last asked; only sequences and captures show."""
        used, self._used = self._used, self._page.captures
        return parts_of(self._page).settler.lock.locked() or used != self._used

    # -- plumbing ------------------------------------------------------------------------------

    def _began(self) -> None:
        self._entry.idle.begin()

    def _ended(self) -> None:
        self._entry.calls += 1
        self._entry.idle.end(self._keeper.now())
        self._used = self._page.captures
        self._keeper.rested()

    def _check(self) -> None:
        self._check_open()
        error = self._page.cdp_session.error
        if self._page.closed and isinstance(error, SessionLost):
            raise self._dead(error)

    def _check_open(self) -> None:
        if self._closed is not None:
            raise self._closed()

    def _take(self, page: Page) -> None:
        self._let_go()
        self._page = page
        parts_of(page).history.session_name, page.loop_guard = self.id, self.loop_guard
        page.cdp_session.on_closed(lambda error: self._lost(page, error))

    def _let_go(self) -> None:
        parts_of(self._page).history.session_name = None
        if self._page.loop_guard is self.loop_guard:
            self._page.loop_guard = None

    def _lost(self, page: Page, error: SessionLost) -> None:
        if page is self._page:
            self.lock.turn_away(lambda: self._dead(error))

    def _dead(self, error: SessionLost) -> SessionLost:
        """The same error, with what to do about it."""
        others = [page.target_id for page in self.pages if not page.closed]
        more = f"switch to another of its tabs ({', '.join(others)}), or " if others else ""
        advice = f"session {self.id!r} is dead: {error}; {more}close it and open it anew"
        told = type(error)(advice, method=error.method, session_id=error.session_id)
        told.__cause__ = error
        return told

    def _tab(self, target_id: str) -> Page:
        tabs = {page.target_id: page for page in self.pages if not page.closed}
        if target_id in tabs:
            return tabs[target_id]
        known = ", ".join(f"{name} ({_url(page)})" for name, page in tabs.items()) or "none"
        hint = did_you_mean(str(target_id), tabs)
        raise OptionInvalid(
            f"session {self.id!r} has no tab {target_id!r}{hint}; its tabs are: {known}", option="target_id"
        )


def _url(page: Page) -> str:
    return parts_of(page).tab.redactor.redact(page.url)
