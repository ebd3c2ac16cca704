"""The values of a timeline: spans in lanes, work that was waited for, and sequences with their actions."""

from __future__ import annotations

from typing import Any

import msgspec

LANES = {
    "calls": "calls of the API",
    "actions": "actions",
    "requests": "requests",
    "documents": "documents: from the start of a navigation to the load event",
    "timers": "timers and other calls that the page has scheduled",
    "changes": "changes of the DOM",
    "animations": "animations",
    "sockets": "WebSockets and streams, and their messages",
    "fences": "fences: questions to the page whether it is still",
    "verdicts": "waits for a still page, and their verdicts",
    "console": "console messages and errors",
}
"""The lanes in the order in which they are drawn."""


class Span(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Something in a lane; times are in milliseconds since the trace began. A moment ends when it begins."""

    lane: str
    begin: float
    end: float
    label: str
    state: str = ""
    """`error` for what failed, `open` for what had not ended at the end of the trace."""
    details: dict[str, Any] = {}


class PendingWork(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Work that a wait waited for, from `begin` to `end`."""

    kind: str
    what: str
    begin: float
    end: float
    since: float
    """When the work itself began."""
    site: str | None = None


class Action(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One attempted action; `fields` is its JSON form."""

    index: int
    begin: float
    end: float
    fields: dict[str, Any]
    result: str = ""
    """`ok` or `error`; empty if the trace ends within the action."""
    error: str = ""


class Sequence(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A sequence, its actions, and its outcome."""

    id: int
    begin: float
    end: float
    planned: list[Any]
    options: dict[str, Any] = {}
    actions: list[Action] = []
    waits_from: float | None = None
    """When the wait after its last action began."""
    result: dict[str, Any] | None = None
    outcome: str = ""
    """The outcome of its wait as people read it; empty if the trace ends within it."""
    text: str = ""
    screenshots: dict[str, Any] = {}
    """The screenshots `before` and `after`; see `screenshot_of`."""
    boxes: dict[str, Any] = {}
    """Boxes of the delta's elements in these screenshots, by ref."""


class Timeline(msgspec.Struct, kw_only=True, rename="camel"):
    """A whole trace over time."""

    duration_ms: float
    spans: list[Span]
    pending: list[PendingWork]
    sequences: list[Sequence]
