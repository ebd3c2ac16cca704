"""The state that a page's sequences share from one run to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.engine.page_identity import PageIdentity
from stillframe.engine.page_reports import PageReports

if TYPE_CHECKING:
    from stillframe.core import Snapshot
    from stillframe.engine.observers import PageObserver
    from stillframe.loopguard import LoopGuard
    from stillframe.model.result import SequenceResult
    from stillframe.model.verdict import Verdict
    from stillframe.tab.tab import Tab


class History:
    """The state that the sequences of one page keep between runs."""

    def __init__(self, tab: Tab) -> None:
        self.identity = PageIdentity(tab.frames)
        self.reports = PageReports(tab.events)
        self.last_snapshot: Snapshot | None = None
        """The final snapshot of the last sequence; the next one reports later changes against it."""
        self.last_result: SequenceResult | None = None
        """The result of the last sequence, for what reports on the page afterwards."""
        self.before_dialog: Snapshot | None = None
        """The snapshot before the sequence that a dialog ended, while that waits for an answer."""
        self.arrival: Verdict | None = None
        """How the wait of the last navigation ended; None if it did not wait for the page to settle."""
        self.loop_guard: LoopGuard | None = None
        """Watches the actions of all sequences on the page for loops; None if no guard is set."""
        self.session_name: str | None = None
        """The name of the session that owns the page; None if there is none."""
        self.observers: list[PageObserver] = []
        """What observes the page's sequences and calls, as traces do."""
