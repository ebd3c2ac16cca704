"""What one sequence on a page leaves for the next one."""

from __future__ import annotations

from stillframe.core import Snapshot
from stillframe.engine.page_identity import PageIdentity
from stillframe.loopguard import LoopGuard
from stillframe.model.verdict import Verdict
from stillframe.tab.frame_tree import FrameTree


class History:
    """The memory of the sequences that run on one page."""

    def __init__(self, frames: FrameTree) -> None:
        self.identity = PageIdentity(frames)
        self.left: Snapshot | None = None
        """The snapshot that the last sequence left, to tell what came after it."""
        self.arrival: Verdict | None = None
        """How the wait of the last navigation ended; None if it did not wait for the page to settle."""
        self.loop_guard: LoopGuard | None = None
        """Watches the actions of all sequences on the page for loops, if it is set."""
        self.session_name: str | None = None
        """The name of the session that the page belongs to, if there is one."""
