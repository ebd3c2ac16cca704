"""Make a script from a scenario in words: split it into steps, let the orchestrator carry them out, write down how."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec

from stillframe import Page
from stillframe.agent.decision import DecisionPart
from stillframe.agent.errors import DecisionInvalid, ModelFailed, ModelRefused
from stillframe.agent.limits import Limits
from stillframe.agent.outcome import Outcome, Usage
from stillframe.agent.step import Step
from stillframe.errors import OptionInvalid
from stillframe.model.options import Expect
from stillframe.model.validation import json_names, read_problem
from stillframe.scripts.script import Script, script_name
from stillframe.security.untrusted_text import neutralize

if TYPE_CHECKING:
    from pydantic_ai.models import Model

MAX_STEPS = 10
"""Steps of a generated script; more of them are joined into the last one."""
MAX_SCENARIO_CHARS = 20_000
BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
"""What a line of a list begins with."""

INSTRUCTIONS = f"""You split a scenario for a web page into steps, at most {MAX_STEPS}. A step is one thing that a user
does or verifies, in the words and the order of the scenario; add nothing. Reply with one JSON object: `steps`, a list
of {{"goal", "check"}}. `check` is optional and says how the page shows that the step is done, only if the scenario says
so itself: {{"text": "…"}} for a text on the page, or {{"url": "…"}} for a part of its URL."""


class PlannedCheck(DecisionPart, frozen=True, kw_only=True):
    """How the page shows that a step is done: exactly one of a text on it and a part of its URL."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)] | None = None
    url: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)] | None = None


class PlannedStep(DecisionPart, frozen=True, kw_only=True):
    """One step of a plan."""

    goal: Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]
    check: PlannedCheck | None = None


class ScenarioSteps(DecisionPart, frozen=True, kw_only=True):
    """The steps of a scenario."""

    steps: Annotated[tuple[PlannedStep, ...], msgspec.Meta(min_length=1, max_length=MAX_STEPS)]


class Generated(NamedTuple):
    """A script that was made, and the run that made it; `usage` and `price` are those of the plan alone."""

    script: Script | None
    outcome: Outcome
    usage: Usage
    price: Decimal | None


async def generate(
    page: Page, model: Model | str, scenario: str, *, limits: Limits | None = None, name: str | None = None
) -> Generated:
    """Carry out a scenario on a page and return the script of what was done; failed steps are part of it.

    A model that makes no plan is not an error: each line of the scenario is then a step.

    Args:
        page: The page.
        model: The model, or its name.
        scenario: What to do, in words.
        limits: What the run may use at most.
        name: The name of the script; by default a short form of the scenario.

    Raises:
        OptionInvalid: The scenario is empty, or the name is wrong.
        ModelRefused: There is no such model, or it does not take the key.
    """
    from stillframe.agent.orchestrator import Orchestrator

    if not scenario.strip() or len(scenario) > MAX_SCENARIO_CHARS:
        raise OptionInvalid(f"scenario: expected 1 to {MAX_SCENARIO_CHARS:,} characters", option="scenario")
    limits = limits or Limits()
    spent = _Spent()
    steps = await _planned(model, scenario, limits, spent)
    outcome = await Orchestrator(page, model, limits=spent.left_of(limits)).run(scenario, steps=steps)
    script = outcome.script
    if script is not None:
        script = msgspec.structs.replace(script, name=script_name(name or scenario))
    return Generated(script, outcome, spent.usage, spent.price)


def steps_of_lines(scenario: str) -> list[Step]:
    r"""Return one step for each line of a scenario, without bullets and numbers; what is too many joins the last one.

    >>> [step.goal for step in steps_of_lines("1. Open the shop\n- Buy tea")]
    ['Open the shop', 'Buy tea']
    """
    lines = [line for line in (BULLET.sub("", line).strip() for line in scenario.splitlines()) if line]
    first, rest = lines[: MAX_STEPS - 1], lines[MAX_STEPS - 1 :]
    return [Step(goal) for goal in [*first, *([". ".join(rest)] if rest else [])]]


def parse_plan(reply: Mapping[str, Any]) -> list[Step]:
    """Return the steps of a model's reply; raises DecisionInvalid."""
    try:
        plan = msgspec.convert(dict(reply), ScenarioSteps)
        return [Step(step.goal, _expect(step.check)) for step in plan.steps]
    except msgspec.ValidationError as error:
        names = json_names(ScenarioSteps).values()
        problem = read_problem(error, ScenarioSteps, {name: name for name in names}, what="key")
        raise DecisionInvalid(problem.reason, field=problem.field) from None
    except OptionInvalid as error:
        raise DecisionInvalid(str(error), field="steps") from None


class _Spent:
    """What the plan has cost."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.price: Decimal | None = Decimal(0)

    def add(self, usage: Usage, price: Decimal | None) -> None:
        self.usage += usage
        self.price = None if self.price is None or price is None else self.price + price

    def left_of(self, limits: Limits) -> Limits:
        """Return the limits of the run that follows: without the tokens and the money of the plan."""
        tokens = limits.budget_tokens and max(0, limits.budget_tokens - self.usage.tokens)
        usd = limits.budget_usd and max(0.0, limits.budget_usd - float(self.price or 0))
        return msgspec.structs.replace(limits, budget_tokens=tokens, budget_usd=usd)


async def _planned(model: Model | str, scenario: str, limits: Limits, spent: _Spent) -> list[Step]:
    from stillframe.agent.asking import Allowance, Asker
    from stillframe.agent.instructions import inlined

    asker = Asker(
        model,
        name="plan",
        instructions=INSTRUCTIONS,
        schema=inlined(ScenarioSteps),
        parse=parse_plan,
        corrections=limits.max_invalid_replies,
        spend=spent.add,
    )
    seconds = limits.model_timeout if limits.timeout is None else min(limits.model_timeout, limits.timeout)
    usd = None if limits.budget_usd is None else Decimal(str(limits.budget_usd))
    allowance = Allowance(seconds, limits.budget_tokens, usd)
    try:
        return await asker.ask(neutralize(scenario), (), allowance)
    except ModelRefused:
        raise
    except ModelFailed:
        return steps_of_lines(scenario)


def _expect(check: PlannedCheck | None) -> Expect | None:
    return None if check is None else Expect(text=check.text, url=check.url)
