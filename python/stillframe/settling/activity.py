"""Track what one wait has seen.

That is whether the actions had effects, which outcome applies, and what repeats without end.
"""

from __future__ import annotations

from stillframe.model.verdict import Pending, Reason
from stillframe.settling.signals import (
    Committed,
    DialogOpened,
    Download,
    FrameStartedLoading,
    Mutated,
    NavigatedWithinDocument,
    NewTarget,
    NewTargetRefused,
    RequestStarted,
    Signal,
)

LOOP, LOOP_MS = 5, 500.0
"""This many documents or dialogs in one wait are a loop; dialogs only while the last one is at most this old."""
OUTCOMES: tuple[Reason, ...] = ("navigated", "download", "new_target", "dialog")
"""The reasons that say more than `quiet`, in order of precedence."""


class Activity:
    """The activity of one wait; times are in milliseconds."""

    def __init__(self) -> None:
        self.effects = 0
        """How many signs there are that the actions had an effect."""
        self.documents = 0
        self._outcomes: set[Reason] = set()
        self._targets = 0
        self._dialogs = 0
        self._dialog_at = 0.0
        self._last = ("changes", "the document", "")

    def record(self, now: float, signal: Signal, *, active: bool) -> None:
        """Record a signal; `active` says whether it counts as activity of the awaited work."""
        self.effects += active
        match signal:
            case Mutated(where):
                self.record_change(where)
            case Committed(main=True, url=url):
                self.documents += 1
                self._outcomes.add("navigated")
                self._last = ("navigation", url, url)
            case DialogOpened(kind, message):
                self._dialogs += 1
                self._dialog_at = now
                self._outcomes.add("dialog")
                self._last = ("dialog", f"{kind}: {message}", "")
            case NavigatedWithinDocument(main=True, url=url) if active:
                self._last = ("url", url, url)
            case Download():
                self._outcomes.add("download")
            case NewTarget():
                self._targets += 1
            case NewTargetRefused():
                self._targets -= 1
            case RequestStarted(method=method, url=url) if active:
                self._last = ("request", f"{method} {url}", url)
            case FrameStartedLoading(frame) if active:
                self._last = ("frame", f"frame {frame}", "")

    def record_change(self, where: str) -> None:
        """Record a change of the document."""
        self.effects += 1
        if where or self._last[0] != "changes":
            self._last = ("changes", where or "the document", "")

    def has_dialog_loop(self, now: float) -> bool:
        """Return whether the page opens one dialog after another."""
        return self._dialogs >= LOOP and now - self._dialog_at <= LOOP_MS

    @property
    def has_document_loop(self) -> bool:
        """Whether the page loads one document after another."""
        return self.documents >= LOOP

    def describe_ongoing(self, now: float, started: float) -> Pending:
        """Describe the activity that continues although no single piece of it lasts."""
        kind, what, url = self._last
        if self.has_dialog_loop(now):
            kind, what = "dialog", f"{self._dialogs} dialogs one after another, the last {what}"
        elif self.has_document_loop:
            kind, what = "navigation", f"{self.documents} documents one after another, the last {what}"
        return Pending(kind, what, round(now - started, 1), url or None)

    def reason(self, *, animated: bool) -> Reason:
        """Return the reason of a wait that ends because no work is left."""
        for outcome in OUTCOMES:
            if outcome in self._outcomes or (outcome == "new_target" and self._targets > 0):
                return outcome
        if animated:
            return "animation_done"
        return "quiet" if self.effects else "no_effect"
