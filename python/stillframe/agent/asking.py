"""Ask a model for one decision: its retries, its time, its tokens and their price; the provider's errors as ours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from pydantic_ai import Agent, BinaryContent, ModelRetry, StructuredDict, UsageLimits, exceptions
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage

from stillframe.agent.decision import Decision, parse_decision
from stillframe.agent.outcome import Usage
from stillframe.errors import (
    DecisionInvalid,
    ModelFailed,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)
from stillframe.model.bounds import short

REQUESTS = 3
"""How often to ask a provider that cannot reply now, the first time included."""
PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
"""Seconds before the second request, doubled before the third, where the provider does not say; and the most."""

Spend = Callable[[Usage, Decimal | None], None]
"""Gets what a request has used, also if it failed, and its price in US dollars, None if it is not known."""


class Allowance(NamedTuple):
    """What one question may still use: seconds, and tokens and US dollars unless they are None."""

    seconds: float
    tokens: int | None = None
    usd: Decimal | None = None


class Asker:
    """Asks one model for decisions; `instructions` are the same for every question, so that providers cache them."""

    def __init__(
        self, model: Model | str, *, instructions: str, schema: Mapping[str, Any], corrections: int, spend: Spend
    ) -> None:
        """Raises ModelRefused if there is no such model, or its provider lacks a key or a package."""
        self._spend = spend
        try:
            self._agent = Agent(
                model,
                output_type=StructuredDict(dict(schema), name="decision"),
                instructions=instructions,
                retries=corrections,
            )
        except (exceptions.UserError, ImportError, ValueError) as error:
            raise ModelRefused(f"{model}: {error}", model=str(model)) from error
        self._agent.output_validator(_checked)

    @property
    def model(self) -> str:
        """The name of the model."""
        model = self._agent.model
        return model.model_name if isinstance(model, Model) else str(model)

    async def ask(self, prompt: str, images: Sequence[bytes], allowance: Allowance) -> Decision:
        """Return the model's decision.

        A provider that cannot reply now, and a model that is too slow, are asked again. Raises ModelFailed.
        """
        pause = PAUSE_S
        async with asyncio.timeout(allowance.seconds) as limit:
            for left in reversed(range(REQUESTS)):
                try:
                    return await self._request(prompt, images, allowance)
                except ModelUnavailable as error:
                    wait = pause if error.retry_after is None else error.retry_after
                    if not left or wait > LONGEST_PAUSE_S:
                        raise
                await asyncio.sleep(wait)
                pause *= 2
        raise AssertionError(limit)

    async def _request(self, prompt: str, images: Sequence[bytes], allowance: Allowance) -> Decision:
        usage = RunUsage()
        limits = UsageLimits(total_tokens_limit=allowance.tokens, cost_limit=allowance.usd)
        content = [prompt, *(BinaryContent(image, media_type="image/png") for image in images)]
        try:
            answered = await self._agent.run(content, usage=usage, usage_limits=limits, timeout=allowance.seconds)
        except exceptions.AgentRunError as error:
            raise self._failure(error, allowance) from error
        finally:
            self._spend(_usage(usage), usage.cost)
        return parse_decision(answered.output)

    def _failure(self, error: exceptions.AgentRunError, allowance: Allowance) -> ModelFailed:
        model, reason = self.model, short(str(error), 500)
        match error:
            case exceptions.RunTimedOut() | exceptions.ModelTimeoutError():
                return ModelTimeout(f"{model} did not reply within {allowance.seconds:g} s", model=model)
            case exceptions.ModelRequestRejectedError() | exceptions.ModelQuotaExceededError():
                return ModelRefused(f"{model} refused the request: {reason}", model=model)
            case exceptions.ModelAPIError():
                return ModelUnavailable(f"{model} cannot reply: {reason}", model=model, retry_after=error.retry_after)
            case exceptions.UnexpectedModelBehavior():
                why = short(str(error.__cause__ or error), 500)
                return ModelReplyInvalid(f"{model} did not correct its reply: {why}", model=model)
        return ModelFailed(f"{model} gave no reply: {reason}", model=model)


def _checked(reply: dict[str, Any]) -> dict[str, Any]:
    try:
        parse_decision(reply)
    except DecisionInvalid as error:
        raise ModelRetry(str(error)) from error
    return reply


def _usage(usage: RunUsage) -> Usage:
    return Usage(
        calls=usage.requests,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
