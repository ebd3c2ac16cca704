"""When each part of the DevTools protocol came and went: the table behind `Capabilities`, read on first use.

`protocol_history.json` is generated (`tools/generate_protocol_history.py` explains its sources and their limits). It
lists only what came after M69 or went since, and nothing that came together with its command, event or type.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

Milestones = dict[str, dict[str, int]]


class History(msgspec.Struct, frozen=True):
    """The table: `since` and `gone` map a domain and the rest of a name to a milestone.

    `gone` has the first milestone without the name. `structs` maps a command (`X.y` its result, `X.y()` its
    parameters), an event or a type to those fields that hold structs with entries in `since`, and to their types.
    """

    floor: int
    newest: int
    since: Milestones
    gone: Milestones
    structs: dict[str, dict[str, str]]


@cache
def history() -> History:
    """Return the table; the first call reads it, in some 2 ms."""
    text = (files(__package__) / "protocol_history.json").read_bytes()
    return msgspec.json.decode(text, type=History)


def since(name: str) -> int | None:
    """Return the milestone that brought a name, or None if the table has no entry.

    A parameter or field is at least as new as its command, event or type.
    """
    found = (_entry(history().since, each) for each in (name, _owner(name)))
    return max((milestone for milestone in found if milestone), default=None)


def gone(name: str) -> int | None:
    """Return the first milestone without a name, or None if it is still there."""
    found = (_entry(history().gone, each) for each in (name, _owner(name)))
    return min((milestone for milestone in found if milestone), default=None)


def is_known(name: str, milestone: int) -> bool:
    """Return whether a milestone has a name; names without an entry count as known."""
    return (since(name) or 0) <= milestone < (gone(name) or milestone + 1)


@cache
def has_gaps(owner: str) -> bool:
    """Return whether some milestone lacks a part of an owner: of a result `X.y`, parameters `X.y()`, an event."""
    table = history()
    domain, _, rest = owner.partition(".")
    opening = rest.replace("()", "(") if rest.endswith("()") else f"{rest}."
    return owner in table.structs or any(each.startswith(opening) for each in table.since.get(domain, ()))


def prune(owner: str, value: dict[str, Any], milestone: int) -> None:
    """Remove from a message's parameters or result, in place, what `milestone` does not know, nested structs included.

    `owner` is `X.y()` for the parameters of a command, and `X.y` for its result and for an event. Without recursion,
    because a DOM tree may be deeper than the interpreter's stack.
    """
    structs = history().structs
    waiting: list[tuple[str, Any]] = [(owner, value)]
    while waiting:
        name, struct = waiting.pop()
        if isinstance(struct, list):
            waiting += [(name, each) for each in struct]
        elif isinstance(struct, dict):
            for unknown in [field for field in struct if not _has_field(name, field, milestone)]:
                del struct[unknown]
            waiting += [(kind, struct[field]) for field, kind in structs.get(name, {}).items() if field in struct]


def _has_field(owner: str, field: str, milestone: int) -> bool:
    name = f"{owner[:-1]}{field})" if owner.endswith("()") else f"{owner}.{field}"
    return (_entry(history().since, name) or 0) <= milestone


def _entry(table: Milestones, name: str) -> int | None:
    domain, _, rest = name.partition(".")
    return table.get(domain, {}).get(rest)


def _owner(name: str) -> str:
    """Return the command, event or type of a parameter or field; of anything else, its domain, which has no entry."""
    return name.partition("(")[0] if "(" in name else name.rpartition(".")[0]
