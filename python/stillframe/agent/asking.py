"""Ask a model for one JSON reply: its retries, its time, its tokens and their price; the provider's errors as ours.

What a `model` may be, here and wherever the agent takes one:

- `"openai-chat:NAME"`: OpenAI, or any server with its Chat Completions API (llama.cpp, vLLM, LM Studio …) at the URL in
  the environment variable `OPENAI_BASE_URL`; the key is in `OPENAI_API_KEY`.
- `"openai:NAME"`: the same with the Responses API, which few other servers have.
- `"anthropic:NAME"`, `"google:NAME"`, `"ollama:NAME"`, `"openrouter:NAME"` and the other providers of pydantic-ai; each
  needs its extra, such as `pip install 'pydantic-ai-slim[anthropic]'`, and its own environment variable for the key.
- A model of pydantic-ai, where a name is not enough: another base URL or HTTP client, settings such as a temperature,
  several models to fall back on, or a profile that says what a server can do.

Tracing is the library's: `Agent.instrument_all()`, also with `InstrumentationSettings`, covers these questions like any
other run of an agent. The name of their agent is `stillframe_` and what is asked for, such as `stillframe_decision`.
Spans hold the prompts and the replies unless the settings have `include_content=False`.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic_ai import (
    Agent,
    BinaryContent,
    ModelMessage,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    ModelRetry,
    ModelSettings,
    NativeOutput,
    PromptedOutput,
    RetryFeedbackPart,
    RunContext,
    StructuredDict,
    TextPart,
    ToolCallPart,
    ToolOutput,
    ToolReturnPart,
    exceptions,
)
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.models import Model, infer_model

from stillframe.agent.bill import Bill, Spend
from stillframe.agent.errors import (
    DecisionInvalid,
    ModelContentFiltered,
    ModelFailed,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)
from stillframe.agent.interruption import InterruptibleModel
from stillframe.agent.plain_models import has_price, keys_of, plain_models
from stillframe.agent.purse import Purse
from stillframe.agent.request_size import TokenEstimate
from stillframe.extend import loop_clock, time_limit
from stillframe.model.bounds import ERROR_CHARACTERS, short
from stillframe.security.redaction import logger
from stillframe.security.untrusted_text import map_texts

REQUESTS = 3
"""How often to ask a provider that cannot reply now, the first time included."""
REQUESTS_IF_SLOW = 2
"""How often to ask a model that does not reply in time, the first time included."""
PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
"""Seconds before the second request, doubled before the third, where the provider does not say; and the most."""
REASON_CHARS = 500
"""Characters of a provider's error: some send a whole web page."""
REPEATED_CHARS = 20_000
"""Characters of an invalid reply that the model gets to see again: a longer one would fill its context."""
TEMPORARY = frozenset({408, 409, 425, 429})
"""HTTP statuses below 500 of a request that may succeed later (RFC 9110, RFC 8470, RFC 6585)."""

log = logger("stillframe.agent")

Reply = TypeVar("Reply")
Parse = Callable[[Mapping[str, Any]], Reply]
"""Turns the JSON of a reply into a value; raises DecisionInvalid with a message that the model can act on."""
Sleep = Callable[[float], Awaitable[object]]
Output = Literal["auto", "tool", "native", "prompted"]
"""How a model gives JSON: as the arguments of a tool, by a JSON schema of the provider's API that binds its output, or
because the prompt asks for it. `auto` is what its profile says, mostly `tool`. Servers without tools need one of the
other two: `native` where they take `response_format`, else `prompted`."""


class Allowance(NamedTuple):
    """What one question may still use: seconds, and tokens and US dollars unless they are None.

    `seconds` is for all requests of the question together, with the pauses between them. `reply_seconds` is for one
    reply: a model that takes longer is asked once more. It is `seconds` by default, and then no time is left for that.
    `reply_tokens` bounds one reply. A request that may use more than what is left is not sent (see `agent.purse`).
    """

    seconds: float
    tokens: int | None = None
    usd: Decimal | None = None
    reply_seconds: float | None = None
    reply_tokens: int | None = None


