"""Questions to a model: what a provider may do wrong, each as a typed error, in time, and with what it cost."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from model_server import HANG, KEY, USAGE, Answer, ModelServer, completion, decided, refused, said
from opentelemetry import trace
from pydantic_ai import Agent, InstrumentationSettings, ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import RequestUsage

from sampling import sampled
from stillframe.agent import asking
from stillframe.agent.asking import Allowance, Asker, Output, Retries
from stillframe.agent.decision import Decision, parse_decision
from stillframe.agent.outcome import Usage
from stillframe.errors import (
    ModelBudgetExceeded,
    ModelContentFiltered,
    ModelFailed,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)

CLICK = {"action": "click", "selector": "e1"}
SCHEMA = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["continue", "complete", "stuck", "infeasible"]},
        "commands": {"type": "array", "items": {"type": "object"}},
    },
    "required": ["status"],
}
PLENTY = Allowance(30)


class Asked:
    """An Asker for decisions that does not wait between its requests, with all that it has spent."""

    def __init__(self, model: Model | str, *, corrections: int = 2, output: Output = "auto") -> None:
        self.spent: list[tuple[Usage, Decimal | None]] = []
        self.pauses: list[float] = []
        self.asker: Asker[Decision] = Asker(
            model,
            name="decision",
            instructions="Decide.",
            schema=SCHEMA,
            parse=parse_decision,
            corrections=corrections,
            spend=lambda usage, price: self.spent.append((usage, price)),
            output=output,
            sleep=self._sleep,
        )

    async def ask(self, allowance: Allowance = PLENTY, *images: bytes) -> Decision:
        return await self.asker.ask("The page has a button e1.", images, allowance)

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


def replying(*replies: Mapping[str, Any], name: str | None = None) -> FunctionModel:
    """Return a model that gives these replies in order."""
    left = iter(replies)

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart(info.output_tools[0].name, dict(next(left)))])

    return FunctionModel(reply, model_name=name)


async def test_a_decision_with_what_it_cost() -> None:
    async with ModelServer(decided({"status": "continue", "commands": [CLICK]})) as server:
        asked = Asked(server.model())
        decision = await asked.ask()
    assert (decision.status, decision.commands) == ("continue", (CLICK,))
    ((usage, price),) = asked.spent
    assert usage == Usage(calls=1, input_tokens=100, output_tokens=20, cache_read_tokens=40)
    assert price is not None
    assert 0 < price < Decimal("0.01")
    assert server.authorizations == [f"Bearer {KEY}"]
    assert "The page has a button e1." in server.said_to_model(0)
    assert "Decide." in server.said_to_model(0)


async def test_images_are_sent_as_png() -> None:
    async with ModelServer(decided({"status": "complete"})) as server:
        await Asked(server.model()).ask(PLENTY, b"\x89PNG")
    (image,) = [part for part in server.requests[0]["messages"][-1]["content"] if part["type"] == "image_url"]
    assert image["image_url"]["url"].startswith("data:image/png;base64,")


INVALID = {
    "not JSON": (decided("{status: continue"), "JSON"),
    "no object": (decided("[1, 2]"), "object"),
    "empty arguments": (decided(""), "status"),
    "an empty object": (decided({}), "status"),
    "an empty text": (said(""), "Please return text"),
    "no text at all": (said(None), "Please return text"),
    "prose": (said("I would click the button."), "Invalid JSON"),
    "an unknown tool of the provider": (decided({"status": "complete"}, tool="click_button"), "click_button"),
    "an unknown field": (decided({"status": "complete", "thoughts": "none"}), "thoughts"),
    "an unknown action": (decided({"status": "continue", "commands": [{"action": "teleport"}]}), "teleport"),
    "code": (decided({"status": "continue", "commands": [{**CLICK, "eval": "x"}]}), "eval"),
    "a wrong status": (decided({"status": "done"}), "done"),
    "contradictory tools": (decided({"status": "continue", "needsToolResults": True}), "needsToolResults"),
    "contradictory status": (decided({"status": "infeasible", "commands": [CLICK]}), "infeasible"),
    "500 commands": (decided({"status": "continue", "commands": [CLICK] * 500}), "500"),
    "a selector of 1 MB": (
        decided({"status": "continue", "commands": [{**CLICK, "selector": "a" * 10**6}]}),
        "1,000,067 characters",
    ),
    "a selector of 20 kB": (
        decided({"status": "continue", "commands": [{**CLICK, "selector": "a" * 20_000}]}),
        "20,000",
    ),
    "5 MB": (decided({"status": "continue", "reasoning": "a" * 5_000_000}), "characters"),
    "5 MB of broken JSON": (decided('{"status": "' + "a" * 5_000_000), "JSON"),
    "5 MB of prose": (said("a" * 5_000_000), "Invalid JSON"),
    "deep nesting": (decided('{"status": ' + "[" * 100_000 + "]" * 100_000 + "}"), ""),
}


@pytest.mark.parametrize(
    "kind",
    sampled(
        INVALID,
        keep=[
            *("not JSON", "no text at all", "an unknown tool of the provider", "contradictory status"),
            *("a selector of 1 MB", "5 MB", "deep nesting"),
        ],
    ),
)
async def test_an_invalid_reply_is_corrected(kind: str) -> None:
    invalid, told = INVALID[kind]
    async with ModelServer(invalid, decided({"status": "complete"})) as server:
        asked = Asked(server.model())
        decision = await asked.ask()
        assert decision.status == "complete"
        assert told in server.said_to_model(1)
        assert server.sizes[1] < 100_000, "the model reads what is wrong, not all of its huge reply"
    assert [usage.calls for usage, _ in asked.spent] == [1, 1]
    assert asked.pauses == []


async def test_a_reply_that_stays_invalid() -> None:
    async with ModelServer(*[decided({"status": "done"})] * 4) as server:
        asked = Asked(server.model(), corrections=2)
        with pytest.raises(ModelReplyInvalid, match="status"):
            await asked.ask()
        assert len(server.requests) == 3
    assert [usage.calls for usage, _ in asked.spent] == [1, 1, 1]


async def test_no_corrections() -> None:
    async with ModelServer(decided({})) as server:
        with pytest.raises(ModelReplyInvalid):
            await Asked(server.model(), corrections=0).ask()
        assert len(server.requests) == 1


REFUSED = {
    "401": refused(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"),
    "403": refused(403, "Country not supported"),
    "404": refused(404, "The model `gpt-4o` does not exist", "model_not_found"),
    "400": refused(400, "This model's maximum context length is 10 tokens", "context_length_exceeded"),
    "402": refused(402, "Payment required"),
    "no money": refused(429, "You exceeded your current quota", "insufficient_quota"),
    "a web page": Answer(b"<html>" + b"x" * 100_000, 404, {"Content-Type": "text/html"}),
}


@pytest.mark.parametrize("kind", sampled(REFUSED, keep=["401", "no money", "a web page"]))
async def test_what_a_later_request_would_not_change_is_refused_at_once(kind: str) -> None:
    async with ModelServer(REFUSED[kind]) as server:
        asked = Asked(server.model())
        with pytest.raises(ModelRefused, match="gpt-4o") as caught:
            await asked.ask()
        assert len(server.requests) == 1
    assert (asked.spent, asked.pauses) == ([], [])
    assert KEY not in str(caught.value)
    assert len(str(caught.value)) < 700


UNAVAILABLE = {
    "429": (refused(429, "Rate limit reached", "rate_limit_exceeded"), 1.0),
    "429 with Retry-After": (refused(429, "Rate limit reached", "rate_limit_exceeded", retry_after="7"), 7.0),
    "408": (refused(408, "Timeout"), 1.0),
    "500": (refused(500, "Internal error"), 1.0),
    "503": (refused(503, "Overloaded", retry_after="2"), 2.0),
    "a body that stops": (decided({"status": "complete"})._replace(stop_after=50), 1.0),
    "a body that is not JSON": (Answer(b"<html>Sorry</html>"), 1.0),
    "a body that is JSON of another kind": (Answer({"hello": "world"}), 1.0),
    "an empty body": (Answer(b""), 1.0),
    "no choices": (Answer({**decided({}).body, "choices": []}), 1.0),
}


@pytest.mark.parametrize(
    "kind",
    sampled(
        UNAVAILABLE, keep=["429 with Retry-After", "500", "a body that stops", "a body that is not JSON", "no choices"]
    ),
)
async def test_a_provider_that_cannot_reply_now_is_asked_again(kind: str) -> None:
    answer, pause = UNAVAILABLE[kind]
    async with ModelServer(answer, decided({"status": "complete"})) as server:
        asked = Asked(server.model())
        assert (await asked.ask()).status == "complete"
        assert len(server.requests) == 2
    assert asked.pauses == [pause]
    assert [usage.calls for usage, _ in asked.spent] == [1]


async def test_a_provider_that_stays_down() -> None:
    async with ModelServer(*[refused(500, "Internal error")] * 9) as server:
        asked = Asked(server.model())
        with pytest.raises(ModelUnavailable, match="Internal error"):
            await asked.ask()
        assert len(server.requests) == asking.REQUESTS
    assert asked.pauses == [1.0, 2.0]


async def test_a_long_retry_after_is_not_waited_for() -> None:
    async with ModelServer(refused(429, "Rate limit reached", retry_after="3600")) as server:
        asked = Asked(server.model())
        with pytest.raises(ModelUnavailable) as caught:
            await asked.ask()
    assert caught.value.retry_after == 3600
    assert asked.pauses == []


async def test_a_connection_that_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        asked = Asked(OpenAIChatModel("gpt-4o", provider=OpenAIProvider(base_url=url, api_key=KEY)))
        with pytest.raises(ModelUnavailable):
            await asked.ask()
    assert asked.pauses == [1.0, 2.0]


async def test_a_model_that_hangs_is_asked_once_more() -> None:
    async with ModelServer(HANG, decided({"status": "complete"})) as server:
        asked = Asked(server.model())
        assert (await asked.ask(Allowance(30, reply_seconds=1))).status == "complete"
        await server.abandoned.wait()
    assert asked.pauses == [0]


async def test_a_model_that_stays_slow() -> None:
    async with ModelServer(HANG, HANG, HANG) as server:
        with pytest.raises(ModelTimeout, match=r"within 1 s"):
            await Asked(server.model()).ask(Allowance(30, reply_seconds=1))
        assert len(server.requests) == 2


@pytest.mark.parametrize("seconds", [0, 0.1])
async def test_the_time_of_the_whole_question_ends_it(seconds: float) -> None:
    async with ModelServer(HANG, HANG) as server:
        with pytest.raises(ModelTimeout) as caught:
            await Asked(server.model()).ask(Allowance(seconds, reply_seconds=20))
        assert len(server.requests) <= 1
    assert caught.value.model == "gpt-4o"


async def test_a_function_that_hangs_or_times_out_itself() -> None:
    async def hang(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.Event().wait()
        raise AssertionError

    async def time_out(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise TimeoutError

    for function in (hang, time_out):
        with pytest.raises(ModelTimeout):
            await Asked(FunctionModel(function)).ask(Allowance(0.1))


async def test_a_pause_that_the_time_does_not_allow() -> None:
    async with ModelServer(refused(429, "Rate limit reached", retry_after="20")) as server:
        asked = Asked(server.model())
        with pytest.raises(ModelUnavailable):
            await asked.ask(Allowance(10))
    assert asked.pauses == []


async def test_cancelling_ends_the_request() -> None:
    async with ModelServer(HANG) as server:
        question = asyncio.create_task(Asked(server.model()).ask())
        await server.asked.wait()
        question.cancel()
        with pytest.raises(asyncio.CancelledError):
            await question
        await server.abandoned.wait()


FILTERED = {
    "a refusal": (
        completion({"role": "assistant", "content": None, "refusal": "I cannot help"}, "stop", USAGE),
        "cannot",
    ),
    "a filtered reply": (completion({"role": "assistant", "content": ""}, "content_filter", USAGE), "content_filter"),
    "half a reply": (
        completion({"role": "assistant", "content": "I would"}, "content_filter", USAGE),
        "content_filter",
    ),
}


@pytest.mark.parametrize("kind", FILTERED)
async def test_a_refusal_and_a_filter_are_not_invalid_replies(kind: str) -> None:
    answer, told = FILTERED[kind]
    async with ModelServer(answer) as server:
        asked = Asked(server.model())
        with pytest.raises(ModelContentFiltered, match=told):
            await asked.ask()
        assert len(server.requests) == 1
    assert [usage.tokens for usage, _ in asked.spent] == [120], "it is paid for"


async def test_an_answer_without_choices_leaves_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    nothing = Answer({**decided({}).body, "choices": []})
    async with ModelServer(*[nothing] * 3) as server:
        with pytest.raises(ModelUnavailable, match="gpt-4o gave no reply that can be read"):
            await Asked(server.model()).ask()
        assert len(server.requests) == asking.REQUESTS
    assert caplog.text == ""


async def test_a_mistake_in_a_model_of_the_caller_is_logged_and_not_repeated(caplog: pytest.LogCaptureFixture) -> None:
    calls: list[int] = []

    def fail(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        calls.append(1)
        raise IndexError("list index out of range")

    with pytest.raises(ModelFailed, match="IndexError") as caught:
        await Asked(FunctionModel(fail)).ask()
    assert type(caught.value) is ModelFailed
    assert (len(calls), "Traceback" in caplog.text) == (1, True)


@pytest.mark.parametrize(
    ("allowance", "budget"),
    [(Allowance(30, tokens=700), "budget_tokens"), (Allowance(30, usd=Decimal("0.0042")), "budget_usd")],
)
async def test_a_correction_that_costs_too_much_is_not_sent(allowance: Allowance, budget: str) -> None:
    """The first request is estimated at some 130 tokens and 256 for its reply, a correction at more than 210."""
    async with ModelServer(*[decided({})] * 9) as server:
        asked = Asked(server.model(), corrections=9)
        with pytest.raises(ModelBudgetExceeded) as caught:
            await asked.ask(allowance)
        sent = len(server.requests)
    assert caught.value.budget == budget
    assert sent > 1
    assert [usage.tokens for usage, _ in asked.spent] == [120] * sent, "all replies are counted, and none went beyond"
    assert sum(usage.tokens for usage, _ in asked.spent) <= 700
    assert sum(price or 0 for _, price in asked.spent) <= Decimal("0.0042")


@pytest.mark.parametrize("allowance", [Allowance(30, tokens=300), Allowance(30, usd=Decimal("0.001"))])
async def test_a_first_request_that_costs_too_much_is_not_sent(allowance: Allowance) -> None:
    async with ModelServer() as server:
        asked = Asked(server.model())
        with pytest.raises(ModelBudgetExceeded, match=r"takes about \d+ tokens and its reply 256 or more"):
            await asked.ask(allowance)
        assert server.requests == []
    assert asked.spent == []


async def test_what_was_spent_before_a_failed_request_is_not_there_for_the_next_one() -> None:
    """The first reply is invalid and its correction fails, so that the question is asked again."""
    complete = decided({"status": "complete"})
    async with ModelServer(decided({}), refused(500, "Internal error"), complete, complete) as server:
        asked = Asked(server.model())
        for _ in range(2):
            await asked.ask(Allowance(30, tokens=1_000))
    *_, again, afresh = (request["max_completion_tokens"] for request in server.requests)
    assert afresh - again == 120


async def test_a_reply_is_bounded_by_what_is_left() -> None:
    async with ModelServer(*[decided({"status": "complete"})] * 4) as server:
        asked = Asked(server.model())
        for allowance in (
            Allowance(30, tokens=1_000),
            Allowance(30, usd=Decimal("0.01")),
            Allowance(30, tokens=100_000),
            Allowance(30, tokens=100_000, reply_tokens=300),
        ):
            await asked.ask(allowance)
        by_tokens, by_money, plenty, asked_for = (request.get("max_completion_tokens") for request in server.requests)
    assert 256 <= by_tokens < 1_000
    assert 256 <= by_money < 1_000
    assert (plenty, asked_for) == (None, 300)


CALL = {"id": "call_1", "type": "function", "function": {"name": "final_result", "arguments": '{"status": "com'}}
CUT = completion({"role": "assistant", "content": None, "tool_calls": [CALL]}, "length", USAGE)


@pytest.mark.parametrize(
    ("allowance", "error", "told"),
    [
        (PLENTY, ModelReplyInvalid, "did not finish its reply"),
        (Allowance(30, tokens=1_000), ModelBudgetExceeded, "did not fit into what was left"),
        (Allowance(30, tokens=1_000, reply_tokens=20), ModelReplyInvalid, "did not finish its reply"),
    ],
)
async def test_a_reply_that_is_cut_off(allowance: Allowance, error: type[ModelFailed], told: str) -> None:
    async with ModelServer(CUT) as server:
        asked = Asked(server.model(), corrections=0)
        with pytest.raises(error, match=told):
            await asked.ask(allowance)
        assert len(server.requests) == 1
    assert [usage.tokens for usage, _ in asked.spent] == [120]


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (1024).to_bytes(4) + (768).to_bytes(4) + b"\x08\x02\0\0\0"


def seeing(reply: Mapping[str, Any], usage: RequestUsage) -> FunctionModel:
    """Return a model whose provider counts images as Google does."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart(info.output_tools[0].name, dict(reply))], usage=usage)

    return FunctionModel(answer, model_name="gpt-4o")


