"""Grant page time to a session on a virtual clock, also while a script is busy; `virtual_clock` has Chrome's rules."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from stillframe.cdp_types import debugger, emulation, runtime
from stillframe.errors import CommandError
from stillframe.security.redaction import logger

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

# Give page time to a virtual clock's page while one of its scripts runs without a pause.
#
# A script that waits for the clock in a loop (`while (Date.now() < end);`) would never end, and one that computes for
# long would find that no time has passed. Chrome uses no time budget while a script runs, but it does while a debugger
# has paused the script: so the script is paused for a moment, the elapsed time is granted, and the script resumes. It
# sees the clock advance in steps of about 50 ms, about as fast as the wall clock.
#
# Chrome drops the input that arrives while a script is paused (measured: text typed on a busy machine lost letters), so
# no script is paused while input is on its way.
#
# The debugger runs in a session of its own, with all breakpoints inactive; it costs a page nothing until it pauses it.

STOPPED_S = 0.3
"""Seconds that a script may take to pause: a running one pauses at once, and without one nothing has to."""
PASSED_S = 0.3
"""Seconds that a paused page may take to use its budget; it takes 1 to 4 ms (measured)."""


class Interrupter:
    """Pauses the scripts of one session's page for a moment."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self._debugger: CDPSession | None = None
        self._stopped: asyncio.Future[None] | None = None
        self.released: asyncio.Future[Any] | None = None
        """Done when the last script that was paused runs again, and no request to pause one is open."""
        self._attaching = asyncio.get_running_loop().create_task(self._attach(), name="stillframe-interrupter")
        session.on_closed(lambda _: self._attaching.cancel())

    async def _attach(self) -> None:
        with suppress(CommandError, TimeoutError):
            session = await self._session.root.attach(self._session.target_id)
            session.on(debugger.Paused, lambda _: self._paused())
            session.post(debugger.Enable(max_scripts_cache_size=0))
            session.post(debugger.SetBreakpointsActive(active=False))
            self._debugger = session

    def _paused(self) -> None:
        if self._stopped is not None and not self._stopped.done():
            self._stopped.set_result(None)
        else:
            # A `debugger` statement, or a script that ran after the pause request was no longer needed.
            self.released = self._resume()

    def _resume(self) -> asyncio.Future[Any] | None:
        if self._debugger is None or self._debugger.error is not None:
            return None
        return self._debugger.post(debugger.Resume())

    @asynccontextmanager
    async def stopped(self, unless: asyncio.Future[None]) -> AsyncIterator[bool]:
        """Pause the running script inside the block; yields whether one was paused before `unless` was done."""
        if self._debugger is None or self._debugger.error is not None or self._stopped is not None:
            yield False
            return
        self._stopped = asyncio.get_running_loop().create_future()
        try:
            self._debugger.post(debugger.Pause())
            await asyncio.wait([self._stopped, unless], timeout=STOPPED_S, return_when=asyncio.FIRST_COMPLETED)
            yield self._stopped.done()
        finally:
            stopped, self._stopped = self._stopped.done(), None
            # The request stays open until a script meets it; the next one would be paused in the middle of an event.
            self.released = self._resume() if stopped else self._debugger.post(runtime.Evaluate(expression="0"))


log = logger("stillframe.settling")

LOST_S = 0.5
"""Seconds after which a pending budget may have ended without an event, because of another session of its process."""
BUSY_S = 0.04
"""Seconds that a script may keep its page from using a budget before it is paused so that time passes."""
PAGE_TIME = "performance.now() + performance.timeOrigin"
SHORT_MS = 0.5
"""Tolerance for a page's own reading of its clock, which is rounded to 0.1 ms."""
STARVED_TASKS = 50
"""Tasks that may run at one moment of page time before time passes anyway: a page that posts messages to itself
forever is never idle, and Chrome advances time only then."""


def wall() -> float:
    """Return the time of the event loop in milliseconds."""
    return asyncio.get_running_loop().time() * 1000


