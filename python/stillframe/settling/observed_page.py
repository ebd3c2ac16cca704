"""What settling knows of one page: its tab, its workers, what its scripts have scheduled, and the machine that decides."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from stillframe.cdp import CDPSession
from stillframe.model.verdict import Verdict
from stillframe.settling import signals
from stillframe.settling.hooks import Hooks
from stillframe.settling.machine import SettleMachine
from stillframe.settling.quiet_windows import QuietWindows
from stillframe.settling.signals import Signal
from stillframe.tab.tab import Tab

OWN = (
    signals.Tick,
    signals.FenceSent,
    signals.FenceDone,
    signals.WorkerAnswered,
    signals.Armed,
    signals.ActionDone,
    signals.Dropped,
)
"""Signals that say nothing about the page."""


class ObservedPage:
    """One page as settling sees it; `note` takes in all that happens."""

    def __init__(self, tab: Tab, windows: QuietWindows, feed: Callable[[Signal], None]) -> None:
        self.tab = tab
        self.machine = SettleMachine(windows)
        self.hooks = Hooks()
        self.workers: dict[str, CDPSession] = {}
        """The workers of the page, by their realm."""
        self.timed_tabs: set[str] = set()
        """The ids of the tabs it has opened that share its clock and say themselves how fast it may go."""
        self.waiter: asyncio.Future[Verdict] | None = None
        self._feed = feed
        self._signals: deque[Signal] = deque()
        self._feeding = False

    @property
    def settled(self) -> bool:
        """Whether nobody waits for the page to settle."""
        return self.waiter is None or self.waiter.done()

    @property
    def has_signals(self) -> bool:
        """Whether more signals wait to be taken in."""
        return bool(self._signals)

    def note(self, signal: Signal) -> None:
        """Take in a signal now, after those that are being taken in."""
        self._signals.append(signal)
        self.tab.observation.signals += not isinstance(signal, OWN) or isinstance(signal, signals.FenceSent)
        if self._feeding:
            # An effect of a signal is a signal too; the outer loop takes it in its turn.
            return
        self._feeding = True
        try:
            while self._signals:
                self._feed(self._signals.popleft())
        finally:
            self._feeding = False
