"""A step of a goal: what it is to achieve, and how the page shows that it did."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.model.options import Expect
from stillframe.model.validation import Validated

MAX_GOAL_CHARS = 20_000
MAX_STEPS = 100


def _step_invalid(message: str, field: str | None) -> OptionInvalid:
    return OptionInvalid(message, option=f"steps.{field}" if field else "steps")


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, metaclass=Validated):
    """One step: its goal in words and, where the page can show it, the `check` that tells that the step is complete."""

    goal: str
    check: Expect | None = None

    invalid = staticmethod(_step_invalid)

    def __post_init__(self) -> None:
        if not self.goal.strip() or len(self.goal) > MAX_GOAL_CHARS:
            raise OptionInvalid(f"a goal has 1 to {MAX_GOAL_CHARS:,} characters, not {len(self.goal):,}", option="goal")


def parse_steps(goal: str, steps: Sequence[Step | str], check: Expect | None) -> tuple[Step, ...]:
    """Return the steps of a goal, or the goal itself as its only step; the last one has the check of the goal.

    Raises OptionInvalid for a goal without words and for more than MAX_STEPS steps.
    """
    if not isinstance(goal, str):
        raise OptionInvalid(f"goal must be a string, not {type(goal).__name__}", option="goal")
    if isinstance(steps, str) or len(steps) > MAX_STEPS:
        raise OptionInvalid(f"steps must be a list of at most {MAX_STEPS} goals", option="steps")
    whole = Step(goal, check)
    parsed = [step if isinstance(step, Step) else Step(step) for step in steps]
    if check is not None and parsed and parsed[-1].check is None:
        parsed[-1] = msgspec.structs.replace(parsed[-1], check=check)
    return tuple(parsed) or (whole,)
