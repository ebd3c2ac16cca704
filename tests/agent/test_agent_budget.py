"""The counts of a run, with the time as an argument: what is left, what is used up, and which limit says so."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from stillframe.agent import Limits, Usage
from stillframe.agent.budget import Budget, StepBudget

USED = Usage(calls=1, input_tokens=90, output_tokens=10)

ENDINGS: list[tuple[dict[str, Any], float, str | None]] = [
    ({}, 10**6, None),
    ({"timeout": 10}, 9.9, None),
    ({"timeout": 10}, 10, "timeout: 10 s are used up"),
    ({"timeout": 0}, 0, "timeout: 0 s are used up"),
    ({"budget_tokens": 101}, 0, None),
    ({"budget_tokens": 100}, 0, "budget_tokens: 100 tokens are used up"),
    ({"budget_tokens": 0}, 0, "budget_tokens: 0 tokens are used up"),
    ({"budget_usd": 0.011}, 0, None),
    ({"budget_usd": 0.01}, 0, "budget_usd: 0.01 US dollars are used up"),
    ({"max_total_iterations": 2}, 0, None),
    ({"max_total_iterations": 1}, 0, "max_total_iterations: 1 iterations are used up"),
]


@pytest.mark.parametrize(("limits", "now", "reason"), ENDINGS)
def test_the_limit_that_ends_a_run(limits: dict[str, Any], now: float, reason: str | None) -> None:
    budget = Budget(Limits(**limits), started=0)
    budget.begin_iteration()
    budget.spend(USED, Decimal("0.01"))
    ending = budget.turn_ending(now)
    assert (ending.reason if ending else None) == reason
    assert ending is None or ending.status == "limit"
    if "max_total_iterations" in limits:
        assert budget.run_ending(now) is None, "a turn that has begun may end"


def test_what_is_left_is_never_negative() -> None:
    budget = Budget(Limits(timeout=5, budget_tokens=50, budget_usd=0.005), started=100)
    assert (budget.seconds_left(101), budget.tokens_left(), budget.usd_left()) == (4, 50, Decimal("0.005"))
    budget.spend(USED, Decimal("0.01"))
    assert (budget.seconds_left(200), budget.tokens_left(), budget.usd_left()) == (0, 0, 0)
    assert budget.seconds(200) == 100


def test_nothing_is_limited_by_default() -> None:
    budget = Budget(Limits(), started=0)
    assert (budget.seconds_left(0), budget.tokens_left(), budget.usd_left()) == (None, None, None)


def test_a_price_that_is_unknown_once_stays_unknown() -> None:
    budget = Budget(Limits(), started=0)
    for price in (Decimal(1), None, Decimal(1)):
        budget.spend(USED, price)
    assert budget.price is None
    assert budget.usage == Usage(calls=3, input_tokens=270, output_tokens=30)


STEPS: list[tuple[dict[str, Any], list[tuple[bool, bool, bool]], str | None]] = [
    ({}, [], None),
    ({}, [(True, True, False)] * 2, None),
    ({}, [(True, True, False)] * 3, "max_consecutive_iteration_failures: 3 turns in a row failed"),
    ({}, [(True, True, False), (True, False, False)] * 3, None),
    ({"max_consecutive_iteration_failures": 1}, [(True, True, False)], "max_consecutive_iteration_failures: 1 turn"),
    ({}, [(False, False, True)] * 2, None),
    ({}, [(False, False, True)] * 3, "max_tool_rounds: 3 turns in a row only called tools"),
    ({}, [(False, False, True), (False, False, True), (True, False, True)] * 2, None),
    ({"max_tool_rounds": 0}, [(False, False, True)], "max_tool_rounds: 1 turn"),
    ({"max_tool_rounds": 0}, [(True, False, False)], None),
    ({}, [(True, False, False)] * 8, "max_iterations_per_step: 8 iterations"),
    ({}, [(False, False, False)] * 3, None),
    ({}, [(False, False, False)] * 4, "max_idle_iterations: 4 turns in a row did nothing"),
    ({}, [(False, False, False)] * 3 + [(False, False, True)], None),
    ({"max_iterations_per_step": 0}, [], "max_iterations_per_step: 0 iterations"),
]


@pytest.mark.parametrize(("limits", "turns", "reason"), STEPS)
def test_the_limit_that_ends_a_step(
    limits: dict[str, Any], turns: list[tuple[bool, bool, bool]], reason: str | None
) -> None:
    step = StepBudget(Limits(**limits))
    for ran, failed, called_tools in turns:
        step.begin_iteration()
        step.record(ran=ran, failed=failed, called_tools=called_tools)
    ending = step.ending()
    assert ending is None if reason is None else ending is not None and ending.reason.startswith(reason)


def test_the_warning_comes_one_failure_before_the_end() -> None:
    step = StepBudget(Limits())
    warned = []
    for _ in range(3):
        step.record(ran=True, failed=True, called_tools=False)
        warned.append(step.is_last_try)
    assert warned == [False, True, False]


def test_explorations_count_in_the_turn_the_step_and_the_run() -> None:
    limits = Limits(max_explorations_per_iteration=1, max_explorations_per_step=2, max_exploration_steps=3)
    budget = Budget(limits, started=0)
    refused = []
    for _ in range(3):
        budget.begin_iteration()
        refused += [budget.explore(), budget.explore()]
    budget.begin_step()
    for _ in range(2):
        budget.begin_iteration()
        refused.append(budget.explore())
    first, second, third = (f"max_exploration{name}" for name in ("s_per_iteration", "s_per_step", "_steps"))
    assert refused == [None, first, None, first, second, second, None, third]
    assert budget.explorations == 3


@pytest.mark.parametrize("most", [0, 2, None])
def test_screenshots_are_counted_by_step(most: int | None) -> None:
    budget = Budget(Limits(max_screenshots_per_step=most), started=0)
    for _ in range(2):
        allowed = [most is None or number < most for number in range(3)]
        assert [budget.step.screenshot() for _ in range(3)] == allowed
        budget.begin_step()


def test_steps_that_fail_in_a_row_end_the_run_after_a_warning() -> None:
    budget = Budget(Limits(max_consecutive_step_failures=2), started=0)
    seen = []
    for completed in (False, True, False, False):
        budget.end_step(completed=completed)
        ending = budget.steps_ending()
        seen.append((budget.is_last_step, ending and ending.reason))
    assert seen == [
        (True, None),
        (False, None),
        (True, None),
        (False, "max_consecutive_step_failures: 2 steps in a row failed"),
    ]


def test_one_failed_step_may_end_the_run_without_a_warning() -> None:
    budget = Budget(Limits(max_consecutive_step_failures=1), started=0)
    assert (budget.is_last_step, budget.steps_ending()) == (False, None)
    budget.end_step(completed=False)
    assert budget.steps_ending() is not None
