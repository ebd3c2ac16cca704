"""Many sessions in one process: opened, found by name, and closed."""

from __future__ import annotations

import asyncio
import builtins
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, Unpack

from stillframe.adb.webview import WebView
from stillframe.api.browser import Browser, Page
from stillframe.errors import CommandTimeout, InputError, OptionInvalid, SessionUnknown, StillframeError
from stillframe.extend import Deadline, time_limit, time_limited
from stillframe.extend.options import BrowserKeywords, SessionKeywords
from stillframe.loopguard import LoopGuard, LoopLimits
from stillframe.model.action_list import parse_actions
from stillframe.model.actions import Action
from stillframe.model.keywords import SessionSequenceKeywords
from stillframe.model.options import parse_options
from stillframe.model.result import SequenceResult
from stillframe.model.sessions import SessionCountWarning, SessionInfo
from stillframe.security.redaction import logger
from stillframe.sessions.deadline_timer import DeadlineTimer
from stillframe.sessions.open_request import Given, OpenRequest, parse_browser_options, parse_open_request
from stillframe.sessions.page_access import set_session_name
from stillframe.sessions.registry import SessionRegistry
from stillframe.sessions.resources import open_resources
from stillframe.sessions.session import CLOSE_MS, Session
from stillframe.sessions.shared_browser import SharedBrowser

IDLE_MS = 1_800_000.0
"""The idle time after which a session closes: the 30 minutes of docs/design/proposal.md."""

OPEN_MS = 90_000.0
"""The default limit of opening: 30 s each for a browser, its tab and the URL."""

ON_CLOSE_S = 10.0
"""Seconds for `on_close`: a session that closes lets nobody wait much longer than its browser takes."""

SOFT_LIMIT = 5
"""The number of open sessions above which there is a warning, from the same page."""

_logger = logger("stillframe.sessions")