@pytest.mark.parametrize(
    ("details", "tokens", "estimated"), [({"image_prompt_tokens": 700}, 700, 0), ({}, 1_530, 1_530)]
)
async def test_the_tokens_of_images_by_the_provider_and_else_by_estimate(
    details: dict[str, int], tokens: int, estimated: int
) -> None:
    asked = Asked(seeing({"status": "complete"}, RequestUsage(input_tokens=2_000, output_tokens=9, details=details)))
    await asked.ask(PLENTY, PNG, PNG)
    await asked.ask()
    (with_images, _), (without, _) = asked.spent
    assert (with_images.images, with_images.image_tokens, with_images.estimated_image_tokens) == (2, tokens, estimated)
    assert (without.images, without.estimated_image_tokens) == (0, 0)


async def test_images_of_a_correction_count_again() -> None:
    async with ModelServer(decided({}), decided({"status": "complete"})) as server:
        asked = Asked(server.model())
        await asked.ask(PLENTY, PNG)
    assert [(usage.images, usage.estimated_image_tokens) for usage, _ in asked.spent] == [(1, 765)] * 2


async def test_money_is_not_limited_where_the_price_is_unknown() -> None:
    asked = Asked(replying({"status": "complete"}))
    with pytest.raises(ModelRefused, match="price"):
        await asked.ask(Allowance(30, usd=Decimal(1)))
    assert asked.spent == []


