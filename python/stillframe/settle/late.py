"""What happened after a verdict: kept for the next one, as a measure of how early the last one came."""

from __future__ import annotations

from collections import deque

from stillframe.model.verdict import Late
from stillframe.settle.pending import PendingSet
from stillframe.settle.signals import (
    Committed,
    DialogOpened,
    Download,
    Mutated,
    NavigationRequested,
    NewTarget,
    RequestEnded,
    Signal,
    WithinDocument,
)

MAX_LATE = 20
"""How many late changes are kept; the oldest go first."""


class LateLog:
    """The late changes since the last verdict."""

    def __init__(self) -> None:
        self._late: deque[Late] = deque(maxlen=MAX_LATE)
        self._since: float | None = None
        self._navigating = False

    def start(self, now: float) -> None:
        """Begin to listen: a verdict has been given."""
        self._late.clear()
        self._since = now
        self._navigating = False

    def take(self) -> tuple[Late, ...]:
        """Return what there is."""
        return tuple(self._late)

    def hear(self, now: float, signal: Signal, pending: PendingSet) -> None:
        """Note a signal if it is a late change; to be called before the pending set has taken it in."""
        if self._since is None:
            return
        if isinstance(signal, Committed) and signal.main:
            if not self._navigating:
                # The page did not ask for another document, so the caller did; what that does is no late effect.
                self._late.clear()
                self._since = None
            self._navigating = False
            return
        what = self._name(signal, pending)
        if what is not None:
            self._late.append(Late(*what, round(now - self._since, 1)))

    def _name(self, signal: Signal, pending: PendingSet) -> tuple[str, str] | None:
        match signal:
            case Mutated(where):
                return "changes", where or "the document"
            case RequestEnded(id_):
                row = pending.row("request", id_)
                return ("request", row.what) if row else None
            case NavigationRequested(main=True, url=url):
                self._navigating = True
                return "navigation", url
            case WithinDocument(main=True, url=url):
                return "url", url
            case DialogOpened(kind, message):
                return "dialog", f"{kind}: {message}"
            case Download(url):
                return "download", url
            case NewTarget(url):
                return "new_target", url
        return None
