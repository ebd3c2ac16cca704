"""Completion of arguments: the names of open sessions and secrets, and selectors of what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import mcp_types as types

from stillframe.errors import SessionUnknown, StillframeError
from stillframe.mcp.session_provider import DEFAULT_SESSION, SessionProvider
from stillframe.security.untrusted_text import escape_invisible

if TYPE_CHECKING:
    from stillframe.mcp.prompts import Completes

MAX_VALUES = 100
"""Values of one answer: the limit of the specification."""

PAGE_BUDGET = 60_000
"""Characters of the page that are looked at for selectors."""

MAX_NAME_CHARS = 60
"""Characters of an accessible name in a selector; elements with longer ones are offered by ref."""

ROLES: dict[str, frozenset[str]] = {
    "form": frozenset({"form", "search", "dialog", "group"}),
    "table": frozenset({"table", "grid", "treegrid"}),
}
"""The roles of what an argument names; any other takes all elements with a ref."""

_ROW = re.compile(r'\s*- (?P<role>[a-z]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?P<rest>.*)')
_REF = re.compile(r"\[ref=(e\d+)\]")


async def complete(
    provider: SessionProvider, completes: Completes, typed: str, session_id: str | None
) -> types.CompleteResult:
    """Return what fits what was typed so far; nothing if there is no such session, or it is busy."""
    if completes == "session":
        found: Sequence[str] = [info.session_id for info in provider.sessions.list()]
    elif completes == "secret":
        found = sorted(provider.settings.secrets or ())
    elif completes:
        found = await _selectors(provider, completes, session_id or DEFAULT_SESSION)
    else:
        found = ()
    fitting = [value for value in found if typed.casefold() in value.casefold()]
    shown = fitting[:MAX_VALUES]
    completion = types.Completion(values=shown, total=len(fitting), has_more=len(fitting) > len(shown))
    return types.CompleteResult(completion=completion)


async def _selectors(provider: SessionProvider, completes: Completes, session_id: str) -> list[str]:
    try:
        session = provider.sessions.get(session_id)
        if session.lock.locked:
            return []  # a person waits for the list, and the call that runs may take minutes
        async with session.lock:
            snapshot = await session.page.aria_snapshot(budget=PAGE_BUDGET)
    except SessionUnknown:
        return []
    except StillframeError:
        return []  # a page that cannot be read has nothing to offer; the tools say why
    return list(dict.fromkeys(selectors(snapshot.text, ROLES.get(completes))))


def selectors(text: str, roles: frozenset[str] | None = None) -> Iterator[str]:
    """Yield selectors of the elements in an ARIA snapshot: by role and name if no other has both, else by ref."""
    rows = [row for line in text.splitlines() if (row := _ROW.fullmatch(line)) is not None]
    names = [(row["role"], row["name"]) for row in rows]
    for row in rows:
        role, name, ref = row["role"], row["name"], _REF.search(row["rest"])
        if (roles is not None and role not in roles) or (roles is None and ref is None):
            continue
        if _is_plain(name) and names.count((role, name)) == 1:
            yield f'role={role}[name="{name}"]'
        elif ref is not None:
            yield f"ref={ref[1]}"
        elif sum(each == role for each, _ in names) == 1:
            yield f"role={role}"


def _is_plain(name: str | None) -> bool:
    return name is not None and "\\" not in name and len(name) <= MAX_NAME_CHARS and name == escape_invisible(name)
