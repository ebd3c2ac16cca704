"""What a crawl worker reports, as metrics and spans of OpenTelemetry."""

from __future__ import annotations

import collections
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

from opentelemetry.metrics import (
    CallbackOptions,
    Counter,
    Histogram,
    Meter,
    MeterProvider,
    Observation,
    get_meter_provider,
)
from opentelemetry.trace import TracerProvider, get_tracer_provider

from stillframe._core import __version__
from stillframe.farm.metrics.hosts import BusyHosts, HostFigures, host_name
from stillframe.farm.metrics.instruments import BUCKETS_S, INSTRUMENTS
from stillframe.farm.metrics.page_spans import Attributes, parts_of, record_span

if TYPE_CHECKING:
    from stillframe.farm.output import PageRecord, PageTimings
    from stillframe.farm.pool import PoolStatus
    from stillframe.farm.store import Counts
    from stillframe.farm.store.health import Health
    from stillframe.model.result import CaptureCounts

# The instruments that read their values from the last status of the pool and of the queue.

ReadPool = Callable[["PoolStatus"], Iterable[Observation]]
ReadQueue = Callable[["Counts"], Iterable[Observation]]
ReadHealth = Callable[["Health"], Iterable[Observation]]
ReadHosts = Callable[[tuple[HostFigures, ...]], Iterable[Observation]]

STATES = ("starting", "serving", "draining", "closing")
"""The states of a browser; a state without browsers is reported as 0, so that graphs fall to zero and do not end."""
BLOCKS = ("pages", "memory", "disk", "browsers")
"""What can stand against a new page; see `PoolStatus.admitting`."""
OUTCOMES = ("done", "failed")
"""Outcomes that are reported from the beginning, with 0."""


class Observed:
    """Reports what it has when an exporter asks, unless it is None; all of it is replaced, never changed.

    Exporters ask on threads of their own, so the callbacks read each value once.
    """

    def __init__(self, meter: Meter) -> None:
        self.pool: PoolStatus | None = None
        self.queue: Counts | None = None
        self.health: Health | None = None
        self.hosts: tuple[HostFigures, ...] = ()
        for name, read in _POOL.items():
            _create(meter, name, partial(self._of_pool, read))
        for name, read_queue in _QUEUE.items():
            _create(meter, name, partial(self._of_queue, read_queue))
        for name, read_health in _HEALTH.items():
            _create(meter, name, partial(self._of_health, read_health))
        for name, read_hosts in _HOSTS.items():
            _create(meter, name, partial(self._of_hosts, read_hosts))

    def _of_pool(self, read: ReadPool, _options: CallbackOptions) -> Iterable[Observation]:
        status = self.pool
        return () if status is None else read(status)

    def _of_queue(self, read: ReadQueue, _options: CallbackOptions) -> Iterable[Observation]:
        counts = self.queue
        return () if counts is None else read(counts)

    def _of_health(self, read: ReadHealth, _options: CallbackOptions) -> Iterable[Observation]:
        health = self.health
        return () if health is None else read(health)

    def _of_hosts(self, read: ReadHosts, _options: CallbackOptions) -> Iterable[Observation]:
        return read(self.hosts)


def _create(meter: Meter, name: str, callback: Callable[[CallbackOptions], Iterable[Observation]]) -> None:
    one = INSTRUMENTS[name]
    getattr(meter, f"create_{one.kind}")(one.name, [callback], one.unit, one.description)


def _browsers(status: PoolStatus) -> Iterator[Observation]:
    counted = dict.fromkeys(STATES, 0) | collections.Counter(browser.state for browser in status.browsers)
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


def _host_pages(hosts: tuple[HostFigures, ...]) -> Iterator[Observation]:
    for each in hosts:
        for outcome, count in each.pages.items():
            yield Observation(count, {"host": each.host, "outcome": outcome})


_HEALTH: Mapping[str, ReadHealth] = {
    "store.lock.waits": lambda health: _one(health.lock_waits),
    "store.lock.wait": lambda health: _one(health.lock_wait_s),
    "hosts.waiting": lambda health: _by("reason", health.hosts),
    "host.hold": lambda health: (Observation(one.for_s, {"host": one.host}) for one in health.held),
    "robots.unreachable": lambda health: _one(health.robots_unreachable),
    "export.lag": lambda health: (Observation(one.rows, {"export": one.export}) for one in health.exports),
    "export.age": lambda health: (Observation(one.oldest_s, {"export": one.export}) for one in health.exports),
}
_HOSTS: Mapping[str, ReadHosts] = {
    "host.pages": _host_pages,
    "host.time": lambda hosts: (Observation(one.seconds, {"host": one.host}) for one in hosts),
}


SCOPE = "stillframe.farm"
"""The name of the instrumentation scope of all metrics and spans."""

Outcome = Literal["done", "failed", "skipped", "retried"]
"""The outcome of a page; `retried` is an attempt that failed and is followed by another."""


