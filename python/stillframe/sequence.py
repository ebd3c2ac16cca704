"""`execute_sequence`: capture, arm, act, settle, capture, compare."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from msgspec import structs

from stillframe.delta import state_change
from stillframe.dom import Snapshot
from stillframe.errors import CommandError, GuardStopped, SessionLost, SessionUnknown, StillframeError, TargetCrashed
from stillframe.loops import Watch
from stillframe.model.actions import Action, Navigate, names_of, parse_actions, secrets_of
from stillframe.model.bounds import bounded, shortened
from stillframe.model.change import StateChange
from stillframe.model.options import SequenceOptions, parse_options
from stillframe.model.result import Clock, Failure, Healed, PageHash, SequenceResult, Step
from stillframe.model.text import PageText
from stillframe.model.verdict import Late, Verdict
from stillframe.page.actions import check as check_action
from stillframe.page.actions import perform
from stillframe.page.guard import Guard
from stillframe.page.journal import Record
from stillframe.page.page import OnStep, Page
from stillframe.page.refs import NodeKey
from stillframe.page.text import text_of
from stillframe.page.waits import check as check_expect

CAPTURE_S = 30.0
"""Seconds that a snapshot may take: 100,000 nodes take half of one, on a busy machine many."""

SUSPENDED_S = 0.5
"""Seconds for a snapshot while the server of a navigation has not answered. Chrome holds back all commands to the page
until it has (measured), so the snapshot comes at once or not before the answer."""


class Engine:
    """Runs sequences; one for all pages, since a run keeps its state to itself."""

    async def execute(
        self, page: Page, actions: Any, options: dict[str, Any], on_step: OnStep | None = None
    ) -> SequenceResult:
        """Run a sequence on a page; see `Page.execute_sequence`."""
        parsed = parse_options(options)
        plan = parse_actions(actions)
        _check(page, plan, parsed)
        async with page.lock:
            return await _Run(page, plan, parsed, on_step).result()


def _check(page: Page, plan: Sequence[Action], options: SequenceOptions) -> None:
    """Refuse, before anything runs, what can be known to be wrong: selectors, chords, files, URL schemes, sessions."""
    if options.session_id not in (None, page.target_id, page.session_name):
        raise SessionUnknown(_another(page, options.session_id), session_id=options.session_id)
    for action in plan:
        check_action(action)
        if isinstance(action, Navigate):
            page.context.check_url(action.url)
        for name in names_of(action):
            page.context.secrets.find(name)
    check_expect(options.expect)


class _Run:
    """One sequence on one page."""

    def __init__(self, page: Page, plan: Sequence[Action], options: SequenceOptions, on_step: OnStep | None) -> None:
        self.page = page
        self.on_step = on_step
        self.plan = plan
        self.options = options
        for secret in secrets_of(plan):
            page.context.masks.declare(secret)
        self.completed = 0
        self.failure: Failure | None = None
        self.steps: list[Step] = []
        self.captures = page.captures
        """What had been captured before."""
        self.watch = None if page.loop_guard is None else Watch(page, page.loop_guard)
        self.healed: list[Healed] = []
        self.blind: CommandError | None = None
        """Why the last snapshot could not be taken."""

    async def result(self) -> SequenceResult:
        clock = await self.page.settling.time.own() if self.options.settle == "virtual" else None
        began = clock.reading() if clock else None
        with self.page.journal.record() as record, self.page.refs.healing(self.options.heal) as self.healed:
            before = await self._capture()
            if self._recognises and before is not None:
                self.page.recognition.before(before)
            if self.watch is not None:
                await self.watch.begin(before)
            # Armed last: what starts while the page is looked at is not the actions' doing.
            async with self.page.settling.armed(self.options) as settling:
                await self._act()
                verdict = await settling.verdict()
            self.blind = None
            after = await self._capture(SUSPENDED_S if _is_leaving(verdict) else CAPTURE_S)
            if self.blind is not None and verdict.stable:
                verdict = structs.replace(verdict, stable=False, reason=_unseen(self.blind))
            noise = await self.page.settling.noise() if _differ(before, after) else set()
            parted = clock.since(began) if clock and began else None
            late = self._late(verdict.late, before, noise)
            self.page.left = after
            return self._answer(before, after, noise, structs.replace(verdict, late=late), record, parted)

    async def _capture(self, timeout: float = CAPTURE_S) -> Snapshot | None:
        """A snapshot, or None when there is no renderer to ask: the sequence may be what reloads a crashed page."""
        try:
            return await self.page.capture(timeout=timeout)
        except CommandError as error:
            if not self.steps and not isinstance(error, TargetCrashed):
                raise
            self.blind = error
            return None

    async def _act(self) -> None:
        guard = Guard(self.page) if self.options.guard else None
        for index, action in enumerate(self.plan):
            await self._attempt(index, action, guard)
            if self.failure is not None:
                return
            self.completed += 1

    async def _attempt(self, index: int, action: Action, guard: Guard | None) -> None:
        clock = asyncio.get_running_loop().time
        started = clock()
        response = None
        try:
            if guard is not None:
                await guard.check(action, skipped=len(self.plan) - index)
            timeout = (action.timeout_ms or self.options.action_timeout_ms) / 1000
            async with nullcontext() if self.watch is None else self.watch.over(action):
                response = await perform(self.page, action, timeout=timeout)
            if guard is not None:
                await guard.note(action)
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
        if self.on_step is not None:
            self.on_step(index, shortened(self.page.context.masks.redact(step)))

    def _failure(self, index: int, action: Action, error: StillframeError) -> Failure:
        return Failure(
            index=index,
            action=action.kind,
            error=self.page.secrets.redact(str(error)),
            code=error.code,
            skipped=error.skipped if isinstance(error, GuardStopped) else 0,
        )

    def _late(self, late: tuple[Late, ...], before: Snapshot | None, noise: set[NodeKey]) -> tuple[Late, ...]:
        """Give the last of the late changes the rows of what changed since the last sequence."""
        index = max((at for at, row in enumerate(late) if row.kind == "changes"), default=None)
        change = None if index is None else self._change(self.page.left, before, noise)
        if index is None or change is None:
            return late
        return (*late[:index], structs.replace(late[index], state_change=change), *late[index + 1 :])

    def _change(self, before: Snapshot | None, after: Snapshot | None, noise: set[NodeKey]) -> StateChange | None:
        options = self.options
        return state_change(before, after, self.page.refs, options.limit, self.page.secrets, noise, options.text_limit)

    def _answer(
        self,
        before: Snapshot | None,
        after: Snapshot | None,
        noise: set[NodeKey],
        verdict: Verdict,
        record: Record,
        clock: Clock | None,
    ) -> SequenceResult:
        change = self._change(before, after, noise)
        result = SequenceResult(
            completed=self.completed,
            failed=self.failure,
            state_change=change,
            stability_wait_ms=round(verdict.waited_ms),
            stable=verdict.stable,
            # What settling heard nothing of, the captures show: the value of a field, say.
            reason="quiet" if change and verdict.reason == "no_effect" else verdict.reason,
            pending=verdict.pending,
            ignored=verdict.ignored,
            late=verdict.late,
            dialogs=record.dialogs,
            downloads=record.downloads,
            new_targets=record.new_targets,
            refused=record.refused,
            steps=tuple(self.steps) if self.options.verbose else None,
            captures=self.page.captures - self.captures if self.options.verbose else None,
            clock=clock,
            page_hash=self._hash(after),
            page_text=self._text(after),
            healed=tuple(self.healed),
            loops=() if self.watch is None else tuple(self.watch.events),
        )
        # The page may have put a secret anywhere: in a URL it asked for, in a dialog, in the name of a file.
        shown = self.page.context.masks.redact(structs.replace(result, omitted=verdict.omitted))
        return bounded(shown, self.options.limit, record.omitted)

    def _hash(self, after: Snapshot | None) -> PageHash | None:
        if after is None or not self._recognises:
            return None
        self.page.recognition.after(after)
        return self.page.recognition.hash(after) if self.options.page_hash else None

    def _text(self, after: Snapshot | None) -> PageText | None:
        budget = self.options.page_text
        return text_of(self.page, after, budget) if budget and after is not None else None

    @property
    def _recognises(self) -> bool:
        return self.options.page_hash or self.watch is not None


def _another(page: Page, session_id: str) -> str:
    own = f"session {page.session_name!r}" if page.session_name else "no named session"
    return (
        f"no session {session_id!r} here: the page is that of {own}, and answers to its target id "
        f"({page.target_id}) too; a Sessions object finds the others"
    )


def _differ(before: Snapshot | None, after: Snapshot | None) -> bool:
    if before is None or after is None or before is after:
        return False
    return before.digests.exact != after.digests.exact


def _is_leaving(verdict: Verdict) -> bool:
    return any(pending.kind == "navigation" for pending in verdict.pending)


def _unseen(error: CommandError) -> str:
    """The reason of a page that became still and was gone before anyone could look: what changed is not known."""
    if isinstance(error, TargetCrashed):
        return "crashed"
    return f"closed: {error.code}" if isinstance(error, SessionLost) else f"unseen: {error}"
