"""When each picture of a film shows. Pure logic: times are arguments, in seconds; slots are frames of the film."""

from __future__ import annotations

from collections.abc import Iterator

FPS = 25
"""Frames per second of a film, as in Playwright."""
SLOT_MS = 1000 // FPS
LAST_SLOTS = FPS
"""Slots that the last picture shows at least, so that a viewer sees how the page ended: a second, as in Playwright."""
STILL_SLOTS = 10 * FPS
"""Slots for which a picture that stays is repeated at the full rate. To encode a repeated frame of 800×450 takes some
2 ms of processor time (measured), so a page that stands still for minutes would take seconds when it closes."""
THIN_SLOTS = FPS
"""The distance of repeated frames after that, and of all of them while the encoder is behind."""
DRIFT_S = 1.0
"""Seconds by which the browser's clock may run ahead of ours between two pictures; beyond, it was set."""


class Timeline:
    """Turns the timestamps of pictures into slots, counted from the first picture; slots never go back.

    Timestamps are by the browser's clock, arrivals by a clock of ours that is never set. A picture without a timestamp
    shows when it arrived.
    """

    def __init__(self) -> None:
        self._shown_s = 0.0
        """When the latest picture shows, in seconds after the first one."""
        self._stamp: float | None = None
        self._arrived: float | None = None

    def slot(self, stamp: float | None, arrived: float) -> int:
        """Return the slot of a picture by its timestamp and its arrival."""
        if self._arrived is not None:
            passed = arrived - self._arrived
            if stamp is not None and self._stamp is not None:
                passed = min(stamp - self._stamp, passed + DRIFT_S)
            self._shown_s += max(0.0, passed)
        self._stamp, self._arrived = stamp, arrived
        return int(self._shown_s * FPS)

    def end(self, now: float) -> int:
        """Return the slot in which the film ends, after the last picture."""
        if self._arrived is None:
            return 0
        latest = int(self._shown_s * FPS)
        return max(latest + LAST_SLOTS, int((self._shown_s + now - self._arrived) * FPS))


def slots_of(first: int, end: int, *, behind: bool = False) -> Iterator[int]:
    """Yield the slots of a picture that shows from `first` until before `end`: all of them, and few of a long rest.

    >>> [*slots_of(3, 6)], [*slots_of(0, 60, behind=True)]
    ([3, 4, 5], [0, 25, 50])
    """
    full = first if behind else min(end, first + STILL_SLOTS)
    yield from range(first, full)
    yield from range(full, end, THIN_SLOTS)
