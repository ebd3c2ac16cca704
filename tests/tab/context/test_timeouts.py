"""Which default limits a call, by what a page and its context say."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from stillframe.errors import OptionInvalid
from stillframe.tab.context.timeouts import Timeouts
from stillframe.tab.deadline import CALL_MS

CASES = [
    # (context: calls, navigations; page: calls, navigations; what holds on the page: calls, navigations)
    ((None, None), (None, None), (None, None)),
    ((10, None), (None, None), (10, 10)),
    ((10, 20), (None, None), (10, 20)),
    ((10, 20), (30, None), (30, 30)),
    ((10, 20), (None, 40), (10, 40)),
    ((10, 20), (30, 40), (30, 40)),
    ((None, 20), (None, None), (None, 20)),
    ((None, 20), (30, None), (30, 30)),
]


def made(parent: Timeouts | None, calls: float | None, navigations: float | None) -> Timeouts:
    timeouts = Timeouts(parent)
    timeouts.set_call(calls)
    timeouts.set_navigation(navigations)
    return timeouts


@pytest.mark.parametrize(("context", "page", "expected"), CASES, ids=str)
def test_the_nearest_default_holds(context: Any, page: Any, expected: Any) -> None:
    timeouts = made(made(None, *context), *page)
    assert (timeouts.call_ms, timeouts.navigation_ms) == expected
    assert (timeouts.of("text"), timeouts.of("goto")) == expected


def test_none_gives_back_the_default_above() -> None:
    timeouts = made(made(None, 10, None), 30, 40)
    assert timeouts.own == 2
    timeouts.set_call(None)
    timeouts.set_navigation(None)
    assert (timeouts.call_ms, timeouts.navigation_ms, timeouts.own) == (10, 10, 0)


def test_the_limit_of_a_call_comes_before_all_defaults() -> None:
    timeouts = made(None, 10, 20)
    assert timeouts.applied("text", {}) == {"timeout_ms": 10}
    assert timeouts.applied("reload", {"until": "load"}) == {"until": "load", "timeout_ms": 20}
    assert timeouts.applied("text", {"timeout_ms": None}) == {"timeout_ms": None}
    assert timeouts.applied("text", {"timeout_ms": CALL_MS}) == {"timeout_ms": 10}
    assert timeouts.applied("text", {"timeout_ms": float(CALL_MS)}) == {"timeout_ms": CALL_MS}
    assert made(None, None, None).applied("text", {}) == {}
    plain = made(None, None, None).applied("text", {"timeout_ms": CALL_MS})["timeout_ms"]
    assert (plain, type(plain)) == (CALL_MS, float)  # encoders refuse subclasses


@pytest.mark.parametrize("method", ["evaluate", "evaluate_all", "evaluate_handle"])
def test_scripts_of_the_caller_keep_their_own_limit(method: str) -> None:
    assert made(None, 10, 20).applied(method, {}) == {}


@pytest.mark.parametrize("value", [0, -1, nan, inf, 600_001, True, "5000", [5]], ids=str)
def test_what_is_not_a_limit_is_refused(value: Any) -> None:
    timeouts = Timeouts()
    with pytest.raises(OptionInvalid, match=r"set_default_timeout takes milliseconds, above 0") as caught:
        timeouts.set_call(value)
    assert caught.value.option == "timeout_ms"
    with pytest.raises(OptionInvalid, match="set_default_navigation_timeout"):
        timeouts.set_navigation(value)
    assert timeouts.own == 0


def test_seconds_are_told_apart_from_milliseconds() -> None:
    with pytest.raises(OptionInvalid, match=r"write 500 for 0\.5 seconds"):
        Timeouts().set_call(0.5)
