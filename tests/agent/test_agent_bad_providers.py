"""What a provider, a limit or a caller may do to a run: a typed outcome, what was achieved is kept, nothing goes on."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, get_args

import msgspec
import pytest
from model_server import HANG, KEY, USAGE, Answer, ModelServer, completion, decided, refused
from pydantic_ai import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage
from scripted import ScriptedModel, call, click, commands, done, run, tools

from sampling import sampled
from site_server import Site
from stillframe.agent import AgentEvent, Limits, Orchestrator, Outcome
from stillframe.agent.events import RunEnded
from stillframe.agent.outcome import OutcomeStatus
from stillframe.api.browser import Page
from stillframe.loopguard import LoopGuard

BODY = "<button id=save onclick=\"out.textContent = 'Saved'\">Save</button><p id=out></p>"
SAVE = commands(click("#save"), memoryUpdate={"order": "A-17"})


@pytest.fixture
async def form(page: Page, site: Site) -> Page:
    site.html("/form.html", BODY)
    await page.goto(site.url("/form.html"))
    return page


# -- providers -----------------------------------------------------------------------------------


class Failing(NamedTuple):
    """What the provider answers from the second turn on, the code of the ending, and how often it is asked."""

    answer: Answer
    code: str
    requests: int


BROKEN = {
    "401": Failing(refused(401, f"Incorrect API key provided: {KEY}"), "model_refused", 1),
    "403": Failing(refused(403, "Country not supported"), "model_refused", 1),
    "no money": Failing(refused(429, "You exceeded your quota", "insufficient_quota"), "model_refused", 1),
    "429": Failing(refused(429, "Rate limit reached", retry_after="0"), "model_unavailable", 3),
    "429 for an hour": Failing(refused(429, "Rate limit reached", retry_after="3600"), "model_unavailable", 1),
    "500": Failing(refused(500, "Internal error", retry_after="0"), "model_unavailable", 3),
    "stops in mid-stream": Failing(decided(SAVE)._replace(stop_after=60), "model_unavailable", 3),
    "hangs": Failing(HANG, "model_timeout", 2),
}


@pytest.mark.every_row
@pytest.mark.parametrize("kind", sampled(BROKEN, keep=["500"]))  # T7 has a model that hangs
async def test_a_provider_that_fails_in_mid_run(form: Page, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stillframe.agent.asking.PAUSE_S", 0.01)
    answer, code, requests = BROKEN[kind]
    limits = Limits(model_timeout=0.3 if answer.hang else 20)
    async with ModelServer(decided(SAVE), *[answer] * 5) as server:
        outcome = await Orchestrator(form, server.model(), limits=limits).run("Save", steps=["save", "send"])
        assert len(server.requests) == 1 + requests
    assert (outcome.status, outcome.reason.split(":")[0]) == ("stuck", code)
    assert KEY not in str(outcome.to_json())
    assert [step.status for step in outcome.steps] == ["stuck", "skipped"]
    assert (outcome.extracted, outcome.usage.calls) == ({"order": "A-17"}, 1)
    assert outcome.script is not None
    assert len(outcome.script.steps[0].actions) == 1


async def test_a_refusal_ends_its_step_and_not_the_run(form: Page) -> None:
    no = completion({"role": "assistant", "content": None, "refusal": "I cannot press that"}, "stop", USAGE)
    async with ModelServer(no, decided(done())) as server:
        outcome = await Orchestrator(form, server.model()).run("Save", steps=["save", "send"])
    assert [step.status for step in outcome.steps] == ["stuck", "complete"]
    assert outcome.reason.startswith("model_content_filtered: gpt-4o refused, or its provider filtered it")
    assert "I cannot press that" in outcome.reason
    assert outcome.usage.calls == 2


@pytest.mark.parametrize("limits", [Limits(budget_tokens=300), Limits(budget_usd=0.001)])
async def test_a_run_that_a_budget_does_not_suffice_for_asks_nothing(form: Page, limits: Limits) -> None:
    async with ModelServer() as server:
        outcome = await Orchestrator(form, server.model(), limits=limits).run("Save")
        assert server.requests == []
    assert outcome.status == "limit"
    told = r"budget_\w+: the next request takes about 2,\d+ tokens and its reply 256 or more; "
    assert re.match(told, outcome.reason)
    assert (outcome.usage.calls, outcome.price) == (0, 0)


@pytest.mark.parametrize("tokens", [3_000, 5_000, 9_000])
async def test_a_budget_holds_and_all_that_was_paid_for_is_carried_out(form: Page, tokens: int) -> None:
    """Each request takes 1,900 tokens and its reply what it may."""
    paid: list[int] = []

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        out = min((info.model_settings or {}).get("max_tokens", 400), 400)
        paid.append(1_900 + out)
        pressed = ToolCallPart(info.output_tools[0].name, dict(commands(click("#save"))))
        return ModelResponse([pressed], usage=RequestUsage(input_tokens=1_900, output_tokens=out))

    model = FunctionModel(reply, model_name="gpt-4o")
    await form.evaluate(
        "void save.addEventListener('click', () => { out.dataset.times = (+out.dataset.times || 0) + 1 })"
    )
    outcome = await Orchestrator(form, model, limits=Limits(budget_tokens=tokens)).run("Save")
    assert outcome.status == "limit"
    assert outcome.reason.startswith("budget_tokens: ")
    assert 0 < outcome.usage.tokens == sum(paid) <= tokens
    assert await form.evaluate("+out.dataset.times") == len(paid)


@pytest.mark.slow  # test_agent_asking.py has what is asked again
async def test_a_provider_that_recovers(form: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stillframe.agent.asking.PAUSE_S", 0.01)
    once = refused(429, "Rate limit reached", retry_after="0")
    async with ModelServer(once, decided(SAVE), once, decided(done())) as server:
        outcome = await Orchestrator(form, server.model()).run("Save")
    assert (outcome.status, outcome.usage.calls) == ("complete", 2)


@pytest.mark.slow  # T30 has the time of a run, and the test below what becomes of a request that hangs
async def test_the_time_of_the_run_ends_a_provider_that_hangs(form: Page) -> None:
    async with ModelServer(decided(SAVE), HANG) as server:
        async with asyncio.timeout(10):
            outcome = await Orchestrator(form, server.model(), limits=Limits(timeout=2)).run("Save")
        await server.abandoned.wait()
    assert (outcome.status, outcome.reason) == ("limit", "timeout: 2 s are used up")
    assert outcome.extracted == {"order": "A-17"}


async def test_cancelling_while_a_provider_hangs(form: Page) -> None:
    async with ModelServer(decided(SAVE), HANG) as server:
        task = asyncio.create_task(Orchestrator(form, server.model()).run("Save"))
        while len(server.requests) < 2:
            server.asked.clear()
            await server.asked.wait()
        task.cancel()
        outcome = await task
        await server.abandoned.wait()
    assert (outcome.status, outcome.extracted, outcome.usage.calls) == ("cancelled", {"order": "A-17"}, 1)


# -- limits of zero ------------------------------------------------------------------------------

ENDING = ("max_total_iterations", "max_iterations_per_step", "timeout", "budget_tokens", "budget_usd")
"""The limits that end a run before its first turn if they are zero; without the things of others it is complete."""


def zero_limits() -> list[str]:
    """Return the limits that may be zero."""
    names = []
    for name in Limits.__struct_fields__:
        try:
            Limits(**{name: 0})
        except ValueError:
            continue
        names.append(name)
    return [name for name in names if not isinstance(getattr(Limits(), name), bool)]


def test_limits_of_zero_are_known() -> None:
    assert set(ENDING) < set(zero_limits())
    assert len(zero_limits()) >= 15


@pytest.mark.parametrize("name", zero_limits())
async def test_a_limit_of_zero_is_an_outcome(form: Page, name: str) -> None:
    look = tools(
        call("inspect_page"), call("take_screenshot"), call("explore_element", action="focus", selector="#save")
    )
    lesson = {"experiences": ["Save is below"], "memoryUpdate": {"order": "A-17"}}
    async with asyncio.timeout(30):
        ran = await run(form, look, {**SAVE, **lesson}, done(), commands(click("#save")), done(),
                        limits=Limits(**{name: 0}))  # fmt: skip
    outcome, expected = ran.outcome, "limit" if name in ENDING else "complete"
    if name == "max_tool_rounds":  # the round that there was is one too many
        expected = "stuck"
    assert (outcome.status, len(outcome.steps)) == (expected, 1), outcome.reason
    if expected == "limit":
        assert outcome.reason.startswith(f"{name}: 0")
        assert ran.model.calls == 0


# -- cancelled runs ------------------------------------------------------------------------------

REPLIES = (tools(call("inspect_page"), call("explore_element", action="focus", selector="#save")), SAVE, done())


def check_cancelled(outcome: Outcome) -> None:
    assert outcome.status in ("cancelled", "complete")
    assert outcome.status in get_args(OutcomeStatus)
    assert len(outcome.steps) == 2
    msgspec.json.decode(outcome.to_json())


EVENTS = 4
"""Tests that share the events of a run between them."""


@pytest.mark.slow  # T28 has two, the test below every await
@pytest.mark.every_row
@pytest.mark.parametrize("part", sampled(range(EVENTS), keep=[0]))
async def test_a_run_that_is_cancelled_at_any_event_returns_what_it_has(form: Page, part: int) -> None:
    number, of = part, 1_000
    while number < of:
        seen: list[AgentEvent] = []

        def cancel(event: AgentEvent, seen: list[AgentEvent] = seen, at: int = number) -> None:
            if len(seen) == at and not isinstance(event, RunEnded):  # a run that has ended cannot be cancelled
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            seen.append(event)

        model = ScriptedModel(*REPLIES)
        orchestrator = Orchestrator(form, model.model, on_event=cancel)
        outcome = await asyncio.create_task(orchestrator.run("Save", steps=["save", "look"]))
        check_cancelled(outcome)
        assert [type(event).__name__ for event in seen][-1] == "RunEnded"
        of = len(seen) if outcome.status == "complete" else of
        number += EVENTS
    assert number >= 14


class CancelledAt:
    """Awaits a coroutine in its own task and cancels that task at the n-th time that it waits for something."""

    def __init__(self, coroutine: Any, at: int) -> None:
        self._steps = coroutine.__await__()
        self._at = at
        self.waits = 0

    def __await__(self) -> Generator[Any, Any, Any]:
        advance: Callable[[], Any] = lambda: next(self._steps)  # noqa: E731  one of two ways on
        while True:
            try:
                waited_for = advance()
            except StopIteration as stop:
                return stop.value
            if self.waits == self._at:
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
            self.waits += 1
            try:
                yield waited_for
            except BaseException as error:
                advance = lambda error=error: self._steps.throw(error)  # noqa: E731
            else:
                advance = lambda: next(self._steps)  # noqa: E731


PARTS = 16
"""Tests that share the waits of a run, some ninety, between them."""


@pytest.mark.every_row
@pytest.mark.parametrize("part", sampled(range(PARTS), keep=[0]))
async def test_a_run_that_is_cancelled_at_any_await_leaves_nothing_running(form: Page, part: int) -> None:
    at, waits = part, 1_000
    while at < waits:
        model = ScriptedModel(*REPLIES)
        before = asyncio.all_tasks()
        orchestrator = Orchestrator(form, model.model, limits=Limits(allowed_domains=("127.0.0.1",)))
        counted = CancelledAt(orchestrator.run("Save", steps=["save", "look"]), at)

        async def counting(counted: CancelledAt = counted) -> Outcome:
            outcome: Outcome = await counted
            return outcome

        outcome = await asyncio.create_task(counting())
        check_cancelled(outcome)
        waits = counted.waits if outcome.status == "complete" else waits
        assert asyncio.all_tasks() <= before
        assert form.loop_guard is None
        at += PARTS
    assert await form.evaluate("document.title") == ""


# -- callers -------------------------------------------------------------------------------------


async def test_an_on_event_that_raises_is_logged_and_the_run_goes_on(
    form: Page, caplog: pytest.LogCaptureFixture
) -> None:
    calls = []

    def fail(event: AgentEvent) -> None:
        calls.append(event)
        raise RuntimeError("the display is gone")

    with caplog.at_level(logging.ERROR, "stillframe"):
        outcome = await Orchestrator(form, ScriptedModel(SAVE, done()).model, on_event=fail).run("Save")
    assert outcome.status == "complete"
    assert caplog.text.count("on_event failed for ") == len(calls) > 5


async def test_the_loop_guard_of_the_page_is_as_it_was(form: Page) -> None:
    guard = LoopGuard()
    form.loop_guard = guard
    await run(form, SAVE, done())
    assert form.loop_guard is guard
    form.loop_guard = None
    await run(form, SAVE, done())
    assert form.loop_guard is None
