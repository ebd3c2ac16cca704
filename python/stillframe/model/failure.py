"""The failure of an action as a value, and the error it stands for."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from stillframe.errors import ActionFailed, StillframeError, all_errors
from stillframe.model.structs import Value

BLANKS: dict[str, Any] = {"str": "", "int": 0, "float": 0.0, "bool": False}
"""The attributes of an error that a failure says nothing about, by the type they are declared with."""


OWN_FIELDS = frozenset({"index", "result", "skipped"})
"""The attributes of an error that a failure has fields for, or that the sequence adds."""


class Failure(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The action that a sequence stopped at; `code` is that of the error class, `skipped` counts the actions after it.

    `data` holds the attributes of the error, such as the `candidates` of an ElementNotFound.
    """

    index: int
    action: str
    error: str
    code: str
    skipped: int = 0
    data: dict[str, Any] = {}  # noqa: RUF012  msgspec copies it


def error_data(error: StillframeError) -> dict[str, Any]:
    """Return the attributes of an error that say something and are plain values, as `Failure.data` holds them."""
    blank = _blank(type(error))
    return {
        name: value
        for name, value in vars(error).items()
        if not name.startswith("_") and name not in OWN_FIELDS and _is_plain(value) and value != blank.get(name)
    }


def failure_error(failed: Failure, result: object = None) -> StillframeError:
    """Return the error that a failure stands for, with the index of the action and the result of the sequence.

    Attributes that the failure has no data for are empty.
    """
    kind = _classes().get(failed.code, ActionFailed)
    error = kind.__new__(kind, failed.error)
    error.args = (failed.error,)
    data = {name: tuple(value) if isinstance(value, list) else value for name, value in failed.data.items()}
    error.__dict__.update(_blank(kind) | {"skipped": failed.skipped} | data | {"index": failed.index, "result": result})
    return error


@cache
def _classes() -> Mapping[str, type[StillframeError]]:
    return {kind.code: kind for kind in all_errors()}


def _blank(kind: type[StillframeError]) -> dict[str, Any]:
    """Return a value for each attribute that the constructors of an error class set."""
    return {
        name: BLANKS.get(str(parameter.annotation)) if parameter.default is parameter.empty else parameter.default
        for name, parameter in _parameters(kind)
    }


def _parameters(kind: type[StillframeError]) -> Iterator[tuple[str, inspect.Parameter]]:
    for base in reversed(kind.__mro__):
        if issubclass(base, StillframeError) and "__init__" in vars(base):
            parameters = inspect.signature(base.__init__).parameters
            yield from ((name, each) for name, each in parameters.items() if name not in ("self", "message"))


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float | None) or (
        isinstance(value, tuple | list) and all(isinstance(each, str | int | float) for each in value)
    )
