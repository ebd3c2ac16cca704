"""Which pages go back to the queue without having been tried."""

from __future__ import annotations

import asyncio

import pytest

from stillframe.errors import ConnectionLost, TargetCrashed
from stillframe.farm.loading.deferring import FIRST_LOST_S, MAX_LOST_BROWSERS, Deferred, excused, until_shed
from stillframe.farm.loading.trials import Trials, read_trials


def lost(trials: Trials) -> Deferred | None:
    return excused("http://a/", trials, ConnectionLost("the browser ended"))


def test_a_page_is_excused_some_times_with_pauses_that_grow() -> None:
    trials = Trials()
    found = [lost(trials) for _ in range(MAX_LOST_BROWSERS + 1)]
    assert found.pop() is None
    for times, each in enumerate(found):
        assert each is not None
        assert 0 < each.delay_s <= FIRST_LOST_S * 2**times
        assert each.ends is None


def test_other_errors_are_not_excused() -> None:
    trials = Trials()
    assert excused("http://a/", trials, TargetCrashed("the renderer ended")) is None
    assert trials == Trials()


@pytest.mark.parametrize("body", ["", "{", "[]", '{"avoid":"x"}', '{"url":"http://a/","user_data":{},"retry_count":3}'])
def test_what_others_wrote_counts_as_nothing(body: str) -> None:
    assert read_trials(body) == Trials()


def test_trials_go_with_a_page() -> None:
    trials = Trials(avoid=2, reschedules=1, sitemap={"priority": "0.8"})
    assert read_trials(trials.encode()) == trials
    assert Trials().encode() == "{}"


async def test_work_ends_when_the_tab_is_wanted_back() -> None:
    shed, begun = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        await asyncio.Event().wait()

    working = asyncio.create_task(until_shed(shed, work(), "http://a/"))
    await begun.wait()
    shed.set()
    with pytest.raises(Deferred, match="memory ran out"):
        await working


async def test_work_that_ends_by_itself_has_its_result_or_its_error() -> None:
    async def work(error: Exception | None) -> int:
        if error is not None:
            raise error
        return 7

    assert await until_shed(asyncio.Event(), work(None), "http://a/") == 7
    with pytest.raises(KeyError):
        await until_shed(asyncio.Event(), work(KeyError("x")), "http://a/")