async def test_tokens_are_not_limited_where_the_server_does_not_count() -> None:
    async with ModelServer(decided({"status": "complete"}, usage=None)) as server:
        with pytest.raises(ModelRefused, match="count"):
            await Asked(server.model()).ask(Allowance(30, tokens=1000))


async def test_the_price_of_uncounted_tokens_is_unknown() -> None:
    async with ModelServer(decided({"status": "complete"}, usage=None)) as server:
        asked = Asked(server.model())
        await asked.ask()
    assert asked.spent == [(Usage(calls=1), None)]


async def test_a_function_has_no_price() -> None:
    asked = Asked(replying({"status": "complete"}))
    await asked.ask()
    ((usage, price),) = asked.spent
    assert (usage.calls, price) == (1, None)


async def test_wrapped_models_and_models_to_fall_back_on() -> None:
    async with ModelServer(refused(500, "Internal error"), *[decided({"status": "complete"})] * 2) as server:
        asked = Asked(WrapperModel(FallbackModel(server.model(), server.model("gpt-4o-mini"))))
        assert (await asked.ask(Allowance(30, usd=Decimal(1)))).status == "complete"
        assert [request["model"] for request in server.requests] == ["gpt-4o", "gpt-4o-mini"]


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("", "Unknown model"),
        ("gpt-4o", "openai:gpt-4o"),
        ("nobody:model", "Unknown model"),
        ("openai-chat:gpt-4o", "OPENAI_API_KEY"),
        ("openai:gpt-4o", "OPENAI_API_KEY"),
        ("anthropic:claude-sonnet-4-5", r"pydantic-ai-slim\[anthropic\]"),
        (None, "NoneType"),
    ],
)
def test_a_model_that_cannot_be_made(model: Any, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelRefused, match=told):
        Asked(model)


