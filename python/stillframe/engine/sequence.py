"""`execute_sequence`: capture, arm, act, settle, capture, compare."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from stillframe.cdp.loop_clock import loop_clock, sleep, time_limit
from stillframe.engine.actions import finding_s, unanswered, whole_limit
from stillframe.engine.actions import perform as perform_action
from stillframe.engine.delta import NOTHING, Comparison, Seen
from stillframe.engine.dialogs import Progress, refuse_blocked
from stillframe.engine.loop_monitor import LoopMonitor
from stillframe.engine.overlays import execute_within
from stillframe.engine.overlays import perform as perform_past_overlays
from stillframe.engine.page_guard import PageGuard
from stillframe.engine.pauses import Pauses
from stillframe.engine.plan import Plan, make_plan, slow_s
from stillframe.engine.settle import expected
from stillframe.errors import (
    CommandError,
    CommandTimeout,
    DialogOpen,
    GuardStopped,
    PageUnresponsive,
    SessionLost,
    SessionUnknown,
    StillframeError,
    TargetCrashed,
)
from stillframe.model.actions import Action, AnswerDialog, PressKey
from stillframe.model.bounds import bounded, shortened
from stillframe.model.failure import Failure, error_data
from stillframe.model.options import SequenceOptions, parse_options, python_name
from stillframe.model.result import Clock, Healed, NavigationResult, PageHash, SequenceResult, Step
from stillframe.model.verdict import GONE
from stillframe.settling.settler import OBSERVED_SECONDS, Settler
from stillframe.tab.deadline import LATE_S, Deadline
from stillframe.tab.events.held_dialogs import until_dialog
from stillframe.tab.hung_gpu import restarted_if_hung
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.locating.selectors import ref_of
from stillframe.tab.locating.waits import check as check_expect
from stillframe.tab.navigation.hung_browser import found_silent
from stillframe.tab.reading.aria_snapshot import text_of
from stillframe.tab.reading.focus import Focus, focus_of

if TYPE_CHECKING:
    from stillframe.core import Snapshot
    from stillframe.engine.history import History
    from stillframe.engine.observers import SequenceObserver
    from stillframe.engine.page_reports import PageReport
    from stillframe.model.aria_snapshot import AriaSnapshot
    from stillframe.model.change import StateChange
    from stillframe.model.verdict import Late, Reason, SequenceReason, Verdict
    from stillframe.tab.context.timeouts import Timeouts
    from stillframe.tab.events.recorder import EventRecording
    from stillframe.tab.refs import NodeKey
    from stillframe.tab.tab import Tab

CAPTURE_SHARE = 0.5
"""Share of the limits of one action and the wait that each snapshot may take, before the first action and after the
wait: with the defaults 4 s, where 100,000 nodes take half a second."""

MIN_CAPTURE_S = 0.5
"""Minimum seconds for a snapshot when the limits are shorter, if the call has that much time left."""

FINAL_CAPTURE_S = 0.3
"""Seconds reserved for the final snapshot, however long the actions and the wait took."""

OVERRUN_S = 1.2
"""Seconds beyond the last limit after which a sequence raises instead of returning a result. Its own waits end before;
only a loop that turns a few times a second gets there, because each step takes a turn."""

SUSPENDED_S = 0.5
"""Seconds for a snapshot while the server of a navigation has not answered. Chrome holds back all commands to the page
until then (measured), so the snapshot comes at once or not before the answer."""


OnStep = Callable[[int, Step], None]
"""Called with the index and the Step of every attempted action as soon as it ends."""


Perform = Callable[..., Awaitable[NavigationResult | None]]
"""Performs one action; takes what `engine.actions.perform` takes."""


async def execute(
    settler: Settler,
    history: History,
    actions: Any,
    options: Mapping[str, Any],
    on_step: OnStep | None = None,
    *,
    perform: Perform = perform_action,
) -> SequenceResult:
    """Run a sequence on a page; see `Page.execute_sequence`."""
    parsed = with_defaults(parse_options(options), options, settler.tab.timeouts)
    plan = make_plan(settler.tab, actions, parsed)
    _check(settler.tab, history, parsed)
    if settler.lock.is_lent:
        return await execute_within(settler.tab, plan.actions, parsed)
    async with settler.lock:
        await _slowed(settler.tab)  # before the first snapshot: what the page does meanwhile is not the action's
        refuse_blocked(settler.tab, plan.actions)
        with loop_clock().detecting_stalls(), settler.tab.drawing.kept():
            run = _Run(settler, history, plan, parsed, on_step, perform)
            async with run.deadline.enforced("execute_sequence", extra_s=OVERRUN_S):
                return await run.result()


def with_defaults(parsed: SequenceOptions, given: Mapping[str, Any], timeouts: Timeouts) -> SequenceOptions:
    """Return the options with the default limit of the page's actions, if one is set and the caller gave none."""
    default_ms = timeouts.call_ms
    if default_ms is None or "action_timeout_ms" in map(python_name, given):
        return parsed
    return structs.replace(parsed, action_timeout_ms=default_ms)


