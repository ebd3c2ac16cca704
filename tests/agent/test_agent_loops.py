"""Loops of a model: it is warned, and the step ends as a loop, not as a limit."""

from __future__ import annotations

import pytest
from scripted import call, click, commands, done, idle, run, tools

from site_server import Site
from stillframe.agent.events import TurnEnded
from stillframe.agent.limits import Limits
from stillframe.api.browser import Page
from stillframe.loopguard import LoopGuard, LoopLimits

NOTHING = (
    "<button id=nothing>Nothing</button><button id=go onclick=\"out.textContent = 'Gone'\">Go</button><p id=out></p>"
)
CLICK = commands(click("#nothing"))


@pytest.fixture
async def still(page: Page, site: Site) -> Page:
    await page.goto(site.html("/still", NOTHING))
    return page


async def test_replies_that_only_go_on_are_a_loop(still: Page) -> None:
    ran = await run(still, idle())
    assert (ran.outcome.status, ran.model.calls) == ("loop", 4)
    assert ran.outcome.reason == "max_idle_iterations: 4 turns in a row did nothing"
    told = [
        prompt.count("nothing was done, because the reply had no command and no tool") for prompt in ran.model.prompts
    ]
    assert [number > 0 for number in told] == [False, True, True, True]
    assert "(3 in a row; 4 end the step as a loop)" in ran.model.prompts[3]


async def test_eight_replies_that_only_go_on_are_a_loop_and_no_limit(still: Page) -> None:
    ran = await run(still, idle(), limits=Limits(max_idle_iterations=8))
    assert (ran.outcome.status, ran.model.calls) == ("loop", 8)


async def test_tools_and_commands_between_are_not_a_loop(still: Page) -> None:
    looks = tools(call("recall_history"))
    ran = await run(still, idle(), idle(), idle(), looks, idle(), idle(), commands(click("#go")), done())
    assert ran.outcome.status == "complete"


async def test_an_action_that_the_loop_guard_aborts_ends_its_step_as_a_loop(still: Page) -> None:
    ran = await run(still, CLICK, limits=Limits(max_iterations_per_step=20))
    assert (ran.outcome.status, ran.model.calls) == ("loop", 8)
    assert ran.outcome.reason.startswith('repeat: click_element button "nothing"')
    assert [turn.loop for turn in ran.turns] == [None] * 3 + ["warn"] * 4 + ["abort"]
    assert "loop guard: warn" in str(ran.of(TurnEnded)[3])
    assert "LOOP warn (repeat, 4)" in ran.model.prompts[4]


async def test_a_loop_that_only_gets_a_warning_is_not_a_limit_either(still: Page) -> None:
    ran = await run(still, CLICK, limits=Limits(max_iterations_per_step=6))
    assert (ran.outcome.status, ran.model.calls) == ("loop", 6)
    assert "max_iterations_per_step: 6" in ran.outcome.reason
    ran = await run(still, CLICK, limits=Limits(max_total_iterations=5))
    assert (ran.outcome.status, ran.model.calls) == ("loop", 5)
    assert "max_total_iterations: 5" in ran.outcome.reason


async def test_actions_that_the_loop_guard_refuses_are_a_loop_and_no_failures(still: Page) -> None:
    still.loop_guard = LoopGuard(mode="refuse")
    try:
        ran = await run(still, CLICK, limits=Limits(max_consecutive_iteration_failures=2))
    finally:
        still.loop_guard = None
    assert ran.outcome.status == "loop"
    assert "max_consecutive_iteration_failures: 2" in ran.outcome.reason
    assert [turn.loop for turn in ran.turns][-2:] == ["refuse"] * 2


async def test_the_step_after_a_loop_may_act_and_so_may_the_caller(still: Page) -> None:
    guard = still.loop_guard = LoopGuard(LoopLimits.pilo())
    try:
        ran = await run(still, *[CLICK] * 5, commands(click("#go"), status="complete"), steps=["press", "go"])
        assert [step.status for step in ran.outcome.steps] == ["loop", "complete"]
        assert guard.aborted is None
        assert guard.counts["reset.step"] == 1
        assert (await still.execute_sequence([{"action": "click_element", "selector": "#nothing"}])).failed is None
    finally:
        still.loop_guard = None


async def test_thoughts_lessons_and_flags_are_in_events_and_outcome(still: Page) -> None:
    reply = commands(
        click("#go"),
        reasoning="look",
        statusReasoning="not there yet",
        toolReasoning="no tool helps",
        commandReasoning="Go is the way",
        experiences=["Go goes"],
        siteLearnings=["Nothing does nothing"],
        selfReflection={"guidanceForNext": "read", "detectingLoop": True, "loopReasoning": "I was here before"},
        blockerDetected={"description": "none really"},
        memoryUpdate={"action": "pressed Go", "observation": "Gone", "extractedData": {"where": "Gone"}},
    )
    ran = await run(still, reply, done())
    turn = ran.turns[0]
    assert ran.of(TurnEnded)[0].turn == turn
    assert (turn.reasoning, turn.status_reasoning) == ("look", "not there yet")
    assert (turn.tool_reasoning, turn.command_reasoning) == ("no tool helps", "Go is the way")
    assert (turn.detecting_loop, turn.loop_reasoning) == (True, "I was here before")
    assert (turn.experiences, turn.data) == (("Go goes", "Nothing does nothing"), ("where",))
    assert (turn.blocker, turn.observation) == ("none really", "pressed Go: Gone")
    assert ran.outcome.extracted == {"where": "Gone"}
    assert ran.outcome.experiences == ("Go goes", "Nothing does nothing")
    assert "noted: pressed Go: Gone" in ran.model.prompts[1]
    assert ran.model.calls == 2


async def test_a_tool_call_by_the_names_of_other_agents_costs_no_correction(still: Page) -> None:
    ran = await run(still, tools({"name": "recall_history", "params": {"query": "lamp"}}), done())
    assert (ran.tool_errors, ran.model.calls) == ([None], 2)
