"""Give page time to a virtual clock's page while one of its scripts runs without a pause.

A script that waits for the clock in a loop (`while (Date.now() < end);`) would never end, and one that computes for
long would find that no time has passed. Chrome uses no time budget while a script runs, but it does while a debugger
has paused the script: so the script is paused for a moment, the elapsed time is granted, and the script resumes. It
sees the clock advance in steps of about 50 ms, about as fast as the wall clock.

Chrome drops the input that arrives while a script is paused (measured: text typed on a busy machine lost letters), so
no script is paused while input is on its way.

The debugger runs in a session of its own, with all breakpoints inactive; it costs a page nothing until it pauses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from stillframe.cdp_types import debugger, runtime
from stillframe.errors import CommandError

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

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