def _check(tab: Tab, history: History, options: SequenceOptions) -> None:
    """Reject, before anything runs, another session and a wrong condition."""
    if options.session_id not in (None, tab.target_id, history.session_name):
        raise SessionUnknown(_wrong_session(tab, history, options.session_id), session_id=options.session_id)
    check_expect(options.expect)


class _Run:
    """One sequence on one page."""

    def __init__(
        self,
        settler: Settler,
        history: History,
        plan: Plan,
        options: SequenceOptions,
        on_step: OnStep | None,
        perform: Perform,
    ) -> None:
        self.settler = settler
        self.history = history
        self.tab = tab = settler.tab
        self.on_step = on_step
        self.perform = perform
        self.actions = plan.actions
        self.options = options
        for secret in plan.secret_texts:
            tab.context.redaction.add(secret)
        self.observers: list[SequenceObserver] = []
        self.completed = 0
        self.failure: Failure | None = None
        self.steps: list[Step] = []
        self.captures_before = tab.captures.counts
        self.capture_attempted = False
        """Whether a snapshot was taken or attempted."""
        guard = history.loop_guard
        self.monitor = None if guard is None else LoopMonitor(settler, history, guard)
        self.healed: list[Healed] = []
        self.focus = Focus()
        """What the text of the page marks as focused, if the result has one."""
        self.capture_error: CommandError | None = None
        """Why the last snapshot failed."""
        self.unseen: CommandError | None = None
        """Why the page could not be captured before the actions or after the wait, if the page is still there."""
        self.deadline = Deadline(plan.limit_s)
        self.end = self.deadline.hard()
        """When the call must be over, with what it does after its wait."""
        limits_s = (options.action_timeout_ms + options.timeout_ms) / 1000
        self.capture_s = max(MIN_CAPTURE_S, CAPTURE_SHARE * limits_s)

    async def result(self) -> SequenceResult:
        clock = await self.tab.clock.take() if self.options.settle == "virtual" else None
        started_at = clock.reading() if clock else None
        missed = self.tab.dialogs.take_missed()
        answers, behind = isinstance(self.actions[0], AnswerDialog), self.tab.dialogs.open is not None
        with (
            self.tab.recorder.record() as record,
            self.tab.refs.healing(self.options.heal) as self.healed,
            self.history.reports.recording() if self.options.verbose else nullcontext() as report,
        ):
            self.observers = [each.sequence(self.actions, self.options) for each in self.history.observers]
            last, before = self.history.last_snapshot, await self._begin()
            if self.tab.dialogs.open is None:
                for observer in self.observers:
                    await observer.before(unchanged=before is not None and before is last)
            # Armed after the snapshot: what starts during the capture was not caused by the actions.
            unready = self.capture_error or self.tab.dialogs.open
            observed = self.deadline.within(0.0 if unready else min(OBSERVED_SECONDS, self.deadline.left_s / 4))
            # The page carries on with what it did when the dialog opened: that belongs to the answer.
            async with self.settler.armed(self.options, adopt=answers, observed=observed) as settling:
                await self._act(Pauses(self.settler, settling, self.actions, self.options.timeout_ms))
                verdict = await settling.verdict(
                    self.end.extended(-FINAL_CAPTURE_S), expected=expected(self.tab, self.options)
                )
            verdict = self._after_hanging(verdict)
            first_error, self.capture_error = self.capture_error, None
            limit_s = SUSPENDED_S if _is_leaving(verdict) else self.capture_s
            after = await self._capture(self.end.within(limit_s))
            dialog = self.tab.dialogs.open
            self.history.before_dialog = None if dialog is None else before
            if dialog is not None:
                verdict = structs.replace(verdict, stable=False, reason="dialog", detail=None)
            elif error := self.capture_error or (None if isinstance(first_error, TargetCrashed) else first_error):
                verdict = self._after_failed_capture(error, verdict)
            noise, habits = await self._restless() if _differ(before, after) else (set(), set())
            elapsed = clock.since(started_at) if clock and started_at else None
            # What came while a dialog held the last call back belongs to this one.
            late = () if behind else self._late(verdict.late, before, noise)
            self.history.last_snapshot = after
            if self.options.page_text and after is not None:
                self.focus = await focus_of(self.tab, self.end)
            if dialog is None:
                for observer in self.observers:
                    await observer.after()
            change = self._change(before, after, noise, habits, Seen(self.settler.messages, self.settler.scheme))
            if self.monitor is not None:
                self.monitor.end(unchanged=change is None and after is not None)
            result = self._result(change, after, structs.replace(verdict, late=late), record, report, elapsed)
            missed += tuple(each for each in self.tab.dialogs.take_missed() if each not in record.dialogs)
            if dialog is not None or missed:
                result = structs.replace(result, open_dialog=dialog, dialogs=(*missed, *result.dialogs))
        for observer in self.observers:
            observer.result(result, after)
        self.history.last_result = result
        return result

    def _after_hanging(self, verdict: Verdict) -> Verdict:
        """Return a verdict that is not stable if an action found the page busy: its input may take effect later."""
        if not verdict.stable or self.failure is None or self.failure.code != PageUnresponsive.code:
            return verdict
        return structs.replace(verdict, stable=False, reason="hung")

    def _after_failed_capture(self, error: CommandError, verdict: Verdict) -> Verdict:
        """Return the verdict when the page could not be captured before or after: the changes are unknown."""
        if verdict.stable and isinstance(error, TargetCrashed):
            return structs.replace(verdict, stable=False, reason="crashed", detail=None)
        if verdict.stable and isinstance(error, SessionLost):
            return structs.replace(verdict, stable=False, reason="closed", detail=error.code)
        if verdict.reason not in GONE:
            self.unseen = error
        return structs.replace(verdict, stable=False)

    async def _begin(self) -> Snapshot | None:
        """Take the snapshot before the first action and start the loop monitor."""
        if self.tab.dialogs.open is not None:
            return self._before_dialog()
        before = await self._capture(self.end.within(min(self.capture_s, self.end.left_s / 2)))
        if self._uses_identity and before is not None:
            self.history.identity.before(before)
        if self.monitor is not None:
            try:
                async with time_limit(min(self.capture_s, self.end.left_s / 2)):
                    await self.monitor.begin(before)
            except StillframeError:
                raise
            except TimeoutError:
                pass  # the monitor starts without a page state
        return before

    def _before_dialog(self) -> Snapshot | None:
        """Return the last snapshot before the dialog that is open: the page behind it does not answer."""
        before = self.history.before_dialog or self.history.last_snapshot
        self.capture_attempted = True
        if before is None:
            message = "the page was never captured before the dialog"
            self.capture_error = CommandTimeout(message, timeout_ms=0)
        return before

    async def _capture(self, deadline: Deadline) -> Snapshot | None:
        """Return a snapshot, or None if the page does not answer: the sequence may itself reload a crashed page.

        A page behind a dialog does not answer either.
        """
        try:
            async with until_dialog(self.tab.dialogs), time_limit(deadline.left_s):
                return await self.tab.captures.take(deadline)
        except DialogOpen:
            return None
        except CommandError as error:
            if not self.capture_attempted and not isinstance(error, TargetCrashed | CommandTimeout):
                raise
            self.capture_error = error
        except TimeoutError:
            self.capture_error = CommandTimeout(
                f"the page did not answer within {deadline.timeout:.1f} s", timeout_ms=deadline.timeout * 1000
            )
        finally:
            self.capture_attempted = True
        return None

    async def _act(self, pauses: Pauses) -> None:
        guard = PageGuard(self.settler) if self.options.guard else None
        for index, action in enumerate(self.actions):
            if index > 0:
                await _slowed(self.tab)
            # What the actions before said and took back is not a change of the wait.
            self.settler.forget_messages()
            await self._attempt(index, action, guard, pauses)
            if self.failure is not None:
                return
            self.completed += 1

    async def _attempt(self, index: int, action: Action, guard: PageGuard | None, pauses: Pauses) -> None:
        clock = asyncio.get_running_loop().time
        started = clock()
        response = None
        for observer in self.observers:
            observer.action(index, action)
        deadline = self.deadline.within(finding_s(self.tab, action, self.options))
        try:
            async with self._enforced(action, deadline):
                response = await self._perform(index, action, deadline, guard, pauses)
        except PageUnresponsive as error:
            self.failure = self._failure(index, action, await self._explained(error))
        except StillframeError as error:
            self.failure = self._failure(index, action, error)
        step = Step(
            action=action.kind,
            result="error" if self.failure else "ok",
            duration_ms=round((clock() - started) * 1000),
            error=self.failure.error if self.failure else None,
            url=response.url if response else None,
            status=response.status if response else None,
        )
        self.steps.append(step)
        if self.on_step is None and not self.observers:
            return
        safe = shortened(self.tab.context.redaction.redact(step))
        for observer in self.observers:
            observer.step(index, action, safe)
        if self.on_step is not None:
            self.on_step(index, safe)

    async def _perform(
        self, index: int, action: Action, deadline: Deadline, guard: PageGuard | None, pauses: Pauses
    ) -> NavigationResult | None:
        """Perform an action until it is done, or a dialog that it raised keeps the page from going on.

        Raises DialogOpen if a dialog opened before the action did anything.
        """
        if isinstance(action, AnswerDialog):
            attempt = Attempt(self.tab, follows_action=index > 0)
            return await self.perform(attempt, action, deadline)
        progress = Progress(self.tab, action)
        try:
            async with until_dialog(self.tab.dialogs, action.kind):
                return await self._perform_unblocked(index, action, deadline, guard, pauses, progress)
        except DialogOpen:
            if not progress.has_begun:
                raise
            return None

    async def _perform_unblocked(
        self,
        index: int,
        action: Action,
        deadline: Deadline,
        guard: PageGuard | None,
        pauses: Pauses,
        progress: Progress,
    ) -> NavigationResult | None:
        await pauses.before(index, whole_limit(self.tab, action, deadline))
        if guard is not None:
            await guard.check(action, skipped=len(self.actions) - index)
        async with nullcontext() if self.monitor is None else self.monitor.over(action) as inspect:
            follows_key = index > 0 and isinstance(self.actions[index - 1], PressKey)
            attempt = Attempt(self.tab, progress.noting(inspect, self.settler.armed_everywhere), follows_key)
            perform = self.perform
            if self.tab.locator_handlers and perform is perform_action:
                perform = partial(perform_past_overlays, lock=self.settler.lock)
            response = await perform(attempt, action, deadline)
        if response is not None:
            self.history.arrival = None
        await pauses.after(index, deadline)
        if guard is not None:
            await guard.note(action)
        return response

    @asynccontextmanager
    async def _enforced(self, action: Action, deadline: Deadline) -> AsyncIterator[None]:
        """Limit an action so that time remains for the final snapshot; raises the error of `unanswered`."""
        limit = whole_limit(self.tab, action, deadline)
        late = min(limit.hard_left_s, self.deadline.hard_left_s - 2 * FINAL_CAPTURE_S)
        try:
            async with time_limit(max(0.0, late)):
                yield
        except StillframeError:
            raise
        except TimeoutError:
            timeout = CommandTimeout(f"no answer within {late:.1f} s", timeout_ms=(limit.timeout + LATE_S) * 1000)
            raise unanswered(self.tab, action, limit, timeout) from None

    async def _explained(self, error: PageUnresponsive) -> PageUnresponsive:
        """Return the error, or a better one if the browser draws nothing or does not answer either.

        The GPU process of a browser that draws nothing is restarted.
        """
        last = self.end.extended(-FINAL_CAPTURE_S)
        found = await restarted_if_hung(self.tab, last) or await found_silent(self.tab, last)
        if not found:
            return error
        return PageUnresponsive(f"{error.selector or 'the page'}: {found}", selector=error.selector)

    def _failure(self, index: int, action: Action, error: StillframeError) -> Failure:
        return Failure(
            index=index,
            action=action.kind,
            error=self.tab.redactor.redact(str(error)),
            code=error.code,
            skipped=error.skipped if isinstance(error, GuardStopped) else 0,
            data=error_data(error),
        )

    def _late(self, late: tuple[Late, ...], before: Snapshot | None, noise: set[NodeKey]) -> tuple[Late, ...]:
        """Attach the rows that changed since the last sequence to the last of the late changes."""
        index = max((at for at, row in enumerate(late) if row.kind == "changes"), default=None)
        change = None if index is None else self._change(self.history.last_snapshot, before, noise)
        if index is None or change is None:
            return late
        return (*late[:index], structs.replace(late[index], state_change=change), *late[index + 1 :])

    async def _restless(self) -> tuple[set[NodeKey], set[NodeKey]]:
        """Return the elements that change by themselves, and those that may."""
        noise, habits = await asyncio.gather(self.settler.noise(self.end), self.settler.habits(self.end))
        return noise, habits

    def _change(
        self,
        before: Snapshot | None,
        after: Snapshot | None,
        noise: Collection[NodeKey],
        habits: Collection[NodeKey] = (),
        seen: Seen = NOTHING,
    ) -> StateChange | None:
        options, tab = self.options, self.tab
        compared = Comparison(
            tab.refs,
            options.limit,
            tab.redactor,
            noise,
            options.text_limit,
            habits,
            controls=options.controls,
            target=self._last_target(),
        )
        with loop_clock().working():
            return compared.change(before, after, seen)

    def _last_target(self) -> NodeKey | str | None:
        """Return the key of the target of the last action that was tried, or its selector."""
        action = self.actions[min(self.completed, len(self.actions) - 1)]
        selector = getattr(action, "selector", None)
        ref = None if selector is None else ref_of(selector)
        return self.tab.refs.stood_for(ref) if ref else selector

    def _result(
        self,
        change: StateChange | None,
        after: Snapshot | None,
        verdict: Verdict,
        record: EventRecording,
        report: PageReport | None,
        clock: Clock | None,
    ) -> SequenceResult:
        reason, detail, wait_reason = self._ending(change, verdict)
        result = SequenceResult(
            completed=self.completed,
            failed=self.failure,
            state_change=change,
            stability_wait_ms=round(verdict.waited_ms),
            stable=verdict.stable,
            reason=reason,
            detail=detail,
            wait_reason=wait_reason,
            pending=verdict.pending,
            ignored=verdict.ignored,
            late=verdict.late,
            dialogs=record.dialogs,
            downloads=record.downloads,
            new_targets=record.new_targets,
            refused=record.refused,
            steps=tuple(self.steps) if self.options.verbose else None,
            captures=self.tab.captures.counts - self.captures_before if self.options.verbose else None,
            clock=clock,
            page_hash=self._hash(after),
            page_text=self._text(after),
            healed=tuple(self.healed),
            console=report.console if report else None,
            errors=report.errors if report else None,
            loops=() if self.monitor is None else tuple(self.monitor.events),
            omitted=verdict.omitted,
            observed=verdict.observed,
        )
        # The page may have put a secret anywhere: in a requested URL, a dialog, or a file name.
        omitted = record.omitted | (report.omitted if report else {})
        return bounded(self.tab.context.redaction.redact(result), self.options.limit, omitted)

    def _ending(self, change: StateChange | None, verdict: Verdict) -> tuple[SequenceReason, str | None, Reason | None]:
        """Return the reason of the result, its detail, and the reason of the wait where that is another one."""
        if self.unseen is not None:
            return "unseen", verdict.detail or str(self.unseen), verdict.reason
        # Some changes, such as the value of a field, only show in the snapshots and send no signal to settling.
        return "quiet" if change and verdict.reason == "no_effect" else verdict.reason, verdict.detail, None

    def _hash(self, after: Snapshot | None) -> PageHash | None:
        if after is None or not self._uses_identity:
            return None
        self.history.identity.after(after)
        return self.history.identity.hash(after) if self.options.page_hash else None

    def _text(self, after: Snapshot | None) -> AriaSnapshot | None:
        budget = self.options.page_text
        return text_of(self.tab, after, budget, self.focus) if budget and after is not None else None

    @property
    def _uses_identity(self) -> bool:
        return self.options.page_hash or self.monitor is not None


async def _slowed(tab: Tab) -> None:
    """Wait as long as the option `slow_mo` says before an action."""
    if seconds := slow_s(tab):
        await sleep(seconds)


def _wrong_session(tab: Tab, history: History, session_id: str) -> str:
    own = f"session {history.session_name!r}" if history.session_name else "no named session"
    return (
        f"this page does not belong to session {session_id!r}: it belongs to {own} and also accepts its target id "
        f"({tab.target_id}); use a Sessions object to reach other sessions"
    )


def _differ(before: Snapshot | None, after: Snapshot | None) -> bool:
    if before is None or after is None or before is after:
        return False
    return before.digests.exact != after.digests.exact


def _is_leaving(verdict: Verdict) -> bool:
    return any(pending.kind == "navigation" for pending in verdict.pending)
