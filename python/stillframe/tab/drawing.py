"""Keep frames coming for tabs that are not on display.

A tab of a window that shows another tab gets frames until it has produced three that were not drawn; after that Chrome
gives it one a second (viz: kUndrawnFrameLimit and kThrottleInterval in CompositorFrameSinkSupport). Settling waits for
frames, so each of its fences would run into its fall-back. A tab in a window of its own is always drawn, so headless
tabs are opened that way. Popups, tabs in a shared window and tabs that existed before the connection share a window:
during a call, a screencast that sends no pictures keeps their frames drawn. It is off between calls, because it doubles
the cost of a page that animates. A session has one screencast, so a tab that is filmed needs no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from stillframe.cdp_types import page as cdp_page
from stillframe.errors import CommandError
from stillframe.injected import elements

if TYPE_CHECKING:
    from stillframe.cdp import CDPSession
    from stillframe.tab.frames import Frame

NO_PICTURES = cdp_page.StartScreencast(format="jpeg", quality=1, max_width=1, max_height=1, every_nth_frame=2**31 - 1)
"""A screencast of one pixel that would send its first picture after more than a year of frames."""

DRAWN_S = 0.5
"""Seconds for a frame to draw itself; it takes two frames of the display, some 30 ms, on a machine at rest."""


async def drawn(frame: Frame) -> None:
    """Wait until a frame of the page has drawn itself twice, but for `DRAWN_S` at most."""
    with suppress(CommandError):
        await frame.call(elements.frames_drawn(), timeout=DRAWN_S)


class Drawing:
    """Keeps one tab producing frames."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self.alone = False
        """Whether the tab is known to have a window of its own."""
        self._filmed = False

    def film(self, pictures: cdp_page.StartScreencast) -> Callable[[], None]:
        """Start a screencast with pictures, which keeps the tab producing frames; return the function that stops it."""
        self._filmed = True
        self._session.post(pictures)

        def stop() -> None:
            self._filmed = False
            self._session.post(cdp_page.StopScreencast())

        return stop

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the tab producing frames inside the block; sends at most two commands and awaits nothing."""
        if self.alone:
            yield
            return
        with self.forced():
            yield

    @contextmanager
    def forced(self) -> Iterator[None]:
        """Keep the tab producing frames inside the block, although its window may be minimized."""
        if self._filmed:
            yield
            return
        self._session.post(NO_PICTURES)
        try:
            yield
        finally:
            if not self._filmed:  # a film may have begun inside the block
                self._session.post(cdp_page.StopScreencast())
