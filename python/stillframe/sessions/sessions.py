"""Many named sessions in one process, and what ends them."""

from __future__ import annotations

import asyncio
import builtins
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stillframe.api.browser import Browser, Page
from stillframe.api.page import parts_of
from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import CommandTimeout, InputError, OptionInvalid, SessionUnknown, StillframeError
from stillframe.loopguard import Limits, LoopGuard
from stillframe.model.actions import Action, parse_actions
from stillframe.model.options import parse_options
from stillframe.model.result import SequenceResult
from stillframe.model.sessions import SessionInfo
from stillframe.security.redaction import logger
from stillframe.sessions.alarm import Alarm
from stillframe.sessions.book import Book
from stillframe.sessions.home import make
from stillframe.sessions.plan import Plan, plan, read_options
from stillframe.sessions.session import CLOSE_S, NamedSession
from stillframe.sessions.shared import SharedBrowser
from stillframe.tab.deadline import Deadline, in_seconds, time_limited

IDLE_S = 1800.0
"""Seconds without a call after which a session is closed: the 30 minutes of webdriverio's multi-session proposal."""

OPEN_S = 90.0
"""Seconds that opening may take by default: 30 each for a browser, for its tab and for the URL."""

SOFT_LIMIT = 5
"""More open sessions than this are warned of; from the same proposal."""

_logger = logger("stillframe.sessions")


