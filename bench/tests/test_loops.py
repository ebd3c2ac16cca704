"""The bench of loop detection: its traces are what they say, the same each time, and its goals are reached."""

from __future__ import annotations

import functools

import pytest

from bench.loops import DETECTORS, OURS, SEED, judge
from bench.loops.agents import HONEST, LOOPS, Variation, traced
from bench.loops.detectors import browser_use, pilo, stillframe
from bench.loops.generate import drawn, written
from bench.loops.page import Call, Noise
from bench.loops.traces import Trace
from bench.loops.worlds import Dead
from sampling import sampled
from stillframe.core import Snapshot

DRAWN = pytest.mark.parametrize("each", sampled((0, 2), keep=(0,)))
"""How many traces of every family are drawn; the written ones, half of all, have every family on both kinds of page."""


@functools.cache
def traces(each: int) -> list[Trace]:
    return written() + (drawn(SEED, each) if each else [])


@DRAWN
def test_there_are_enough_of_each_and_half_are_drawn(each: int) -> None:
    found = traces(each)
    assert sum(trace.is_loop for trace in found) >= 40 + 20 * each
    assert sum(not trace.is_loop for trace in found) >= 40 + 20 * each
    assert len(traces(0)) * (1 + each // 2) == len(found)


def test_the_same_seed_draws_the_same_traces() -> None:
    families = [next(iter(LOOPS)), next(iter(HONEST))]  # one of each kind: each takes a second
    assert drawn(SEED, 1, families) == drawn(SEED, 1, families)
    assert drawn(SEED, 1, families) != drawn(SEED + 1, 1, families)


@DRAWN
def test_the_goals_are_reached_and_the_rules_of_others_are_far_from_them(each: int) -> None:
    scores = {name: judge(detector, traces(each)).score for name, detector in DETECTORS.items()}
    # Three failed tries before the fourth one works look like a loop, beside a clock as without one.
    assert scores[OURS].precision >= 0.96
    assert scores[OURS].recall >= 0.98
    assert all(score.f1 < scores[OURS].f1 - 0.2 for name, score in scores.items() if name != OURS)


def test_pilo_warns_on_the_fourth_call_and_aborts_a_calendar() -> None:
    assert pilo(traced("a_button_that_does_nothing", Variation(churns=True))) == 4
    assert pilo(traced("months_of_a_calendar", Variation())) == 4
    assert pilo(traced("scrolling_at_the_end", Variation())) is None
    assert pilo(traced("a_call_that_fails_every_time", Variation())) is None
    assert stillframe(traced("months_of_a_calendar", Variation())) is None


def test_browser_use_speaks_at_the_fifth_and_goes_by_numbers_of_elements() -> None:
    assert browser_use(traced("a_button_that_does_nothing", Variation())) == 5
    restless = Variation(churns=True, noise=Noise(clock=True))
    assert browser_use(traced("a_button_that_does_nothing", restless)) is None
    assert browser_use(traced("waiting_for_nothing", Variation())) == 5


def test_a_page_that_does_nothing_looks_the_same_and_one_that_does_does_not() -> None:
    def looks(name: str) -> set[bytes]:
        return {Snapshot.from_cdp(seen.before).digests.visible for seen in traced(name, Variation()).seen}

    assert len(looks("a_button_that_does_nothing")) == 1
    assert len(looks("months_of_a_calendar")) == 6
    assert len(looks("a_menu_that_is_opened_and_closed")) == 2


def test_a_page_without_the_element_says_so() -> None:
    assert traced("a_call_that_fails_every_time", Variation(pick=2)).seen[0].failed == "element_not_found"
    assert Dead(["Go"]).act(Call("click_element", "b0")) == ""


def test_families_are_of_one_kind() -> None:
    assert not set(LOOPS) & set(HONEST)
    assert min(len(LOOPS), len(HONEST)) >= 20
