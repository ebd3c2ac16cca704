"""How a run goes: counters that the worker updates and the display reads."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from stillframe.farm.pool import PoolStatus

WINDOW_S = 10.0
"""The seconds over which the shown pages per second are measured."""


@dataclass
class Progress:
    """Counters of this run; times are on the monotonic clock."""

    started: float
    done: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    robots_refused: int = 0
    pending: int = 0
    total_done: int = 0
    total_failed: int = 0
    pool: PoolStatus | None = None
    draining: bool = False
    lost_leases: int = 0
    _recent: deque[float] = field(default_factory=deque)

    @property
    def pages(self) -> int:
        """All pages that ended in this run, but skipped ones."""
        return self.done + self.errors.total()

    def page_done(self, now: float, reason: str) -> None:
        """Count a page by the reason of its verdict."""
        self.done += 1
        self.verdicts[reason] += 1
        self._recent.append(now)

    def page_failed(self, now: float, kind: str) -> None:
        """Count a page by the kind of its error."""
        self.errors[kind] += 1
        self._recent.append(now)

    def rate(self, now: float) -> float:
        """Return the pages per second of the last seconds."""
        while self._recent and self._recent[0] < now - WINDOW_S:
            self._recent.popleft()
        return len(self._recent) / max(1.0, min(WINDOW_S, now - self.started))
