"""The settling state of one page: its tab, its workers, the calls its scripts have scheduled, and the machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stillframe.cdp_types import runtime
from stillframe.settling import signals
from stillframe.settling.hooks import UNAWAITED_SECONDS, Hooks
from stillframe.settling.machine import SettleMachine

if TYPE_CHECKING:
    import asyncio

    from stillframe.cdp import CDPSession
    from stillframe.model.verdict import Verdict
    from stillframe.settling.quiet_windows import QuietWindows
    from stillframe.settling.signals import Signal
    from stillframe.tab.tab import Tab

SHELL_SIGNALS = (
    signals.Tick,
    signals.FenceSent,
    signals.FenceDone,
    signals.WorkerAnswered,
    signals.Armed,
    signals.ActionsDone,
    signals.BetweenActions,
    signals.Disarmed,
)
"""Signals that say nothing about the page."""


class ObservedPage:
    """One page as the settler sees it; `emit` processes everything that happens."""

    def __init__(self, tab: Tab, windows: QuietWindows, feed: Callable[[Signal], None]) -> None:
        self.tab = tab
        self.machine = SettleMachine(windows)
        self.hooks = Hooks(tab.current_documents, tab.worker_debuggers)
        self.workers: dict[str, CDPSession] = {}
        """The workers of the page, by realm."""
        self.timed_tabs: set[str] = set()
        """The ids of the tabs that this page opened, that share its clock and that control its speed themselves."""
        self.waiter: asyncio.Future[Verdict] | None = None
        self._feed = feed
        self._signals: deque[Signal] = deque()
        self._feeding = False

    @property
    def settled(self) -> bool:
        """Whether nothing waits for the page to settle."""
        return self.waiter is None or self.waiter.done()

    @property
    def has_signals(self) -> bool:
        """Whether more signals are queued."""
        return bool(self._signals)

    def post_to_frames(self, expression: str) -> list[asyncio.Future[Any]]:
        """Evaluate an expression in the isolated worlds of all documents that have one; awaits nothing."""
        return [
            frame.session.post(
                runtime.Evaluate(expression=expression, context_id=frame.context_id, silent=True),
                timeout=UNAWAITED_SECONDS,
            )
            for frame in self.tab.frames
            if frame.context_id is not None
        ]

    def emit(self, signal: Signal) -> None:
        """Process a signal now, after those that are queued."""
        self._signals.append(signal)
        self.tab.observation.signals += not isinstance(signal, SHELL_SIGNALS) or isinstance(signal, signals.FenceSent)
        if self._feeding:
            # Performing an effect can raise another signal; the outer loop processes it in its turn.
            return
        self._feeding = True
        try:
            while self._signals:
                self._feed(self._signals.popleft())
        finally:
            self._feeding = False
