"""T16 to T29: memory, the bill, scripts and their repair, budgets, cancellation and injection; T30 is beside it.

The cases are those of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import pytest
from aiohttp import web
from pydantic_ai.usage import RequestUsage
from scripted import Ran, ScriptedModel, call, click, commands, done, fill, idle, run, tools, used

from site_server import Site
from stillframe.agent.events import ModelCalled
from stillframe.agent.limits import Limits
from stillframe.agent.orchestrator import Orchestrator
from stillframe.agent.outcome import Usage
from stillframe.agent.script_generation import generate
from stillframe.agent.script_repair import RepairReport, repair
from stillframe.api.browser import Page
from stillframe.model.options import Expect
from stillframe.scripts.python_form import python_form
from stillframe.scripts.replay import replay
from stillframe.scripts.script import Script, load_script, save_script

COUNT = click("#count")


async def text_of(page: Page, selector: str) -> str:
    return await page.locator(selector).text()


def re_evaluated(issue: str, **fields: object) -> dict[str, object]:
    return {"status": "continue", "stepReEvaluation": {"detected": True, "issue": issue}, **fields}


async def test_t16_a_step_that_is_done_already_runs_no_command(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    ran = await run(page, re_evaluated("already_done", commands=[COUNT]))
    assert ran.outcome.status == "complete"
    assert ran.outcome.reason.startswith("already done")
    assert ran.turns[0].commands == ()
    assert await text_of(page, "#clicks") == "0"


async def test_t16_already_done_is_believed_only_if_the_check_holds(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stillframe.agent.commands.CHECK_MS", 300.0)
    await page.goto(site.url("/agent/form.html"))
    replies = re_evaluated("already_done"), commands(COUNT, status="complete")
    ran = await run(page, *replies, check=Expect(text="Clicks: 1"))
    assert ran.outcome.status == "complete"
    assert ran.model.calls == 2
    assert "the check of the step does not hold" in ran.model.prompts[1]


async def test_t17_of_101_turns_the_oldest_is_forgotten_and_a_query_finds_the_others(page: Page, site: Site) -> None:
    await page.goto(site.html("/shelves", "<p>Shelves</p>"))  # small, because each turn reads it
    looked = [idle(reasoning=f"looked at shelf {number:03}") for number in range(101)]
    recalled = tools(call("recall_history", query="shelf 000"), call("recall_history", query="shelf 042"))
    limits = Limits(max_total_iterations=200, max_iterations_per_step=200, max_idle_iterations=200)
    ran = await run(page, *looked, recalled, done(), limits=limits)
    answers = ran.model.prompts[102]
    assert '0 of 100 remembered turns with "shelf 000"' in answers
    assert '1 of 100 remembered turns with "shelf 042"' in answers
    assert "looked at shelf 042" in answers
    assert "looked at shelf 042" not in ran.model.prompts[101]


async def test_t18_every_call_is_an_event_with_the_numbers_of_the_provider(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    ran = await run(
        page,
        used(tools(call("take_screenshot")), RequestUsage(input_tokens=700, output_tokens=11, cache_read_tokens=300)),
        used({"status": "finished"}, RequestUsage(input_tokens=2_000, output_tokens=13, cache_write_tokens=50)),
        used(idle(), RequestUsage(input_tokens=3_000, output_tokens=17)),
        used(done(), RequestUsage(input_tokens=40, output_tokens=19)),
        steps=["look", "leave"],
    )
    called = ran.of(ModelCalled)
    assert sum((event.usage for event in called), Usage()) == ran.outcome.usage
    assert ran.outcome.usage == Usage(
        calls=5,
        input_tokens=5_780,
        output_tokens=79,
        cache_read_tokens=300,
        cache_write_tokens=50,
        images=2,  # the correction of the invalid reply has the image again
        image_tokens=2_210,
        estimated_image_tokens=2_210,
    )
    assert ran.outcome.price is not None
    assert sum(event.price or 0 for event in called) == ran.outcome.price > 0
    assert [event.usage.calls for event in called] == [1] * 5
    assert [event.has_image for event in called] == [False, True, True, False, False]
    assert ran.model.images[:2] == [0, 1]
    assert [(event.step, event.iteration) for event in called] == [(1, 1), (1, 2), (1, 2), (1, 3), (2, 1)]
    assert {event.model for event in called} == {"gpt-4o"}
    assert all(event.duration_ms > 0 for event in called)


# -- scripts -------------------------------------------------------------------------------------


def plan(*goals: str, **checks: str) -> dict[str, object]:
    steps = [{"goal": goal, **({"check": {"text": checks[f"s{n}"]}} if f"s{n}" in checks else {})}
             for n, goal in enumerate(goals)]  # fmt: skip
    return {"steps": steps}


SAVE = commands(fill("#person", "Ann"), click("#save"), status="complete")


async def test_t19_a_generated_script_runs_again_and_shows_what_failed(page: Page, site: Site, tmp_path: Path) -> None:
    await page.goto(site.url("/agent/form.html"))
    infeasible = {"status": "infeasible", "statusReasoning": "there is no printer"}
    replies = plan("Save Ann", "Print the form", "Count"), SAVE, infeasible, commands(COUNT, status="complete")
    made = await generate(page, ScriptedModel(*replies).model, "Save Ann, print the form and count")
    assert made.script is not None
    assert [step.status for step in made.script.steps] == ["complete", "failed", "complete"]
    save_script(tmp_path / "script.json", made.script)
    script = load_script(tmp_path / "script.json")
    assert script == made.script
    report = await replay(page, script)
    assert report.ok, report.failure
    assert [step.result for step in report.steps] == ["ok", "skipped", "ok"]
    assert await text_of(page, "#saved") == "Saved Ann,"
    assert await text_of(page, "#clicks") == "1"
    program = python_form(script)
    ast.parse(program)
    assert "    # Print the form\n    # failed: there is no printer\n" in program


async def test_t20_only_steps_that_say_so_are_asserted(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    planned = plan("Save Ann", "Verify that the count is 1", s0="Saved Ann", s1="Clicks: 1")
    made = await generate(page, ScriptedModel(planned, SAVE, commands(COUNT, status="complete")).model, "Save, count")
    assert made.outcome.status == "complete"
    assert made.script is not None
    assert [step.check for step in made.script.steps] == [{"text": "Saved Ann"}, {"text": "Clicks: 1"}]
    asserts = [node for node in ast.walk(ast.parse(python_form(made.script))) if isinstance(node, ast.Assert)]
    assert len(asserts) == 1
    assert "Verify that the count is 1" in ast.unparse(asserts[0])


CART = """<h1>Brass lamp</h1>{before}
<button id="{add}" type=button onclick="cart.textContent = 'Cart: 1'">{name}</button>
<button id=gift type=button onclick="wrap.textContent = 'Wrapped'" {gift}>Wrap it</button>
<p id=cart>Cart: 0</p><p id=wrap></p>"""


def cart(site: Site, *, before: str = "", add: str = "add", name: str = "Add to cart", gift: str = "") -> str:
    return site.html("/cart", CART.format(before=before, add=add, name=name, gift=gift))


async def made_in_the_cart(page: Page, site: Site) -> Script:
    """Return a script of two steps: add a lamp, and wrap it."""
    await page.goto(cart(site))
    add, wrap = commands(click("#add"), status="complete"), commands(click("#gift"), status="complete")
    ran = await run(page, add, wrap, goal="Buy a lamp", steps=["Add a lamp", "Wrap the lamp"])
    assert ran.outcome.script is not None
    return ran.outcome.script


async def repaired(page: Page, script: Script, model: ScriptedModel | None = None) -> RepairReport:
    return await repair(page, script, model.model if model else None, deflake_runs=0, action_timeout_ms=300)


COUPON = """<h1>Coupon</h1><div><input {id} onchange="log.textContent += this.value"></div>
<button type=button onclick="log.textContent += ' redeemed'">Redeem</button><p id=log></p>"""


@pytest.mark.slow  # test_agent_script_repair.py has T21, and a new id
async def test_t21_a_renamed_selector_changes_its_step_only(page: Page, site: Site) -> None:
    url = site.html("/coupon", COUPON.format(id="id=coupon"))
    await page.goto(url)
    typed, pressed = commands(fill("#coupon", "LAMP"), status="complete"), commands(click("button"), status="complete")
    script = (await run(page, typed, pressed, steps=["Type the coupon", "Redeem it"])).outcome.script
    assert script is not None
    assert script.steps[0].actions[0].action["selector"] == "#coupon"
    site.html("/coupon", COUPON.format(id="id=voucher"))
    model = ScriptedModel({"changes": []})
    report = await repaired(page, script, model)
    assert (report.run_status, report.repair_status, model.calls) == ("failed", "success", 0)
    assert report.repair_confidence >= 4
    updated = report.updated_script
    assert updated is not None
    assert updated.steps[0].actions[0].action["selector"] == "#voucher"
    assert updated.steps[1:] == script.steps[1:]
    assert "#voucher" in updated.advice == report.repair_advice
    assert "#voucher" in updated.to_text().partition('"steps"')[0]
    assert updated.confidence == report.repair_confidence
    assert "role=button" not in "".join(line for line in report.diff().splitlines() if line[:1] in "+-")
    assert await text_of(page, "#log") == "LAMP redeemed"
    assert (await replay(page, updated)).ok


@pytest.mark.slow  # test_agent_script_repair.py has a renamed button as well
async def test_t21_a_renamed_button_is_found_with_less_confidence(page: Page, site: Site) -> None:
    script = await made_in_the_cart(page, site)
    cart(site, name="Add to basket")
    report = await repaired(page, script)
    assert (report.run_status, report.repair_status) == ("failed", "success")
    assert 0 < report.repair_confidence < 5
    assert report.updated_script is not None
    assert report.updated_script.steps[1] == script.steps[1]
    assert 'button "Add to cart" is now button "Add to basket"' in report.repair_advice


async def test_t22_a_flaky_first_run_is_repeated_and_repairs_nothing(page: Page, site: Site) -> None:
    script = await made_in_the_cart(page, site)
    steady = cart(site)
    await page.goto(steady)
    loads = iter(["sold out"])

    async def reset() -> None:
        cart(site, name=next(loads, "Add to cart"), add="add")
        await page.goto(steady, settle=True)

    model = ScriptedModel({"changes": []})
    report = await repair(page, script, model.model, reset=reset, deflake_runs=2, action_timeout_ms=300)
    assert (report.run_status, report.repair_status) == ("success", "none")
    assert report.num_deflake_runs == 1
    assert report.updated_script is None
    assert model.calls == 0
    assert report.diff() == ""


async def test_t23_a_step_gets_an_action_more(page: Page, site: Site) -> None:
    script = await made_in_the_cart(page, site)
    cart(site, before="<button id=open type=button onclick='gift.hidden = false'>More options</button>", gift="hidden")
    insert = {"kind": "insert", "index": 0, "action": click("#open")}
    model = ScriptedModel({"changes": [insert], "confidence": 4, "advice": "Options are hidden now."})
    report = await repaired(page, script, model)
    assert report.repair_status == "success", report.failure
    assert [(each.kind, each.step, each.action) for each in report.repairs] == [("insert", 1, 0)]
    assert report.updated_script is not None
    assert [len(step.actions) for step in report.updated_script.steps] == [1, 2]
    assert report.updated_script.steps[0] == script.steps[0]
    assert "Options are hidden now." in report.updated_script.advice
    assert await text_of(page, "#wrap") == "Wrapped"


async def test_t23_a_step_loses_an_action(page: Page, site: Site) -> None:
    gone = '<button id=agree type=button onclick="this.disabled = true">I agree</button>'
    url = cart(site, before=gone)
    await page.goto(url)
    ran = await run(page, commands(click("#agree"), click("#add"), status="complete"))
    script = ran.outcome.script
    assert script is not None
    cart(site)
    model = ScriptedModel({"changes": [{"kind": "remove", "index": 0}], "confidence": 5})
    report = await repaired(page, script, model)
    assert report.repair_status == "success", report.failure
    assert [(each.kind, each.step, each.action) for each in report.repairs] == [("remove", 0, 0)]
    assert report.updated_script is not None
    assert report.updated_script.steps[0].actions == script.steps[0].actions[1:]
    assert model.calls == 1


# -- budgets and dangers -------------------------------------------------------------------------


async def test_t24_screenshots_are_limited_only_if_asked(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    four, one = tools(*[call("take_screenshot")] * 4), tools(call("take_screenshot"))
    ran = await run(page, four, done())
    assert (ran.tool_errors, ran.model.images) == ([None] * 4, [0, 4])
    limits = Limits(max_screenshots_per_step=3)
    ran = await run(page, four, done(), one, done(), steps=["look", "look again"], limits=limits)
    assert [error is None for error in ran.tool_errors] == [True, True, True, False, True]
    assert "max_screenshots_per_step: the 3 pictures" in (ran.tool_errors[3] or "")
    assert ran.model.images == [0, 3, 0, 1]


async def test_t25_three_rounds_of_tools_alone_end_the_step(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    only = tools(call("recall_history"))
    ran = await run(page, only, only, commands(COUNT), only)
    assert ran.outcome.status == "stuck"
    assert ran.outcome.reason.startswith("max_tool_rounds: 3")
    assert ran.model.calls == 6


async def test_t26_the_context_of_a_page_with_5000_controls_stays_within_its_budget(page: Page, site: Site) -> None:
    controls = "".join(f"<button id=b{number}>Control number {number}</button>" for number in range(5_000))
    await page.goto(site.html("/many", f"<h1>Controls</h1>{controls}"))
    looked = tools(call("inspect_page"), memoryUpdate={"seen": "x" * 5_000}, experiences=["y" * 5_000] * 20)
    ran = await run(page, looked, commands(click("#b4999")), done(), goal="Press the last control")
    assert ran.outcome.status == "complete"
    assert max(map(len, ran.model.prompts)) <= Limits().max_prompt_chars
    for prompt in ran.model.prompts:
        assert "Goal: Press the last control" in prompt
        assert 'button "Control number 0" [ref=' in prompt


@pytest.mark.slow  # test_scripts_durable.py has T27
async def test_t27_ids_that_a_program_makes_up_are_never_chosen(page: Page, site: Site) -> None:
    ids = [":r0:", "rc_select_0", "3f2c8a1e-9b4d-4c6a-8e2f-1a2b3c4d5e6f"]
    named = "".join(f"<button id='{each}' type=button>Save {n}</button>" for n, each in enumerate(ids))
    same = "".join(f"<div><input id='{each}x'></div>" for each in ids)
    await page.goto(site.html("/ids", f"<h1>Ids</h1>{named}<section>{same}</section>"))
    selectors = [f'[id="{each}{suffix}"]' for each in ids for suffix in ("", "x")]
    ran = await run(
        page,
        commands(*map(click, selectors[::2])),
        commands(*[fill(each, "a") for each in selectors[1::2]], status="complete"),
    )
    assert ran.outcome.status == "complete"
    assert ran.outcome.script is not None
    chosen = [action.action["selector"] for action in ran.outcome.script.steps[0].actions]
    assert len(set(chosen)) == 6
    for made_up in ("r0", "rc_", "3f2c8a1e"):
        assert not any(made_up in selector for selector in chosen)
    report = await replay(page, ran.outcome.script)
    assert report.ok, report.failure


async def cancelled(page: Page, *replies: object, when: asyncio.Event) -> Ran:
    """Cancel a run once an event is set."""
    model, events = ScriptedModel(*replies), []  # type: ignore[arg-type,var-annotated]
    orchestrator = Orchestrator(page, model.model, on_event=events.append)
    task = asyncio.create_task(orchestrator.run("Count", steps=["count", "count again"]))
    async with asyncio.timeout(20):
        await when.wait()
        task.cancel()
        outcome = await task
    assert not task.cancelled()
    return Ran(outcome, model, events)


async def test_t28_cancelled_while_the_model_thinks(page: Page, site: Site) -> None:
    await page.goto(site.url("/agent/form.html"))
    thinking, ended = asyncio.Event(), asyncio.Event()

    async def think(_: str) -> dict[str, object]:
        thinking.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return {}

    ran = await cancelled(page, commands(COUNT, memoryUpdate={"clicks": 1}), think, when=thinking)
    assert ended.is_set()
    outcome = ran.outcome
    assert (outcome.status, outcome.extracted, outcome.usage.calls) == ("cancelled", {"clicks": 1}, 1)
    assert [step.status for step in outcome.steps] == ["cancelled", "skipped"]
    assert outcome.script is not None
    assert [len(step.actions) for step in outcome.script.steps] == [1, 0]
    assert type(ran.events[-1]).__name__ == "RunEnded"
    # The page is free and works.
    assert (await page.execute_sequence([COUNT])).completed == 1
    assert await text_of(page, "#clicks") == "2"


async def test_t28_cancelled_while_commands_run(page: Page, site: Site) -> None:
    fetching = asyncio.Event()

    async def never(_: web.Request) -> web.Response:
        fetching.set()
        await asyncio.Event().wait()
        return web.Response()

    site.route("/never", never)
    await page.goto(site.url("/agent/form.html"))
    await page.evaluate("void new MutationObserver(() => fetch('/never')).observe(clicks, {childList: true})")
    waits = {"action": "wait_for", "text": "never"}
    ran = await cancelled(page, commands(fill("#city", "Rome")), commands(COUNT, waits), when=fetching)
    assert ran.outcome.status == "cancelled"
    assert ran.outcome.script is not None
    assert [len(step.actions) for step in ran.outcome.script.steps] == [1, 0]
    assert (await page.execute_sequence([fill("#city", "Oslo")])).completed == 1


async def test_t29_nothing_that_a_model_replies_is_evaluated(page: Page, site: Site, tmp_path: Path) -> None:
    await page.goto(site.url("/agent/form.html"))
    mark = tmp_path / "evaluated"
    python = f"__import__('pathlib').Path({str(mark)!r}).touch()"
    script = "');window.evaluated=1;//${window.evaluated=1}`"
    ran = await run(
        page,
        commands({"action": "evaluate", "script": "window.evaluated=1"}),
        commands(python),  # type: ignore[arg-type]
        commands({"action": "navigate", "url": "javascript:window.evaluated=1"}),
        commands(click(f"text={script}", timeoutMs=50)),
        tools(call(python), {"tool": "recall_history", "arguments": {"query": python}}),
        commands(fill("#person", script), fill("#city", python), click("#save"), status="complete"),
        limits=Limits(max_consecutive_iteration_failures=5),
    )
    assert ran.outcome.status == "complete"
    assert await page.evaluate("typeof window.evaluated") == "undefined"
    assert not mark.exists()
    assert await text_of(page, "#saved") == f"Saved {script}, {python}"
    assert "evaluate" in ran.model.prompts[1]
