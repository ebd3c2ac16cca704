"""Watch the page of a recording: what each action leads to, and what the next one may be on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from stillframe.errors import CommandError, StillframeError
from stillframe.extend import page_state
from stillframe.extend.signals import Effect, Mutated, Signal
from stillframe.injected import recorder
from stillframe.recorder.expectation import ROWS, expected

if TYPE_CHECKING:
    from stillframe import Page
    from stillframe.core import Snapshot
    from stillframe.recorder.drafts import Drafts
    from stillframe.recorder.identification import Identification

SETTLE_MS = 5_000
"""Milliseconds to wait for the page after an action, as a sequence waits."""
CAPTURE_S = 0.05
"""Seconds between two captures of a page that changes while nobody acts: a capture takes some milliseconds."""


class PageWatch:
    """Waits after each action until the page is still, and notes in the drafts what the action led to.

    `noted` is awaited after each of these waits.
    """

    def __init__(
        self, page: Page, drafts: Drafts, known: Identification, noted: Callable[[], Awaitable[object]]
    ) -> None:
        self._page = page
        self._state = page_state(page)
        self._drafts = drafts
        self._known = known
        self._noted = noted
        self._acted = asyncio.Event()
        self._moved = asyncio.Event()
        self._idle = asyncio.Event()
        self._looking = asyncio.Lock()
        self._before: Snapshot | None = None
        """The page when it was last still: what later changes are compared with."""
        self._removes: tuple[Callable[[], object], ...] = ()
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    async def start(self) -> None:
        """Get to know the page, and begin to watch it; raises CommandError."""
        self._before = await self._state.capture()
        await self._prepare(self._before)
        self._removes = (
            self._state.on_signal(self._signalled),
            self._state.on_document(lambda _: self._moved.set()),
        )
        self._idle.set()
        watching = {"recorder-watch": self._watch(), "recorder-capture": self._capture()}
        self._tasks = tuple(asyncio.create_task(each, name=f"stillframe-{name}") for name, each in watching.items())

    async def stop(self) -> None:
        """Stop watching."""
        if not self._tasks:
            return
        for remove in self._removes:
            remove()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = ()

    def acted(self) -> None:
        """Note that the person has acted."""
        self._idle.clear()
        self._acted.set()

    def moved(self) -> None:
        """Note that the mouse is over another element, which may show something."""
        self._moved.set()

    @property
    def is_idle(self) -> bool:
        """Whether all that the last action led to is noted."""
        return self._idle.is_set()

    async def idle(self) -> None:
        """Wait until all that the last action led to is noted."""
        await self._idle.wait()

    def _signalled(self, _now: float, signal: Signal, _effects: tuple[Effect, ...]) -> None:
        if isinstance(signal, Mutated):
            self._moved.set()

    # -- after each action -------------------------------------------------------------------------

    async def _watch(self) -> None:
        try:
            while self._state.session.error is None:
                await self._acted.wait()
                self._acted.clear()
                with suppress(StillframeError):
                    await self._look()
                await self._noted()
                if not self._acted.is_set():
                    self._idle.set()
        finally:
            self._idle.set()

    async def _look(self) -> None:
        before = self._before
        await self._page.settle(timeout_ms=SETTLE_MS)
        after = await self._state.capture()
        if self._acted.is_set():
            return  # what the page shows now may come from the next action
        if before is not None and after is not before:
            await self._compare(before, after)
        self._before = after
        await self._prepare(after)

    async def _compare(self, before: Snapshot, after: Snapshot) -> None:
        noise = await self._state.noise()
        delta = before.diff(after, limit=ROWS, secrets=self._state.redactor, noise=list(noise))
        self._drafts.led_to(expected(before, after, delta, self._state.redactor), more=bool(delta.appeared))

    # -- before the next action --------------------------------------------------------------------

    async def _prepare(self, snapshot: Snapshot) -> None:
        """Get to know the still page, so that what the next action is on is known whatever the action does."""
        self._known.saw(snapshot)
        for frame in tuple(self._state.frames):
            with suppress(CommandError):
                await self._state.adopt_closed_roots(frame)
        await self._look_at_likely()
        await self._mark()

    async def _capture(self) -> None:
        """Keep a snapshot of a page that changes while nobody acts: a press may make its element go away."""
        while True:
            await self._moved.wait()
            self._moved.clear()
            with suppress(CommandError):
                self._known.saw(await self._state.capture())
                await self._look_at_likely()
            await asyncio.sleep(CAPTURE_S)

    async def _look_at_likely(self) -> None:
        async with self._looking:
            for frame in tuple(self._state.frames):
                with suppress(CommandError):
                    await self._known.look_at_likely(frame)

    async def _mark(self) -> None:
        replies = self._state.post_to_frames(f"globalThis.__sfRecorder && {recorder.mark().expression}")
        await asyncio.gather(*replies, return_exceptions=True)