class Asker(Generic[Reply]):
    """Asks one model for replies of one kind; `instructions` are always the same, so that providers cache them.

    Within `async with`, the requests share the connections to the provider; otherwise each one makes its own.
    """

    def __init__(  # noqa: PLR0913  by keyword
        self,
        model: Model | str,
        *,
        name: str,
        instructions: str,
        schema: Mapping[str, Any],
        parse: Parse[Reply],
        corrections: int,
        spend: Spend,
        output: Output = "auto",
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """`name` says what a reply is, such as `decision`. `corrections` is how often a model may correct one reply.

        Raises ModelRefused if there is no such model, or its provider lacks a key or a package.
        """
        self._spend = spend
        self._parse = parse
        self._sleep = sleep
        self._model = InterruptibleModel(find_model(model))
        self._estimate = TokenEstimate(self._model.model_name)
        self._agent = Agent(
            self._model,
            name=f"stillframe_{name}",
            output_type=OUTPUTS[output](StructuredDict(dict(schema), name=name)),
            instructions=instructions,
            retries=corrections,
            deps_type=Bill,
            capabilities=[ProcessHistory(_before_request)],
        )
        self._agent.output_validator(self._checked)

    async def __aenter__(self) -> Asker[Reply]:
        await self._agent.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._agent.__aexit__()

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._model.model_name

    async def ask(self, prompt: str, images: Sequence[bytes], allowance: Allowance) -> Reply:
        """Return the model's reply to a prompt and PNG images.

        A provider that cannot reply now, and a model that is too slow, are asked again while time is left. An invalid
        reply goes back to the model with what is wrong. Raises ModelFailed; ModelBudgetExceeded means that the tokens
        or the money do not suffice for the next request, and `spend` got what was used before.
        """
        self._check_price(allowance)
        try:
            async with time_limit(allowance.seconds), self._agent:
                return await self._ask_until(loop_clock().now() + allowance.seconds, prompt, images, allowance)
        except ModelFailed:
            raise
        except TimeoutError:
            raise self._slow(allowance.seconds) from None

    async def _ask_until(self, end: float, prompt: str, images: Sequence[bytes], allowance: Allowance) -> Reply:
        retries, purse = Retries(), self._purse(allowance)
        bill = Bill(self._spend, purse.take_images)
        while True:
            try:
                return await self._request(prompt, images, allowance, purse, bill)
            except (ModelUnavailable, ModelTimeout) as error:
                pause = retries.pause(error, end - loop_clock().now())
                if pause is None:
                    raise
            await self._sleep(pause)

    def _purse(self, allowance: Allowance) -> Purse:
        return Purse(
            self._model,
            self._estimate,
            tokens=allowance.tokens,
            usd=allowance.usd,
            reply_tokens=allowance.reply_tokens,
        )

    async def _request(
        self, prompt: str, images: Sequence[bytes], allowance: Allowance, purse: Purse, bill: Bill
    ) -> Reply:
        usage, before = purse.usage, purse.usage.requests
        shown = [BinaryContent(image, media_type="image/png") for image in images]
        try:
            running = self._agent.run(
                [prompt, *shown] if shown else prompt,  # small servers take a text only
                deps=bill,
                usage=usage,
                model_settings=self._settings(allowance),
            )
            answered = await self._model.finished(running, purse)
        except (exceptions.AgentRunError, OSError) as error:
            if isinstance(error, exceptions.OutputTokenLimitExceeded) and purse.bounded:
                raise purse.exceeded(self._reason(error)) from error
            raise self._failure(error, allowance, replied=usage.requests > before) from error
        except ModelFailed:
            raise
        except Exception as error:  # a model of the caller's own may raise anything, and a run outlives it
            if is_from_provider(error):
                raise self._unreadable(f"{type(error).__name__}: {self._reason(error)}") from error
            log.exception("the model %s failed", self.model)
            raise ModelFailed(
                f"{self.model} failed: {type(error).__name__}: {self._reason(error)}", model=self.model
            ) from error
        finally:
            bill.report(usage)
        if usage.unmeasured_requests and (allowance.tokens, allowance.usd) != (None, None):
            raise self._uncounted()
        return self._parse(answered.output)

    def _settings(self, allowance: Allowance) -> ModelSettings:
        """Return the settings of a request: the retries are ours, so the provider's package makes none itself."""
        settings = ModelSettings(request_timeout=allowance.reply_seconds or allowance.seconds)
        if all("max_retries" not in model.unsupported_settings for model in plain_models(self._model)):
            settings["max_retries"] = 0
        return settings

    def _check_price(self, allowance: Allowance) -> None:
        if allowance.usd is not None and not all(has_price(model) for model in plain_models(self._model)):
            raise ModelRefused(
                f"the price of {self.model} is not known, so a limit in US dollars cannot be kept: limit the tokens",
                model=self.model,
            )

    def _failure(self, error: Exception, allowance: Allowance, *, replied: bool) -> ModelFailed:
        model, reason = self.model, self._reason(error)
        match error:
            case exceptions.ModelTimeoutError() | exceptions.ModelRequestTimeout() | TimeoutError():
                return self._slow(allowance.reply_seconds or allowance.seconds)
            case exceptions.ModelAPIError() if is_final(error):
                return ModelRefused(f"{model} refused the request: {reason}", model=model)
            case exceptions.ModelAPIError():
                return ModelUnavailable(f"{model} cannot reply: {reason}", model=model, retry_after=error.retry_after)
            case exceptions.ContentFilterError():
                return ModelContentFiltered(f"{model} refused, or its provider filtered it: {reason}", model=model)
            case exceptions.OutputTokenLimitExceeded():
                return ModelReplyInvalid(f"{model} did not finish its reply: {reason}", model=model)
            case exceptions.UnexpectedModelBehavior() if replied:
                why = self._reason(error.__cause__ or error)
                return ModelReplyInvalid(f"{model} did not correct its reply: {why}", model=model)
            case exceptions.UnexpectedModelBehavior() | OSError():
                return self._unreadable(reason)
        return ModelFailed(f"{model} gave no reply: {reason}", model=model)

    def _unreadable(self, reason: str) -> ModelUnavailable:
        return ModelUnavailable(f"{self.model} gave no reply that can be read: {reason}", model=self.model)

    def _uncounted(self) -> ModelRefused:
        return ModelRefused(
            f"the server of {self.model} does not count tokens, so a limit cannot be kept: limit the time",
            model=self.model,
        )

    def _slow(self, seconds: float) -> ModelTimeout:
        return ModelTimeout(f"{self.model} did not reply within {seconds:g} s", model=self.model)

    def _reason(self, error: BaseException) -> str:
        """Return an error's text without the provider's keys: some servers repeat what they refuse."""
        text = str(error)
        for key in keys_of(self._model):
            text = text.replace(key, "[key]")
        return short(text, REASON_CHARS)

    def _checked(self, reply: dict[str, Any]) -> dict[str, Any]:
        try:
            self._parse(reply)
        except DecisionInvalid as error:
            raise ModelRetry(str(error)) from error
        return reply


class Retries:
    """Says when to ask again, from the errors of one question; pure."""

    def __init__(self) -> None:
        self._unavailable = 0
        self._slow = 0

    def pause(self, error: ModelUnavailable | ModelTimeout, seconds_left: float) -> float | None:
        """Return how many seconds to wait before the next request; None if the error is final."""
        pause = self._after_slow() if isinstance(error, ModelTimeout) else self._after_unavailable(error.retry_after)
        return pause if pause is not None and pause < seconds_left else None

    def _after_slow(self) -> float | None:
        self._slow += 1
        return 0.0 if self._slow < REQUESTS_IF_SLOW else None

    def _after_unavailable(self, retry_after: float | None) -> float | None:
        self._unavailable += 1
        pause = PAUSE_S * 2 ** (self._unavailable - 1) if retry_after is None else retry_after
        return pause if self._unavailable < REQUESTS and pause <= LONGEST_PAUSE_S else None


def find_model(model: Model | str) -> Model:
    """Return the model of a name. Raises ModelRefused that says what to install or to set."""
    try:
        return infer_model(model)
    except Exception as error:  # each provider's package has errors of its own for a missing key
        raise ModelRefused(f"{short(str(error), REASON_CHARS)}{_hint(model)}", model=str(model)) from error


def _hint(model: object) -> str:
    if not isinstance(model, str):
        return f": a model is a text such as openai:gpt-4o, or a model of pydantic-ai, not {type(model).__name__}"
    return "" if ":" in model else ": name the provider as well, such as openai:gpt-4o"


def is_from_provider(error: Exception) -> bool:
    """Return whether what reads a provider's answer failed on it, such as on one without any choice."""
    module, trace = "", error.__traceback__
    while trace is not None:
        module, trace = trace.tb_frame.f_globals.get("__name__", ""), trace.tb_next
    return module.startswith("pydantic_ai.models.") and not module.endswith((".function", ".test"))


def is_final(error: exceptions.ModelAPIError) -> bool:
    """Return whether a later request would get the same error."""
    match error:
        case exceptions.ModelRequestRejectedError() | exceptions.ModelQuotaExceededError():
            return True
        case exceptions.ModelHTTPError(status_code=status):
            return status < 500 and status not in TEMPORARY
    return False


OUTPUTS: Mapping[Output, Callable[[Any], Any]] = {
    "auto": lambda schema: schema,
    "tool": ToolOutput,
    "native": NativeOutput,
    "prompted": PromptedOutput,
}


async def _before_request(context: RunContext[Bill], messages: list[ModelMessage]) -> list[ModelMessage]:
    context.deps.report(context.usage)
    return [_without_huge_parts(message) for message in messages]


def _without_huge_parts(message: ModelMessage) -> ModelMessage:
    if isinstance(message, ModelResponse):
        return dataclasses.replace(message, parts=[_short_reply(part) for part in message.parts])
    return dataclasses.replace(message, parts=[_short_problem(part) for part in message.parts])


def _short_reply(part: ModelResponsePart) -> ModelResponsePart:
    match part:
        case TextPart():
            return dataclasses.replace(part, content=short(part.content, REPEATED_CHARS))
        case ToolCallPart() if len(part.args_as_json_str()) > REPEATED_CHARS:
            return ToolCallPart(
                part.tool_name, {"cut": short(part.args_as_json_str(), REPEATED_CHARS)}, part.tool_call_id
            )
    return part


def _short_problem(part: ModelRequestPart) -> ModelRequestPart:
    """Shorten what the library says about a reply that is not even JSON: it quotes the whole of it."""
    match part:
        case ToolReturnPart():
            return dataclasses.replace(part, content=map_texts(part.content, _short_error))
        case RetryFeedbackPart(content=list(problems)):
            return dataclasses.replace(part, content=[_short_details(problem) for problem in problems])
    return part


def _short_details(problem: Any) -> Any:
    return {**problem, "input": map_texts(problem["input"], _short_error)}


def _short_error(text: str) -> str:
    return short(text, ERROR_CHARACTERS)
