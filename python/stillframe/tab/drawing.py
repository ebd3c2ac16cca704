"""Frames for tabs that are not on display.

A tab of a window that shows another tab gets frames until it has produced three that nobody drew; from then on Chrome
gives it one a second (viz: kUndrawnFrameLimit and kThrottleInterval in CompositorFrameSinkSupport). Settling waits for
frames, so each of its fences would run into its fall-back. A tab with a window of its own is always drawn, which is how
tabs are opened where no window is seen. Popups, tabs beside others and tabs that were there before us share a window:
while they are worked on, a screencast without pictures has their frames drawn. It is not left on, because a page that
animates costs twice as much with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stillframe.cdp import CDPSession
from stillframe.cdp_types import page as cdp_page

NO_PICTURES = cdp_page.StartScreencast(format="jpeg", quality=1, max_width=1, max_height=1, every_nth_frame=2**31 - 1)
"""A screencast of one pixel that sends the first picture after more than a year of frames."""


class Drawing:
    """Keeps the frames of one tab coming."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self.alone = False
        """Whether the tab has a window of its own, as far as is known."""

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Have the frames of the tab drawn during a block; sends at most two commands and awaits nothing."""
        if self.alone:
            yield
            return
        self._session.post(NO_PICTURES)
        try:
            yield
        finally:
            self._session.post(cdp_page.StopScreencast())