class Sessions:
    """Named sessions that live no longer than the block: `async with Sessions() as sessions: …`.

    By default each has a context of its own (cookies, storage) in one browser that is launched when the first needs it.
    A session without a call for `idle_s` seconds is closed, and the browser that has had no session for as long; None
    keeps them. More than `soft_limit` open ones are warned of, None for no warning. `loops` gives each a loop guard of
    its own: limits for one that warns, or a function that makes it. All other options are those of `stillframe.launch`,
    for every session. `clock` returns seconds. Raises OptionInvalid.
    """

    def __init__(
        self,
        *,
        idle_s: float | None = IDLE_S,
        soft_limit: int | None = SOFT_LIMIT,
        loops: Limits | Callable[[], LoopGuard] | None = None,
        clock: Callable[[], float] = time.monotonic,
        **options: Any,
    ) -> None:
        _check_limits(idle_s, soft_limit)
        self._options = read_options(options)
        self._guard = _maker(loops)
        self._clock = clock
        self._book = Book(idle_s=idle_s, soft_limit=soft_limit)
        self._sessions: dict[str, NamedSession] = {}
        self._opening: dict[str, asyncio.Task[NamedSession]] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._shared = SharedBrowser(self._options.all, clock())
        self._alarm = Alarm(self._wake, self.reap, clock)
        self._warned = False
        self._end: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Sessions:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"Sessions({', '.join(self._book.open) or 'none open'})"

    # -- opening and closing -------------------------------------------------------------------

    async def open(
        self,
        session_id: str | None = None,
        *,
        url: str | None = None,
        own_browser: bool = False,
        browser: Browser | None = None,
        page: Page | None = None,
        timeout_ms: float | None = OPEN_S * 1000,
        **options: Any,
    ) -> NamedSession:
        """Open a session under a name, or under an automatic one such as `context-1`, and load a URL in it.

        `own_browser` launches one for it alone; `browser` opens its context in one of the caller's; `page` takes a page
        of the caller's, which stays open when the session is closed. `options` are those of a context, and with
        `own_browser` those of a launch too. `timeout` is in seconds, for all of it. Raises, before anything is
        launched, SessionExists, OptionInvalid and UrlRefused; then what `stillframe.launch` and `new_page` raise, and
        CommandTimeout, after which the name is free again.
        """
        if self._end is not None:
            raise InputError("these sessions have ended: open them within their block")
        planned = plan(self._options, options, url=url, own_browser=own_browser, browser=browser, page=page)
        name, task = self._begin_open(session_id, planned)
        try:
            async with time_limit(in_seconds(timeout_ms)):
                await asyncio.wait([task])
            return task.result()
        except StillframeError:
            raise
        except TimeoutError:
            task.add_done_callback(lambda done: self._unwanted(name, done))
            task.cancel()
            raise CommandTimeout(
                f"session {name!r} was not open within {timeout_ms:g} ms; a browser or a server does not answer",
                timeout_ms=timeout_ms or 0.0,
            ) from None
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                self._begin_close(name, "because nobody waited for it any more")
            if self._end is not None and not _being_cancelled():
                raise InputError(f"session {name!r} was not opened: the block has ended") from None
            raise

    @time_limited
    async def close(self, session_id: str, *, timeout_ms: float | None = CLOSE_S * 1000) -> None:
        """Close a session with all that is its own; calls under way and waiting end at once.

        Returns when nothing of it is left; the name is free then. A session that was closed before is no error, a name
        that never was one raises SessionUnknown. After `timeout` seconds CommandTimeout is raised, and closing goes on.
        """
        self._begin_close(session_id, "by request")
        await self._await_close(session_id)

    @time_limited
    async def close_all(self, *, timeout_ms: float | None = CLOSE_S * 1000) -> None:
        """Close every open session; the block goes on, and so does the shared browser. `timeout` as for `close`."""
        for name in self._book.open:
            self._begin_close(name, "with all others")
        await self._await_all(builtins.list(self._closing.values()))

    async def aclose(self, *, timeout_ms: float | None = CLOSE_S * 1000) -> None:
        """Close everything, the shared browser too; nothing can be opened any more. Idempotent.

        After `timeout` seconds CommandTimeout is raised, and closing goes on. Cancelled, it closes all the same.
        """
        if self._end is None:
            self._end = asyncio.create_task(self._close_everything(), name="close sessions")
        try:
            async with Deadline(in_seconds(timeout_ms)).enforced("sessions.aclose"):
                await asyncio.shield(self._end)
        except asyncio.CancelledError:
            # Nothing may stay behind, and all that closing waits for has a deadline.
            await asyncio.wait([self._end])
            raise

    # -- finding -------------------------------------------------------------------------------

    def get(self, session_id: str) -> NamedSession:
        """Return an open session; raises SessionUnknown, which names the nearest and lists the open ones."""
        self._book.find(session_id)
        return self._sessions[session_id]

    def list(self) -> builtins.list[SessionInfo]:
        """Return how all open sessions stand, oldest first."""
        return [self._sessions[name].info() for name in self._book.open]

    # -- doing ---------------------------------------------------------------------------------

    async def execute_sequence(self, session_id: str, actions: Sequence[Any], **options: Any) -> SequenceResult:
        """Run a sequence in a session; see `NamedSession.execute_sequence`. Raises SessionUnknown."""
        return await self.get(session_id).execute_sequence(actions, **options)

    async def parallel(
        self, sequences: Mapping[str, Sequence[Any] | Mapping[str, Any]], **options: Any
    ) -> dict[str, SequenceResult | StillframeError]:
        """Run one sequence in each of several sessions side by side, and return the outcome of each.

        `sequences` gives each session id its actions, or `{"actions": […], …}` with options that go before the common
        ones. A sequence that fails ends no other: in its place stands the error. All are validated before the first
        runs: raises SessionUnknown, ActionInvalid and OptionInvalid. Cancelled, it cancels all.
        """
        planned = {name: _sequence(name, entry, options) for name, entry in sequences.items()}
        sessions = {name: self.get(name) for name in planned}
        runs = (sessions[name].execute_sequence(actions, **own) for name, (actions, own) in planned.items())
        outcomes = await asyncio.gather(*runs, return_exceptions=True)
        for outcome in outcomes:
            if not isinstance(outcome, SequenceResult | StillframeError):
                raise outcome
        return dict(zip(planned, outcomes, strict=True))  # type: ignore[arg-type]

    @time_limited
    async def reap(self, *, timeout_ms: float | None = CLOSE_S * 1000) -> builtins.list[str]:
        """Close the sessions that have been idle for too long, and return their names; happens by itself in time.

        `timeout` as for `close`.
        """
        now = self._clock()
        due = [name for name in self._book.due(now) if not self._touched(name, now)]
        why = f"after {self._book.idle_s:g} s without a call" if self._book.idle_s else "idle"
        for name in due:
            self._begin_close(name, why)
        await self._await_all([self._closing[name] for name in due if name in self._closing])
        unused_since = self._shared.idle.deadline(self._book.idle_s)
        if unused_since is not None and unused_since <= now:
            await self._shared.close(unless_used=True)
        return due

    # -- for the sessions ----------------------------------------------------------------------

    def now(self) -> float:
        """The time in seconds, on the clock that was given."""
        return self._clock()

    def rested(self) -> None:
        """A session has become idle: from now on it can fall due."""
        self._alarm.set()

    # -- opening, in its task ------------------------------------------------------------------

    def _begin_open(self, session_id: str | None, planned: Plan) -> tuple[str, asyncio.Task[NamedSession]]:
        """Take the name, and open in a task, so that the end of the block can end and await it."""
        name = self._book.reserve(session_id, planned.kind, self._clock())
        if planned.page is not None:
            parts_of(planned.page).history.session_name = name
        task = self._opening[name] = asyncio.create_task(self._open(name, planned), name=f"open session {name}")
        # Not in the task itself: one that is cancelled before it starts runs none of its lines.
        task.add_done_callback(lambda done: self._opened(name, planned, done))
        return name, task

    async def _open(self, name: str, planned: Plan) -> NamedSession:
        guard = self._guard()
        home = await make(planned, self._shared, self._clock)
        entry = self._book.opened(name, self._clock())
        session = self._sessions[name] = NamedSession(name, planned.kind, home, entry, self, guard)
        self._warn(session)
        return session

    def _opened(self, name: str, planned: Plan, task: asyncio.Task[NamedSession]) -> None:
        del self._opening[name]
        if task.cancelled() or task.exception() is not None:
            self._book.free(name)
            if planned.page is not None:
                parts_of(planned.page).history.session_name = None
        self._alarm.set()

    def _warn(self, session: NamedSession) -> None:
        session.warning = self._book.crowd()
        if session.warning is not None and not self._warned:
            self._warned = True
            _logger.warning("%s", session.warning.advice)

    def _unwanted(self, name: str, task: asyncio.Task[NamedSession]) -> None:
        """Close a session that was opened after nobody waited for it any more."""
        if not task.cancelled() and task.exception() is None:
            self._begin_close(name, "because it came too late")

    # -- closing -------------------------------------------------------------------------------

    def _begin_close(self, name: str, why: str) -> bool:
        """Start to close a session; False if that is done, or under way."""
        if not self._book.close(name, why):
            return False
        session = self._sessions.pop(name)
        task = self._closing[name] = asyncio.create_task(self._close(session), name=f"close session {name}")
        closed = f"session {name!r} was closed {why}; open it anew"
        session.dismiss(lambda: SessionUnknown(closed, session_id=name), task)
        return True

    async def _close(self, session: NamedSession) -> None:
        try:
            await session.release()
        finally:
            self._book.free(session.id)
            self._closing.pop(session.id, None)
            self._alarm.set()

    async def _await_close(self, name: str) -> None:
        if name in self._closing:
            await asyncio.shield(self._closing[name])

    async def _await_all(self, tasks: Sequence[asyncio.Task[Any]]) -> None:
        """Wait until all have ended, and raise the first error only then."""
        outcomes = await asyncio.gather(*(asyncio.shield(task) for task in tasks), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def _close_everything(self) -> None:
        for task in self._opening.values():
            task.cancel()
        await asyncio.gather(*self._opening.values(), return_exceptions=True)
        for name in self._book.open:
            self._begin_close(name, "at the end of its block")
        try:
            await self._await_all(builtins.list(self._closing.values()))
        finally:
            await self._alarm.stop()
            await self._shared.close()

    # -- idle time -----------------------------------------------------------------------------

    def _touched(self, name: str, now: float) -> bool:
        """Whether the page was used past its session meanwhile; then its idle time begins anew."""
        if not self._sessions[name].used_directly():
            return False
        self._book.find(name).idle.since = now
        return True

    def _wake(self) -> float | None:
        unused = self._shared.idle.deadline(self._book.idle_s) if self._shared.there else None
        times = (self._book.wake(), unused)
        return min((moment for moment in times if moment is not None), default=None)


def _sequence(
    name: str, entry: Sequence[Any] | Mapping[str, Any], common: Mapping[str, Any]
) -> tuple[tuple[Action, ...], dict[str, Any]]:
    """Read one entry of `parallel`; an error says whose it is."""
    given = dict(entry) if isinstance(entry, Mapping) else {"actions": entry}
    options = {**common, **given}
    try:
        actions = parse_actions(options.pop("actions", None))
        parse_options(options)
    except InputError as error:
        error.args = (f"session {name!r}: {error}",)
        raise
    return actions, options


def _maker(loops: Limits | Callable[[], LoopGuard] | None) -> Callable[[], LoopGuard | None]:
    if loops is None:
        return lambda: None
    if isinstance(loops, Limits):
        return lambda: LoopGuard(loops)
    if callable(loops):
        return loops
    raise OptionInvalid("loops takes Limits, or a function that returns a LoopGuard", option="loops")


def _check_limits(idle_s: float | None, soft_limit: int | None) -> None:
    if idle_s is not None and not idle_s > 0:
        raise OptionInvalid(f"idle_s is {idle_s}; it must be more than 0 seconds, or None for no end", option="idle_s")
    if soft_limit is not None and soft_limit < 1:
        raise OptionInvalid(f"soft_limit is {soft_limit}; it must be at least 1, or None", option="soft_limit")


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
