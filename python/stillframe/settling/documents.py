"""Track navigations, documents, frames and dialogs: the main frame by its loaders, other frames by their load state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stillframe.settling.rows import PendingRow, Rows

if TYPE_CHECKING:
    from stillframe.settling.signals import (
        Committed,
        DialogClosed,
        DialogOpened,
        Download,
        FrameDetached,
        FrameStartedLoading,
        FrameStoppedLoading,
        Loaded,
        NavigatedWithinDocument,
        NavigationRequested,
        NavigationStarted,
        RequestEnded,
    )

REQUESTED_MS = 1000.0
"""How long to wait for the browser to start a navigation that was requested."""
ABORTED_MS = 100.0
"""How long to keep a navigation whose request failed: a response without a document (204), or a download."""
DIALOG_MS = 1000.0
"""How long to wait for an open dialog: the caller's policy answers it within one round trip."""


class Documents:
    """The documents of one page."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._loaders: dict[str, str] = {}
        self._urls: dict[str, str] = {}
        self._shown = ""
        """The main document, without a fragment."""
        self._due = 0.0
        """When the refresh of the main document begins; 0 if it has none."""

    # -- main frame ------------------------------------------------------------------------------

    def requested(self, now: float, signal: NavigationRequested) -> bool:
        """Record that a frame requested a navigation; a page that only loads itself again later is a poll."""
        if not signal.main or self._rows.row("navigation", "") is not None:
            return False
        if signal.delay_ms and _document_of(signal.url) == self._shown:
            return False
        self._due = now + signal.delay_ms
        until = self._due + REQUESTED_MS
        self._rows.open(PendingRow("navigation", "", signal.url, now, signal.url, until=until, patient=True))
        return True

    def started(self, now: float, signal: NavigationStarted) -> bool:
        """Record that the browser started to load another document."""
        if not signal.main:
            self._name_frame(signal.frame, signal.url)
            return False
        row = PendingRow("navigation", "", signal.url, now, signal.url, patient=True, loader=signal.loader)
        self._rows.open(row)
        return True

    def committed(self, now: float, signal: Committed) -> bool:
        """Record that a frame shows another document, and drop what the old one had started."""
        if not signal.main:
            self._replaced(signal.frame, signal.loader)
            self._name_frame(signal.frame, signal.url)
            return self._rows.row("frame", signal.frame) is not None
        # Chrome does not announce the end of every request of the old document.
        self._rows.keep(lambda row: row.loader == signal.loader and row.kind != "navigation")
        self._loaders.clear()
        self._urls.clear()
        self._shown, self._due = _document_of(signal.url), 0.0
        if not signal.restored:
            self._rows.open(PendingRow("document", signal.loader, signal.url, now, signal.url, patient=True))
        return True

    def loaded(self, _now: float, signal: Loaded) -> bool:
        """Record a load event."""
        return signal.main and self._rows.close("document", signal.loader)

    def url_changed(self, _now: float, signal: NavigatedWithinDocument) -> bool:
        """Record a URL change within the same document."""
        row = self._rows.row("navigation", "")
        if row is not None and signal.main and not row.loader:
            self._rows.close("navigation", "")
        return True

    def download(self, _now: float, _signal: Download) -> bool:
        """Record a download: the navigation that became one brings no document."""
        self._rows.close("navigation", "")
        return True

    def request_failed(self, now: float, signal: RequestEnded) -> None:
        """Record the failure of a request, which may be the request of a navigation."""
        row = self._rows.row("navigation", "")
        if row is not None and signal.failed and row.loader == signal.id:
            row.until = now + ABORTED_MS

    def stopped_loading(self, now: float, *, in_flight: Callable[[str], bool]) -> bool:
        """Record that the main frame stopped loading, whatever the outcome."""
        row = self._rows.row("navigation", "")
        if row is not None and now >= self._due and not in_flight(row.loader):
            row.until = now + ABORTED_MS
        return self._rows.close_kind("document")

    # -- other frames ----------------------------------------------------------------------------

    def frame_started(self, now: float, signal: FrameStartedLoading) -> bool:
        """Record that a frame started to load."""
        if signal.main:
            return False
        url = self._urls.get(signal.frame)
        self._rows.open(PendingRow("frame", signal.frame, url or f"frame {signal.frame}", now, url, realm=signal.frame))
        return True

    def frame_stopped(self, _now: float, signal: FrameStoppedLoading) -> bool:
        """Record that a frame stopped loading, whatever the outcome."""
        return self._rows.close("frame", signal.frame)

    def frame_detached(self, _now: float, signal: FrameDetached) -> bool:
        """Record that a frame left the page, and drop what it had started."""
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
        """Record that a dialog is open."""
        what = f"{signal.kind}: {signal.message}"
        self._rows.open(PendingRow("dialog", "", what, now, until=now + DIALOG_MS, patient=True))
        return True

    def dialog_closed(self, _now: float, _signal: DialogClosed) -> bool:
        """Record that the dialog was closed."""
        return self._rows.close("dialog", "")


def _document_of(url: str) -> str:
    return url.partition("#")[0]
