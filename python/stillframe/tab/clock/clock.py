"""The clock of one tab: the wall clock, or a virtual clock that the engine runs when it needs it.

A page on a virtual clock stands still between calls. A sequence or a navigation lets it run inside `running`, and it
stops again when that block ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stillframe.chrome.flags import VIRTUAL_TIME
from stillframe.errors import OptionInvalid
from stillframe.tab.clock.virtual_clock import HELD_S, Alarm, Clock, Plan, VirtualClock, WallClock
from stillframe.tab.clock.virtual_time import REAL_TIME, VirtualTimePolicy

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.context.context import ContextState
    from stillframe.tab.frame_tree import FrameTree


class TabClock:
    """The clock of one tab, in milliseconds; it never goes back."""

    def __init__(self, context: ContextState, frames: FrameTree) -> None:
        self._context = context
        self._frames = frames
        self._clock: Clock = WallClock()

    def now(self) -> float:
        """Return the time of the page, in milliseconds."""
        return self._clock.now()

    def call_at(self, at: float, call: Callable[[], object]) -> Alarm:
        """Call a function once, at the given page time."""
        return self._clock.call_at(at, call)

    @property
    def virtual(self) -> VirtualClock | None:
        """Return the virtual clock of the page, or None."""
        return self._clock if isinstance(self._clock, VirtualClock) else None

    async def take(self) -> VirtualClock:
        """Put the page on a virtual clock, paused, if it is not on one; it stays there for the rest of the tab's life.

        Raises OptionInvalid if the page would outlive the connection: nothing could start its clock again.
        """
        if (clock := self.virtual) is not None:
            return clock
        self._check()
        clock = VirtualClock()
        self._clock = clock
        if taken := [clock.take(session) for session in self._frames.sessions]:
            await asyncio.wait(taken, timeout=HELD_S)
        return clock

    def _check(self) -> None:
        info = self._context.info
        if info.launched and not VIRTUAL_TIME.keys() <= set(info.flags):
            raise OptionInvalid(
                "settle='virtual' needs a browser launched with virtual time: stillframe.launch(virtual_time=True)",
                option="settle",
            )
        if not info.launched and self._context.id is None:
            raise OptionInvalid(
                "settle='virtual' controls the page's clock permanently, and this page may outlive the connection: "
                "use it in a new context (browser.new_context) or in a browser that stillframe launched",
                option="settle",
            )

    def share(self, opener: TabClock) -> None:
        """Use the virtual clock of the tab that opened this one, if it has one; sends and awaits nothing."""
        if (clock := opener.virtual) is not None:
            self._clock = clock
            for session in self._frames.sessions:
                clock.take(session)

    def watch(self, session: CDPSession) -> None:
        """Pause the virtual clock of a newly attached session; awaits nothing."""
        if (clock := self.virtual) is not None:
            clock.take(session)

    @asynccontextmanager
    async def running(self, plan: Plan | None = None) -> AsyncIterator[None]:
        """Let page time pass inside the block, by `plan` or in real time; does nothing for a wall clock."""
        clock = self.virtual
        if clock is None:
            yield
            return
        runner = object()
        clock.run(runner, plan or _real_time)
        try:
            yield
        finally:
            clock.rest(runner)
            await asyncio.shield(clock.held())

    @asynccontextmanager
    async def undisturbed(self) -> AsyncIterator[None]:
        """Let an input event that is sent inside the block reach its listeners; does nothing for a wall clock."""
        clock = self.virtual
        if clock is None:
            yield
            return
        async with clock.undisturbed():
            yield


async def _real_time() -> VirtualTimePolicy:
    return REAL_TIME
