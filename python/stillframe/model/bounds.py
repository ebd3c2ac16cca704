"""The bounds of results: the most rows in each list and the most characters in each text; the rest is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import msgspec

from stillframe.model.structs import mapped
from stillframe.model.verdict import OmittedRows

Value = TypeVar("Value")
Bounded = TypeVar("Bounded", bound=msgspec.Struct)

TEXT_CHARACTERS = 1000
"""The most characters of a text from a page: a URL, the message of a dialog, the name of some work."""
ERROR_CHARACTERS = 4000
"""The most characters of an error message, which lists the nearest candidates."""
FILE_CHARACTERS = 255
"""The most characters of a file name: the limit of file systems."""
INLINE_CHARACTERS = 100
"""The most characters of a URL that holds its own content: the beginning tells the type, the rest is not an address."""
ROWS = 100
"""The most rows per list if no `limit` is given."""

LISTS = tuple(name for name in OmittedRows.__struct_fields__ if name != "steps")
"""The lists that are cut. Steps are not: there are as many as the caller's own actions."""

CUT = "…"
INLINE = ("data:", "javascript:")
MOST: dict[str, int] = {"error": ERROR_CHARACTERS, "suggested_filename": FILE_CHARACTERS}
"""The most characters of fields with another limit than TEXT_CHARACTERS."""
WHOLE = frozenset({"path", "stack", "page_text", "appeared", "disappeared", "changed", "came_and_went", "order"})
"""Fields that are never cut: they are ours, of no use in part, or bounded by options of their own."""


def short(text: str, most: int = TEXT_CHARACTERS) -> str:
    """Return a text of at most `most` characters; a text that was cut ends in "…"."""
    return text if len(text) <= most else text[: most - 1] + CUT


def shortened(value: Value, field: str = "") -> Value:
    """Return a text, a Struct or a collection with every text in it cut to the limit of its field."""
    if field in WHOLE:
        return value
    if isinstance(value, str):
        return cast("Value", short(value, _most(value, field)))
    if isinstance(value, tuple):
        return cast("Value", tuple(shortened(each, field) for each in value))
    if isinstance(value, dict):
        return cast("Value", {name: shortened(each, name) for name, each in value.items()})
    if isinstance(value, msgspec.Struct):
        return cast("Value", mapped(value, lambda name, each: shortened(each, name)))
    return value


def _most(text: str, field: str) -> int:
    is_inline = field not in ("error", "message", "name", "text") and text[:11].lower().startswith(INLINE)
    return INLINE_CHARACTERS if is_inline else MOST.get(field, TEXT_CHARACTERS)


def bounded(result: Bounded, limit: int = ROWS, more: Mapping[str, int] | None = None) -> Bounded:
    """Return a result or a verdict with at most `limit` rows in each of its lists and with all its texts cut.

    `omitted` then counts the rest, in addition to what it counted before and to the rows in `more`, by list.
    """
    former: OmittedRows | None = getattr(result, "omitted", None)
    counts: dict[str, int] = dict(more or {})
    cut: dict[str, Any] = {}
    for name in LISTS:
        rows = getattr(result, name, None)
        if rows is not None:
            cut[name] = rows[:limit]
        left_out = len(rows[limit:]) if rows else 0
        counts[name] = counts.get(name, 0) + left_out + (getattr(former, name) if former else 0)
    omitted = OmittedRows(**counts)
    return shortened(msgspec.structs.replace(result, **cut, omitted=None if omitted == OmittedRows() else omitted))


def omitted_text(omitted: Mapping[str, int] | OmittedRows | None, label: Callable[[str], str] = str) -> str:
    """Return how many rows each list left out, as a sentence part; empty if none."""
    counts = omitted if isinstance(omitted, Mapping) else msgspec.structs.asdict(omitted) if omitted else {}
    return ", ".join(f"{count} {label(name)}" for name, count in counts.items() if count)
