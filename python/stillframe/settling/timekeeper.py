"""Whose time one page goes by: the wall's, or that of a clock which the engine owns and lets run when it is needed.

A page whose clock is owned stands still between calls. Whatever has to see it move (a sequence, a navigation) does so
inside `running`, and the page stands again when that ends.

Of the limits of a wait the horizon is page time. The timeout is both: the wait ends when so much of the wall's time is
over, whatever the page's clock says, and when so much page time is over, which jumps may reach sooner.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from msgspec import structs

from stillframe.cdp.loop_clock import loop_clock
from stillframe.model.options import SequenceOptions
from stillframe.model.verdict import Verdict
from stillframe.settling.expected_replies import ExpectedReplies
from stillframe.settling.observed_page import OWN, ObservedPage
from stillframe.settling.scheduled import Messages, frame, scheduled_work
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
from stillframe.settling.time_policy import STEP_MS, UNTIMED_CALLS, ScheduledWork, bound, choose
from stillframe.tab.time_budgets import wall
from stillframe.tab.virtual_clock import Alarm
from stillframe.tab.virtual_time import MIN_MS, PAUSE, REAL_TIME, VirtualTimePolicy, advance

BLIND_MS = 200.0
"""How far to go in steps without asking the page what it has scheduled, while nothing happens."""
ANSWERS: dict[type[Signal], str] = {
    DataReceived: "request",
    RequestEnded: "request",
    SocketReceived: "websocket",
    StreamMessage: "stream",
}
"""Signals that bring an answer, and the kind of row that waits for it."""
REACTION_LOOKS, REACTION_MS, REACTION_MOST_MS = 10, 20.0, 300.0
"""How many looks' time an answer is given to bring a change or a call, at least and at most: Chrome tells of its last
byte before the page has it, by 160 to 295 ms on a starved machine (measured)."""
LIMITED = frozenset({"horizon", "timeout", "hung"})
"""Reasons that say that a limit has ended the wait."""


class Timekeeper:
    """Tells one driver the time, wakes it, and lets the time of its page pass."""

    def __init__(self, page: ObservedPage) -> None:
        self._page = page
        self._ahead = 0.0
        """How much the machine was told to be later than it was, because its wait had taken too long by the wall."""
        self._wake: float | None = None
        self._alarm: Alarm | None = None
        self._fence_until = 0.0
        self._jumping = False
        self._news = False
        """Whether something from outside has come since the page was last looked at."""
        self._stirred = False
        """Whether anything has happened since the last frame that was waited for."""
        self._reach = 0.0
        """Until when the page, which has something that recurs, has nothing else to do as far as is known."""
        self._shown: float | None = None
        """When the last frame was asked for that came, in milliseconds since 1970."""
        self._expected = ExpectedReplies()
        self._messages = Messages()
        self._look_ms = 0.0
        """How long the last look at what the page has scheduled took: how fast page and machine are now."""
        self._react_until = 0.0
        """Until when, by the wall, an answer may be on its way to the page that nothing has followed yet."""
        self._overrun = False
        """Whether the present wait has taken its whole time by the wall."""
        self.frames = 2
        """How many frames the fence that goes out now shall take."""

    # -- telling ---------------------------------------------------------------------------------

    def now(self) -> float:
        """Return the time that the machine goes by, in milliseconds."""
        return self._page.tab.clock.now() + self._ahead

    def wake_at(self, at: float) -> None:
        """Give the driver a Tick at that time; it replaces the order before it."""
        self.sleep()
        self._wake = at
        self._alarm = self._page.tab.clock.call_at(at - self._ahead, lambda: self._page.note(Tick()))

    def end_within(self, seconds: float, timeout_ms: float) -> Alarm:
        """End a wait that begins now after some seconds, as if its timeout were over; the order can be taken back."""
        time, deadline = loop_clock(), self.now() + timeout_ms
        return time.call_at(time.now() + seconds, lambda: self._overdue(deadline))

    def sleep(self) -> None:
        """Take back the last order."""
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
        """Inside the block, while a wait goes on: pass over the time in which only the page's own clock matters."""
        if self._page.tab.clock.virtual is None:
            yield
            return
        self._jumping = self._news = True
        self._shown, self._reach, self._overrun = None, 0.0, False
        self._expected.begin()
        self._messages = Messages()
        overdue = self.end_within(timeout_ms / 1000, timeout_ms)
        try:
            yield
        finally:
            self._jumping = False
            self._expected.end(self.now(), self._page.machine.pending)
            self.frames = 2
            overdue.cancel()

    def _overdue(self, deadline: float) -> None:
        """End a wait that has taken its whole time by the wall, whatever the page's clock says."""
        self._overrun = self._overrun or self.now() < deadline
        self._ahead += max(0.0, deadline - self.now())
        self._page.note(Tick())

    def told(self, verdict: Verdict, options: SequenceOptions) -> Verdict:
        """Return the verdict of a wait by a clock of ours, with the limit that has ended it, if one has, in words."""
        word = verdict.reason.partition(":")[0]
        if self._page.tab.clock.virtual is None or word not in LIMITED:
            return verdict
        limit = f"the horizon of {options.horizon_ms} ms of page time is over"
        if word != "horizon":
            limit = f"{options.timeout_ms} ms {'by the wall' if self._overrun else 'of page time'} are over"
        return structs.replace(verdict, reason=f"{verdict.reason} ({limit})")

    def fence(self, min_ms: float) -> float:
        """Note that a fence goes out that shall take so long; returns how much of that the page has to wait itself."""
        if not self._jumping:
            return min_ms
        # Some time at once: what waits in a queue needs it, and so does the answer.
        self._fence_until = self.now() + max(MIN_MS, min_ms)
        self.frames = int(self._stirred)
        self._stirred = False
        return 0.0

    def hear(self, signal: Signal) -> None:
        """Something has happened: the clock may have to go at another speed."""
        if isinstance(signal, OWN):
            return
        if self._is_answer(signal):
            self._react_until = wall() + min(REACTION_MOST_MS, max(REACTION_MS, REACTION_LOOKS * self._look_ms))
        elif isinstance(signal, (Mutated, RequestStarted, Committed)):
            self._react_until = 0.0
        if isinstance(signal, Committed) and signal.main and (clock := self._page.tab.clock.virtual) is not None:
            clock.doubt(self._page.tab.session)
        self._stirred = True
        self._reach = 0.0
        self._news = self._news or not isinstance(signal, Mutated)

    def _is_answer(self, signal: Signal) -> bool:
        """Whether a signal, not yet taken in, tells of something that is awaited."""
        if not self._jumping or (kind := ANSWERS.get(type(signal))) is None:
            return False
        row = self._page.machine.pending.row(kind, getattr(signal, "id", ""))
        return row is not None and not row.later

    def poke(self) -> None:
        """The machine has decided: the clock may have to go at another speed."""
        if self._jumping and (clock := self._page.tab.clock.virtual) is not None:
            machine = self._page.machine
            self._expected.look(machine.pending, machine.horizon)
            if self._choose().budget_ms:
                clock.poke()

    async def _plan(self) -> VirtualTimePolicy:
        if not self._jumping:
            return REAL_TIME
        # Whoever was to be called at this time comes first: a fence may go out.
        await asyncio.sleep(0)
        policy = self._choose()
        if not policy.budget_ms:
            return policy
        if self._page.machine.fencing:
            # The fence goes out a turn of the loop later: a grant before it would be used up when it arrives.
            await asyncio.sleep(0)
            return policy
        if self._news:
            return await self._take_in(policy)
        return await self._bounded(policy)

    async def _take_in(self, policy: VirtualTimePolicy) -> VirtualTimePolicy:
        """Let the page take in what came from outside before any time passes: a frame, and what it queues."""
        self._news = False
        ahead = await self._scheduled_work()
        if not self._stirred and ahead is not None and not ahead.calls:
            return self._jump(policy, ahead)
        self._stirred = False
        await self._frame()
        return advance(MIN_MS)

    async def _bounded(self, policy: VirtualTimePolicy) -> VirtualTimePolicy:
        if (rest := self._reach - self.now()) > 0:
            return advance(min(policy.budget_ms, rest, STEP_MS))
        ahead = await self._scheduled_work()
        if ahead is not None and any(call.kind in UNTIMED_CALLS for call in ahead.calls):
            await self._frame()
        return self._jump(policy, ahead)

    def _jump(self, policy: VirtualTimePolicy, ahead: ScheduledWork | None) -> VirtualTimePolicy:
        """Return how far to go, and note how far to go on in steps without asking again."""
        if ahead is None:
            return bound(policy, None)
        if self._page.machine.pending.ignored:
            ahead = structs.replace(ahead, recurs=True)
        if ahead.recurs:
            self._reach = self.now() + min(BLIND_MS, bound(policy, structs.replace(ahead, recurs=False)).budget_ms)
        return bound(policy, ahead)

    async def _scheduled_work(self) -> ScheduledWork | None:
        began = wall()
        ahead = await scheduled_work(self._page, self._shown)
        self._look_ms = wall() - began
        if ahead is not None and ahead.calls:
            self._react_until = 0.0
        return ahead and self._messages.without_delivered(ahead, self.now())

    async def _frame(self) -> None:
        self._shown = await frame(self._page) or self._shown

    def _choose(self) -> VirtualTimePolicy:
        page, now = self._page, self.now()
        if page.settled:
            return PAUSE
        if page.machine.fencing and now < self._fence_until:
            return advance(self._fence_until - now)
        if now < self._expected.more_until() or wall() < self._react_until:
            return REAL_TIME
        # A tab that goes by this clock says itself how fast it may go.
        rows = [row for row in page.machine.blocking(now) if row.kind != "target" or row.key not in page.timed_tabs]
        return choose(now, self._wake, rows, fencing=page.machine.fencing, workers=page.workers)
