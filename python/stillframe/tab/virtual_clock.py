"""What time it is for a page: the wall's time, or that of a clock which the engine owns.

A `VirtualClock` stands still unless somebody lets it run. Chrome moves a page's clock by grants of page time
(Emulation.setVirtualTimePolicy with a budget) and stops it when a grant is used up, so a page is never left running. In
pace a grant is the wall time that has passed; a jump is one grant, which Chrome uses up as fast as it can.

What Chrome does, measured on version 156:

- The clock is that of a renderer process: every frame, worker and tab in it has it.
- A grant that is overruled, by another one or by a stop, still ends: where its end would have been it stops the clock,
  in the middle of the grant that is under way by then, whose own end stops the next one, and so on. Only a grant of
  exactly what is missing puts an end to that.
- It cannot be given back for the life of the process. It survives navigations, and a new process takes it over.
- While it stands, timers, messages between ports and database answers wait; input, evaluation, snapshots and answers
  from the network come through. A document does not finish loading.
- Frames come in real time, held or not, and only if the browser was started with
  --run-all-compositor-stages-before-draw (launch's `virtual_time`); without it they stop when page time lags behind.
- While a script runs no grant can be taken, and one that waits for the clock in a loop never ends. While a debugger has
  stopped it, grants are taken: `busy` stops it now and then.
- Time passes only when a page has nothing to run, or has run so many tasks as the grant allows.
- When the session that owns it goes away, the clock stands for ever: the page must go away with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from stillframe.cdp import CDPSession
from stillframe.cdp.loop_clock import ClockTimer, loop_clock
from stillframe.cdp_types import emulation
from stillframe.model import result as model
from stillframe.security.redaction import logger
from stillframe.tab.time_budgets import BUSY_S, Member, wall
from stillframe.tab.virtual_time import PAUSE, REAL_TIME, VirtualTimePolicy

Plan = Callable[[], Awaitable[VirtualTimePolicy]]
"""What one of those who let a clock run wants of it now."""

log = logger("stillframe.settling")

SLOW_S = 0.05
"""Seconds that a grant may take before the others go on without it: its process is busy, and is paid later."""
SPIN_S = 5.0
"""Seconds that time goes on passing under a script when nobody waits any more: it may be waiting for the clock."""
JUMP_S = 1.0
"""Seconds that a jump may take, in which a page may have much to do; as `SLOW_S`."""
LEAP_MS = 20.0
"""The most page time that one grant in pace passes, however long the machine has kept us from giving it: threads that
are as late as we are would find their timers long overdue."""
HELD_S = 0.4
"""Seconds to wait for the last grant to be used up before a page is looked at all the same."""


class Reading(NamedTuple):
    """Page time and wall time at one moment."""

    page: float
    wall: float


class WallClock:
    """Time as it goes for everybody."""

    def now(self) -> float:
        """Return the time of the event loop, without its stalls."""
        return loop_clock().now() * 1000

    def call_at(self, at: float, call: Callable[[], object]) -> ClockTimer:
        """Call at a time of the event loop, without its stalls."""
        return loop_clock().call_at(at / 1000, call)


class VirtualAlarm:
    """A call at a page time."""

    def __init__(self, at: float, call: Callable[[], object]) -> None:
        self.at = at
        self.call = call
        self.live = True

    def cancel(self) -> None:
        """Give the order back."""
        self.live = False


class VirtualClock:
    """The clock of a page and of the tabs it opens: it goes only while somebody lets it run."""

    def __init__(self) -> None:
        self.taken_at = wall()
        self._page = self.taken_at
        self._members: dict[CDPSession, Member] = {}
        self._runners: dict[object, Plan] = {}
        self._alarms: list[VirtualAlarm] = []
        self._poked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._doubted = False

    # -- what it tells ---------------------------------------------------------------------------

    def now(self) -> float:
        """Return page time: what the wall's was when the clock was taken, and all that was granted since."""
        return self._page

    def reading(self) -> Reading:
        """Return what both clocks show."""
        return Reading(self._page, wall())

    def since(self, began: Reading) -> model.Clock:
        """Return how both clocks have gone since a reading."""
        page, now = self._page - began.page, wall() - began.wall
        return model.Clock(page_ms=round(page, 1), wall_ms=round(now, 1), behind_ms=round(wall() - self._page, 1))

    def call_at(self, at: float, call: Callable[[], object]) -> VirtualAlarm:
        """Call as soon as so much page time has been used up."""
        alarm = VirtualAlarm(at, call)
        self._alarms.append(alarm)
        return alarm

    # -- whose it is -----------------------------------------------------------------------------

    def take(self, session: CDPSession) -> asyncio.Future[Any]:
        """Stop the clock of a session's process and keep it from now on; sends and awaits nothing."""
        member = self._members.get(session)
        if member is None:
            member = self._members[session] = Member(session)
            session.on(emulation.VirtualTimeBudgetExpired, partial(self._expired, member))
            session.on_closed(lambda _: self._members.pop(session, None))
        reply = member.hold()
        reply.add_done_callback(partial(self._stopped, member))
        return reply

    def _stopped(self, stopped: Member, _: object) -> None:
        """Whoever shares the process that was stopped hears only in its next grant that the last one is used up."""
        for member in self._members.values():
            if member is not stopped and member.process == stopped.process is not None and member.busy:
                stopped.doubtful_ms = max(stopped.doubtful_ms, member.granted)
                member.done()

    def _expired(self, member: Member, _: object) -> None:
        """The grants of those that share a process end together, and one of them is told."""
        for other in self._sharing(member):
            other.expired()

    def _sharing(self, member: Member) -> list[Member]:
        if member.process is None:
            return [member]
        return [other for other in self._members.values() if other.process == member.process]

    def doubt(self, session: CDPSession) -> None:
        """The document of a session was replaced: it may be in another process now."""
        self._doubted = len(self._members) > 1
        if (member := self._members.get(session)) is not None:
            # What the old document was owed is not for the new one, which may have taken a process to start.
            member.owed = 0.0
            # Chrome gives it again what was under way, which may end twice.
            member.doubtful_ms = max(member.doubtful_ms, member.granted + LEAP_MS)

    async def held(self) -> None:
        """Wait until nothing moves any more; a process that is busy is not waited for longer than `HELD_S`."""
        if self._task is not None and not self._runners:
            await asyncio.wait([self._task], timeout=HELD_S)

    # -- running ---------------------------------------------------------------------------------

    def run(self, runner: object, plan: Plan) -> None:
        """Let the clock run for somebody, who is asked before every grant how fast."""
        self._runners[runner] = plan
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="stillframe-clock")

    def rest(self, runner: object) -> None:
        """Let the clock run for somebody no more; it stands when nobody is left."""
        self._runners.pop(runner, None)
        self.poke()

    def poke(self) -> None:
        """Ask those who let it run again, at once."""
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
                    # A script that keeps the page from using its grants has the time that it takes.
                    await self._grant(now - last if self._laboured() else min(now - last, LEAP_MS), SLOW_S)
                last = now
        finally:
            self._task = None
            for member in self._members.values():
                # Whoever lets the clock run next means the time from then on.
                member.owed = 0.0
            self._alarms = [alarm for alarm in self._alarms if alarm.live]

    async def _policy(self) -> VirtualTimePolicy:
        """Return what all want; whoever wants less decides."""
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
            # A page must not stand still for ever because of a mistake of ours.
            log.exception("a page's clock goes on in pace")
            return REAL_TIME

    async def _slept(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._poked.wait()

    async def _grant(self, ms: float, patience: float) -> None:
        await self._used(self._busy(), SLOW_S)
        late = self._busy()
        # Of those that share a process the newest is granted: a tab does not load by the grants of its opener.
        # One that has not said which process it has has none that could use a grant of its own.
        for member in {member.process: member for member in self._members.values() if member.process}.values():
            sharing = self._sharing(member)
            # Where tabs share a process, grants are overruled whenever one of them loads or comes.
            member.grant(ms, late=any(other.busy for other in sharing), doubtful=len(sharing) > 1)
        # What happens on the way is heard of as it happens, and most of it at the end: a jump goes to what is due.
        self._page += ms
        await self._used([used for used in self._busy() if used not in late], patience)
        self._ring()

    def _laboured(self) -> bool:
        return any(member.laboured for member in self._members.values())

    def _busy(self) -> list[asyncio.Future[None]]:
        return [member.used for member in self._members.values() if member.used is not None]

    async def _used(self, grants: list[asyncio.Future[None]], patience: float) -> None:
        """Wait until grants are used up, or the processes that are not done have been given their chance."""
        left, until = grants, wall() + patience * 1000
        while left and (rest := until - wall()) > 0:
            await asyncio.wait(left, timeout=min(rest / 1000, BUSY_S))
            left = [used for used in left if not used.done()]
            for member in self._members.values():
                member.renew()
                member.free()

    async def _sort(self) -> None:
        self._doubted = False
        idle = [one for one in self._members.values() if not any(other.busy for other in self._sharing(one))]
        asked = [member.hold() for member in idle]
        if asked:
            await asyncio.wait(asked, timeout=SLOW_S)

    def _ring(self) -> None:
        due = [alarm for alarm in self._alarms if alarm.live and alarm.at <= self._page]
        self._alarms = [alarm for alarm in self._alarms if alarm.live and alarm.at > self._page]
        for alarm in due:
            if alarm.live:
                # As a call of the loop's own: a mistake of whoever ordered it must not stop the clock.
                asyncio.get_running_loop().call_soon(alarm.call)


Alarm = ClockTimer | VirtualAlarm
Clock = WallClock | VirtualClock