async def test_a_name_with_the_base_url_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ModelServer(*[decided({"status": "complete"})] * 2) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        asked = Asked("openai-chat:some-model")
        async with asked.asker:
            for _ in range(2):
                assert (await asked.ask()).status == "complete"
    assert asked.asker.model == "some-model"
    assert server.requests[0]["model"] == "some-model"


OUTPUTS: dict[Output, str] = {"tool": "tools", "native": "response_format", "prompted": "messages"}


@pytest.mark.parametrize("output", OUTPUTS)
async def test_how_a_model_gives_json(output: Output) -> None:
    reply = {"status": "continue", "commands": [CLICK]}
    first, second = ({"status": "done"}, reply)
    answers = [decided(each) if output == "tool" else said(json.dumps(each)) for each in (first, second)]
    async with ModelServer(*answers) as server:
        decision = await Asked(server.model(), output=output).ask()
        assert decision.commands == (CLICK,)
        assert "infeasible" in json.dumps(server.requests[0][OUTPUTS[output]]), "where the schema is"
        assert ("tools" in server.requests[0]) == (output == "tool")
        assert "done" in server.said_to_model(1)


async def test_the_profile_of_a_model_decides_how_it_gives_json() -> None:
    profile = ModelProfile(supports_json_schema_output=True, default_structured_output_mode="native")
    async with ModelServer(said('{"status": "complete"}')) as server:
        assert (await Asked(server.model(profile=profile)).ask()).status == "complete"
        assert "response_format" in server.requests[0]


