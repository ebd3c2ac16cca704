"""Which browsers to launch, drain, close and relieve: a machine of (now, event) → decisions, without I/O."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal

from stillframe.farm.pool.settings import PoolSettings

State = Literal["starting", "serving", "draining", "closing"]
Reason = Literal["pages", "memory", "disk", "browsers"]

JITTER = 0.25
"""By how much the number of pages of a browser varies, so that browsers do not all end at once; our choice."""
MB = 1_000_000


@dataclass(frozen=True)
class Launch:
    """Launch browser `number`."""

    number: int


@dataclass(frozen=True)
class Close:
    """Close browser `number`, on which no page is open."""

    number: int


@dataclass(frozen=True)
class Shed:
    """Ask the newest page of all to end."""


Decision = Launch | Close | Shed


@dataclass
class BrowserSlot:
    """What the planner knows of one browser; times are the caller's, in seconds."""

    number: int
    state: State
    since: float
    page_limit: int
    open: int = 0
    served: int = 0
    pss_bytes: int = 0


@dataclass
class Planner:
    """The state of a pool. Each method takes the time; `decide` returns what is to be done and counts it as begun."""

    settings: PoolSettings
    seed: int = 0
    slots: dict[int, BrowserSlot] = field(default_factory=dict)
    memory_share: float = 0.0
    free_disk_bytes: float = float("inf")
    launched: int = 0
    restarts: int = 0
    shed: int = 0
    failures: int = 0
    """Launches that failed, and browsers that ended before they served a page, in a row."""
    closed: bool = False
    _numbers: int = 0
    _next_launch: float = 0.0
    _next_shed: float = 0.0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - it only spreads times

    # -- events ------------------------------------------------------------------------------------

    def started(self, now: float, number: int) -> None:
        """Record that a launch succeeded."""
        self.slots[number].state, self.slots[number].since = "serving", now
        self.launched += 1
        self.failures = 0

    def gone(self, now: float, number: int) -> None:
        """Record that a browser ended, or that its launch failed; one that was to close is simply forgotten."""
        slot = self.slots.pop(number, None)
        if slot is None or slot.state == "closing":
            return
        self.restarts += slot.state != "starting"
        if slot.served == 0:
            self.failures += 1
        self._next_launch = max(self._next_launch, now + self._backoff())

    def taken(self, number: int) -> None:
        """Record that one more page of a browser is in use."""
        self.slots[number].open += 1
        self.slots[number].served += 1

    def returned(self, number: int) -> None:
        """Record that a page is no longer in use."""
        if number in self.slots:
            self.slots[number].open -= 1

    def measured(self, memory_share: float, free_disk_bytes: float, pss_bytes: dict[int, int]) -> None:
        """Record new readings of memory, disk, and the browsers' own memory."""
        self.memory_share, self.free_disk_bytes = memory_share, free_disk_bytes
        for number, size in pss_bytes.items():
            if number in self.slots:
                self.slots[number].pss_bytes = size

    def drain(self) -> None:
        """Give out no more pages, and close each browser once its pages are back."""
        self.closed = True

    # -- decisions ---------------------------------------------------------------------------------

    def decide(self, now: float) -> list[Decision]:
        """Return what is to be done now."""
        self._drain_old(now)
        return [*self._closings(), *self._sheds(now), *self._launches(now)]

    def choose(self, avoid: int | None = None) -> int | Reason:
        """Return the browser for one more page, another one than `avoid` if possible, or what stands against it."""
        if self.free_disk_bytes < self.settings.min_free_disk_mb * MB:
            return "disk"
        if self.memory_share >= self.settings.admit_below and self._open_pages:
            return "memory"  # but one page at a time, so that a crawl of a crowded machine goes on
        serving = [slot for slot in self.slots.values() if slot.state == "serving"]
        if not serving:
            return "browsers"
        free = [slot for slot in serving if slot.open < self.settings.pages_per_browser]
        if not free:
            return "pages"
        return min(free, key=lambda slot: (slot.number == avoid, slot.open, slot.number)).number

    def next_change(self, now: float) -> float | None:
        """Return when `decide` may return something new without an event, None for never."""
        times = [self._next_launch] if self._wanted else []
        times += [slot.since + self.settings.recycle_age_s for slot in self.slots.values() if slot.state == "serving"]
        if self._must_shed:
            times.append(self._next_shed)
        later = [at for at in times if at > now]
        return min(later) if later else None

    @property
    def _open_pages(self) -> int:
        return sum(slot.open for slot in self.slots.values())

    @property
    def _wanted(self) -> int:
        """How many browsers are missing."""
        if self.closed:
            return 0
        return self.settings.browsers - sum(slot.state in ("starting", "serving") for slot in self.slots.values())

    @property
    def _must_shed(self) -> bool:
        return self.memory_share >= self.settings.shed_above and self._open_pages > 1

    def _drain_old(self, now: float) -> None:
        for slot in self.slots.values():
            if slot.state == "serving" and (self.closed or (self._is_old(now, slot) and not self._is_draining)):
                slot.state = "draining"

    @property
    def _is_draining(self) -> bool:
        """Whether a browser drains already: one at a time, since its successor starts beside it."""
        return any(slot.state == "draining" for slot in self.slots.values())

    def _is_old(self, now: float, slot: BrowserSlot) -> bool:
        return (
            slot.served >= slot.page_limit
            or slot.pss_bytes > self.settings.recycle_pss_mb * MB
            or now - slot.since >= self.settings.recycle_age_s
        )

    def _closings(self) -> list[Decision]:
        empty = [slot for slot in self.slots.values() if slot.state == "draining" and slot.open == 0]
        for slot in empty:
            slot.state = "closing"
        return [Close(slot.number) for slot in empty]

    def _sheds(self, now: float) -> list[Decision]:
        if not self._must_shed or now < self._next_shed:
            return []
        self._next_shed = now + self.settings.shed_interval_s
        self.shed += 1
        return [Shed()]

    def _launches(self, now: float) -> list[Decision]:
        if self._wanted < 1 or now < self._next_launch:
            return []
        self._next_launch = now + self.settings.launch_stagger_s
        self._numbers += 1
        limit = self.settings.recycle_pages * self._random.uniform(1 - JITTER, 1 + JITTER)
        self.slots[self._numbers] = BrowserSlot(self._numbers, "starting", now, max(1, round(limit)))
        return [Launch(self._numbers)]

    def _backoff(self) -> float:
        pause = self.settings.first_backoff_s * 2.0 ** min(self.failures, 10)
        return min(pause, self.settings.longest_backoff_s) * self._random.uniform(0.5, 1.0)
