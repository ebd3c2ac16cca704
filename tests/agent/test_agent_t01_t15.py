"""T1 to T15: batches, limits, forbidden hosts, invalid replies, exploration, memory and blockers.

The cases are those of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

import pytest
from model_server import HANG, ModelServer, decided
from scripted import Ran, call, click, commands, done, explore, fill, idle, missing, run, tools

from site_server import Site
from stillframe.agent.events import TurnEnded
from stillframe.agent.limits import Limits
from stillframe.agent.orchestrator import Orchestrator
from stillframe.api.browser import Page
from stillframe.model.options import Expect

SAVE = (fill("#person", "Ann"), fill("#city", "Rome"))


async def text_of(page: Page, selector: str) -> str:
    return await page.locator(selector).text()


def results(ran: Ran, turn: int = 0) -> list[str]:
    """Return what became of each command of a turn."""
    return [command.result for command in ran.turns[turn].commands]


async def test_t01_a_batch_of_four_fails_at_the_third(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    ran = await run(page, commands(*SAVE, missing("#third"), click("#save")), done())
    assert results(ran) == ["ok", "ok", "failed", "not_run"]
    turn = ran.turns[0]
    assert turn.completed == 2
    assert turn.failed is not None
    assert "#third" in turn.failed.command
    assert "element_not_found" in (turn.failed.error or "")
    assert "2 of 4 commands done" in ran.model.prompts[1]
    assert "not_run click_element selector='#save'" in ran.model.prompts[1]
    assert await page.locator("#city").value() == "Rome"
    assert await text_of(page, "#saved") == ""
    assert ran.outcome.script is not None
    assert len(ran.outcome.script.steps[0].actions) == 2


@pytest.mark.slow  # the test below, and test_agent_bad_replies.py
async def test_t02_complete_after_a_failed_command_becomes_continue(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    ran = await run(page, commands(missing(), status="complete"), commands(click("#save"), status="complete"))
    assert ran.outcome.status == "complete"
    assert ran.model.calls == 2
    assert "status complete was not accepted" in ran.model.prompts[1]


async def test_t02_complete_without_its_check_becomes_continue(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stillframe.agent.commands.CHECK_MS", 300.0)
    await page.goto(site.url("/agent/form.html"))
    ran = await run(page, done(), commands(*SAVE, click("#save"), status="complete"), check=Expect(text="Saved Ann"))
    assert ran.outcome.status == "complete"
    assert ran.model.calls == 2
    assert "the check of the step does not hold: text 'Saved Ann'" in ran.model.prompts[1]


@pytest.mark.slow  # test_agent_bad_replies.py has this with 90 commands
async def test_t02_complete_is_not_believed_when_commands_were_cut(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    replies = commands(*SAVE, click("#save"), status="complete"), done()
    ran = await run(page, *replies, limits=Limits(max_commands_per_iteration=2))
    assert ran.model.calls == 2
    assert "status complete was not accepted" in ran.model.prompts[1]


async def test_t03_the_51st_turn_of_a_run_does_not_begin(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))

    turns = iter(range(1_000))
    ran = await run(
        page,
        lambda _: done() if next(turns) % 6 == 5 else idle(),
        steps=[f"step {number}" for number in range(20)],
        limits=Limits(max_idle_iterations=8),
    )
    assert ran.outcome.status == "limit"
    assert ran.outcome.reason.startswith("max_total_iterations: 50")
    assert ran.model.calls == 50
    assert [step.status for step in ran.outcome.steps] == ["complete"] * 8 + ["limit"] + ["skipped"] * 11


async def test_t03_the_run_ends_for_the_reason_that_ended_it(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    limits = Limits(max_total_iterations=10, max_idle_iterations=9)
    ran = await run(page, idle(), steps=[f"step {number}" for number in range(10)], limits=limits)
    assert ran.model.calls == 10
    assert ran.outcome.reason.startswith("max_total_iterations: 10")
    assert ran.outcome.steps[0].reason.startswith("max_iterations_per_step: 8")


@pytest.mark.parametrize("way", ["command", "tool", "link", "redirect", "script"])
async def test_t04_no_document_of_another_host_is_loaded(page: Page, site: Site, way: str) -> None:
    away = site.url("/agent/cart.html", host="localhost")
    redirect = site.url(f"/redirect?to={away}")
    body = f"""<h1>Start</h1><a id=link href="{away}">Away</a> <a id=redirect href="{redirect}">On</a>
        <button id=script onclick="location.href = '{away}'">Leave</button>"""
    start = site.html("/start", body)
    await page.goto(start)
    go = {
        "command": commands({"action": "navigate", "url": away}),
        "tool": tools(call("navigate_to_url", url=away)),
    }.get(way, commands(click(f"#{way}")))
    ran = await run(page, go, done(), limits=Limits(allowed_domains=("127.0.0.1",)))
    assert page.url == start
    assert "/agent/cart.html" not in site.requests
    assert "refused" in ran.model.prompts[1]
    assert "localhost" in ran.model.prompts[1]
    assert ran.outcome.status == "complete"
    if way == "command":
        assert "host is not in allowed_hosts" in (ran.turns[0].commands[0].error or "")
    # The page goes where it likes once the run is over.
    await page.goto(away)
    assert page.url == away


async def test_t05_the_ninth_turn_of_a_step_does_not_begin(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    ran = await run(page, commands(click("#count")))
    assert ran.outcome.status == "limit"
    assert ran.outcome.reason.startswith("max_iterations_per_step: 8")
    assert ran.model.calls == 8
    assert await text_of(page, "#clicks") == "8"
    assert ran.outcome.script is not None
    assert len(ran.outcome.script.steps[0].actions) == 8


async def test_t05_the_sixth_tool_call_of_a_turn_is_cut(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    ran = await run(page, tools(*[call("recall_history")] * 6), done())
    assert ran.turns[0].tools == ("recall_history",) * 5
    assert "max_tool_calls_per_iteration: 5 tools were called, 1 were not" in ran.model.prompts[1]


async def test_t05_the_sixth_command_of_a_turn_is_cut(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    ran = await run(page, commands(*[click("#count")] * 6), done())
    assert results(ran) == ["ok"] * 5
    assert await text_of(page, "#clicks") == "5"
    assert "max_commands_per_iteration: 5 commands were run, 1 were not" in ran.model.prompts[1]


async def test_t06_failures_in_a_row_warn_once_and_then_end_the_step(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    failing = commands(missing())
    ran = await run(page, failing, failing, commands(click("#count")), failing, failing, failing, done())
    warned = [number for number, prompt in enumerate(ran.model.prompts) if "one more turn with a failed" in prompt]
    assert ran.outcome.status == "stuck"
    assert ran.outcome.reason.startswith("max_consecutive_iteration_failures: 3")
    assert ran.model.calls == 6
    # The success in between counts from zero again, so each row of failures has one warning.
    assert [number for number, turn in enumerate(ran.turns) if "ends this step as stuck" in str(turn.notes)] == [1, 4]
    assert {2, 5} <= set(warned)


async def test_t07_an_unparsable_reply_is_corrected(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    ran = await run(page, "I would click on Save!", {"status": "finished"}, commands(click("#save"), status="complete"))
    assert ran.outcome.status == "complete"
    assert "status" in ran.model.prompts[2]
    assert "complete" in ran.model.prompts[2]
    assert ran.outcome.usage.calls == 3
    assert len(ran.turns) == 1


@pytest.mark.slow  # test_agent_asking.py has this
async def test_t07_a_model_that_does_not_reply_in_time_is_asked_again(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    async with ModelServer(HANG, decided(done())) as server:
        limits = Limits(model_timeout=0.5)
        outcome = await Orchestrator(page, server.model(), limits=limits).run("Save the form")
        assert outcome.status == "complete"
        assert len(server.requests) == 2


async def test_t07_a_model_that_never_replies_ends_the_run(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    async with ModelServer(decided(commands(click("#count"))), HANG, HANG) as server:
        limits = Limits(model_timeout=0.3)
        outcome = await Orchestrator(page, server.model(), limits=limits).run("Count", steps=["once", "twice"])
    assert outcome.status == "stuck"
    assert outcome.reason.startswith("model_timeout")
    assert [step.status for step in outcome.steps] == ["stuck", "skipped"]
    assert outcome.script is not None
    assert len(outcome.script.steps[0].actions) == 1


async def test_t08_later_steps_run_after_an_infeasible_one(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    replies = (
        {"status": "infeasible", "statusReasoning": "no such button"},
        commands(click("#count"), status="complete"),
    )
    ran = await run(page, *replies, steps=["Print the page", "Count"])
    assert [step.status for step in ran.outcome.steps] == ["infeasible", "complete"]
    assert (ran.outcome.status, ran.outcome.reason) == ("infeasible", "no such button")
    assert await text_of(page, "#clicks") == "1"


async def test_t08_steps_that_fail_in_a_row_end_the_run(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    no = {"status": "infeasible", "statusReasoning": "no such button"}
    ran = await run(page, no, done(), no, {"status": "stuck"}, steps=["1", "2", "3", "4", "5", "6"])
    assert [step.status for step in ran.outcome.steps] == [
        *("infeasible", "complete", "infeasible", "stuck"),
        *("skipped", "skipped"),
    ]
    assert ran.outcome.status == "stuck"
    assert ran.outcome.reason == "max_consecutive_step_failures: 2 steps in a row failed"
    assert ran.model.calls == 4
    told = [
        number for number, prompt in enumerate(ran.model.prompts) if "the run ends if this step fails too" in prompt
    ]
    assert told == [1, 3]


# -- exploration ---------------------------------------------------------------------------------


async def test_t09_the_fourth_exploration_of_a_turn_is_refused(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/explore.html"))
    ran = await run(page, tools(*[explore("#tip")] * 4), done())
    assert ran.tool_errors[:3] == [None] * 3
    assert "max_explorations_per_iteration: 3 explorations are used up" in (ran.tool_errors[3] or "")
    assert "max_explorations_per_iteration" in ran.model.prompts[1]


@pytest.mark.slow  # T30 has this limit with fewer explorations
async def test_t09_the_eleventh_exploration_of_a_step_is_refused(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/explore.html"))
    three = tools(*[explore("#tip")] * 3)
    one = commands({"action": "hover", "selector": "h1"}, toolCalls=[explore("#tip")])
    ran = await run(page, three, three, one, three, tools(explore("#tip")), done())
    assert ran.tool_errors[:10] == [None] * 10
    assert "max_explorations_per_step: 10 explorations are used up" in (ran.tool_errors[10] or "")


async def test_t10_an_exploration_that_navigates_goes_back(page: Page, site: Site) -> None:
    start = site.url("/agent/explore.html")
    await page.goto(start)
    ran = await run(page, tools(explore("#details", "click_info")), done())
    assert page.url == start
    assert "/agent/details" in ran.model.prompts[1]
    assert "Brass, 40 cm" in ran.model.prompts[1]
    assert "the page went back in its history" in ran.model.prompts[1]


async def test_t11_a_modal_that_an_exploration_opens_is_noted_and_closed(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/explore.html"))
    ran = await run(page, tools(explore("#sizes", "click_info")), done())
    assert 'opened: dialog "Sizes"' in ran.model.prompts[1]
    assert "Small is 20 cm" in ran.model.prompts[1]
    assert not await page.locator("#chart").is_visible()
    assert ran.model.images == [0, 0]


@pytest.mark.parametrize(
    ("target", "reason"),
    [("#delete", "delete"), ("#send", "submits a form"), ("#link", "is a link to another document")],
)
async def test_t12_a_forbidden_target_is_refused_before_acting(
    page: Page, site: Site, target: str, reason: str
) -> None:
    start = site.url("/agent/explore.html")
    await page.goto(start)
    site.requests.clear()
    ran = await run(page, tools(explore(target, "click_info")), done())
    assert reason in (ran.tool_errors[0] or "")
    assert "refused" in (ran.tool_errors[0] or "")
    assert await page.title() == "Catalogue"
    assert (page.url, site.requests) == (start, [])


# -- memory --------------------------------------------------------------------------------------


async def test_t13_lessons_are_merged_and_the_oldest_dropped(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    merged = await run(
        page, idle(experiences=["Save needs a name"]), done(experiences=["save needs a name and a city."])
    )
    assert merged.outcome.experiences == ("save needs a name and a city.",)
    lessons = [f"lesson {number:02} is about field {number:02}" for number in range(21)]
    ran = await run(page, idle(experiences=lessons[:20]), idle(experiences=lessons[20:]), done())
    assert ran.outcome.experiences == tuple(lessons[1:])
    assert [event.experiences for event in ran.of(TurnEnded)] == [20, 20, 20]
    assert lessons[20] in ran.model.prompts[2]


async def test_t14_extracted_data_is_there_by_name_in_a_later_step(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/cart.html"))

    def type_it(prompt: str) -> dict[str, object]:
        assert "Data product code: LAMP-7" in prompt
        return dict(commands({"action": "navigate", "url": site.url("/agent/form.html")}, fill("#person", "LAMP-7")))

    read = tools(call("extract_data", selector="#code", dataName="product code"), memoryUpdate={"page": "a lamp"})
    ran = await run(page, read, done(), type_it, done(), steps=["Read the code of the lamp", "Register it"])
    assert ran.outcome.status == "complete"
    assert ran.outcome.extracted == {"product code": "LAMP-7", "page": "a lamp"}
    assert "Data page: a lamp" in ran.model.prompts[2]
    assert await page.locator("#person").value() == "LAMP-7"


async def test_t15_the_commands_that_clear_a_blocker_run_first(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/banner.html"))
    blocker = {"description": "a cookie banner", "clearingCommands": [click("#accept")]}
    ran = await run(page, commands(click("#more"), status="complete", blockerDetected=blocker))
    assert ran.outcome.status == "complete"
    assert [command.command for command in ran.turns[0].commands] == [
        "click_element selector='#accept'",
        "click_element selector='#more'",
    ]
    assert await page.locator("#story").is_visible()


async def test_t15_the_plan_does_not_run_if_the_blocker_stays(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/banner.html"))
    blocker = {"description": "a cookie banner", "clearingCommands": [missing("#reject")]}
    ran = await run(page, commands(click("#more"), status="complete", blockerDetected=blocker), done())
    assert results(ran) == ["failed"]
    assert "the blocker was not cleared" in ran.model.prompts[1]
    assert not await page.locator("#story").is_visible()
    assert ran.model.calls == 2