class Spans(trace.NoOpTracer):
    """Keeps the names and the attributes of the spans that begin."""

    def __init__(self) -> None:
        self.begun: dict[str, Mapping[str, Any]] = {}

    def get_tracer(self, *_: Any, **__: Any) -> Spans:
        return self

    def start_as_current_span(self, name: str, *args: Any, **options: Any) -> Any:
        self.begun[name] = options.get("attributes") or {}
        return super().start_as_current_span(name, *args, **options)

    def start_span(self, name: str, *args: Any, **options: Any) -> Any:
        self.begun[name] = options.get("attributes") or {}
        return super().start_span(name, *args, **options)


@pytest.fixture
def spans() -> Iterator[Spans]:
    spans = Spans()
    Agent.instrument_all(InstrumentationSettings(tracer_provider=spans))  # type: ignore[arg-type]
    yield spans
    Agent.instrument_all(False)


async def test_the_users_own_tracing(spans: Spans) -> None:
    await Asked(replying({"status": "complete"}, name="scripted")).ask()
    assert any("stillframe_decision" in name for name in spans.begun)
    assert any("scripted" in name for name in spans.begun)


def test_pauses() -> None:
    down, slow = ModelUnavailable("down", model="m"), ModelTimeout("slow", model="m")
    busy = ModelUnavailable("busy", model="m", retry_after=5)
    assert _pauses(down, down, down) == [1, 2, None]
    assert _pauses(busy, down, down) == [5, 2, None]
    assert _pauses(slow, slow) == [0, None]
    assert _pauses(down, slow, down, down) == [1, 0, 2, None]
    assert Retries().pause(busy, seconds_left=5) is None
    assert Retries().pause(slow, seconds_left=0) is None
    assert Retries().pause(ModelUnavailable("busy", model="m", retry_after=31), seconds_left=100) is None


def _pauses(*errors: ModelUnavailable | ModelTimeout) -> list[float | None]:
    retries = Retries()
    return [retries.pause(error, seconds_left=100) for error in errors]


def test_the_schema_of_decisions_is_taken() -> None:
    (schema,), components = msgspec.json.schema_components([Decision], ref_template="#/$defs/{name}")
    whole = {**components.pop(schema["$ref"].rsplit("/")[-1]), "$defs": components}
    Asker(
        "test",
        name="decision",
        instructions="",
        schema=whole,
        parse=parse_decision,
        corrections=0,
        spend=lambda *_: None,
    )
