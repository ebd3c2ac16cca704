"""Scripts from scenarios: the plan of a model, and what happens without one."""

from __future__ import annotations

import pytest
from script_makers import SHOP, Replies, log_of

from site_server import Site
from stillframe.agent.limits import Limits
from stillframe.agent.script_generation import MAX_STEPS, generate, parse_plan, steps_of_lines
from stillframe.api.browser import Page
from stillframe.errors import DecisionInvalid, OptionInvalid
from stillframe.model.options import Expect
from stillframe.scripts.replay import replay


@pytest.mark.slow  # test_agent_t16_t30.py has this case
async def test_t19_a_scenario_becomes_a_script_that_runs_again(page: Page, site: Site) -> None:
    await page.goto(site.html("/shop", SHOP))
    replies = Replies(
        {"steps": [{"goal": "Fill in Ann"}, {"goal": "Verify the saving", "check": {"text": "save"}}]},
        {"status": "complete", "commands": [{"action": "set_value", "selector": "label=Name", "value": "Ann"}]},
        {"status": "complete", "commands": [{"action": "click", "selector": "text=Save order"}]},
    )

    made = await generate(page, replies.model, "Fill in Ann, and verify the saving")

    assert made.outcome.status == "complete"
    assert made.usage.calls == 1
    assert made.script is not None
    assert made.script.name == "fillInAnnAndVerifyTheSaving"
    assert [step.goal for step in made.script.steps] == ["Fill in Ann", "Verify the saving"]
    assert (await replay(page, made.script)).ok
    assert await log_of(page) == "name=Ann save"


async def test_without_a_plan_each_line_is_a_step(page: Page, site: Site) -> None:
    await page.goto(site.html("/shop", SHOP))
    bad = {"steps": []}
    done = {"status": "complete"}
    replies = Replies(bad, bad, bad, done, done)

    made = await generate(page, replies.model, "1. Look\n2. Leave", limits=Limits(max_invalid_replies=2))

    assert [step.goal for step in made.outcome.steps] == ["Look", "Leave"]


@pytest.mark.parametrize("scenario", ["", " \n", "x" * 20_001])
async def test_an_empty_or_enormous_scenario_is_refused(page: Page, scenario: str) -> None:
    with pytest.raises(OptionInvalid):
        await generate(page, Replies().model, scenario)


def test_more_lines_than_steps_join_the_last_one() -> None:
    steps = steps_of_lines("\n".join(f"- step {number}" for number in range(14)))

    assert len(steps) == MAX_STEPS
    assert steps[-1].goal == "step 9. step 10. step 11. step 12. step 13"


BAD = [
    {},
    {"steps": []},
    {"steps": [{"goal": ""}]},
    {"steps": [{"goal": " "}]},
    {"steps": [{"goal": "a"}] * 11},
    {"steps": [{"goal": "a", "check": {}}]},
    {"steps": [{"goal": "a", "check": {"text": "b", "url": "c"}}]},
    {"steps": [{"goal": "a", "code": "import os"}]},
]


@pytest.mark.parametrize("reply", BAD)
def test_a_wrong_plan_is_refused(reply: dict[str, object]) -> None:
    with pytest.raises(DecisionInvalid):
        parse_plan(reply)


def test_a_plan_may_say_how_a_step_shows() -> None:
    (step,) = parse_plan({"steps": [{"goal": "Pay", "check": {"url": "/thanks"}}]})

    assert step.check == Expect(url="/thanks")
