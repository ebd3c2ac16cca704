"""The instruments that read their values from the last status of the pool and of the queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from opentelemetry.metrics import CallbackOptions, Meter, Observation

from stillframe.farm.metrics.instruments import INSTRUMENTS

if TYPE_CHECKING:
    from stillframe.farm.pool import PoolStatus
    from stillframe.farm.store import Counts

ReadPool = Callable[["PoolStatus"], Iterable[Observation]]
ReadQueue = Callable[["Counts"], Iterable[Observation]]

STATES = ("starting", "serving", "draining", "closing")
"""The states of a browser; a state without browsers is reported as 0, so that graphs fall to zero and do not end."""
BLOCKS = ("pages", "memory", "disk", "browsers")
"""What can stand against a new page; see `PoolStatus.admitting`."""
OUTCOMES = ("done", "failed")
"""Outcomes that are reported from the beginning, with 0."""


class Observed:
    """Reports `pool` and `queue` when an exporter asks, each unless it is None; both are replaced, never changed.

    Exporters ask on threads of their own, so the callbacks read each value once.
    """

    def __init__(self, meter: Meter) -> None:
        self.pool: PoolStatus | None = None
        self.queue: Counts | None = None
        for name, read in _POOL.items():
            _create(meter, name, partial(self._of_pool, read))
        for name, read_queue in _QUEUE.items():
            _create(meter, name, partial(self._of_queue, read_queue))

    def _of_pool(self, read: ReadPool, _options: CallbackOptions) -> Iterable[Observation]:
        status = self.pool
        return () if status is None else read(status)

    def _of_queue(self, read: ReadQueue, _options: CallbackOptions) -> Iterable[Observation]:
        counts = self.queue
        return () if counts is None else read(counts)


def _create(meter: Meter, name: str, callback: Callable[[CallbackOptions], Iterable[Observation]]) -> None:
    one = INSTRUMENTS[name]
    getattr(meter, f"create_{one.kind}")(one.name, [callback], one.unit, one.description)


def _browsers(status: PoolStatus) -> Iterator[Observation]:
    counted = dict.fromkeys(STATES, 0) | Counter(browser.state for browser in status.browsers)
    return _by("state", counted)


def _memory(status: PoolStatus) -> Iterator[Observation]:
    return (Observation(one.pss_bytes, {"browser": one.number}) for one in status.browsers)


def _blocked(status: PoolStatus) -> Iterator[Observation]:
    return _by("reason", {reason: int(reason == status.admitting) for reason in BLOCKS})


def _pages(counts: Counts) -> Iterator[Observation]:
    states = {"pending": counts.pending, "leased": counts.leased}
    return _by("state", states | dict.fromkeys(OUTCOMES, 0) | dict(counts.outcomes))


def _by(attribute: str, values: Mapping[str, int]) -> Iterator[Observation]:
    return (Observation(value, {attribute: key}) for key, value in values.items())


def _one(value: float) -> tuple[Observation]:
    return (Observation(value),)


_POOL: Mapping[str, ReadPool] = {
    "browsers": _browsers,
    "browser.memory": _memory,
    "browser.launches": lambda status: _one(status.launched),
    "browser.restarts": lambda status: _one(status.restarts),
    "page.open": lambda status: _one(sum(browser.pages for browser in status.browsers)),
    "page.waiting": lambda status: _one(status.waiting),
    "page.shed": lambda status: _one(status.shed),
    "admission.blocked": _blocked,
    "memory.utilization": lambda status: _one(status.memory_share),
    "disk.free": lambda status: _one(status.free_disk_bytes),
}
_QUEUE: Mapping[str, ReadQueue] = {
    "queue.pages": _pages,
    "lease.age": lambda counts: _one(counts.oldest_lease_s),
}
