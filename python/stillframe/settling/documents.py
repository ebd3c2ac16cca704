"""Navigations, documents, frames and dialogs: the main frame by its loaders, the others by their loading."""

from __future__ import annotations

from collections.abc import Callable

from stillframe.settling.rows import Row, Rows
from stillframe.settling.signals import (
    Committed,
    DialogClosed,
    DialogOpened,
    Download,
    FrameDetached,
    FrameStartedLoading,
    FrameStoppedLoading,
    Loaded,
    NavigationRequested,
    NavigationStarted,
    RequestEnded,
    WithinDocument,
)

REQUESTED_MS = 1000.0
"""How long a navigation may be requested before the browser begins it."""
ABORTED_MS = 100.0
"""How long after its request failed a navigation is given up: an answer without a document (204), a download."""
DIALOG_MS = 1000.0
"""How long an open dialog is waited for: answering it is the page's policy, which takes one round trip."""


class Documents:
    """The documents of one page."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._loaders: dict[str, str] = {}
        self._urls: dict[str, str] = {}

    # -- the main frame --------------------------------------------------------------------------

    def requested(self, now: float, signal: NavigationRequested) -> bool:
        """Take in that a frame asked to be navigated."""
        if not signal.main or self._rows.row("navigation", "") is not None:
            return False
        until = now + REQUESTED_MS
        self._rows.open(Row("navigation", "", signal.url, now, signal.url, until=until, patient=True))
        return True

    def started(self, now: float, signal: NavigationStarted) -> bool:
        """Take in that the browser began to load another document."""
        if not signal.main:
            self._name_frame(signal.frame, signal.url)
            return False
        row = Row("navigation", "", signal.url, now, signal.url, patient=True, loader=signal.loader)
        self._rows.open(row)
        return True

    def committed(self, now: float, signal: Committed) -> bool:
        """Take in that a frame shows another document: what the old one had started died with it."""
        if not signal.main:
            self._replaced(signal.frame, signal.loader)
            self._name_frame(signal.frame, signal.url)
            return self._rows.row("frame", signal.frame) is not None
        # Chrome does not announce the end of all of it.
        self._rows.keep(lambda row: row.loader == signal.loader and row.kind != "navigation")
        self._loaders.clear()
        self._urls.clear()
        if not signal.restored:
            self._rows.open(Row("document", signal.loader, signal.url, now, signal.url, patient=True))
        return True

    def loaded(self, now: float, signal: Loaded) -> bool:
        """Take in a load event."""
        return signal.main and self._rows.close("document", signal.loader)

    def within(self, now: float, signal: WithinDocument) -> bool:
        """Take in that the URL changed and the document did not."""
        row = self._rows.row("navigation", "")
        if row is not None and signal.main and not row.loader:
            self._rows.close("navigation", "")
        return True

    def download(self, now: float, signal: Download) -> bool:
        """Take in a download: the navigation that became one brings no document."""
        self._rows.close("navigation", "")
        return True

    def request_failed(self, now: float, signal: RequestEnded) -> None:
        """Take in the failure of a request that a navigation may be made of."""
        row = self._rows.row("navigation", "")
        if row is not None and signal.failed and row.loader == signal.id:
            row.until = now + ABORTED_MS

    def stopped_loading(self, now: float, *, in_flight: Callable[[str], bool]) -> bool:
        """Take in that the main frame finished loading, one way or another."""
        row = self._rows.row("navigation", "")
        if row is not None and not in_flight(row.loader):
            row.until = now + ABORTED_MS
        return self._rows.close_kind("document")

    # -- other frames ----------------------------------------------------------------------------

    def frame_started(self, now: float, signal: FrameStartedLoading) -> bool:
        """Take in that a frame began to load."""
        if signal.main:
            return False
        url = self._urls.get(signal.frame)
        self._rows.open(Row("frame", signal.frame, url or f"frame {signal.frame}", now, url, realm=signal.frame))
        return True

    def frame_stopped(self, now: float, signal: FrameStoppedLoading) -> bool:
        """Take in that a frame finished loading, one way or another."""
        return self._rows.close("frame", signal.frame)

    def frame_detached(self, now: float, signal: FrameDetached) -> bool:
        """Take in that a frame left the page, with all that it had started."""
        self._replaced(signal.frame, "")
        self._urls.pop(signal.frame, None)
        return self._rows.keep(lambda row: row.realm != signal.frame)

    def _name_frame(self, frame: str, url: str) -> None:
        self._urls[frame] = url
        row = self._rows.row("frame", frame)
        if row is not None:
            row.what = row.url = url

    def _replaced(self, frame: str, loader: str) -> None:
        old = self._loaders.pop(frame, "")
        if loader:
            self._loaders[frame] = loader
        if old and old != loader:
            self._rows.keep(lambda row: row.loader != old)

    # -- dialogs ---------------------------------------------------------------------------------

    def dialog_opened(self, now: float, signal: DialogOpened) -> bool:
        """Take in that a dialog stands open."""
        what = f"{signal.kind}: {signal.message}"
        self._rows.open(Row("dialog", "", what, now, until=now + DIALOG_MS, patient=True))
        return True

    def dialog_closed(self, now: float, signal: DialogClosed) -> bool:
        """Take in that the dialog was answered."""
        return self._rows.close("dialog", "")
