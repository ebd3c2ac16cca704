"""Replies within their budgets: short text for the model, the typed object for programs, the rest in the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import mcp_types as types
import msgspec

from stillframe.extend.text import cut_to
from stillframe.model.bounds import short
from stillframe.security.untrusted_text import MARKER_CHARS, escape_all, map_texts, mark_untrusted, neutralize

if TYPE_CHECKING:
    from stillframe.errors import SessionLost
    from stillframe.mcp.resource_store import Resource, ResourceStore

STRUCTURED_FACTOR = 3
"""The budget of the structured content, as a multiple of the text's: JSON takes about three times the characters."""

CHANGE_LISTS = ("appeared", "disappeared", "changed", "cameAndWent")
RESULT_LISTS = (
    "steps",
    "ignored",
    "late",
    "pending",
    "downloads",
    "dialogs",
    "newTargets",
    "refused",
    "healed",
    "loops",
    "messages",
    "requests",
    "tabs",
    "marks",
)
REATTACHED = "the page was lost before this call, and this is the one that the app shows now: earlier refs are stale"
"""The line of a call that attached to its WebView again."""

LINK_CHARS = 120
"""Characters for the line with the URI of the overflow."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply before it is cut to its budget."""

    heads: Sequence[str]
    """The server's own lines; they may take half of the budget."""
    lines: Sequence[str]
    """Untrusted lines with text of the page, the most important first."""
    structured: dict[str, Any]
    is_error: bool = False
    text_in_structured: bool = False
    """Whether the structured content gets the text as `text`, with its marks around what the page wrote: some clients
    hand the model nothing else."""


def with_reattached(reply: Reply, lost: SessionLost | None) -> Reply:
    """Return the reply of a call that had to attach to its WebView again with what the model has to know about that."""
    if lost is None:
        return reply
    return msgspec.structs.replace(reply, heads=[*reply.heads, f"{REATTACHED} ({lost.code})"])


def to_result(reply: Reply, *, budget: int, session: str, title: str, store: ResourceStore) -> types.CallToolResult:
    """Return a tool result with text and structured content within their budgets.

    The store keeps what both leave out under one URI; the text names it, and a resource link carries it.
    """
    head = short("\n".join(reply.heads), budget // 2)
    lines = [neutralize(line) for line in reply.lines]
    room = budget - len(head) - MARKER_CHARS - 2
    kept, left = cut_to(lines, room)
    if left:
        kept, left = cut_to(lines, room - LINK_CHARS)
    structured = escape_all(reply.structured)
    # The text itself comes on top where it is a part of the structured content.
    text_size = _size({"text": "\n".join([head, *kept])}) + LINK_CHARS if reply.text_in_structured else 0
    fitting = fit_structured(structured, budget * STRUCTURED_FACTOR - text_size)
    overflow = _store(reply, lines, structured, session, title, store) if left or fitting is not structured else None
    if overflow is not None and "overflow" not in fitting:
        fitting = {**fitting, "overflow": overflow.uri}
    text = [head, *([mark_untrusted(kept)] if kept else [])]
    if left and overflow is not None:
        text.append(f"… {left} more {'line' if left == 1 else 'lines'}: read {overflow.uri}")
    whole = "\n".join(text)
    if reply.text_in_structured:
        fitting = {**fitting, "text": whole}
    content: list[types.ContentBlock] = [types.TextContent(text=whole)]
    if overflow is not None:
        content.append(_link(overflow))
    return types.CallToolResult(content=content, structured_content=fitting, is_error=reply.is_error)


def _store(
    reply: Reply, lines: Sequence[str], structured: dict[str, Any], session: str, title: str, store: ResourceStore
) -> Resource:
    whole = "\n".join([*reply.heads, mark_untrusted(lines), msgspec.json.encode(structured).decode()])
    return store.put(session, title, whole)


def _link(overflow: Resource) -> types.ResourceLink:
    return types.ResourceLink(uri=overflow.uri, name=overflow.title, mime_type=overflow.mime_type, size=overflow.size)


def fit_structured(structured: dict[str, Any], limit: int) -> dict[str, Any]:
    """Return the same object if it fits, else one with shorter lists, and counts of what they leave out."""
    fitting = structured
    rows = max((len(rows) for rows in _lists(structured)), default=0)
    while _size(fitting) > limit and rows > 0:
        rows //= 2
        fitting = _with_rows(structured, rows)
    return fitting if _size(fitting) <= limit else _with_short_texts(fitting, limit)


def _size(structured: dict[str, Any]) -> int:
    return len(msgspec.json.encode(structured).decode())


def _lists(structured: dict[str, Any]) -> list[Any]:
    change = structured.get("stateChange") or {}
    others = (*RESULT_LISTS, "sessions")
    return [change.get(name, []) for name in CHANGE_LISTS] + [structured.get(name) or [] for name in others]


def _with_rows(structured: dict[str, Any], rows: int) -> dict[str, Any]:
    fewer = _cut(structured, [name for name in RESULT_LISTS if structured.get(name)], rows)
    if "sessions" in structured:
        fewer["sessions"] = structured["sessions"][:rows]
    change = structured.get("stateChange")
    if change:
        fewer["stateChange"] = _with_listed_rows(_cut(change, CHANGE_LISTS, rows))
    return fewer


def _with_listed_rows(change: dict[str, Any]) -> dict[str, Any]:
    """Return a change whose `rows` name only what its lists still have."""
    listed = {f"{name}/{at}" for name in CHANGE_LISTS for at in range(len(change.get(name, ())))}
    return {**change, "rows": [row for row in change["rows"] if row in listed]} if "rows" in change else change


def _cut(fields: dict[str, Any], names: Iterable[str], rows: int) -> dict[str, Any]:
    """Return an object with at most `rows` rows in each list, and an `omitted` that counts the others."""
    counted = fields.get("omitted") or {}
    cut = {name: fields[name][:rows] for name in names if name in fields}
    left = {name: len(fields[name]) - len(kept) for name, kept in cut.items()}
    counts = {**counted, **{name: counted.get(name, 0) + more for name, more in left.items() if more}}
    return {**fields, **cut, **({"omitted": counts} if counts else {})}


def _with_short_texts(structured: dict[str, Any], limit: int) -> dict[str, Any]:
    """Cut the texts themselves: a page can make single values as long as it wants."""
    chars = 400
    shorter: Any = structured
    while _size(shorter) > limit and chars > 10:
        shorter = map_texts(structured, partial(short, most=chars))
        chars //= 2
    return dict(shorter)
