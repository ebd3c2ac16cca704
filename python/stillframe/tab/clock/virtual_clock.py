"""The clocks of a page: the wall clock, or a virtual clock that the engine controls.

A `VirtualClock` stands still unless a runner lets it run. Chrome advances a page's clock by budgets of page time
(Emulation.setVirtualTimePolicy) and pauses it when a budget is used up, so a page is never left running. In real time a
budget is the wall time that has passed; a jump is one budget, which Chrome uses up as fast as it can.

Chrome's behaviour, measured on version 156:

- The clock belongs to a renderer process: every frame, worker and tab in it shares it.
- A budget that is overruled, by another one or by a pause, still ends: where its end would have been it pauses the
  clock, in the middle of the current budget, whose own end pauses the next one, and so on. Only a budget of exactly the
  missing time stops that.
- It cannot be released for the life of the process. It survives navigations, and a new process inherits it.
- While it is paused, timers, messages between ports and database results wait; input, evaluation, snapshots and network
  responses come through. A document does not finish loading.
- Frames come in real time, paused or not, and only if the browser was started with
  --run-all-compositor-stages-before-draw (launch's `virtual_time`); without it they stop when page time lags behind.
- While a script runs no budget can be used, and a script that waits for the clock in a loop never ends. While a
  debugger has paused it, budgets are used: `busy_threads` pauses it now and then.
- Time passes only when a page has nothing to run, or has run as many tasks as the budget allows.
- When the session that owns it goes away, the clock stops for ever: the page must be closed with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from stillframe.cdp.loop_clock import ClockTimer, loop_clock, time_limit
from stillframe.cdp_types import emulation
from stillframe.model import result as model
from stillframe.security.redaction import logger
from stillframe.tab.clock.time_budgets import BUSY_S, Member, wall
from stillframe.tab.clock.virtual_time import PAUSE, REAL_TIME, VirtualTimePolicy

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

Plan = Callable[[], Awaitable[VirtualTimePolicy]]
"""Returns the policy that one runner of a clock wants now."""

log = logger("stillframe.settling")

SLOW_S = 0.05
"""Seconds that a budget may take before the other processes go on: its process is busy, and gets the time later."""
SPIN_S = 5.0
"""Seconds that time keeps passing under a script without any runner: the script may be waiting for the clock."""
JUMP_S = 1.0
"""As `SLOW_S`, for a jump, in which a page may have much to do."""
LEAP_MS = 20.0
"""The largest budget in real time, however late it is granted: threads that are equally late would find their timers
long overdue."""
DELIVERED_S = 0.5
"""Seconds that an input event may take to its listeners; on a starved machine it takes up to 0.2 s (measured)."""
HELD_S = 0.4
"""Seconds to wait for the last budget to be used up before the page is captured anyway."""


class Reading(NamedTuple):
    """Page time and wall time at one moment."""

    page: float
    wall: float


class WallClock:
    """The wall clock."""

    def now(self) -> float:
        """Return the time of the event loop, without its stalls."""
        return loop_clock().now() * 1000

    def call_at(self, at: float, call: Callable[[], object]) -> ClockTimer:
        """Call a function at a time of the event loop, without its stalls."""
        return loop_clock().call_at(at / 1000, call)


class VirtualAlarm:
    """A call scheduled at a page time."""

    def __init__(self, at: float, call: Callable[[], object]) -> None:
        self.at = at
        self.call = call
        self.live = True

    def cancel(self) -> None:
        """Cancel the call."""
        self.live = False


class VirtualClock:
    """The clock of a page and of the tabs it opens; it runs only while a runner lets it."""

    def __init__(self) -> None:
        self.taken_at = wall()
        self._page = self.taken_at
        self._members: dict[CDPSession, Member] = {}
        self._runners: dict[object, Plan] = {}
        self._alarms: list[VirtualAlarm] = []
        self._poked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._doubted = False
        self._undisturbed_until = 0.0
        """Until when no script may be paused, because an input event is on its way."""
        self._disturbed_at = -inf
        """When an input event last took longer than that, because a script had to be paused."""

    # -- reading ---------------------------------------------------------------------------------

    def now(self) -> float:
        """Return page time: the wall time when the clock was taken, plus all time granted since."""
        return self._page

    def reading(self) -> Reading:
        """Return the current time of both clocks."""
        return Reading(self._page, wall())

    def since(self, began: Reading) -> model.Clock:
        """Return how far both clocks have advanced since a reading."""
        page, now = self._page - began.page, wall() - began.wall
        return model.Clock(page_ms=round(page, 1), wall_ms=round(now, 1), behind_ms=round(wall() - self._page, 1))

    def call_at(self, at: float, call: Callable[[], object]) -> VirtualAlarm:
        """Call a function as soon as page time has reached `at`."""
        alarm = VirtualAlarm(at, call)
        self._alarms.append(alarm)
        return alarm

    # -- members ---------------------------------------------------------------------------------

    def take(self, session: CDPSession) -> asyncio.Future[Any]:
        """Pause the clock of a session's process and control it from now on; awaits nothing."""
        member = self._members.get(session)
        if member is None:
            member = self._members[session] = Member(session)
            session.on(emulation.VirtualTimeBudgetExpired, partial(self._expired, member))
            session.on_closed(lambda _: self._members.pop(session, None))
        reply = member.hold()
        reply.add_done_callback(partial(self._stopped, member))
        return reply

    def _stopped(self, stopped: Member, _: object) -> None:
        """Mark budgets as done in sessions that share a paused process: their end comes during the next budget."""
        for member in self._members.values():
            if member is not stopped and member.process == stopped.process is not None and member.busy:
                stopped.doubtful_ms = max(stopped.doubtful_ms, member.granted)
                member.done()

    def _expired(self, member: Member, _: object) -> None:
        """Handle an end event: sessions that share a process end their budgets together, and only one is notified."""
        for other in self._sharing(member):
            other.expired()

    def _sharing(self, member: Member) -> list[Member]:
        if member.process is None:
            return [member]
        return [other for other in self._members.values() if other.process == member.process]

    def doubt(self, session: CDPSession) -> None:
        """Note that the document of a session was replaced: it may be in another process now."""
        self._doubted = len(self._members) > 1
        if (member := self._members.get(session)) is not None:
            # Time owed to the old document does not apply to the new one, whose process may have taken time to start.
            member.owed = 0.0
            # Chrome repeats the pending budget in the new process, so it may end twice.
            member.doubtful_ms = max(member.doubtful_ms, member.granted + LEAP_MS)

    async def held(self) -> None:
        """Wait until the clock has stopped; waits at most `HELD_S` for a busy process."""
        if self._task is not None and not self._runners:
            await asyncio.wait([self._task], timeout=HELD_S)

    # -- input -----------------------------------------------------------------------------------

    @asynccontextmanager
    async def undisturbed(self) -> AsyncIterator[None]:
        """Keep scripts from being paused while one input event is on its way: Chrome would drop it.

        A script that waits for the clock goes on after `DELIVERED_S`, and keeps later events from being protected.
        """
        began = wall()
        if began - self._disturbed_at < SPIN_S * 1000:
            yield
            return
        until = self._undisturbed_until = began + DELIVERED_S * 1000
        while (interruptions := self._interruptions()) and (rest := until - wall()) > 0:
            await asyncio.wait(interruptions, timeout=rest / 1000)
        try:
            yield
        finally:
            self._undisturbed_until = 0.0
            if wall() > until and self._laboured():
                self._disturbed_at = wall()

    def _interruptions(self) -> list[asyncio.Future[Any]]:
        return [each for member in self._members.values() for each in member.interruptions]

    # -- running ---------------------------------------------------------------------------------

    def run(self, runner: object, plan: Plan) -> None:
        """Let the clock run for a runner, whose plan is called before every budget."""
        self._runners[runner] = plan
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="stillframe-clock")

    def rest(self, runner: object) -> None:
        """Remove a runner; the clock stops when none is left."""
        self._runners.pop(runner, None)
        self.poke()

    def poke(self) -> None:
        """Call the runners' plans again, at once."""
        self._poked.set()

    async def _run(self) -> None:
        last = wall()
        try:
            while self._members and (self._runners or self._busy()):
                if not self._runners:
                    if wall() - last > SPIN_S * 1000:
                        break
                    await self._used(self._busy(), SLOW_S)
                    continue
                if self._doubted:
                    await self._sort()
                policy = await self._policy()
                if policy.budget_ms:
                    await self._grant(policy.budget_ms, JUMP_S)
                    last = wall()
                    continue
                await self._slept(policy.interval_s)
                now = wall()
                if policy is not PAUSE and self._runners:
                    # A script that keeps the page from using its budgets gets all the time that it takes.
                    await self._grant(now - last if self._laboured() else min(now - last, LEAP_MS), SLOW_S)
                last = now
        finally:
            self._task = None
            for member in self._members.values():
                # The next runner's time starts from then on.
                member.owed = 0.0
                if member.doubtful_ms > 0:
                    # A new process would use the repeated budget while nobody lets the clock run.
                    member.hold()
            self._alarms = [alarm for alarm in self._alarms if alarm.live]

    async def _policy(self) -> VirtualTimePolicy:
        """Return the policy that suits all runners: the most restrictive one wins."""
        self._poked.clear()
        policies = [await self._planned(plan) for plan in tuple(self._runners.values())]
        if not policies or PAUSE in policies:
            return PAUSE
        if paced := [policy for policy in policies if not policy.budget_ms]:
            return min(paced, key=lambda policy: policy.interval_s)
        return min(policies, key=lambda policy: policy.budget_ms)

    async def _planned(self, plan: Plan) -> VirtualTimePolicy:
        try:
            return await plan()
        except Exception:
            # A page must not stand still for ever because of a bug in a plan.
            log.exception("the plan of a virtual clock failed; the clock runs in real time")
            return REAL_TIME

    async def _slept(self, interval_s: float) -> None:
        with suppress(TimeoutError):
            async with time_limit(interval_s):
                await self._poked.wait()

    async def _grant(self, ms: float, patience_s: float) -> None:
        await self._used(self._busy(), SLOW_S)
        late = self._busy()
        # Of the sessions that share a process the newest gets the budget: a tab does not load on its opener's budgets.
        # A session that has not reported its process yet has none that could use a budget of its own.
        for member in {member.process: member for member in self._members.values() if member.process}.values():
            sharing = self._sharing(member)
            # If tabs share a process, budgets are overruled whenever one of them loads or opens.
            member.grant(ms, late=any(other.busy for other in sharing), doubtful=len(sharing) > 1)
        # Events on the way arrive as they happen, and most of them at the end: a jump goes to the next due timer.
        self._page += ms
        await self._used([used for used in self._busy() if used not in late], patience_s)
        self._ring()

    def _laboured(self) -> bool:
        return any(member.laboured for member in self._members.values())

    def _busy(self) -> list[asyncio.Future[None]]:
        return [member.used for member in self._members.values() if member.used is not None]

    async def _used(self, grants: list[asyncio.Future[None]], patience_s: float) -> None:
        """Wait until budgets are used up, or the unfinished processes have had `patience_s` seconds."""
        left, until = grants, wall() + patience_s * 1000
        while left and (rest := until - wall()) > 0:
            await asyncio.wait(left, timeout=min(rest / 1000, BUSY_S))
            left = [used for used in left if not used.done()]
            for member in self._members.values():
                member.renew()
                if wall() > self._undisturbed_until:
                    member.free()

    async def _sort(self) -> None:
        self._doubted = False
        idle = [one for one in self._members.values() if not any(other.busy for other in self._sharing(one))]
        replies = [member.hold() for member in idle]
        if replies:
            await asyncio.wait(replies, timeout=SLOW_S)

    def _ring(self) -> None:
        due = [alarm for alarm in self._alarms if alarm.live and alarm.at <= self._page]
        self._alarms = [alarm for alarm in self._alarms if alarm.live and alarm.at > self._page]
        for alarm in due:
            if alarm.live:
                # As a call of the event loop: an exception in it must not stop the clock.
                asyncio.get_running_loop().call_soon(alarm.call)


Alarm = ClockTimer | VirtualAlarm
Clock = WallClock | VirtualClock
