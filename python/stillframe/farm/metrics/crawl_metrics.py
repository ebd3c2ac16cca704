"""What a crawl worker reports, as metrics and spans of OpenTelemetry."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from opentelemetry.metrics import Counter, Histogram, Meter, MeterProvider, get_meter_provider
from opentelemetry.trace import TracerProvider, get_tracer_provider

from stillframe._core import __version__
from stillframe.farm.metrics.instruments import BUCKETS_S, INSTRUMENTS
from stillframe.farm.metrics.observed import Observed
from stillframe.farm.metrics.page_spans import Attributes, parts_of, record_span

if TYPE_CHECKING:
    from stillframe.farm.output import PageRecord, PageTimings
    from stillframe.farm.pool import PoolStatus
    from stillframe.farm.store import Counts
    from stillframe.model.result import CaptureCounts

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
