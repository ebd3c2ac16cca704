"""Compares the count of each rule with a slow and simple function of the whole history."""

from __future__ import annotations

import math
from itertools import groupby, pairwise

from hypothesis import given
from hypothesis import strategies as st

from stillframe.loopguard import LoopGuard, LoopLimits, LoopStep, Threshold, action_signature
from stillframe.loopguard.rules import CycleCounter, FailureCounter, RepeatCounter, StagnationCounter
from stillframe.loopguard.step import page_key, step_key

LIMITS = LoopLimits(window=8)
ACTIONS = ("click_element", "set_value", "scroll", "wait", "extract", "press_key")

steps = st.builds(
    LoopStep,
    signature=st.builds(action_signature, st.sampled_from(ACTIONS), value=st.sampled_from("xy")),
    page_state=st.sampled_from(["one", "two"]),
    element_state=st.sampled_from(["", "on"]),
    url=st.sampled_from(["http://a/", "http://a/", "http://b/"]),
    position=st.sampled_from(["top", "middle", "end"]),
)
histories = st.lists(steps, max_size=40) | st.lists(steps, min_size=1, max_size=3).flatmap(
    lambda once: st.lists(st.sampled_from(once), max_size=40)
)


@given(histories)
def test_repeats(history: list[LoopStep]) -> None:
    repeats = RepeatCounter(LIMITS.exempt)
    for n, step in enumerate(history, 1):
        assert repeats.count(step) == row_length(history[:n])


def row_length(history: list[LoopStep]) -> int:
    """Return the number of steps at the end that are identical to the last one."""
    last = history[-1]
    if last.signature.action in LIMITS.exempt:
        return 0
    count = 0
    for step in reversed(history):
        if step_key(step) != step_key(last):
            break
        count += 1
    return count


@given(histories)
def test_cycles(history: list[LoopStep]) -> None:
    cycles = CycleCounter(LIMITS.exempt, LIMITS.window)
    for n, step in enumerate(history, 1):
        assert cycles.count(step) == round_of(history[:n])


def round_of(history: list[LoopStep]) -> int:
    """Return the round of the last step, from all steps since the last new one."""
    counted = [step for step in history if step.signature.action not in LIMITS.exempt]
    if not counted or counted[-1] is not history[-1]:
        return 0
    keys = [key for key, _ in groupby(map(step_key, counted))]
    if len(counted) > 1 and step_key(counted[-1]) == step_key(counted[-2]):
        return 0
    is_new = [key not in keys[max(0, n - LIMITS.window) : n] for n, key in enumerate(keys)]
    stretch = keys[len(keys) - is_new[::-1].index(True) :]
    different = len(set(stretch))
    return 0 if different < 2 else 1 + math.ceil(len(stretch) / different)


@given(st.lists(st.tuples(steps, st.booleans()), max_size=40))
def test_failures(history: list[tuple[LoopStep, bool]]) -> None:
    failures = FailureCounter()
    for n, (step, failed) in enumerate(history):
        assert failures.count(step) == nth_failing(history[:n], step)
        failures.failed(step) if failed else failures.succeeded(step)


def nth_failing(history: list[tuple[LoopStep, bool]], asked: LoopStep) -> int:
    """Return one more than the failures of the action on that page since its last success there, 0 without failures."""
    outcomes = [
        failed for step, failed in history if (step.signature, page_key(step)) == (asked.signature, page_key(asked))
    ]
    since = outcomes[::-1].index(False) if False in outcomes else len(outcomes)
    return since + 1 if since else 0


@given(histories)
def test_stagnation(history: list[LoopStep]) -> None:
    stagnation = StagnationCounter(LIMITS)
    for n, step in enumerate(history, 1):
        assert stagnation.count(step) == calls_on_this_page(history[:n])


def calls_on_this_page(history: list[LoopStep]) -> int:
    """Count the last step and the steps before it on the unchanged page that neither moved nor read anything new."""
    start = len(history)
    while start and page_key(history[start - 1]) == page_key(history[-1]):
        start -= 1
    here = history[start:]
    of_use = 0
    for n, (step, then) in enumerate(pairwise(here)):
        action = step.signature.action
        seen = {each.position for each in here[: n + 1]}
        read = {(each.signature, each.position) for each in here[:n]}
        moved = action in LIMITS.moving and then.position not in seen
        learned = action in LIMITS.reading and (step.signature, step.position) not in read
        of_use += moved or learned
    return len(here) - of_use


@given(histories, st.integers(2, 5), st.sampled_from(["warn", "refuse"]))
def test_nothing_is_ever_raised_and_levels_only_rise(history: list[LoopStep], first: int, mode: str) -> None:
    limits = LoopLimits(repeat=Threshold(first, first + 1, first + 2), stagnant=None, cycle=None, failing=None)
    guard = LoopGuard(limits, mode=mode)  # type: ignore[arg-type]
    for n, step in enumerate(history, 1):
        was_aborted = guard.aborted is not None
        events = guard.before(step)
        guard.after()
        if was_aborted and guard.aborted:
            assert [event.level for event in events] == ["abort"]
        elif events:
            (event,) = events
            assert event.count >= first
            assert event.iteration == n
