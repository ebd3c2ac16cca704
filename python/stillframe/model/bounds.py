"""What a result may take: so many rows in each list, so many characters in each text; the rest is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import msgspec

from stillframe.model.structs import mapped
from stillframe.model.verdict import OmittedRows

Value = TypeVar("Value")
Bounded = TypeVar("Bounded", bound=msgspec.Struct)

TEXT_CHARACTERS = 1000
"""Of a text of a page: a URL, the message of a dialog, what names a piece of work."""
ERROR_CHARACTERS = 4000
"""Of the message of an error: it lists what was found instead."""
FILE_CHARACTERS = 255
"""Of the name of a file: what file systems take."""
INLINE_CHARACTERS = 100
"""Of a URL that holds its content: it says where from and of what type, the rest is no address."""
ROWS = 100
"""Rows per list where no `limit` was asked for."""

LISTS = tuple(name for name in OmittedRows.__struct_fields__ if name != "steps")
"""What is cut: the steps are as many as the caller's own actions."""

CUT = "…"
INLINE = ("data:", "javascript:")
MOST: dict[str, int] = {"error": ERROR_CHARACTERS, "suggested_filename": FILE_CHARACTERS}
"""Characters by the field of a text, where they are not TEXT_CHARACTERS."""
WHOLE = frozenset({"path", "stack", "page_text", "appeared", "disappeared", "changed"})
"""Fields that are ours, no use in part, or bounded by options of their own."""


def short(text: str, most: int = TEXT_CHARACTERS) -> str:
    """Return a text of at most so many characters; one that was cut ends in "…"."""
    return text if len(text) <= most else text[: most - 1] + CUT


def shortened(value: Value, field: str = "") -> Value:
    """Return a text, a Struct or a tuple of them with every text in it cut to what its field may have."""
    if field in WHOLE:
        return value
    if isinstance(value, str):
        return cast(Value, short(value, _most(value, field)))
    if isinstance(value, tuple):
        return cast(Value, tuple(shortened(each, field) for each in value))
    if isinstance(value, msgspec.Struct):
        return cast(Value, mapped(value, lambda name, each: shortened(each, name)))
    return value


def _most(text: str, field: str) -> int:
    is_inline = field not in ("error", "message", "name", "text") and text[:11].lower().startswith(INLINE)
    return INLINE_CHARACTERS if is_inline else MOST.get(field, TEXT_CHARACTERS)


def bounded(result: Bounded, limit: int = ROWS, more: Mapping[str, int] | None = None) -> Bounded:
    """Return a result, or a verdict, with at most `limit` rows in each of its lists and all its texts cut.

    Its `omitted` counts the rest, with what it counted before and what has been left out by list (`more`).
    """
    former: OmittedRows | None = getattr(result, "omitted", None)
    counts: dict[str, int] = dict(more or {})
    cut: dict[str, Any] = {}
    for name in LISTS:
        rows = getattr(result, name, None)
        cut[name] = None if rows is None else rows[:limit]
        counts[name] = (
            counts.get(name, 0) + len(rows or ()) - len(cut[name] or ()) + (getattr(former, name) if former else 0)
        )
    omitted = OmittedRows(**counts)
    present = {name: rows for name, rows in cut.items() if name in result.__struct_fields__}
    return shortened(msgspec.structs.replace(result, **present, omitted=None if omitted == OmittedRows() else omitted))


def said(omitted: Mapping[str, int] | OmittedRows | None, words: Callable[[str], str] = str) -> str:
    """Return how many rows of which lists were left out, in words; empty if none were."""
    counts = omitted if isinstance(omitted, Mapping) else msgspec.structs.asdict(omitted) if omitted else {}
    return ", ".join(f"{count} {words(name)}" for name, count in counts.items() if count)
