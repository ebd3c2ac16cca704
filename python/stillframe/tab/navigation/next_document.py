"""Whether a page, or a frame within it, is being replaced by another document, whatever began that."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CommandError
from stillframe.tab.deadline import Deadline
from stillframe.tab.navigation.loading import CURRENT_TAB, EVENTS, SAME_DOCUMENT, Loading
from stillframe.tab.session_tree import family, shows_documents

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession

REQUESTED_S = 1.0
"""Seconds for the browser to start a navigation that the page requested. It takes milliseconds, or refuses silently."""

ASKED_S = 0.3
"""Seconds for a page to answer before another call navigates it; it takes a millisecond, unless a script runs."""


class NextDocument:
    """Follows the main frame of a page for the page's life, from one commit to the next."""

    def __init__(self, session: CDPSession, frame_id: str, *, announced: bool) -> None:
        self._session = session
        self._frame_id = frame_id
        self._announced = announced
        self._loading = self._next()
        for event in EVENTS:
            session.on(event, self._hear)

    async def awaited(self, deadline: Deadline) -> None:
        """Wait until the next document has replaced this one, if one is on its way; until the deadline at most.

        The page is asked first, so that a navigation that its scripts have begun is known. Raises nothing.
        """
        await self.ask(deadline)
        with contextlib.suppress(CommandError):
            try:
                async with time_limit(deadline.left_s):
                    while self._loading.leads_on:
                        await self._changed()
            except TimeoutError:
                self._loading = self._next()  # a later call does not wait for it again

    async def ask(self, deadline: Deadline | None = None) -> None:
        """Ask the page for at most `ASKED_S`, so that everything that it has begun so far is known here."""
        await ask(self._session, deadline or Deadline(ASKED_S))

    async def _changed(self) -> None:
        """Wait for an event; forget a requested navigation that the browser does not start."""
        loading = self._loading
        with self._session.subscribe(*EVENTS, policy="latest") as news:
            try:
                async with time_limit(REQUESTED_S if loading.requested else None):
                    await news.get()
            except TimeoutError:
                loading.requested = None

    def _hear(self, event: Any) -> None:
        self._loading.hear(event)
        if isinstance(event, cdp_page.FrameNavigated) and event.frame.id == self._frame_id:
            self._loading = self._next()

    def _next(self) -> Loading:
        return Loading(self._frame_id, announced=self._announced)


async def ask(session: CDPSession, deadline: Deadline) -> None:
    """Ask a document for at most `ASKED_S`, so that everything that it has begun is known; raises nothing."""
    with contextlib.suppress(CommandError):  # what is gone or has crashed leads nowhere
        await session.drain_events(timeout=min(deadline.left_s, ASKED_S))


# Which frames within a page are being replaced by another document, whatever began that.


class LeavingFrames:
    """Follows all frames of a tab but its main frame, in every process, from one document to the next."""

    def __init__(self, main_id: str) -> None:
        self._main_id = main_id
        self._leaving: dict[str, CDPSession] = {}
        """The session of each frame that is leaving its document, by its id."""
        self._loaded: set[str] = set()
        """The frames that have shown a document: the first one that a frame loads is not a step in the history."""
        self._changed = asyncio.Event()

    def watch(self, session: CDPSession) -> None:
        """Listen to a session of a page or a frame."""

        def requested(event: cdp_page.FrameRequestedNavigation) -> None:
            if event.disposition in CURRENT_TAB and not event.url.startswith("javascript:"):
                self._left(event.frame_id, session)

        def started(event: cdp_page.FrameStartedNavigating) -> None:
            if event.navigation_type not in SAME_DOCUMENT:
                self._left(event.frame_id, session)

        session.on(cdp_page.FrameRequestedNavigation, requested)
        session.on(cdp_page.FrameStartedNavigating, started)
        session.on(cdp_page.FrameNavigated, lambda event: self._arrived(event.frame.id))
        session.on(cdp_page.FrameStoppedLoading, lambda event: self._rests(event.frame_id))
        session.on(cdp_page.FrameDetached, lambda event: self._rests(event.frame_id))
        session.on_closed(lambda _: self._rests(*self._frames_of(session)))

    async def awaited(self, session: CDPSession, deadline: Deadline) -> None:
        """Wait until each frame shows the document that it is led to, until the deadline at most; raises nothing.

        The frames of all processes below the page's own `session` are asked first.
        """
        asked = [each for each in family(session) if each is not session and shows_documents(each)]
        await asyncio.gather(*(ask(each, deadline) for each in asked))
        try:
            async with time_limit(deadline.left_s):
                while self._leaving:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            self._leaving.clear()  # a later call does not wait for them again

    def _left(self, frame_id: str, session: CDPSession) -> None:
        if frame_id in self._loaded:
            self._leaving[frame_id] = session

    def _arrived(self, frame_id: str) -> None:
        if frame_id == self._main_id:
            self._loaded.clear()
        else:
            self._loaded.add(frame_id)
        self._rests(frame_id)

    def _rests(self, *frame_ids: str) -> None:
        for frame_id in frame_ids:
            self._leaving.pop(frame_id, None)
        self._changed.set()

    def _frames_of(self, session: CDPSession) -> list[str]:
        return [frame_id for frame_id, own in self._leaving.items() if own is session]
