"""What one question to a model may still cost: each of its requests is estimated before it is sent, or refused."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from pydantic_ai import ModelMessage, ModelResponse, ModelSettings
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.usage import RunUsage

from stillframe.agent.errors import ModelBudgetExceeded
from stillframe.agent.plain_models import price_of
from stillframe.agent.request_size import RequestSize, TokenEstimate, request_size

MIN_REPLY_TOKENS = 256
"""Tokens that a reply may need at least; a decision with a reason takes 60 to 250."""
MAX_REPLY_TOKENS = 4_096
"""The most tokens that `max_tokens` asks for, because some models refuse a request for more. A budget with more tokens
left bounds a reply only by `max_reply_tokens`."""
IMAGE_COUNTS = ("input_image_tokens", "image_prompt_tokens", "image_tokens")
"""What genai-prices and pydantic-ai call the tokens of images where a provider counts them apart."""


class ImageTokens(NamedTuple):
    """The images of a request that was replied to, their tokens, and how many of those are an estimate."""

    images: int = 0
    tokens: int = 0
    estimated: int = 0


class Purse:
    """What the requests of one question may use; `tokens` and `usd` are what was left when it began, None for any."""

    def __init__(
        self,
        model: Model,
        estimate: TokenEstimate,
        *,
        tokens: int | None,
        usd: Decimal | None,
        reply_tokens: int | None,
    ) -> None:
        self._model = model
        self._estimate = estimate
        self._tokens = tokens
        self._usd = usd
        self._reply_tokens = reply_tokens
        self._size = RequestSize(0, 0, 0)
        self.bounded = False
        """Whether what is left bounds the reply to the last request."""
        self.usage = RunUsage()
        """What the question has used so far, by the provider's own numbers."""
        self._images = ImageTokens()

    def before(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelSettings | None:
        """Return the settings of a request with a bound for its reply; raises ModelBudgetExceeded."""
        self._size = request_size(messages, parameters)
        most = self._most_reply_tokens(self._estimate.tokens(self._size))
        given = (settings or {}).get("max_tokens")
        bounds = [bound for bound in (most, self._reply_tokens, given) if bound is not None]
        self.bounded = most is not None and most == min(bounds)
        if most is None and self._reply_tokens is None:
            return settings
        return ModelSettings(**{**(settings or {}), "max_tokens": min(bounds)})

    def after(self, reply: ModelResponse) -> None:
        """Learn from a reply what a request takes, and count its images."""
        counted = reply.usage.input_tokens
        self._estimate.learn(self._size, counted)
        if not self._size.images:
            return
        told = _image_tokens(reply)
        estimated = 0 if told is not None else self._estimate.image_tokens(self._size)
        images, tokens, estimates = self._images
        self._images = ImageTokens(
            images + len(self._size.images),
            tokens + (estimated if told is None else told),
            estimates + estimated,
        )

    def exceeded(self, reason: str) -> ModelBudgetExceeded:
        """Return the error of a reply that was cut because no more was left."""
        budget = "budget_usd" if self._tokens is None else "budget_tokens"
        return ModelBudgetExceeded(
            f"the reply did not fit into what was left: {reason}", model=self._model.model_name, budget=budget
        )

    def take_images(self) -> ImageTokens:
        """Return the images of the replies since the last call."""
        taken, self._images = self._images, ImageTokens()
        return taken

    def _most_reply_tokens(self, needed: int) -> int | None:
        """Return the tokens to bound a reply by, None for no bound; raises ModelBudgetExceeded."""
        affordable = [self._by_tokens(needed), self._by_money(needed)]
        most = min((each for each in affordable if each is not None), default=None)
        return None if most is None or most >= MAX_REPLY_TOKENS else most

    def _by_tokens(self, needed: int) -> int | None:
        if self._tokens is None:
            return None
        left = self._tokens - self.usage.total_tokens
        if left < needed + MIN_REPLY_TOKENS:
            self._refuse("budget_tokens", needed, f"{max(left, 0):,} tokens")
        return left - needed

    def _by_money(self, needed: int) -> int | None:
        if self._usd is None:
            return None
        left = self._usd - (self.usage.cost or Decimal(0))
        asking, replying = price_of(self._model, needed, 0), price_of(self._model, needed, MIN_REPLY_TOKENS)
        assert asking is not None  # a model without a price has been refused
        assert replying is not None
        if left < replying:
            self._refuse("budget_usd", needed, f"${max(left, Decimal(0)):.5f}")
        for_reply = replying - asking
        return int((left - asking) / for_reply * MIN_REPLY_TOKENS) if for_reply else None

    def _refuse(self, budget: str, needed: int, left: str) -> None:
        raise ModelBudgetExceeded(
            f"the next request takes about {needed:,} tokens and its reply {MIN_REPLY_TOKENS} or more; {left} are left",
            model=self._model.model_name,
            budget=budget,
        )


def _image_tokens(reply: ModelResponse) -> int | None:
    """Return how many tokens of a request were images, None if the provider does not say."""
    counts = {**vars(reply.usage), **reply.usage.details}
    return next((counts[name] for name in IMAGE_COUNTS if isinstance(counts.get(name), int)), None)
