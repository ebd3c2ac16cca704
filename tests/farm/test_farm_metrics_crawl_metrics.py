"""The metrics and spans of a crawl worker, read back through the SDK of OpenTelemetry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from metrics_values import HEALTH, PAGE, STATUS
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from stillframe.farm.metrics import INSTRUMENTS, CrawlMetrics
from stillframe.farm.output import PageRecord
from stillframe.farm.output.record import PageError, PageVerdict
from stillframe.farm.store import Counts
from stillframe.model.result import CaptureCounts

Points = dict[tuple[tuple[str, Any], ...], Any]


class Telemetry:
    """Metrics whose values and spans a test reads."""

    def __init__(self) -> None:
        self._reader, self._exporter = InMemoryMetricReader(), InMemorySpanExporter()
        self.meters, self.tracers = (
            MeterProvider([self._reader], shutdown_on_exit=False),
            TracerProvider(shutdown_on_exit=False),
        )
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.metrics = CrawlMetrics(self.meters, self.tracers)

    def points(self) -> dict[str, Points]:
        data = self._reader.get_metrics_data()
        if data is None:
            return {}
        metrics = [one for r in data.resource_metrics for s in r.scope_metrics for one in s.metrics]
        return {
            one.name.removeprefix("stillframe.farm."): {
                tuple(sorted((point.attributes or {}).items())): getattr(point, "value", None)
                or getattr(point, "sum", 0)
                for point in one.data.data_points
            }
            for one in metrics
        }

    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self._exporter.get_finished_spans()}


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    made = Telemetry()
    yield made
    made.meters.shutdown()
    made.tracers.shutdown()


def test_a_page_is_counted_and_timed(telemetry: Telemetry) -> None:
    telemetry.metrics.page_done(PAGE, captures=CaptureCounts(taken=2, reused=1, bytes=500), excess_ms=30.0)
    points = telemetry.points()
    assert points["pages"] == {(("kind", ""), ("outcome", "done")): 1}
    assert points["verdicts"] == {(("reason", "quiet"), ("stable", True)): 1}
    assert points["page.duration"] == {(("outcome", "done"),): 0.25}
    assert points["page.part.duration"] == {
        (("part", "load"),): 0.1,
        (("part", "settle"),): 0.08,
        (("part", "read"),): 0.02,
    }
    assert points["page.excess"] == {(): 0.03}
    assert points["captures"] == {(("result", "taken"),): 2, (("result", "reused"),): 1}
    assert points["capture.size"] == {(): 500}


def test_a_page_that_failed_or_was_skipped(telemetry: Telemetry) -> None:
    failed = PageRecord(url="https://shop.test/b", error=PageError(kind="navigation_failed", message="no"))
    telemetry.metrics.page_done(failed)
    telemetry.metrics.page_done(failed, outcome="retried")
    telemetry.metrics.page_done(PageRecord(url="https://shop.test/c"), outcome="skipped", kind="robots")
    telemetry.metrics.lease_lost(2)
    points = telemetry.points()
    assert points["pages"] == {
        (("kind", "navigation_failed"), ("outcome", "failed")): 1,
        (("kind", "navigation_failed"), ("outcome", "retried")): 1,
        (("kind", "robots"), ("outcome", "skipped")): 1,
    }
    assert points["lease.lost"] == {(): 2}
    assert "page.excess" not in points, "what is not known is not recorded"


def test_the_reason_of_a_verdict_is_one_word(telemetry: Telemetry) -> None:
    for number in range(3):
        verdict = PageVerdict(
            stable=False, reason="timeout", detail=f"request https://shop.test/{number}", waited_ms=1.0
        )
        telemetry.metrics.page_done(PageRecord(url="https://shop.test/", verdict=verdict))
    assert telemetry.points()["verdicts"] == {(("reason", "timeout"), ("stable", False)): 3}


def test_the_pool_and_the_queue_are_as_last_observed(telemetry: Telemetry) -> None:
    telemetry.metrics.observe_pool(STATUS)
    telemetry.metrics.observe_queue(Counts(pending=7, leased=2, outcomes={"done": 4, "skipped": 1}, oldest_lease_s=3.5))
    points = telemetry.points()
    states = {"starting": 0, "serving": 1, "draining": 1, "closing": 0}
    assert points["browsers"] == {(("state", state),): count for state, count in states.items()}
    assert points["browser.memory"] == {(("browser", 3),): 100, (("browser", 4),): 50}
    assert points["admission.blocked"] == {
        (("reason", reason),): int(reason == "memory") for reason in ("pages", "memory", "disk", "browsers")
    }
    single = ("browser.launches", "browser.restarts", "page.open", "page.waiting", "page.shed")
    assert [points[name][()] for name in single] == [5, 2, 3, 6, 1]
    assert (points["memory.utilization"][()], points["disk.free"][()]) == (0.9, 1e9)
    counted = {"pending": 7, "leased": 2, "done": 4, "failed": 0, "skipped": 1}
    assert points["queue.pages"] == {(("state", state),): count for state, count in counted.items()}
    assert points["lease.age"] == {(): 3.5}


def test_every_instrument_is_in_use(telemetry: Telemetry) -> None:
    telemetry.metrics.page_done(PAGE, captures=CaptureCounts(taken=1), excess_ms=1.0)
    telemetry.metrics.lease_lost()
    telemetry.metrics.observe_pool(STATUS)
    telemetry.metrics.observe_queue(Counts(pending=0, leased=0, outcomes={}))
    telemetry.metrics.observe_health(HEALTH)
    telemetry.metrics.store_called("lease", 0.004)
    telemetry.metrics.store_tried_again("lease", "lock")
    assert telemetry.points().keys() == INSTRUMENTS.keys()


def test_what_is_not_observed_any_more_is_absent(telemetry: Telemetry) -> None:
    telemetry.metrics.observe_pool(STATUS)
    telemetry.metrics.observe_pool(None)
    assert not any(telemetry.points().values())


def test_the_spans_of_a_page(telemetry: Telemetry) -> None:
    telemetry.metrics.page_done(PAGE, browser=3, excess_ms=30.0)
    spans = telemetry.spans()
    assert spans.keys() == {"crawl page", "load", "settle", "read"}
    page = spans["crawl page"]
    assert dict(page.attributes or {}) == {
        "url.full": "https://shop.test/a",
        "http.response.status_code": 200,
        "stillframe.verdict": "quiet",
        "stillframe.stable": True,
        "stillframe.depth": 1,
        "stillframe.attempts": 1,
        "stillframe.outcome": "done",
        "stillframe.browser": 3,
        "stillframe.excess_ms": 30.0,
    }
    assert _took_ms(page) == 250.0
    assert _took_ms(spans["settle"]) == 80.0
    for part in ("load", "settle", "read"):
        assert spans[part].parent == page.context
    assert spans["load"].start_time == page.start_time
    assert spans["settle"].start_time == spans["load"].end_time


def test_the_span_of_a_page_that_failed_has_no_message(telemetry: Telemetry) -> None:
    error = PageError(kind="navigation_failed", message="https://shop.test/?token=opensesame")
    telemetry.metrics.page_done(PageRecord(url="https://u:p@shop.test/?token=opensesame", error=error))
    page = telemetry.spans()["crawl page"]
    assert (page.status.status_code, page.status.description) == (StatusCode.ERROR, "navigation_failed")
    assert (page.attributes or {})["error.type"] == "navigation_failed"
    assert "opensesame" not in page.to_json()
    assert "u:p" not in page.to_json()


def test_without_an_sdk_nothing_happens() -> None:
    metrics = CrawlMetrics()
    metrics.page_done(PAGE)
    metrics.observe_pool(STATUS)


def _took_ms(span: ReadableSpan) -> float:
    assert span.start_time is not None
    assert span.end_time is not None
    return (span.end_time - span.start_time) / 1e6