class Sessions:
    """Sessions that live as long as the block: `async with Sessions() as sessions: …`.

    By default each session has its own context (cookies, storage) in one browser, which the first session launches.

    Args:
        idle_ms: After how many ms without a call a session closes, and the shared browser after the same time without a
            session; None keeps them open.
        soft_limit: How many open sessions cause no warning; None turns it off.
        loops: What gives each session its own loop guard: limits for one that warns, or a function that returns a loop
            guard.
        clock: A function that returns seconds.
        on_close: A function of each session, called before it closes; it may be async. It has ten seconds, and what it
            raises is logged.
        **options: Those of `stillframe.launch`, for every session.

    Raises:
        OptionInvalid: An option is unknown or invalid.
    """

    def __init__(
        self,
        *,
        idle_ms: float | None = IDLE_MS,
        soft_limit: int | None = SOFT_LIMIT,
        loops: LoopLimits | Callable[[], LoopGuard] | None = None,
        clock: Callable[[], float] = time.monotonic,
        on_close: Callable[[Session], object] | None = None,
        **options: Unpack[BrowserKeywords],
    ) -> None:
        idle_s = _idle_seconds(idle_ms)
        _check_soft_limit(soft_limit)
        self._options = parse_browser_options(options)
        self._new_loop_guard = _loop_guard_factory(loops)
        self._clock = clock
        self._on_close = on_close
        self._shared = SharedBrowser(self._options.all, clock())
        self._begin(idle_s, soft_limit, leave=None)

    def _begin(self, idle_s: float | None, soft_limit: int | None, *, leave: Callable[[], None] | None) -> None:
        """Start without any session; `leave` is called at the end if others own the shared browser."""
        self._leave = leave
        self._registry = SessionRegistry(idle_s=idle_s, soft_limit=soft_limit)
        self._sessions: dict[str, Session] = {}
        self._opening: dict[str, asyncio.Task[Session]] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._beside: set[Sessions] = set()
        self._timer = DeadlineTimer(self._next_deadline, self.close_idle_sessions, self._clock)
        self._warned = False
        self._end: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Sessions:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"Sessions({', '.join(self._registry.open) or 'none open'})"

    def beside(self) -> Sessions:
        """Return sessions with names of their own that share this object's browser and options.

        Neither sees the sessions of the other. Closing the new object leaves the browser open; closing this one closes
        both.

        Raises:
            InputError: This one is closed.
        """
        if self._end is not None:
            raise InputError("these sessions are closed: open sessions within the block")
        other = copy(self)
        other._begin(self._registry.idle_s, self._registry.soft_limit, leave=partial(self._beside.discard, other))
        self._beside.add(other)
        return other

    # -- opening and closing -------------------------------------------------------------------

    async def open(  # noqa: PLR0913  by keyword
        self,
        session_id: str | None = None,
        *,
        url: str | None = None,
        own_browser: bool = False,
        own_context: bool = True,
        browser: Browser | None = None,
        page: Page | None = None,
        webview: WebView | None = None,
        timeout_ms: float | None = OPEN_MS,
        **options: Unpack[SessionKeywords],
    ) -> Session:
        """Open a session under a name, or under an automatic one such as `context-1`, and load a URL in it.

        After an error the name is free again.

        Args:
            session_id: The name; by default an automatic one.
            url: The URL to load; by default the page stays blank.
            own_browser: Whether to launch a browser for this session alone.
            own_context: Whether the session has its own context. With False it is a tab in the default context of
                `browser`, with the cookies there: Chrome on Android has no other contexts.
            browser: A browser of yours, in which the context opens.
            page: A page of yours, which stays open when the session closes.
            webview: A WebView of an app on a device. If the app has ended, the next call attaches to the WebView again
                as soon as the app runs, and `Session.reattached` says why.
            timeout_ms: The limit of the call, in ms: 90,000 by default; None for no limit.
            **options: Those of a context, and with `own_browser` also those of a launch.

        Raises:
            SessionExists: The name is taken.
            OptionInvalid: An option is invalid; nothing has been launched.
            UrlRefused: The URL is not allowed; nothing has been launched.
            BrowserNotFound: There is no browser to launch, as for `stillframe.launch`.
            LaunchFailed: The browser does not start.
            NavigationFailed: The URL cannot be loaded.
            AndroidError: The WebView has no page, as for `WebView.page`.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        if self._end is not None:
            raise InputError("these sessions are closed: open sessions within the block")
        deadline = Deadline.of_ms(timeout_ms)
        request = parse_open_request(
            self._options,
            options,
            url=url,
            own_browser=own_browser,
            own_context=own_context,
            opened=Given(browser, page, webview),
        )
        name, task = self._begin_open(session_id, request)
        try:
            async with time_limit(deadline.left_s):
                await asyncio.wait([task])
        except TimeoutError:
            task.add_done_callback(lambda done: self._close_late(name, done))
            task.cancel()
            raise CommandTimeout(
                f"session {name!r} did not open within {timeout_ms:g} ms; a browser or a server does not answer",
                timeout_ms=timeout_ms or 0.0,
            ) from None
        except asyncio.CancelledError:
            await self._cancel_open(name, task)
            raise
        return self._opened_in_time(name, task)

    @time_limited
    async def launch_browser(self, *, timeout_ms: float | None = OPEN_MS) -> None:
        """Launch the browser that sessions share, so that the first one opens sooner; it closes as they close it.

        Args:
            timeout_ms: The limit of the call, in ms: 90,000 by default; None for no limit.

        Raises:
            InputError: These sessions are closed.
            BrowserNotFound: There is no browser to launch.
            LaunchFailed: The browser does not start.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        if self._end is not None:
            raise InputError("these sessions are closed: open sessions within the block")
        await self._shared.get()
        self._timer.start()

    @time_limited
    async def close_session(self, session_id: str, *, timeout_ms: float | None = CLOSE_MS) -> None:
        """Close a session and everything it owns; calls that run or wait end at once.

        Returns when nothing of the session is left and its name is free. Closing a closed session does nothing.

        Args:
            session_id: The name of the session.
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            SessionUnknown: No session of that name was ever open.
            CommandTimeout: It takes longer than `timeout_ms`; closing continues.
        """
        self._begin_close(session_id, "by request")
        await self._await_close(session_id)

    @time_limited
    async def close_sessions(self, *, timeout_ms: float | None = CLOSE_MS) -> None:
        """Close all open sessions; the shared browser stays, and new sessions can open."""
        for name in self._registry.open:
            self._begin_close(name, "with all others")
        await self._await_all(builtins.list(self._closing.values()))

    @time_limited
    async def close_idle_sessions(self, *, timeout_ms: float | None = CLOSE_MS) -> builtins.list[str]:
        """Close the sessions that have been idle too long and return their names; a timer does this as well."""
        return await self._close_expired()

    async def close(self, *, timeout_ms: float | None = CLOSE_MS) -> None:
        """Close all sessions and the shared browser for good. Idempotent.

        A cancelled call closes everything first.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 by default; None for no limit.

        Raises:
            CommandTimeout: It takes longer than `timeout_ms`; closing continues.
        """
        if self._end is None:
            self._end = asyncio.create_task(self._close_everything(), name="close sessions")
        try:
            async with Deadline.of_ms(timeout_ms).enforced("sessions.close"):
                await asyncio.shield(self._end)
        except asyncio.CancelledError:
            # Nothing may stay open, and everything that closing waits for has a limit.
            await asyncio.wait([self._end])
            raise

    # -- finding -------------------------------------------------------------------------------

    def get(self, session_id: str) -> Session:
        """Return an open session.

        Args:
            session_id: The name of the session.

        Raises:
            SessionUnknown: It is not open; the message suggests the nearest name and lists the open sessions.
        """
        self._registry.find(session_id)
        return self._sessions[session_id]

    def list(self) -> builtins.list[SessionInfo]:
        """Return the state of all open sessions, oldest first."""
        return [self._sessions[name].info() for name in self._registry.open]

    # -- calls ---------------------------------------------------------------------------------

    async def execute_sequence(
        self,
        session_id: str,
        actions: Sequence[Action | Mapping[str, Any]],
        *,
        check: bool = False,
        **options: Unpack[SessionSequenceKeywords],
    ) -> SequenceResult:
        """Run a sequence in a session; see `Session.execute_sequence`.

        Args:
            session_id: The name of the session.
            actions: Structs of `stillframe.model.actions`, or dicts as in the JSON form.
            check: Whether the error of a failed action is raised.
            **options: The fields of `SequenceOptions` but `session_id`, by their Python or JSON names.

        Raises:
            SessionUnknown: The session is not open.
            ActionInvalid: An action is invalid; nothing has run.
            OptionInvalid: An option is invalid; nothing has run.
            ActionFailed: With `check`, an action fails.
            SessionLost: The tab or its browser has died.
        """
        return await self.get(session_id).execute_sequence(actions, check=check, **options)

    async def parallel(
        self,
        sequences: Mapping[str, Sequence[Action | Mapping[str, Any]] | Mapping[str, Any]],
        **options: Unpack[SessionSequenceKeywords],
    ) -> dict[str, SequenceResult | StillframeError]:
        """Run one sequence in each of several sessions at the same time and return their results or errors.

        A sequence that fails stops no other. Everything is checked before the first sequence runs. A cancelled call
        cancels all sequences.

        Args:
            sequences: Actions by session ids, or `{"actions": […], …}` with options that override the common ones.
            **options: The fields of `SequenceOptions` but `session_id`, for all of them.

        Returns:
            The result of each session, or the error that it ended with, by session ids.

        Raises:
            SessionUnknown: A session is not open.
            ActionInvalid: An action is invalid; nothing has run.
            OptionInvalid: An option is invalid; nothing has run.
        """
        parsed = {name: _parse_sequence(name, entry, options) for name, entry in sequences.items()}
        sessions = {name: self.get(name) for name in parsed}
        runs = (sessions[name].execute_sequence(actions, **own) for name, (actions, own) in parsed.items())
        outcomes = await asyncio.gather(*runs, return_exceptions=True)
        for outcome in outcomes:
            if not isinstance(outcome, SequenceResult | StillframeError):
                raise outcome
        return dict(zip(parsed, outcomes, strict=True))  # type: ignore[arg-type]

    # -- opening -------------------------------------------------------------------------------

    def _begin_open(self, session_id: str | None, request: OpenRequest) -> tuple[str, asyncio.Task[Session]]:
        """Reserve the name and open in a task, so that the end of the block can cancel and await it."""
        name = self._registry.reserve(session_id, request.kind, self._clock())
        if request.opened.page is not None:
            set_session_name(request.opened.page, name)
        task = self._opening[name] = asyncio.create_task(self._open(name, request), name=f"open session {name}")
        # Not within the task: a task that is cancelled before it starts runs none of its code.
        task.add_done_callback(lambda done: self._open_ended(name, request, done))
        return name, task

    async def _open(self, name: str, request: OpenRequest) -> Session:
        loop_guard = self._new_loop_guard()
        resources = await open_resources(name, request, self._shared, self._clock)
        entry = self._registry.mark_open(name, self._clock())
        session = self._sessions[name] = Session(
            name,
            request.kind,
            resources,
            entry,
            clock=self._clock,
            on_idle=self._timer.start,
            close=lambda timeout_ms: self.close_session(name, timeout_ms=timeout_ms),
            loop_guard=loop_guard,
            warning=self._warning(),
        )
        return session

    def _open_ended(self, name: str, request: OpenRequest, task: asyncio.Task[Session]) -> None:
        del self._opening[name]
        if task.cancelled() or task.exception() is not None:
            self._registry.free(name)
            if request.opened.page is not None:
                set_session_name(request.opened.page, None)
        self._timer.start()

    def _opened_in_time(self, name: str, task: asyncio.Task[Session]) -> Session:
        """Return the opened session; the end of the block cancels the task."""
        if task.cancelled() and self._end is not None:
            raise InputError(f"session {name!r} was not opened: the block has ended")
        return task.result()

    async def _cancel_open(self, name: str, task: asyncio.Task[Session]) -> None:
        """Cancel opening, and close the session if it opened in the meantime."""
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and task.exception() is None:
            self._begin_close(name, "because its caller was cancelled")

    def _close_late(self, name: str, task: asyncio.Task[Session]) -> None:
        """Close a session that opened after its time limit."""
        if not task.cancelled() and task.exception() is None:
            self._begin_close(name, "because it opened too late")

    def _warning(self) -> SessionCountWarning | None:
        """Return the warning about too many sessions, and log the first one."""
        warning = self._registry.warning()
        if warning is not None and not self._warned:
            self._warned = True
            _logger.warning("%s", warning.advice)
        return warning

    # -- closing -------------------------------------------------------------------------------

    def _begin_close(self, name: str, why: str) -> bool:
        """Start to close a session; return False if it is closing or closed already."""
        if not self._registry.begin_close(name, why):
            return False
        session = self._sessions.pop(name)
        task = self._closing[name] = asyncio.create_task(self._close(session), name=f"close session {name}")
        message = f"session {name!r} was closed {why}; open it again"
        session._begin_close(lambda: SessionUnknown(message, session_id=name), task)
        return True

    async def _close(self, session: Session) -> None:
        try:
            await self._tell_close(session)
            await session._release()
        finally:
            self._registry.free(session.id)
            self._closing.pop(session.id, None)
            self._timer.start()

    async def _tell_close(self, session: Session) -> None:
        if self._on_close is None:
            return
        try:
            async with time_limit(ON_CLOSE_S):
                closing = self._on_close(session)
                if inspect.isawaitable(closing):
                    await closing
        except Exception:
            _logger.exception("on_close failed for session %r, which closes all the same", session.id)

    async def _await_close(self, name: str) -> None:
        if name in self._closing:
            await asyncio.shield(self._closing[name])

    async def _await_all(self, tasks: Sequence[asyncio.Task[Any]]) -> None:
        """Wait until all tasks have ended, then raise the first error."""
        outcomes = await asyncio.gather(*(asyncio.shield(task) for task in tasks), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def _close_everything(self) -> None:
        for task in self._opening.values():
            task.cancel()
        await asyncio.gather(*self._opening.values(), return_exceptions=True)
        for name in self._registry.open:
            self._begin_close(name, "at the end of its block")
        try:
            beside = [asyncio.create_task(other.close()) for other in self._beside]
            await self._await_all([*self._closing.values(), *beside])
        finally:
            await self._timer.stop()
            if self._leave is None:
                await self._shared.close()
            else:
                self._leave()

    # -- idle time -----------------------------------------------------------------------------

    async def _close_expired(self) -> builtins.list[str]:
        now = self._clock()
        expired = [name for name in self._registry.expired(now) if not self._was_used(name, now)]
        idle_s = self._registry.idle_s
        why = f"after {idle_s:g} s without a call" if idle_s else "idle"
        for name in expired:
            self._begin_close(name, why)
        await self._await_all([self._closing[name] for name in expired if name in self._closing])
        unused_since = self._shared.idle.deadline(idle_s)
        if unused_since is not None and unused_since <= now:
            await self._shared.close(unless_used=True)
        return expired

    def _was_used(self, name: str, now: float) -> bool:
        """Return whether the caller used the page itself; its idle time then starts again."""
        if not self._sessions[name]._was_used_directly():
            return False
        self._registry.find(name).idle.since = now
        return True

    def _next_deadline(self) -> float | None:
        unused = self._shared.idle.deadline(self._registry.idle_s) if self._shared.is_launched else None
        deadlines = (self._registry.next_deadline(), unused)
        return min((deadline for deadline in deadlines if deadline is not None), default=None)


def _parse_sequence(
    name: str, entry: Sequence[Any] | Mapping[str, Any], common: Mapping[str, Any]
) -> tuple[tuple[Action, ...], dict[str, Any]]:
    """Parse one entry of `parallel`; an error names its session."""
    given = dict(entry) if isinstance(entry, Mapping) else {"actions": entry}
    options = {**common, **given}
    try:
        actions = parse_actions(options.pop("actions", None))
        parse_options(options)
    except InputError as error:
        error.args = (f"session {name!r}: {error}",)
        raise
    return actions, options


def _loop_guard_factory(loops: LoopLimits | Callable[[], LoopGuard] | None) -> Callable[[], LoopGuard | None]:
    if loops is None:
        return lambda: None
    if isinstance(loops, LoopLimits):
        return lambda: LoopGuard(loops)
    if callable(loops):
        return loops
    raise OptionInvalid("loops takes LoopLimits, or a function that returns a LoopGuard", option="loops")


def _idle_seconds(idle_ms: float | None) -> float | None:
    if idle_ms is not None and not idle_ms > 0:
        message = f"idle_ms is {idle_ms}: it takes milliseconds, more than 0, or None for no limit"
        raise OptionInvalid(message, option="idle_ms")
    return None if idle_ms is None else idle_ms / 1000


def _check_soft_limit(soft_limit: int | None) -> None:
    if soft_limit is not None and soft_limit < 1:
        raise OptionInvalid(f"soft_limit is {soft_limit}: it takes 1 or more, or None", option="soft_limit")
