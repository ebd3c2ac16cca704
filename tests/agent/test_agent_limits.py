"""The limits as values: their bounds, and what is refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stillframe.agent import Limits
from stillframe.errors import OptionInvalid

WRONG: dict[str, tuple[str, Any]] = {
    "an unknown key": ("max_steps", 3),
    "negative": ("max_total_iterations", -1),
    "a fraction": ("max_total_iterations", 1.5),
    "a text": ("max_total_iterations", "3"),
    "a truth value": ("max_total_iterations", True),
    "None for a limit that cannot be off": ("max_total_iterations", None),
    "too large": ("max_total_iterations", 10**9),
    "no failure at all": ("max_consecutive_iteration_failures", 0),
    "no time for a command": ("command_timeout", 0),
    "no time for the model": ("model_timeout", 0),
    "not a number": ("timeout", float("nan")),
    "without end": ("command_timeout", float("inf")),
    "a negative price": ("budget_usd", -0.01),
    "a tiny prompt": ("max_prompt_chars", 999),
    "one domain as a text": ("allowed_domains", "example.com"),
    "domains that are not texts": ("allowed_domains", (1,)),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_limit_is_refused_by_its_name(kind: str) -> None:
    name, value = WRONG[kind]
    with pytest.raises(OptionInvalid, match=name) as caught:
        Limits(**{name: value})
    assert caught.value.option is not None
    assert caught.value.option.startswith(f"limits.{name}")


def test_the_defaults() -> None:
    limits = Limits()
    assert (limits.max_total_iterations, limits.max_iterations_per_step) == (50, 8)
    assert (limits.timeout, limits.budget_tokens, limits.budget_usd) == (None, None, None)
    assert limits.continue_on_step_failure


def test_limits_survive_json() -> None:
    limits = Limits(timeout=3, budget_usd=0.05, allowed_domains=("example.com",))
    assert msgspec.json.decode(msgspec.json.encode(limits), type=Limits) == limits


def test_limits_do_not_change() -> None:
    with pytest.raises(AttributeError):
        Limits().timeout = 3  # type: ignore[misc]
