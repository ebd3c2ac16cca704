"""For each key of `Limits`, what two values of it change, and for each one that ends a run, how it ends one."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from pydantic_ai.usage import RequestUsage
from scripted import Json, Reply, call, click, commands, done, explore, idle, missing, run, tools, used

from stillframe.agent.limits import Limits
from stillframe.agent.outcome import OutcomeStatus
from stillframe.api.browser import Page

COUNT = click("#count")
SLOW_S = 0.8
"""Seconds that the slow model takes."""
LATE_MS = 1_500
"""Milliseconds after which an element appears, and how long the mouse rests."""


class Scenario(NamedTuple):
    """Two values of a key, what happens on a page of tests/pages/agent with each, and what is expected of that."""

    values: tuple[Any, Any]
    observe: Callable[[Page, Limits], Awaitable[object]]
    expected: tuple[object, object]
    page: str = "form.html"


async def slowly(_: str) -> Json:
    await asyncio.sleep(SLOW_S)
    return done()


def calls(*replies: Reply) -> Callable[[Page, Limits], Awaitable[object]]:
    """Observe how often the model is asked."""

    async def observe(page: Page, limits: Limits) -> int:
        return (await run(page, *replies, limits=limits)).model.calls

    return observe


def status(*replies: Reply) -> Callable[[Page, Limits], Awaitable[object]]:
    """Observe the status of the outcome."""

    async def observe(page: Page, limits: Limits) -> OutcomeStatus:
        return (await run(page, *replies, limits=limits)).outcome.status

    return observe


def tool_errors(*called: Json) -> Callable[[Page, Limits], Awaitable[object]]:
    """Observe which keys refuse the tools of one turn."""

    async def observe(page: Page, limits: Limits) -> list[str]:
        ran = await run(page, tools(*called), done(), limits=limits)
        return [error.split(": ")[1].split(" ")[0] if error else "" for error in ran.tool_errors]

    return observe


async def tools_called(page: Page, limits: Limits) -> int:
    ran = await run(page, tools(*[call("recall_history")] * 3), done(), limits=limits)
    return len(ran.turns[0].tools)


async def commands_run(page: Page, limits: Limits) -> str:
    await run(page, commands(COUNT, COUNT, COUNT), done(), limits=limits)
    return await page.locator("#clicks").text()


async def steps_carried_out(page: Page, limits: Limits) -> list[str]:
    ran = await run(page, {"status": "stuck"}, done(), steps=["first", "second"], limits=limits)
    return [step.status for step in ran.outcome.steps]


async def images_sent(page: Page, limits: Limits) -> int:
    ran = await run(page, tools(*[call("take_screenshot")] * 2), done(), limits=limits)
    return sum(ran.model.images)


async def slow_navigation(page: Page, limits: Limits) -> str:
    url = page.url.replace("/agent/form.html", "/slow?ms=800")
    ran = await run(page, commands({"action": "navigate", "url": url}), done(), limits=limits)
    return ran.turns[0].commands[0].result


async def where_a_link_leads(page: Page, limits: Limits) -> bool:
    away = page.url.replace("127.0.0.1", "localhost")
    link = f"{{id: 'a', text: 'Away', href: '{away}'}}"
    await page.evaluate(f"void document.body.append(Object.assign(document.createElement('a'), {link}))")
    await run(page, commands(click("#a")), done(), limits=limits)
    return page.url == away


async def lessons(page: Page, limits: Limits) -> int:
    ran = await run(page, idle(experiences=["save first", "print later", "never close"]), done(), limits=limits)
    return len(ran.outcome.experiences)


async def remembered(page: Page, limits: Limits) -> str:
    ran = await run(page, idle(), idle(), idle(), tools(call("recall_history")), done(), limits=limits)
    found = re.search(r"of (\d+) remembered", ran.model.prompts[-1])
    return found[1] if found else ""


async def turns_repeated(page: Page, limits: Limits) -> int:
    ran = await run(page, idle(), idle(), idle(), done(), limits=limits)
    return ran.model.prompts[-1].count("\nTurn 1.")


async def prompt_of_a_long_page(page: Page, limits: Limits) -> tuple[bool, bool]:
    await page.evaluate("void document.body.append(...Array.from({length: 300}, (_, n) => "
                        "Object.assign(document.createElement('button'), {textContent: 'Control ' + n})))")  # fmt: skip
    length = len((await run(page, done(), limits=limits)).model.prompts[0])
    return length <= limits.max_prompt_chars, length > 1_000


async def late_target(page: Page, limits: Limits) -> bool:
    late = f"void setTimeout(() => sizes.id = 'late', {LATE_MS})"

    async def reply(_: str) -> Json:
        await page.evaluate(late)
        return tools(explore("#late"))

    return (await run(page, reply, done(), limits=limits)).tool_errors == [None]


async def rest_of_the_mouse(page: Page, limits: Limits) -> bool:
    await page.evaluate("""void (() => {
        tip.onmouseenter = () => { tip.dataset.since = performance.now() }
        tip.onmouseleave = () => { tip.dataset.rested = performance.now() - tip.dataset.since }
    })()""")
    await run(page, tools(explore("#tip", "hover")), done(), limits=limits)
    return float(await page.locator("#tip").attribute("data-rested") or 0) >= LATE_MS


async def forbidden(page: Page, limits: Limits) -> bool:
    return (await run(page, tools(explore("#tip")), done(), limits=limits)).tool_errors == [None]


async def bound_of_a_reply(page: Page, limits: Limits) -> int | None:
    ran = await run(page, done(), limits=limits)
    return (ran.model.settings or {}).get("max_tokens")


THREE = (explore("#tip"),) * 3

SCENARIOS: Mapping[str, Scenario] = {
    "max_total_iterations": Scenario((1, 3), calls(idle()), (1, 3)),
    "max_iterations_per_step": Scenario((1, 3), calls(idle()), (1, 3)),
    "max_tool_calls_per_iteration": Scenario((1, 2), tools_called, (1, 2)),
    "max_idle_iterations": Scenario((1, 3), calls(idle()), (1, 3)),
    "max_tool_rounds": Scenario((1, 2), calls(tools(call("recall_history"))), (1, 2)),
    "max_commands_per_iteration": Scenario((1, 3), commands_run, ("1", "3")),
    "max_consecutive_iteration_failures": Scenario((1, 2), calls(commands(missing())), (1, 2)),
    "max_consecutive_step_failures": Scenario((1, 3), steps_carried_out, (["stuck", "skipped"], ["stuck", "complete"])),
    "continue_on_step_failure": Scenario(
        (False, True), steps_carried_out, (["stuck", "skipped"], ["stuck", "complete"])
    ),
    "max_screenshots_per_step": Scenario((1, None), images_sent, (1, 2)),
    "max_invalid_replies": Scenario((0, 1), status("I would click", done()), ("stuck", "complete")),
    "command_timeout": Scenario((200, 30_000), slow_navigation, ("failed", "ok")),
    "model_timeout": Scenario((0.1, 30), status(slowly), ("stuck", "complete")),
    "timeout": Scenario((0.4, None), status(slowly), ("limit", "complete")),
    "max_reply_tokens": Scenario((300, None), bound_of_a_reply, (300, None)),
    "budget_tokens": Scenario((2_000, 9_000), calls(idle()), (0, 4)),
    "budget_usd": Scenario((0.005, 0.1), calls(idle()), (0, 4)),
    "allowed_domains": Scenario((("127.0.0.1",), ()), where_a_link_leads, (False, True)),
    "max_experiences": Scenario((1, 2), lessons, (1, 2)),
    "max_history_size": Scenario((1, 3), remembered, ("1", "3")),
    "recent_steps_count": Scenario((0, 2), turns_repeated, (0, 2)),
    "max_prompt_chars": Scenario((1_000, 3_000), prompt_of_a_long_page, ((True, False), (True, True))),
    "max_explorations_per_iteration": Scenario(
        (1, 2),
        tool_errors(*THREE),
        (["", *["max_explorations_per_iteration"] * 2], ["", "", "max_explorations_per_iteration"]),
        "explore.html",
    ),
    "max_explorations_per_step": Scenario(
        (1, 2),
        tool_errors(*THREE),
        (["", *["max_explorations_per_step"] * 2], ["", "", "max_explorations_per_step"]),
        "explore.html",
    ),
    "max_exploration_steps": Scenario(
        (1, 2),
        tool_errors(*THREE),
        (["", *["max_exploration_steps"] * 2], ["", "", "max_exploration_steps"]),
        "explore.html",
    ),
    "exploration_timeout": Scenario((100, 20_000), late_target, (False, True), "explore.html"),
    "hover_wait": Scenario((0, LATE_MS), rest_of_the_mouse, (False, True), "explore.html"),
    "forbidden_targets": Scenario((("tip",), ()), forbidden, (False, True), "explore.html"),
}


class Ends(NamedTuple):
    """A value with which a run ends after its first turn, and what the model says from then on."""

    value: Any
    then: Reply
    status: OutcomeStatus


ENDINGS: Mapping[str, Ends] = {
    "max_total_iterations": Ends(2, idle(), "limit"),
    "max_iterations_per_step": Ends(2, idle(), "limit"),
    "max_idle_iterations": Ends(2, idle(), "loop"),
    "max_tool_rounds": Ends(2, tools(call("recall_history")), "stuck"),
    "max_consecutive_iteration_failures": Ends(2, commands(missing()), "stuck"),
    "max_invalid_replies": Ends(1, "I would click", "stuck"),
    "model_timeout": Ends(0.2, slowly, "stuck"),
    "timeout": Ends(3, lambda _: forever(), "limit"),
    "budget_tokens": Ends(7_000, used(idle(), RequestUsage(input_tokens=4_000, output_tokens=100)), "limit"),
    "budget_usd": Ends(0.02, used(idle(), RequestUsage(input_tokens=4_000, output_tokens=100)), "limit"),
}
"""Every key that ends a run or a step; the others cut or refuse something, and the run goes on."""


async def forever() -> Json:
    await asyncio.Event().wait()
    return done()
