"""Keep the time of one page: real time, or a virtual clock that the engine owns and runs when needed.

A page with a virtual clock stands still between calls. Code that needs the page to run (a sequence, a navigation) uses
`running`, and the page stands still again at the end.

Of the limits of a wait, the horizon is page time. The timeout is both: the wait ends after that much real time,
whatever the page's clock says, and after that much page time, which jumps may reach sooner.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from msgspec import structs

from stillframe.cdp.loop_clock import loop_clock
from stillframe.settling.calls import FRAME_CALLS
from stillframe.settling.expected_replies import ExpectedReplies
from stillframe.settling.observed_page import SHELL_SIGNALS, ObservedPage
from stillframe.settling.scheduled import MessagesInFlight, scheduled_work, wait_for_frame
from stillframe.settling.signals import (
    Committed,
    DataReceived,
    Mutated,
    RequestEnded,
    RequestStarted,
    Signal,
    SocketReceived,
    StreamMessage,
    Tick,
)
from stillframe.settling.time_policy import STEP_MS, ScheduledWork, bound, choose
from stillframe.tab.clock.time_budgets import wall
from stillframe.tab.clock.virtual_time import MIN_MS, PAUSE, REAL_TIME, VirtualTimePolicy, advance
from stillframe.tab.deadline import Deadline

if TYPE_CHECKING:
    from stillframe.model.options import SequenceOptions
    from stillframe.model.verdict import Reason, Verdict
    from stillframe.tab.clock.virtual_clock import Alarm

UNASKED_MS = 200.0
"""How far to go in steps without asking the page for its scheduled work, while nothing happens."""
REPLIES: dict[type[Signal], str] = {
    DataReceived: "request",
    RequestEnded: "request",
    SocketReceived: "websocket",
    StreamMessage: "stream",
}
"""Signals that bring a reply, and the kind of row that waits for it."""
REACTION_QUERIES, REACTION_MS, MAX_REACTION_MS = 10, 20.0, 300.0
"""How many questions' time a reply gets to cause a change or a call, with a minimum and a maximum: Chrome announces the
last byte before the page has it, by 160 to 295 ms on a starved machine (measured)."""
LIMIT_REASONS: frozenset[Reason] = frozenset({"horizon", "timeout", "hung"})
"""Reasons that say that a limit has ended the wait."""


class Timekeeper:
    """Gives one settler the time, wakes it, and runs the clock of its page."""

    def __init__(self, page: ObservedPage) -> None:
        self._page = page
        self._ahead = 0.0
        """How far the machine's time is ahead of the clock, because its wait had taken too much real time."""
        self._wake: float | None = None
        self._alarm: Alarm | None = None
        self._fence_until = 0.0
        self._jumping = False
        self._external_input = False
        """Whether anything from outside has come since the page was last asked."""
        self._changed_since_frame = False
        """Whether anything has happened since the last frame that was awaited."""
        self._free_until = 0.0
        """Until when a page with recurring work is known to have no other work."""
        self._frame_requested: float | None = None
        """When the last rendered frame was requested, in milliseconds since 1970."""
        self._expected = ExpectedReplies()
        self._messages = MessagesInFlight()
        self._query_ms = 0.0
        """How long the last question for scheduled work took: how fast page and machine are now."""
        self._react_until = 0.0
        """Until when, in real time, a reply may be on its way to the page without a visible effect so far."""
        self._overrun = False
        """Whether the current wait has used its whole real time."""
        self.frames = 2
        """How many frames the next fence takes."""

    # -- time ------------------------------------------------------------------------------------

    def now(self) -> float:
        """Return the time that the machine uses, in milliseconds."""
        return self._page.tab.clock.now() + self._ahead

    def wake_at(self, at: float) -> None:
        """Send the settler a Tick at that time; replaces the previous alarm."""
        self.sleep()
        self._wake = at
        self._alarm = self._page.tab.clock.call_at(at - self._ahead, lambda: self._page.emit(Tick()))

    def end_at(self, deadline: Deadline, timeout_ms: float) -> Alarm:
        """Return an alarm that ends a wait at a deadline, as if it had timed out."""
        time, until = loop_clock(), self.now() + timeout_ms
        return time.call_at(time.now() + deadline.left_s, lambda: self._run_out(until))

    def sleep(self) -> None:
        """Cancel the alarm."""
        self._wake = None
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    # -- running ---------------------------------------------------------------------------------

    def running(self) -> AbstractAsyncContextManager[None]:
        """Let page time pass inside the block: in real time, or by jumps while `jumping`."""
        return self._page.tab.clock.running(self._plan)

    @asynccontextmanager
    async def jumping(self, timeout_ms: float) -> AsyncIterator[None]:
        """During a wait inside the block, skip the time in which only the page's own clock matters."""
        if self._page.tab.clock.virtual is None:
            yield
            return
        self._jumping = self._external_input = True
        self._frame_requested, self._free_until, self._overrun = None, 0.0, False
        self._expected.begin()
        self._messages = MessagesInFlight()
        overdue = self.end_at(Deadline(timeout_ms / 1000), timeout_ms)
        try:
            yield
        finally:
            self._jumping = False
            self._expected.end(self.now(), self._page.machine.pending)
            self.frames = 2
            overdue.cancel()

    def _run_out(self, until: float) -> None:
        """End a wait that has used its whole real time, whatever the page's clock says."""
        self._overrun = self._overrun or self.now() < until
        self._ahead += max(0.0, until - self.now())
        self._page.emit(Tick())

    def with_limit(self, verdict: Verdict, options: SequenceOptions) -> Verdict:
        """Return the verdict with the limit that ended the wait as detail, if the clock is virtual and a limit did."""
        if self._page.tab.clock.virtual is None or verdict.reason not in LIMIT_REASONS:
            return verdict
        limit = f"the horizon of {options.horizon_ms:.10g} ms of page time is over"
        if verdict.reason != "horizon":
            limit = f"{options.timeout_ms:.10g} ms {'of real time' if self._overrun else 'of page time'} are over"
        return structs.replace(verdict, detail=limit if verdict.detail is None else f"{verdict.detail} ({limit})")

    def start_fence(self, min_ms: float) -> float:
        """Record that a fence of this duration starts; return how much of it the page has to wait itself."""
        if not self._jumping:
            return min_ms
        # Grant some time at once: queued tasks need it, and so does the answer.
        self._fence_until = self.now() + max(MIN_MS, min_ms)
        self.frames = int(self._changed_since_frame)
        self._changed_since_frame = False
        return 0.0

    def on_signal(self, signal: Signal) -> None:
        """React to a signal: the clock may have to change its speed."""
        if isinstance(signal, SHELL_SIGNALS):
            return
        if self._is_reply(signal):
            self._react_until = wall() + min(MAX_REACTION_MS, max(REACTION_MS, REACTION_QUERIES * self._query_ms))
        elif isinstance(signal, (Mutated, RequestStarted, Committed)):
            self._react_until = 0.0
        if isinstance(signal, Committed) and signal.main and (clock := self._page.tab.clock.virtual) is not None:
            clock.doubt(self._page.tab.session)
        self._changed_since_frame = True
        self._free_until = 0.0
        self._external_input = self._external_input or not isinstance(signal, Mutated)

    def _is_reply(self, signal: Signal) -> bool:
        """Return whether a signal that is not processed yet brings a reply that is awaited."""
        if not self._jumping or (kind := REPLIES.get(type(signal))) is None:
            return False
        row = self._page.machine.pending.row(kind, getattr(signal, "id", ""))
        return row is not None and not row.beyond_horizon

    def on_decision(self) -> None:
        """React to a decision of the machine: the clock may have to change its speed."""
        if self._jumping and (clock := self._page.tab.clock.virtual) is not None:
            machine = self._page.machine
            self._expected.update(machine.pending, machine.horizon)
            if self._choose().budget_ms:
                clock.poke()

    async def _plan(self) -> VirtualTimePolicy:
        if not self._jumping:
            return REAL_TIME
        # Callbacks that are due now run first: one may send a fence.
        await asyncio.sleep(0)
        policy = self._choose()
        if not policy.budget_ms:
            return policy
        if self._page.machine.fencing:
            # The fence leaves one turn of the loop later: time granted before would be used up when it arrives.
            await asyncio.sleep(0)
            return policy
        if self._external_input:
            return await self._process_input(policy)
        return await self._bounded(policy)

    async def _process_input(self, policy: VirtualTimePolicy) -> VirtualTimePolicy:
        """Let the page process what came from outside before any time passes: a frame and its tasks."""
        self._external_input = False
        ahead = await self._scheduled_work()
        if not self._changed_since_frame and ahead is not None and not ahead.calls:
            return self._jump(policy, ahead)
        self._changed_since_frame = False
        await self._frame()
        return advance(MIN_MS)

    async def _bounded(self, policy: VirtualTimePolicy) -> VirtualTimePolicy:
        if (rest := self._free_until - self.now()) > 0:
            return advance(min(policy.budget_ms, rest, STEP_MS))
        ahead = await self._scheduled_work()
        if ahead is not None and any(call.kind in FRAME_CALLS for call in ahead.calls):
            await self._frame()
        return self._jump(policy, ahead)

    def _jump(self, policy: VirtualTimePolicy, ahead: ScheduledWork | None) -> VirtualTimePolicy:
        """Return how far to go, and record how far to go in steps without another question."""
        if ahead is None:
            return bound(policy, None)
        if self._page.machine.pending.ignored:
            ahead = structs.replace(ahead, recurs=True)
        if ahead.recurs:
            self._free_until = self.now() + min(
                UNASKED_MS, bound(policy, structs.replace(ahead, recurs=False)).budget_ms
            )
        return bound(policy, ahead)

    async def _scheduled_work(self) -> ScheduledWork | None:
        began = wall()
        ahead = await scheduled_work(self._page, self._frame_requested)
        self._query_ms = wall() - began
        if ahead is not None and ahead.calls:
            self._react_until = 0.0
        return ahead and self._messages.without_delivered(ahead, self.now())

    async def _frame(self) -> None:
        self._frame_requested = await wait_for_frame(self._page) or self._frame_requested

    def _choose(self) -> VirtualTimePolicy:
        page, now = self._page, self.now()
        if page.settled:
            return PAUSE
        if page.machine.fencing and now < self._fence_until:
            return advance(self._fence_until - now)
        if now < self._expected.more_until() or wall() < self._react_until:
            return REAL_TIME
        # A tab that shares this clock controls its speed itself.
        rows = [row for row in page.machine.blocking(now) if row.kind != "target" or row.key not in page.timed_tabs]
        return choose(now, self._wake, rows, fencing=page.machine.fencing, workers=page.workers)
