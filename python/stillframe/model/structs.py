"""Copies of Structs with other values in their fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

Made = TypeVar("Made", bound=msgspec.Struct)


def mapped(value: Made, change: Callable[[str, Any], Any]) -> Made:
    """Return a copy of a Struct in which each field is what `change(name, value)` returns.

    The copy keeps what the Struct carries beside its fields, such as the ranks of a `StateChange`'s rows.
    """
    made = type(value)(**{name: change(name, getattr(value, name)) for name in value.__struct_fields__})
    if hasattr(value, "__dict__"):
        made.__dict__.update(value.__dict__)
    return made
