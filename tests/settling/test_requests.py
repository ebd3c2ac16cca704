"""Requests: which are awaited, and which recur by themselves although others share their key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.settling import signals as s
from stillframe.settling.pending import PendingSet
from stillframe.settling.requests import STALLED_MS, STREAMING_MS

HORIZON = 20_000.0


def request(id_: str, url: str = "http://site/api", **fields: object) -> s.RequestStarted:
    return s.RequestStarted(id=id_, url=url, **fields)  # type: ignore[arg-type]


def polled(period: float = 1000.0, url: str = "http://site/api?n={n}") -> PendingSet:
    """Return the pending set of a page that polls, armed at 7500: the next poll is due at 8000."""
    pending = PendingSet()
    for n in range(8):
        pending.feed(period * n, request(f"p{n}", url.format(n=n)))
        pending.feed(period * n + 40, s.RequestEnded(f"p{n}"))
    pending.arm(7500)
    return pending


def load(pending: PendingSet, at: float, loader: str = "L2") -> None:
    """Show another document; its load event comes 20 ms later."""
    pending.feed(at, s.Committed("main", loader, "http://site/", True))
    pending.feed(at + 20, s.Loaded("main", loader, True))


def open_ids(pending: PendingSet) -> list[str]:
    return [row.key for row in pending.blocking(8000, HORIZON) if row.kind == "request"]


def test_a_poll_is_noise() -> None:
    pending = polled()
    pending.feed(8000, request("p8", "http://site/api?n=8"))
    assert open_ids(pending) == []
    assert [row.kind for row in pending.ignored.values()] == ["request"]


def test_a_request_that_comes_before_the_next_poll_is_due_is_awaited() -> None:
    pending = polled()
    pending.feed(7800, request("mine"))
    assert open_ids(pending) == ["mine"]


def test_of_two_at_once_that_share_a_key_both_are_awaited() -> None:
    pending = polled()
    pending.feed(7990, request("mine"))
    assert open_ids(pending) == []
    pending.feed(8000, request("p8"))
    assert sorted(open_ids(pending)) == ["mine", "p8"]


def test_the_one_that_has_ended_is_not_awaited_again() -> None:
    pending = polled()
    pending.feed(7990, request("mine"))
    pending.feed(7995, s.RequestEnded("mine"))
    pending.feed(8000, request("p8"))
    assert open_ids(pending) == ["p8"]


def test_one_that_asks_something_else_than_its_like_always_did_is_awaited() -> None:
    pending = polled(url="http://site/api?all")
    pending.feed(8000, request("mine", "http://site/api?one"))
    pending.feed(8001, request("p8", "http://site/api?all"))
    assert open_ids(pending) == ["mine"]


def test_a_body_makes_a_difference_too() -> None:
    pending = PendingSet()
    for n in range(8):
        pending.feed(1000.0 * n, request(f"p{n}", method="POST", body="query"))
        pending.feed(1000.0 * n + 40, s.RequestEnded(f"p{n}"))
    pending.arm(7500)
    pending.feed(8000, request("mine", method="POST", body="mutation"))
    assert open_ids(pending) == ["mine"]


def test_the_rhythm_of_a_document_that_the_actions_loaded_is_learned_while_waiting() -> None:
    pending = PendingSet()
    pending.arm(0)
    load(pending, 10)
    for n in range(6):
        pending.feed(200 + 200.0 * n, request(f"p{n}", loader="L2"))
        pending.feed(210 + 200.0 * n, s.ResponseStarted(f"p{n}"))
    assert open_ids(pending) == ["p0", "p1", "p2"]


def test_what_the_actions_repeat_in_an_old_document_is_awaited() -> None:
    pending = PendingSet()
    pending.arm(0)
    for n in range(6):
        pending.feed(100 + 100.0 * n, request(f"p{n}"))
    assert len(open_ids(pending)) == 6


def test_a_service_worker_that_asks_for_the_page_is_counted_once() -> None:
    pending = PendingSet()
    pending.arm(0)
    pending.feed(1, request("page", loader="L1"))
    pending.feed(2, request("worker", realm="sw"))
    assert open_ids(pending) == ["page"]


def test_the_requests_of_a_worker_end_with_it() -> None:
    pending = PendingSet()
    pending.arm(0)
    pending.feed(1, request("r", realm="w"))
    assert open_ids(pending) == ["r"]
    assert pending.feed(5, s.RealmDetached("w"))
    assert open_ids(pending) == []


def test_the_requests_of_a_frame_end_with_its_document() -> None:
    pending = PendingSet()
    pending.arm(0)
    pending.feed(1, s.Committed("f", "LF", "http://site/frame", False))
    pending.feed(2, request("r", loader="LF"))
    pending.feed(3, request("mine", loader="L1"))
    pending.feed(4, s.FrameDetached("f"))
    assert open_ids(pending) == ["mine"]


def test_the_place_of_the_call_is_reported() -> None:
    pending = PendingSet()
    pending.arm(0)
    pending.feed(1, request("a", initiator="http://site/app.js:3:7"))
    pending.feed(2, request("b", initiator="parser"))
    rows = [row.pending(10) for row in pending.blocking(10, HORIZON)]
    assert [(row.site, row.age_ms) for row in rows] == [("http://site/app.js:3:7", 9), (None, 8)]


def test_an_answer_that_is_written_while_it_is_read_is_open_as_long_as_it_grows() -> None:
    pending = PendingSet()
    pending.arm(0)
    pending.feed(1, request("r", type="Fetch"))
    pending.feed(2, s.ResponseStarted("r", "text/event-stream"))
    for n in range(5):
        pending.feed(100.0 * n + 10, s.DataReceived("r"))
    (row,) = pending.blocking(411, HORIZON)
    assert row.until == 410 + STALLED_MS
    assert row.what == "GET http://site/api (streaming)"
    assert STREAMING_MS < 400


# -- adopting ------------------------------------------------------------------------------------


def test_what_is_under_way_may_be_adopted() -> None:
    pending = PendingSet()
    pending.feed(0, request("r"))
    pending.feed(1, s.FrameStartedLoading("f", False))
    pending.feed(2, s.NavigationStarted("main", "L2", "http://site/next", True))
    pending.feed(3, s.SocketOpening("w", "ws://site/"))
    pending.arm(500, adopt=True)
    assert [row.kind for row in pending.blocking(500, HORIZON)] == ["request", "frame", "navigation"]
    assert pending.blocking(500, HORIZON)[0].pending(500).age_ms == 500


def test_a_document_that_loads_may_be_adopted() -> None:
    pending = PendingSet()
    pending.feed(0, s.Committed("main", "L2", "http://site/", True))
    pending.arm(10, adopt=True)
    assert [row.kind for row in pending.blocking(10, HORIZON)] == ["document"]
    pending.feed(50, s.Loaded("main", "L2", True))
    assert pending.blocking(50, HORIZON) == []


def test_a_slow_answer_is_adopted_and_a_long_poll_is_not() -> None:
    pending = PendingSet()
    pending.feed(0, request("slow", "http://site/slow"))
    for n in range(3):
        pending.feed(1500.0 * n, request(f"p{n}", "http://site/poll"))
        pending.feed(1500.0 * n + 1490, s.RequestEnded(f"p{n}"))
    pending.feed(4500, request("p3", "http://site/poll"))
    pending.arm(5600, adopt=True)
    assert open_ids(pending) == ["slow"]
    assert [row.kind for row in pending.ignored.values()] == ["request"]


# -- documents that are opened again -------------------------------------------------------------

GAPS = st.floats(200, 5000)


@given(st.lists(GAPS, min_size=1, max_size=8), st.floats(5, 150), st.booleans(), st.booleans())
def test_what_a_document_asks_for_when_it_loads_is_awaited_however_often_it_is_opened(
    gaps: list[float], took: float, armed: bool, waits: bool
) -> None:
    pending, now = PendingSet(), 0.0
    for n, gap in enumerate(gaps):
        if armed:
            pending.arm(now)
        load(pending, now, f"L{n}")
        pending.feed(now + 30, request(f"r{n}", loader=f"L{n}"))
        if waits and not armed:
            pending.arm(now + 40, adopt=True)
        assert open_ids(pending) == [f"r{n}"]
        assert pending.ignored == {}
        pending.feed(now + 30 + took, s.RequestEnded(f"r{n}"))
        pending.disarm()
        now += gap


@pytest.mark.parametrize("took", [30.0, 1500.0])
def test_a_slow_answer_of_one_document_makes_no_long_poll_of_the_next(took: float) -> None:
    pending = PendingSet()
    load(pending, 0)
    pending.feed(30, request("r0", loader="L2"))
    pending.arm(1200)
    pending.feed(30 + took, s.RequestEnded("r0"))
    load(pending, 1600, "L3")
    pending.feed(1650, request("r1", loader="L3"))
    assert open_ids(pending) == ["r1"]


def poll(pending: PendingSet, start: float, period: float, beats: int, loader: str, url: str = "http://site/p") -> None:
    for n in range(beats):
        pending.feed(start + period * n, request(f"{loader} {n}", url, loader=loader))
        pending.feed(start + period * n + 20, s.RequestEnded(f"{loader} {n}"))


def test_a_rhythm_that_shows_again_in_the_next_document_is_known_at_once() -> None:
    pending = PendingSet()
    load(pending, 0)
    poll(pending, 300, 300, 5, "L2")
    pending.arm(2000)
    load(pending, 2010, "L3")
    pending.feed(2040, request("mine", loader="L3"))
    poll(pending, 2300, 300, 1, "L3")
    assert pending.ignored == {}
    poll(pending, 2600, 300, 1, "L3")
    assert open_ids(pending) == ["mine"]
    assert [(row.kind, row.rate) for row in pending.ignored.values()] == [("request", pytest.approx(3.33, abs=0.01))]


def test_a_rhythm_of_the_last_document_at_another_pace_is_learned_from_nothing() -> None:
    pending = PendingSet()
    load(pending, 0)
    poll(pending, 300, 300, 5, "L2")
    pending.arm(2000)
    load(pending, 2010, "L3")
    poll(pending, 2300, 500, 3, "L3")
    assert pending.ignored == {}


@pytest.mark.parametrize("url", ["http://site/list?page={n}", "http://site/list"])
def test_page_after_page_of_a_list_that_loads_is_not_a_poll(url: str) -> None:
    pending = PendingSet()
    pending.arm(0)
    load(pending, 10)
    for n in range(8):
        start = 100 + 200.0 * n
        pending.feed(start, request(f"p{n}", url.format(n=n), loader="L2"))
        assert open_ids(pending) == [f"p{n}"]
        pending.feed(start + 195, s.RequestEnded(f"p{n}"))
    assert pending.ignored == {}


def test_a_poll_before_the_load_event_is_awaited() -> None:
    pending = PendingSet()
    pending.arm(0)
    pending.feed(10, s.Committed("main", "L2", "http://site/", True))
    for n in range(6):
        pending.feed(200 + 200.0 * n, request(f"p{n}", loader="L2"))
    assert len(open_ids(pending)) == 6


def test_a_click_that_asks_what_a_list_has_asked_page_after_page_is_awaited() -> None:
    pending = PendingSet()
    load(pending, 0)
    for n in range(6):
        pending.feed(100 + 200.0 * n, request(f"p{n}", f"http://site/list?page={n}"))
        pending.feed(295 + 200.0 * n, s.RequestEnded(f"p{n}"))
    pending.arm(1450)
    pending.feed(1600, request("mine", "http://site/list?page=6"))
    assert open_ids(pending) == ["mine"]


def test_a_request_beside_an_open_long_poll_is_awaited_and_its_successor_is_not() -> None:
    pending = PendingSet()
    load(pending, 0)
    pending.feed(100, request("poll"))
    pending.arm(1500)
    pending.feed(1510, request("mine"))
    assert open_ids(pending) == ["mine"]
    pending.feed(1600, s.RequestEnded("mine"))
    pending.feed(1700, s.RequestEnded("poll"))
    pending.feed(1705, request("again"))
    assert open_ids(pending) == []


@pytest.mark.parametrize(("pages", "awaited"), [(1, True), (2, True), (5, False)])
def test_pages_of_a_slow_list_are_adopted_until_they_go_on_and_on(pages: int, awaited: bool) -> None:
    pending = PendingSet()
    load(pending, 0)
    for n in range(pages):
        pending.feed(100 + 1500.0 * n, request(f"p{n}", f"http://site/list?page={n}"))
        pending.feed(1590 + 1500.0 * n, s.RequestEnded(f"p{n}"))
    pending.feed(100 + 1500.0 * pages, request("last", f"http://site/list?page={pages}"))
    pending.arm(200 + 1500.0 * pages, adopt=True)
    assert [row.key for row in pending.of_kind("request")] == ["last"] * awaited


def test_what_is_awaited_after_all_is_not_on_record_as_left_out() -> None:
    pending = polled()
    pending.feed(7990, request("mine"))
    assert len(pending.ignored) == 1
    pending.feed(8000, request("p8"))
    assert pending.ignored == {}


def test_what_was_under_way_in_a_document_that_comes_back_is_awaited_again() -> None:
    pending = PendingSet()
    load(pending, 0)
    pending.feed(30, request("r", loader="L2"))
    load(pending, 100, "L3")
    assert open_ids(pending) == []
    pending.arm(200)
    pending.feed(210, s.Committed("main", "L2", "http://site/", True, restored=True))
    assert open_ids(pending) == ["r"]
    assert pending.feed(900, s.RequestEnded("r"))
    assert open_ids(pending) == []


def test_what_had_ended_before_a_document_went_is_not_awaited_when_it_comes_back() -> None:
    pending = PendingSet()
    load(pending, 0)
    pending.feed(30, request("r", loader="L2"))
    pending.feed(60, s.RequestEnded("r"))
    load(pending, 100, "L3")
    pending.arm(200)
    pending.feed(210, s.Committed("main", "L2", "http://site/", True, restored=True))
    assert open_ids(pending) == []


@pytest.mark.parametrize(
    ("url", "began_ms", "left"),
    [
        ("http://site/api", 5_003.0, []),
        ("http://site/api", 4_000.0, ["r"]),
        ("http://site/other", 5_003.0, ["r"]),
    ],
)
def test_what_ended_while_its_document_was_cached_is_not_awaited(url: str, began_ms: float, left: list[str]) -> None:
    pending = PendingSet()
    load(pending, 0)
    pending.feed(30, s.RequestStarted(id="r", url="http://site/api", loader="L2", type="Fetch", began_ms=5_000.0))
    load(pending, 100, "L3")
    pending.arm(200)
    pending.feed(210, s.Committed("main", "L2", "http://site/", True, restored=True))
    assert pending.feed(220, s.ResourcesLoaded(((url, began_ms),))) == (not left)
    assert open_ids(pending) == left


def test_only_requests_of_a_restored_document_end_by_its_report() -> None:
    pending = PendingSet()
    load(pending, 0)
    pending.feed(30, s.RequestStarted(id="r", url="http://site/api", loader="L2", type="Fetch", began_ms=5_000.0))
    assert not pending.feed(40, s.ResourcesLoaded((("http://site/api", 5_000.0),)))
    assert open_ids(pending) == ["r"]


@pytest.mark.parametrize(
    ("mime", "kind", "loader", "left"),
    [
        ("text/xsl", "Stylesheet", "L2", []),
        ("application/xml", "Stylesheet", "L2", []),
        ("text/css", "Stylesheet", "L2", ["style"]),
        ("application/xml", "Fetch", "L2", ["style"]),
        ("text/xsl", "Stylesheet", "L3", ["style"]),
    ],
)
def test_a_style_sheet_that_transforms_its_document_ends_with_it(
    mime: str, kind: str, loader: str, left: list[str]
) -> None:
    """Chrome announces no end of its request."""
    pending = PendingSet()
    pending.arm(0)
    load(pending, 10)
    pending.feed(11, s.DocumentCreated("L2"))
    pending.feed(12, request("style", type=kind, loader="L2"))
    pending.feed(13, s.ResponseStarted("style", mime))
    pending.feed(14, s.DocumentCreated(loader))
    assert open_ids(pending) == left
