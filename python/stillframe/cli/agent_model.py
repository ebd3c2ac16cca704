"""Find what is wrong with the model of a command before a browser starts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stillframe.errors import InputError

EXTRA = frozenset({"genai_prices", "pydantic", "pydantic_ai", "pydantic_core"})
MISSING = "the agent needs pydantic-ai: pip install 'stillframe[agent]'"


@contextmanager
def needing_extra() -> Iterator[None]:
    """Raise InputError in the place of the error of a package that is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        raise InputError(MISSING) from None


def check_model(name: str) -> None:
    """Raise ModelRefused if there is no such model or its key is missing, InputError without pydantic-ai."""
    with needing_extra():
        from stillframe.agent.asking import find_model

        find_model(name)
