"""Steps: how a goal is divided, and which goals are refused."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.agent import Step
from stillframe.agent.step import MAX_GOAL_CHARS, MAX_STEPS, parse_steps
from stillframe.errors import OptionInvalid
from stillframe.model.options import Expect

CHECK, OTHER = Expect(text="Saved"), Expect(text="Logged in")

STEPS: list[tuple[list[Step | str], Expect | None, tuple[Step, ...]]] = [
    ([], None, (Step("Buy"),)),
    ([], CHECK, (Step("Buy", CHECK),)),
    (["log in", "pay"], CHECK, (Step("log in"), Step("pay", CHECK))),
    ([Step("log in", OTHER), "pay"], None, (Step("log in", OTHER), Step("pay"))),
    ([Step("log in", OTHER)], CHECK, (Step("log in", OTHER),)),
]


@pytest.mark.parametrize(("steps", "check", "parsed"), STEPS)
def test_the_steps_of_a_goal(steps: list[Step | str], check: Expect | None, parsed: tuple[Step, ...]) -> None:
    assert parse_steps("Buy", steps, check) == parsed


@pytest.mark.parametrize(
    ("goal", "steps"),
    [("", ()), (" \n", ()), ("a" * (MAX_GOAL_CHARS + 1), ()), (3, ()), (None, ()), ("Buy", [""]), ("Buy", "log in"),
     ("Buy", ["pay"] * (MAX_STEPS + 1)), ("Buy", [3])],
)  # fmt: skip
def test_wrong_goals_and_steps(goal: Any, steps: Any) -> None:
    with pytest.raises(OptionInvalid):
        parse_steps(goal, steps, None)
