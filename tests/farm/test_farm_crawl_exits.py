"""How a run ends: its limits, and what its exit is made of."""

from __future__ import annotations

import asyncio
import time

import pytest

from stillframe.farm.crawl import Progress
from stillframe.farm.crawl.run import _Limits, exit_of
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
