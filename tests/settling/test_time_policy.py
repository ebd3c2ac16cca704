"""The speed of a page's clock, decided without a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.settling.rows import PendingRow
from stillframe.settling.signals import Call
from stillframe.settling.time_policy import SHORT_MS, STEP_MS, ScheduledWork, bound, choose
from stillframe.tab.clock.virtual_time import FENCE_TIME, MIN_MS, PAUSE, REAL_TIME, VirtualTimePolicy, advance

NOW = 1000.0
OUTSIDE = [
    "request",
    "navigation",
    "document",
    "frame",
    "websocket",
    "stream",
    "worker",
    "download",
    "animation",
    "task",
]


def row(kind: str, realm: str = "main") -> PendingRow:
    return PendingRow(kind, "key", "what", NOW, realm=realm)


def call(due_ms: float | None, kind: str = "setTimeout") -> Call:
    return Call(kind, "key", "what", 0.0, due_ms)


def due(*times: float | None) -> ScheduledWork:
    return ScheduledWork(tuple(call(ms) for ms in times))


def test_nothing_left_but_the_quiet_window_is_jumped() -> None:
    assert choose(NOW, NOW + 470, [], fencing=False, workers=()) == advance(470)


def test_timers_of_a_document_are_jumped_and_those_of_a_worker_are_not() -> None:
    timers = [row("timer", "document"), row("indicator")]
    assert choose(NOW, NOW + 300, timers, fencing=False, workers=("w1",)) == advance(300)
    assert choose(NOW, NOW + 300, [*timers, row("timer", "w1")], fencing=False, workers=("w1",)) == REAL_TIME


@pytest.mark.parametrize("kind", OUTSIDE)
def test_what_comes_from_outside_comes_in_its_own_time(kind: str) -> None:
    assert choose(NOW, NOW + 300, [row("timer"), row(kind)], fencing=False, workers=()) == REAL_TIME


def test_a_fence_takes_real_frames() -> None:
    assert choose(NOW, NOW + 300, [], fencing=True, workers=()) == FENCE_TIME


def test_a_fence_gives_idle_callbacks_real_time() -> None:
    waits = PendingRow("timer", "t", "requestIdleCallback", NOW)
    assert choose(NOW, NOW + 300, [waits], fencing=True, workers=()) == REAL_TIME


def test_without_an_order_to_be_woken_there_is_nowhere_to_jump_to() -> None:
    assert choose(NOW, None, [], fencing=False, workers=()) == REAL_TIME


def test_a_jump_ends_at_the_first_thing_that_is_due() -> None:
    assert bound(advance(470), due(300, 120, 900)) == advance(120)
    assert bound(advance(470), due(900)) == advance(470)
    assert bound(advance(470), due()) == advance(470)


def test_what_was_due_has_run() -> None:
    assert bound(advance(470), due(-5, 0, 30)) == advance(30)
    assert bound(advance(470), due(-5)) == advance(470)


def test_what_is_due_within_a_frame_is_passed_at_once() -> None:
    assert bound(advance(470), due(0.2, 300)) == advance(SHORT_MS)
    assert bound(advance(5), due(0.2)) == advance(5)


def test_no_jump_is_shorter_than_what_timers_are_rounded_to() -> None:
    assert advance(0.2) == advance(MIN_MS)


@pytest.mark.parametrize("unknown", [call(None, "indexedDB"), call(10, "requestAnimationFrame")])
def test_what_no_clock_ends_is_not_jumped_over(unknown: Call) -> None:
    assert bound(advance(470), ScheduledWork((call(300), unknown))) == REAL_TIME


def test_without_calls_the_page_is_passed_in_steps() -> None:
    assert bound(advance(470), None) == advance(STEP_MS)
    assert bound(advance(20), None) == advance(20)


def test_what_recurs_keeps_its_beats_apart() -> None:
    assert bound(advance(470), ScheduledWork((), recurs=True)) == advance(STEP_MS)
    assert bound(advance(470), ScheduledWork((call(20),), recurs=True)) == advance(20)


@pytest.mark.parametrize("policy", [PAUSE, REAL_TIME])
def test_only_jumps_are_bounded(policy: VirtualTimePolicy) -> None:
    assert bound(policy, due(1)) is policy


@given(st.floats(0, 1e5), st.lists(st.none() | st.floats(-1e3, 1e5)), st.booleans())
def test_no_jump_goes_beyond_what_is_due_or_was_ordered(wanted: float, ends: list[float | None], known: bool) -> None:
    policy = bound(advance(wanted), due(*ends) if known else None)
    assert policy.budget_ms <= max(MIN_MS, wanted)
    if known and policy.budget_ms:
        assert None not in ends
        assert all(policy.budget_ms <= max(SHORT_MS, ms) for ms in ends if ms is not None and ms > 0)
    if not known:
        assert MIN_MS <= policy.budget_ms <= STEP_MS


@given(st.lists(st.sampled_from([*OUTSIDE, "timer", "indicator"])), st.floats(-10, 1e5), st.booleans())
def test_time_is_jumped_only_when_nothing_outside_is_left(kinds: list[str], ahead: float, fencing: bool) -> None:
    policy = choose(NOW, NOW + ahead, [row(kind) for kind in kinds], fencing=fencing, workers=())
    assert bool(policy.budget_ms) == (not fencing and not set(kinds) & set(OUTSIDE))
