"""Checks of what callers pass to calls that are not actions."""

from __future__ import annotations

import math
from collections.abc import Iterable

from stillframe.errors import ActionInvalid, InputError, OptionInvalid
from stillframe.model.suggest import unknown


def number(name: str, value: object, *, what: str, least: float | None = None) -> float:
    """Return a finite number; raises ActionInvalid that names the argument and says `what` it is."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ActionInvalid(f"{name} is {value!r}: it must be a number: {what}", field=name)
    if least is not None and value < least:
        raise ActionInvalid(f"{name} is {value!r}: it must be {least:g} or more: {what}", field=name)
    return value


def count(name: str, value: object, *, what: str) -> int:
    """Return a number of 1 or more without a fraction; raises ActionInvalid."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ActionInvalid(f"{name} is {value!r}: it must be a whole number, 1 or more: {what}", field=name)
    return value


def choice(name: str, value: object, known: Iterable[str], *, error: type[InputError] = ActionInvalid) -> str:
    """Return one of some words; raises ActionInvalid, or OptionInvalid, with the nearest one."""
    words = tuple(known)
    if value not in words:
        message = f"{name}: {unknown('value', str(value), words)}"
        raise OptionInvalid(message, option=name) if error is OptionInvalid else ActionInvalid(message, field=name)
    return str(value)
