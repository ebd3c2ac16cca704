"""The models behind a model: what wrappers wrap, the keys that their clients send, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from genai_prices import Usage as PricedUsage
from genai_prices import calc_price
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel


def plain_models(model: Model) -> Iterator[Model]:
    """Yield the models that do the work: what wrappers wrap, and each model of a list to fall back on."""
    match model:
        case WrapperModel():
            yield from plain_models(model.wrapped)
        case FallbackModel():
            for each in model.models:
                yield from plain_models(each)
        case _:
            yield model


def keys_of(model: Model) -> Iterator[str]:
    """Yield the keys that the clients of a model send."""
    for each in plain_models(model):
        key = getattr(getattr(each, "client", None), "api_key", None)
        if isinstance(key, str) and key:
            yield key


def has_price(model: Model) -> bool:
    """Return whether `genai-prices` knows what each model behind this one costs."""
    return price_of(model, 1, 1) is not None


def price_of(model: Model, input_tokens: int, output_tokens: int) -> Decimal | None:
    """Return what tokens cost at most in US dollars; None if the price of a model behind this one is not known."""
    prices = [_price(each, input_tokens, output_tokens) for each in plain_models(model)]
    return None if None in prices else max(price for price in prices if price is not None)


def _price(model: Model, input_tokens: int, output_tokens: int) -> Decimal | None:
    used, name = PricedUsage(input_tokens=input_tokens, output_tokens=output_tokens), model.model_name
    for known in ({"provider_api_url": model.base_url}, {"provider_id": model.system}):
        try:
            return calc_price(used, name, **known).total_price
        except LookupError:
            continue
    return None
