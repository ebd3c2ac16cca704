"""Which frames within a page are being replaced by another document, whatever began that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import page as cdp_page
from stillframe.tab.loading import CURRENT_TAB, SAME_DOCUMENT
from stillframe.tab.next_document import ask
from stillframe.tab.session_tree import family, shows_documents

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession


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

    async def awaited(self, session: CDPSession, seconds: float) -> None:
        """Wait until each frame shows the document that it is led to, for `seconds` at most; raises nothing.

        The frames of all processes below the page's own `session` are asked first.
        """
        asked = [each for each in family(session) if each is not session and shows_documents(each)]
        await asyncio.gather(*(ask(each, seconds) for each in asked))
        try:
            async with time_limit(seconds):
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
