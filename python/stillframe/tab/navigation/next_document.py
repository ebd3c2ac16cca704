"""Whether a page is being replaced by another document, whatever began that: a press, a script, a call."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CommandError
from stillframe.tab.navigation.loading import EVENTS, Loading

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

    async def awaited(self, seconds: float) -> None:
        """Wait until the next document has replaced this one, if one is on its way; for `seconds` at most.

        The page is asked first, so that a navigation that its scripts have begun is known. Raises nothing.
        """
        await self.ask(seconds)
        with contextlib.suppress(CommandError):
            try:
                async with time_limit(seconds):
                    while self._loading.leads_on:
                        await self._changed()
            except TimeoutError:
                self._loading = self._next()  # a later call does not wait for it again

    async def ask(self, seconds: float = ASKED_S) -> None:
        """Ask the page, so that everything that it has begun so far is known here."""
        await ask(self._session, seconds)

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


async def ask(session: CDPSession, seconds: float) -> None:
    """Ask a document for at most `ASKED_S`, so that everything that it has begun is known; raises nothing."""
    with contextlib.suppress(CommandError):  # what is gone or has crashed leads nowhere
        await session.drain_events(timeout=min(seconds, ASKED_S))
