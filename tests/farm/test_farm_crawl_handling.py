"""The requests that a crawl makes of links, and what it records of pages."""

from __future__ import annotations

from typing import Any, cast

import msgspec
import pytest

from stillframe.errors import NavigationFailed
from stillframe.farm.crawl.directives import Directives
from stillframe.farm.crawl.handling import PageHandler, completed, kind_of
from stillframe.farm.crawl.progress import Progress
from stillframe.farm.crawl.scope import Scope
from stillframe.farm.crawl.settings import CrawlSettings
from stillframe.farm.crawl.visiting import Ending, HttpStatusError, Visit
from stillframe.farm.errors import DocumentReplaced, DocumentTruncated, RendererHung
from stillframe.farm.loading.links import page_key, request_of
from stillframe.farm.loading.trials import Trials
from stillframe.farm.output import PageRecord
from stillframe.farm.output.record import verdict_of
from stillframe.farm.store import Lease
from stillframe.model.result import NavigationResult
from stillframe.model.verdict import Pending, Verdict


def test_the_request_of_a_link_is_that_of_its_page() -> None:
    request = request_of("http://h/Guide?b#part", 2)
    assert request is not None
    assert (request.url, request.key) == ("http://h/Guide?b#part", page_key("http://h/Guide?b"))
    assert (request.host, request.depth) == ("h", 2)


@pytest.mark.parametrize("link", ["http://\u00e4..b/", "http://h/\ud800"])
def test_a_link_that_no_crawl_can_load_costs_nothing(link: str) -> None:
    assert request_of(link) is None


# -- what is recorded, and what is followed -------------------------------------------------------

HOST = "http://h"
START = PageRecord(
    url=f"{HOST}/start", final_url=f"{HOST}/start", status=200, links=(f"{HOST}/a", f"{HOST}/b?utm_id=1")
)


def handler(**settings: Any) -> PageHandler:
    nothing: Any = None
    crawl = CrawlSettings(urls=(START.url,), **settings)
    return PageHandler(crawl, Scope(nothing, crawl), Progress(started=0.0))


def test_a_refresh_is_the_last_link_and_no_url_has_a_password() -> None:
    record = PageRecord(url="http://ann:pw@h/", final_url="http://ann:pw@h/x", links=("http://ann:pw@h/a", f"{HOST}/a"))
    asked = Directives(robots=("noindex",), canonical=f"{HOST}/own", refresh=f"{HOST}/next")
    done = completed(record, NavigationResult(url=f"{HOST}/x", status=200), asked, empty=False)
    assert (done.url, done.final_url, done.links) == (f"{HOST}/", f"{HOST}/x", (f"{HOST}/a", f"{HOST}/next"))
    assert (done.robots, done.canonical, done.status) == (("noindex",), f"{HOST}/own", None)


def test_an_answer_without_a_document_has_the_url_and_the_status_of_the_response() -> None:
    record = PageRecord(url=f"{HOST}/", final_url="about:blank")
    done = completed(record, NavigationResult(url=f"{HOST}/login", status=401), Directives(), empty=True)
    assert (done.final_url, done.status) == (f"{HOST}/login", 401)


@pytest.mark.parametrize(
    ("asked", "settings", "followed"),
    [
        (Directives(), {}, [*START.links]),
        (Directives(nofollow=frozenset({f"{HOST}/b"})), {}, [f"{HOST}/a"]),
        (Directives(nofollow=frozenset({f"{HOST}/b"})), {"follow_nofollow": True}, [*START.links]),
        (Directives(robots=("nofollow",)), {}, []),
        (Directives(robots=("nofollow",)), {"follow_nofollow": True}, [*START.links]),
        (Directives(robots=("noindex",)), {"skip_noindex": True}, [*START.links]),
    ],
)
def test_the_links_that_are_followed(asked: Directives, settings: dict[str, Any], followed: list[str]) -> None:
    assert handler(**settings)._followed(START, asked) == followed


@pytest.mark.parametrize(
    ("canonical", "kept"),
    [
        (None, True),
        (f"{HOST}/start?utm_source=x", True),
        ("http://other/start", True),
        (f"{HOST}/own", False),
    ],
)
def test_pages_that_name_another_page_as_their_own(canonical: str | None, kept: bool) -> None:
    record = msgspec.structs.replace(START, canonical=canonical)
    asked = Directives(robots=("nofollow",))
    assert handler()._keeps(record, asked)
    skipping = handler(skip_noncanonical=True)
    assert skipping._keeps(record, asked) == kept
    assert skipping._followed(record, asked) == ([] if kept else [canonical])


def test_pages_that_ask_not_to_be_kept() -> None:
    assert handler()._keeps(START, Directives(robots=("noindex",)))
    assert not handler(skip_noindex=True)._keeps(START, Directives(robots=("noindex",)))
    assert handler(skip_noindex=True)._keeps(START, Directives(robots=("nofollow",)))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (DocumentTruncated("x", url=HOST, reason="net::ERR_CONNECTION_RESET"), "document_truncated"),
        (DocumentReplaced("x", url=HOST, shown=HOST), "document_replaced"),
        (RendererHung("x", url=HOST), "renderer_hung"),
        (NavigationFailed("x", url=HOST, reason="unresponsive", cause="unresponsive"), "renderer_hung"),
        (NavigationFailed("x", url=HOST, reason="net::ERR_CONNECTION_RESET"), "err_connection_reset"),
        (HttpStatusError(HOST, 503), "http_503"),
        (TimeoutError(), "handler_timeout"),
        (KeyError("x"), "KeyError"),
        (HttpStatusError(HOST, 599), "http_599"),
        (HttpStatusError(HOST, 999), "http_other"),
    ],
)
def test_errors_are_counted_by_one_word(error: Exception, kind: str) -> None:
    assert kind_of(error) == kind


@pytest.mark.parametrize(
    ("verdict", "stable"),
    [
        (Verdict(stable=True, reason="navigated", waited_ms=1.0), True),
        (Verdict(stable=True, reason="horizon", waited_ms=1.0), False),
        (Verdict(stable=True, reason="navigated", waited_ms=1.0, pending=(Pending("timer", "x", 1.0),)), False),
        (Verdict(stable=True, reason="quiet", waited_ms=1.0, pending=(Pending("websocket", "x", 1.0),)), True),
        (Verdict(stable=False, reason="timeout", waited_ms=1.0), False),
    ],
)
def test_a_record_is_stable_if_nothing_more_is_to_come(verdict: Verdict, stable: bool) -> None:
    assert verdict_of(verdict).stable == stable


def test_tries_that_failed_and_pages_that_are_skipped_are_measured() -> None:
    told = list[tuple[str, str]]()

    class Metrics:
        def page_done(self, record: PageRecord, *, outcome: str, kind: str) -> None:
            assert record.url == START.url
            told.append((outcome, kind))

    nothing, metrics = cast("Any", None), cast("Any", Metrics())
    crawl = CrawlSettings(urls=(START.url,))
    counting = PageHandler(crawl, Scope(nothing, crawl), Progress(started=0.0), metrics)
    lease = Lease(key="k", url=START.url, host="h", body="", depth=0, attempts=1, token=1, expires_in_s=60.0)
    visit = Visit(lease, Trials())
    counting.retried(visit, HttpStatusError(HOST, 503))
    counting.ended(visit, Ending(outcome="skipped:robots"))
    counting.ended(visit, Ending(outcome="skipped"))
    assert told == [("retried", "http_503"), ("skipped", "robots"), ("skipped", "left_out")]