class Member:
    """One session whose process runs on the virtual clock."""

    def __init__(self, session: CDPSession) -> None:
        self.session = session
        self.process: float | None = None
        """The process's virtual time base, which identifies the process; None until Chrome has reported it."""
        self.owed = 0.0
        self.used: asyncio.Future[None] | None = None
        self.granted = 0.0
        self.since = self.begun = wall()
        self._interrupter = Interrupter(session)
        self._passing: asyncio.Task[None] | None = None
        self.doubtful_ms = 0.0
        """How much page time may still contain the end of an overruled budget."""
        self._began: asyncio.Future[Any] | None = None
        self._checking: asyncio.Task[None] | None = None
        self._rest: asyncio.Future[None] | None = None
        self.laboured = False
        """Whether a script had to be paused for the last budget to be used."""
        session.on_closed(lambda _: self.done())

    @property
    def busy(self) -> bool:
        """Return whether a budget is in use."""
        return self.used is not None

    def hold(self) -> asyncio.Future[Any]:
        """Pause the clock of the process and ask for its time base; if possible, not while it uses a budget."""
        reply = self.session.post(emulation.SetVirtualTimePolicy(policy="pause"))
        reply.add_done_callback(self._taken)
        return reply

    def grant(self, ms: float, *, late: bool, doubtful: bool = False) -> None:
        """Let page time pass; a process that still uses an earlier budget (`late`) gets the time later.

        A `doubtful` budget is checked against the page's own clock when it ends.
        """
        self.owed += ms
        if late or self.session.error is not None or self.owed <= 0:
            return
        self.used = asyncio.get_running_loop().create_future()
        self.granted, self.since = self.owed, wall()
        self.begun = self.since
        self._began = self._read_page_time() if doubtful or self.doubtful_ms > 0 else None
        self._advance(self.owed)
        self.owed = 0.0

    def _advance(self, ms: float) -> None:
        command = emulation.SetVirtualTimePolicy(
            policy="advance", budget=ms, max_virtual_time_task_starvation_count=STARVED_TASKS
        )
        self.session.post(command, timeout=None).add_done_callback(self._sent)

    def _read_page_time(self) -> asyncio.Future[Any]:
        return self.session.post(runtime.Evaluate(expression=PAGE_TIME, return_by_value=True, silent=True))

    def expired(self) -> None:
        """Handle the end of a budget: the current one, or one that was overruled before."""
        if self._rest is not None and not self._rest.done():
            self._rest.set_result(None)
        elif self._checking is None and self._began is None:
            self.done()
        elif self._checking is None and self._began is not None:
            check = self._check(self._began)
            self._checking = asyncio.get_running_loop().create_task(check, name="stillframe-grant")
            self._checking.add_done_callback(self._checked)

    async def _check(self, began: asyncio.Future[Any]) -> None:
        missing = self.granted - (_number(await self._read_page_time()) - _number(await began))
        self.doubtful_ms = max(0.0, self.doubtful_ms - self.granted)
        if SHORT_MS < missing <= self.granted:
            # This was the end of an overruled budget; the current one's end is still to come. Grant what is missing:
            # the next answer comes after both ends.
            self._rest = asyncio.get_running_loop().create_future()
            self._advance(missing)
            await asyncio.wait([self._rest], timeout=LOST_S)
            await self._read_page_time()
        self.done()

    def _checked(self, task: asyncio.Task[None]) -> None:
        self._checking = self._rest = None
        if task.cancelled() or task.exception() is not None:
            self.done()

    def renew(self) -> None:
        """Repeat a budget whose end event may have been lost; this errs on the side of more page time."""
        if self.used is None or wall() - self.begun < LOST_S * 1000:
            return
        self.begun, lost = wall(), self.used

        def stopped(_: object) -> None:
            if self.used is lost:
                self.owed += self.granted
                self.doubtful_ms = self.granted
                self.done()

        self.hold().add_done_callback(stopped)

    @property
    def interruptions(self) -> list[asyncio.Future[Any]]:
        """Return what ends when no script of the page is paused, or about to be."""
        endings = (self._passing, self._interrupter.released)
        return [ending for ending in endings if ending is not None and not ending.done()]

    def free(self) -> None:
        """Let time pass under a script that has kept the page from using its budget for too long."""
        if self.busy and self._passing is None and wall() - self.since > BUSY_S * 1000:
            self._passing = asyncio.get_running_loop().create_task(self._pass(), name="stillframe-busy")
            self._passing.add_done_callback(self._passed)

    async def _pass(self) -> None:
        """Pause the script until the budget is used up: no other may be granted before that (see `virtual_clock`)."""
        if (used := self.used) is not None:
            async with self._interrupter.stopped(used) as stopped:
                self.laboured = stopped
                await asyncio.wait([used], timeout=PASSED_S)

    def _passed(self, task: asyncio.Task[None]) -> None:
        self._passing = None
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("could not advance the virtual clock under a running script: %s", error)

    def _taken(self, reply: asyncio.Future[Any]) -> None:
        if not reply.cancelled() and reply.exception() is None:
            self.process = reply.result().virtual_time_ticks_base

    def _sent(self, reply: asyncio.Future[Any]) -> None:
        if reply.cancelled() or reply.exception() is not None:
            self.done()

    def done(self) -> None:
        """Mark the last budget as used up, or its end event as lost."""
        used, self.used = self.used, None
        self.laboured = self.laboured and self._passing is not None
        if used is not None and not used.done():
            used.set_result(None)


def _number(reply: runtime.EvaluateResult) -> float:
    value = reply.result.value
    return float(value) if isinstance(value, (int, float)) else float("nan")
