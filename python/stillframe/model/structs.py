"""What all result values share, and copies of Structs with other values in their fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

Made = TypeVar("Made", bound=msgspec.Struct)


class Value(msgspec.Struct, frozen=True):
    """A value of a result: immutable, comparable, and convertible to plain builtins and JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Return the value as plain builtins with its JSON keys."""
        builtins: dict[str, Any] = msgspec.to_builtins(self)
        return builtins

    def to_json(self) -> bytes:
        """Return the value as one JSON object."""
        return msgspec.json.encode(self)


class TrafficValue(Value, frozen=True):
    """A value with URLs, headers or bodies as the page has them, which may hold what was typed there.

    Its `repr`, which ends up in logs, leaves out headers and bodies, and the query and the fragment of each URL.
    """

    def __repr__(self) -> str:
        shown = ((name, getattr(self, name)) for name in self.__struct_fields__ if name not in _NOT_SHOWN)
        fields = ", ".join(f"{name}={short_url(value) if name in _URLS else repr(value)}" for name, value in shown)
        return f"{type(self).__name__}({fields})"


_URLS = frozenset({"url", "redirected_from_url"})
_NOT_SHOWN = frozenset({"headers", "post_data"})


def short_url(url: str | None) -> str:
    """Return the `repr` of a URL without its query and fragment."""
    if url is None:
        return "None"
    kept = url.partition("#")[0].partition("?")[0]
    return f"{kept!r}" if kept == url else f"{kept + '…'!r}"


def mapped(value: Made, change: Callable[[str, Any], Any]) -> Made:
    """Return a copy of a Struct in which `change(name, value)` replaces the value of each field.

    The copy keeps what the Struct carries besides its fields, such as the reader of a response's body.
    """
    made = type(value)(**{name: change(name, getattr(value, name)) for name in value.__struct_fields__})
    if hasattr(value, "__dict__"):
        made.__dict__.update(value.__dict__)
    return made