class CrawlMetrics:
    """The metrics and spans of one crawl worker; the providers default to those of the process.

    Make one per provider and worker: OpenTelemetry cannot remove instruments. All methods return at once and do no
    I/O. Exporters read on threads of their own; they get the values of the last `observe_…` call.
    """

    def __init__(
        self, meter_provider: MeterProvider | None = None, tracer_provider: TracerProvider | None = None
    ) -> None:
        meter = (meter_provider or get_meter_provider()).get_meter(SCOPE, __version__)
        self._tracer = (tracer_provider or get_tracer_provider()).get_tracer(SCOPE, __version__)
        self._counters = {name: _counter(meter, name) for name, one in INSTRUMENTS.items() if one.kind == "counter"}
        self._histograms = {name: _histogram(meter, name) for name in BUCKETS_S}
        self._observed = Observed(meter)
        self._hosts = BusyHosts()

    def page_done(
        self,
        record: PageRecord,
        *,
        outcome: Outcome | None = None,
        kind: str = "",
        browser: int | None = None,
        captures: CaptureCounts | None = None,
        excess_ms: float | None = None,
    ) -> None:
        """Count a page that is over now, and make its spans.

        `outcome` defaults to "failed" for a record with an error, else to "done"; `kind` defaults to the kind of that
        error, and is the reason of a page that was skipped. `browser` is the number of the page's browser in its pool,
        `captures` the snapshots of this page alone, and `excess_ms` the time in milliseconds between the last activity
        of the page and the end of the wait.
        """
        error = record.error
        outcome = outcome or ("done" if error is None else "failed")
        kind = kind or ("" if error is None else error.kind)
        self._counters["pages"].add(1, {"outcome": outcome, "kind": kind})
        took_ms = 0.0 if record.timings is None else record.timings.total_ms or 0.0
        self._hosts.count(host_name(record.url), outcome, took_ms / 1000, time.monotonic())
        self._observed.hosts = self._hosts.figures()
        if record.verdict is not None:
            verdict = record.verdict
            self._counters["verdicts"].add(1, {"reason": verdict.reason, "stable": verdict.stable})
        if record.timings is not None:
            self._time(record.timings, outcome)
        if captures is not None:
            self._count_captures(captures)
        if excess_ms is not None:
            self._histograms["page.excess"].record(excess_ms / 1000)
        self._record_span(record, outcome, kind, browser, excess_ms)

    def _time(self, timings: PageTimings, outcome: str) -> None:
        if timings.total_ms is not None:
            self._histograms["page.duration"].record(timings.total_ms / 1000, {"outcome": outcome})
        for part, took_ms in parts_of(timings):
            self._histograms["page.part.duration"].record(took_ms / 1000, {"part": part})

    def _count_captures(self, captures: CaptureCounts) -> None:
        self._counters["captures"].add(captures.taken, {"result": "taken"})
        self._counters["captures"].add(captures.reused, {"result": "reused"})
        self._counters["capture.size"].add(captures.bytes)

    def _record_span(
        self, record: PageRecord, outcome: str, kind: str, browser: int | None, excess_ms: float | None
    ) -> None:
        known = {"stillframe.kind": kind or None, "stillframe.browser": browser, "stillframe.excess_ms": excess_ms}
        attributes: Attributes = {name: value for name, value in known.items() if value is not None}
        record_span(self._tracer, record, ended_ns=time.time_ns(), outcome=outcome, kind=kind, attributes=attributes)

    def lease_lost(self, leases: int = 1) -> None:
        """Count leases that another worker took before their pages were done."""
        self._counters["lease.lost"].add(leases)

    def observe_pool(self, status: PoolStatus | None) -> None:
        """Report the pool like this from now on; None reports nothing, for a pool that is closed."""
        self._observed.pool = status

    def store_called(self, operation: str, seconds: float) -> None:
        """Record how long an operation of the database took; see `CrawlStore.measure`."""
        self._histograms["store.duration"].record(seconds, {"operation": operation})

    def store_tried_again(self, operation: str, why: str) -> None:
        """Count a try of it that failed."""
        self._counters["store.retries"].add(1, {"operation": operation, "reason": why})

    def observe_health(self, health: Health | None) -> None:
        """Report the crawl's database like this from now on; None reports nothing."""
        self._observed.health = health

    def observe_queue(self, counts: Counts | None) -> None:
        """Report the queue like this from now on; None reports nothing, for a database that does not answer."""
        self._observed.queue = counts


def _counter(meter: Meter, name: str) -> Counter:
    one = INSTRUMENTS[name]
    return meter.create_counter(one.name, one.unit, one.description)


def _histogram(meter: Meter, name: str) -> Histogram:
    one = INSTRUMENTS[name]
    return meter.create_histogram(
        one.name, one.unit, one.description, explicit_bucket_boundaries_advisory=BUCKETS_S[name]
    )
