"""How a run ends: its limits, and what its exit is made of."""

from __future__ import annotations

import asyncio
import time

import pytest

from stillframe.farm.crawl import Progress
from stillframe.farm.crawl.run import _Limits, exit_of, reason_of
from stillframe.farm.crawl.summary import MAX_KINDS, bounded, errors_of
from stillframe.farm.exits import CrawlExit
from stillframe.farm.store import Counts


def limited(progress: Progress, time_limit_s: float | None = None, fail_limit: int | None = None) -> _Limits:
    return _Limits(progress, asyncio.Event(), time_limit_s, fail_limit, None)


def test_one_failure_more_than_the_limit_stops_the_run() -> None:
    progress = Progress(started=time.monotonic())
    limits = limited(progress, fail_limit=1)
    for kind, stopped in (("http_500", False), ("err_too_many_redirects", True)):
        progress.page_failed(progress.started, kind)
        limits.observe(progress)
        assert limits._stop.is_set() is stopped
    assert limits.exit == CrawlExit.FAILED_LIMIT


def test_a_run_that_is_over_its_time_is_stopped() -> None:
    for ago, exit in ((0.0, CrawlExit.OK), (4000.0, CrawlExit.TIME_LIMIT)):
        progress = Progress(started=time.monotonic() - ago)
        limits = limited(progress, time_limit_s=3600.0)
        limits.observe(progress)
        assert limits.exit == exit


@pytest.mark.parametrize(
    ("outcomes", "limited", "exit"),
    [
        ({"failed:http_500": 1}, CrawlExit.OK, CrawlExit.FAILED),
        ({"failed:http_500": 1}, CrawlExit.FAILED_LIMIT, CrawlExit.FAILED_LIMIT),
        ({"failed:http_500": 1, "done": 1}, CrawlExit.OK, CrawlExit.OK),
        ({"skipped:robots": 1}, CrawlExit.OK, CrawlExit.NOTHING),
        ({"skipped:robots": 1}, CrawlExit.TIME_LIMIT, CrawlExit.TIME_LIMIT),
        ({"skipped:robots": 1, "done": 1}, CrawlExit.OK, CrawlExit.OK),
        ({"skipped": 1}, CrawlExit.OK, CrawlExit.NOTHING),
        ({}, CrawlExit.OK, CrawlExit.NOTHING),
        ({}, CrawlExit.INTERRUPTED, CrawlExit.INTERRUPTED),
    ],
)
def test_a_complete_run_that_got_no_page_has_failed(
    outcomes: dict[str, int], limited: CrawlExit, exit: CrawlExit
) -> None:
    assert exit_of(Counts(pending=0, leased=0, outcomes=outcomes), limited) == exit


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        ({"done": 1, "failed:http_500": 1}, None),
        ({"failed:http_500": 1, "skipped:robots": 1}, "no_page_loaded"),
        ({"skipped:robots": 1, "skipped": 1}, "robots_refused"),
        ({"skipped": 1}, "all_skipped"),
        ({}, "no_pages"),
    ],
)
def test_a_crawl_of_nothing_has_a_reason(outcomes: dict[str, int], reason: str | None) -> None:
    assert reason_of(Counts(pending=0, leased=0, outcomes=outcomes)) == reason


def test_a_summary_names_the_most_frequent_kinds_and_the_sum_of_the_others() -> None:
    outcomes = {"done": 9} | {f"failed:http_{500 + n}": n + 1 for n in range(MAX_KINDS + 3)}
    errors = errors_of(outcomes)
    assert list(errors)[:2] == ["http_522", "http_521"]
    assert (len(errors), errors["other"]) == (MAX_KINDS + 1, 1 + 2 + 3)
    assert sum(errors.values()) == sum(outcomes.values()) - 9
    assert bounded({}) == {}
