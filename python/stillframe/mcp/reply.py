"""Replies within their budgets: short text for the model, the typed object for programs, the rest by address."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import mcp_types as types
import msgspec

from stillframe.mcp.framing import FRAME_SIZE, all_visible, framed, harmless, with_texts
from stillframe.mcp.store import Overflow, Store
from stillframe.mcp.text import cut_to
from stillframe.model.bounds import short

STRUCTURED_FACTOR = 3
"""How many times the text's budget the structured content may have: JSON says the same in some three times the room."""

LISTS = ("appeared", "disappeared", "changed")
OTHERS = ("steps", "ignored", "late", "pending", "downloads", "dialogs", "newTargets", "refused", "healed", "loops")
LINK_ROOM = 120
"""Characters for the line that names the overflow."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What a call has to say, before any budget."""

    heads: Sequence[str]
    """Lines in our own words; they may take half of the budget."""
    lines: Sequence[str]
    """Lines of the page; the most important first."""
    structured: dict[str, Any]
    is_error: bool = False


def made(part: Part, *, budget: int, session: str, title: str, store: Store) -> types.CallToolResult:
    """Return a reply of which neither text nor structured content is longer than its budget.

    What is left out of either is kept under one address, which the text names and a resource link carries.
    """
    head = short("\n".join(part.heads), budget // 2)
    lines = [harmless(line) for line in part.lines]
    room = budget - len(head) - FRAME_SIZE - 2
    kept, left = cut_to(lines, room)
    if left:
        kept, left = cut_to(lines, room - LINK_ROOM)
    structured = all_visible(part.structured)
    fitting = shortened(structured, budget * STRUCTURED_FACTOR)
    overflow = _keep(part, lines, structured, session, title, store) if left or fitting is not structured else None
    if overflow is not None and "overflow" not in fitting:
        fitting = {**fitting, "overflow": overflow.uri}
    text = [head, *([framed(kept)] if kept else [])]
    if left and overflow is not None:
        text.append(f"… {left} more {'line' if left == 1 else 'lines'}: read {overflow.uri}")
    content: list[types.ContentBlock] = [types.TextContent(text="\n".join(text))]
    if overflow is not None:
        content.append(_link(overflow))
    return types.CallToolResult(content=content, structured_content=fitting, is_error=part.is_error)


def _keep(
    part: Part, lines: Sequence[str], structured: dict[str, Any], session: str, title: str, store: Store
) -> Overflow:
    whole = "\n".join([*part.heads, framed(lines), msgspec.json.encode(structured).decode()])
    return store.put(session, title, whole)


def _link(overflow: Overflow) -> types.ResourceLink:
    return types.ResourceLink(
        uri=overflow.uri, name=overflow.title, mime_type=overflow.mime_type, size=len(overflow.text.encode())
    )


def shortened(structured: dict[str, Any], cap: int) -> dict[str, Any]:
    """Return the same object if it fits, else one with fewer rows: longer and longer lists are cut, counts say so."""
    fitting = structured
    most = max((len(rows) for rows in _lists(structured)), default=0)
    while _size(fitting) > cap and most > 0:
        most //= 2
        fitting = _with_rows(structured, most)
    return fitting if _size(fitting) <= cap else _bare(fitting, cap)


def _size(structured: dict[str, Any]) -> int:
    return len(msgspec.json.encode(structured).decode())


def _lists(structured: dict[str, Any]) -> list[Any]:
    change = structured.get("stateChange") or {}
    return [change.get(name, []) for name in LISTS] + [structured.get(name) or [] for name in (*OTHERS, "sessions")]


def _with_rows(structured: dict[str, Any], most: int) -> dict[str, Any]:
    fewer = _cut(structured, [name for name in OTHERS if structured.get(name)], most)
    if "sessions" in structured:
        fewer["sessions"] = structured["sessions"][:most]
    change = structured.get("stateChange")
    if change:
        fewer["stateChange"] = _cut(change, LISTS, most)
    return fewer


def _cut(told: dict[str, Any], names: Iterable[str], most: int) -> dict[str, Any]:
    """Return an object with lists of so many rows, and an `omitted` that counts the others."""
    former = told.get("omitted") or {}
    cut = {name: told[name][:most] for name in names if name in told}
    left = {name: len(told[name]) - len(rows) for name, rows in cut.items()}
    counts = {**former, **{name: former.get(name, 0) + more for name, more in left.items() if more}}
    return {**told, **cut, **({"omitted": counts} if counts else {})}


def _bare(structured: dict[str, Any], cap: int) -> dict[str, Any]:
    """Cut the texts themselves: single values can be as long as a page likes."""
    most = 400
    bare: Any = structured
    while _size(bare) > cap and most > 10:
        bare = with_texts(structured, partial(short, most=most))
        most //= 2
    return dict(bare)
