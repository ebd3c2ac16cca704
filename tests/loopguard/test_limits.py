"""Thresholds, presets, and invalid limits."""

from __future__ import annotations

import pytest

import stillframe
from stillframe.errors import OptionInvalid
from stillframe.loopguard import LoopGuard, LoopLimits, LoopStep, Threshold, action_signature


def test_presets_by_name() -> None:
    assert LoopLimits.named("stillframe") == LoopLimits()
    assert LoopLimits.named("pilo") == LoopLimits.pilo(2)
    assert LoopLimits.named("pilo").repeat == Threshold(4, None, 5)
    assert LoopLimits.named("browser-use").stagnant == Threshold(5)


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one() -> None:
    with pytest.raises(OptionInvalid, match="pilo"):
        LoopLimits.named("pillo")


@pytest.mark.parametrize("calls", [(1, None, None), (4, 3, None), (None, 5, 4), (0, 0, 0)])
def test_thresholds_begin_with_the_second_call_and_are_in_order(calls: tuple[int | None, ...]) -> None:
    with pytest.raises(OptionInvalid):
        Threshold(*calls)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(OptionInvalid):
        LoopLimits.pilo(-1)
    with pytest.raises(OptionInvalid):
        LoopLimits(window=1)
    with pytest.raises(OptionInvalid):
        LoopGuard(mode="loud")  # type: ignore[arg-type]


def test_rules_that_are_none_do_not_speak() -> None:
    guard = LoopGuard(LoopLimits(repeat=None, cycle=None, failing=None, stagnant=None))
    assert not any(guard.before(LoopStep(signature=action_signature("click_element"))) for _ in range(50))


def test_browser_use_only_advises() -> None:
    guard = LoopGuard(LoopLimits.named("browser-use"), mode="refuse")
    told = [guard.before(LoopStep(signature=action_signature("click_element"))) for _ in range(30)]
    assert {event.level for events in told for event in events} == {"warn"}


def test_the_names_are_exported() -> None:
    assert stillframe.LoopGuard is LoopGuard
    assert stillframe.LoopLimits is LoopLimits
    assert stillframe.LoopEvent.__name__ == "LoopEvent"


def test_memory_is_bounded() -> None:
    guard = LoopGuard()
    for n in range(5000):
        guard.before(LoopStep(signature=action_signature("extract", value=str(n)), position=str(n)))
        guard.after("element_not_found")
    for name, holder in vars(guard).items():
        for inner, value in vars(holder).items() if hasattr(holder, "__dict__") else ():
            assert not hasattr(value, "__len__") or len(value) <= 1000, (name, inner)
    assert len(guard.recent) <= 100
