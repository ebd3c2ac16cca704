"""Which pages go back to the queue without having been tried."""

from __future__ import annotations

import pytest
from crawlee import Request

from stillframe.errors import ConnectionLost, TargetCrashed
from stillframe.farm.crawler.deferring import FIRST_LOST_S, MAX_LOST_BROWSERS, Deferred, count, excused


def lost(request: Request) -> Deferred | None:
    return excused(request, ConnectionLost("the browser ended"))


def test_a_page_is_excused_some_times_with_pauses_that_grow() -> None:
    request = Request.from_url("http://a/")
    found = [lost(request) for _ in range(MAX_LOST_BROWSERS + 1)]
    assert found.pop() is None
    for times, each in enumerate(found):
        assert each is not None
        assert 0 < each.delay_s <= FIRST_LOST_S * 2**times
        assert each.ends is None


def test_neither_other_errors_nor_pages_that_were_acted_on_are_excused() -> None:
    request = Request.from_url("http://a/")
    assert excused(request, TargetCrashed("the renderer ended")) is None
    request.no_retry = True
    assert lost(request) is None


@pytest.mark.parametrize("known", ["text", None])
def test_what_others_wrote_counts_as_nothing(known: str | None) -> None:
    request = Request.from_url("http://a/", user_data={"times": known})
    assert [count(request, "times"), count(request, "times")] == [1, 2]
