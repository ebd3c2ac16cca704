"""Whether a delta says what an oracle saw: the list of todos before and after, and which todos each row is about.

Pure functions. Every difference of the two lists must be in a row, and no row may say of a todo what is not so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from bench.apps.flows.score import says
from stillframe.model.change import ChangedRow, Row, StateChange

AnyRow = Row | ChangedRow
LISTS = ("appeared", "disappeared", "changed")
NONE = StateChange(appeared=(), disappeared=(), changed=())
CLEAR = "Clear completed"


class State(msgspec.Struct, frozen=True):
    """What a person sees of the list: each shown todo and whether it is done, and the texts below the list."""

    todos: dict[str, bool]
    count: str = ""
    filter: str = ""
    clear: bool = False
    draft: str = ""
    """The value of the field for a new todo."""


class Placed(NamedTuple):
    """A row with its list, and the todos that its element holds or is in; None if the page has no such element."""

    kind: str
    row: AnyRow
    about: frozenset[str] | None = None

    @property
    def words(self) -> str:
        """All that the row says of the element as it is now, or, if it is gone, as it was."""
        now = (self.row.field == "textContent" and self.row.to) if isinstance(self.row, ChangedRow) else self.row.text
        return " ".join((self.row.name, now or "", *self.row.examples))

    @property
    def former(self) -> str:
        """The text that the row says was there and is not any more."""
        if isinstance(self.row, ChangedRow):
            return (self.row.field == "textContent" and self.row.from_) or ""
        return self.words if self.kind == "disappeared" else ""

    def holds(self, title: str) -> bool:
        """Whether the row's element holds a todo or is a part of it."""
        return self.about is not None and title in self.about


def listed(change: StateChange | None) -> list[tuple[str, AnyRow]]:
    """Return all rows of a delta with the names of their lists."""
    return [(kind, row) for kind in LISTS for row in getattr(change or NONE, kind)]


def faults(
    before: State, after: State, change: StateChange | None, abouts: Sequence[Sequence[str] | None]
) -> list[str]:
    """Return what a delta lacks, and what it says that is not so, in one line each.

    `abouts` has, for each row of `listed`, the titles of the shown todos that its element holds or is in.
    """
    rows = [
        Placed(kind, row, None if about is None else frozenset(about))
        for (kind, row), about in zip(listed(change), abouts, strict=True)
    ]
    found = [*_missing_todos(before, after, rows), *_missing_texts(before, after, rows), *_untrue(before, after, rows)]
    if change is not None and change.unlisted():
        found.append(f"{change.unlisted()} changes are in no row")
    return found


def _missing_todos(before: State, after: State, rows: Sequence[Placed]) -> Iterator[str]:
    """Yield a line for each todo that came, went or was ticked without a row."""
    was, now = before.todos, after.todos
    for title in now.keys() - was.keys():
        if not any(row.kind != "disappeared" and _shows(row, title) for row in rows):
            yield f"no row shows that {title!r} appeared"
    for title in was.keys() - now.keys():
        if not any(says(row.former, [title]) for row in rows):
            yield f"no row says that {title!r} is gone"
    for title in was.keys() & now.keys():
        if was[title] != now[title] and not any(_ticks(row, title, done=now[title]) for row in rows):
            yield f"no row says that {title!r} is {'' if now[title] else 'not '}done"


def _shows(row: Placed, title: str) -> bool:
    """Whether a row presents a todo: by its text, or because its element, which appeared, holds it."""
    return says(row.words, [title]) or (row.kind == "appeared" and row.holds(title))


def _ticks(row: Placed, title: str, *, done: bool) -> bool:
    return (
        isinstance(row.row, ChangedRow)
        and row.row.field == "checked"
        and row.row.to == str(done).lower()
        and row.holds(title)
    )


def _missing_texts(before: State, after: State, rows: Sequence[Placed]) -> Iterator[str]:
    """Yield a line for each change below the list without a row."""
    if after.count != before.count and not any(says(row.words, [after.count]) for row in rows):
        yield f"no row says {after.count!r}"
    if before.filter and after.filter != before.filter and not any(_selects(row, after.filter) for row in rows):
        yield f"no row says that the filter is {after.filter!r}"
    if after.clear != before.clear:
        kind = "appeared" if after.clear else "disappeared"
        if not any(row.kind == kind and says(row.words, [CLEAR]) for row in rows):
            yield f"no row says that {CLEAR!r} {kind}"


def _selects(row: Placed, name: str) -> bool:
    return isinstance(row.row, ChangedRow) and row.row.name == name and "selected" in (row.row.to or "")


def _untrue(before: State, after: State, rows: Sequence[Placed]) -> Iterator[str]:
    """Yield a line for each row that says of a todo that stayed that it came, went or was ticked."""
    same = [title for title, done in before.todos.items() if after.todos.get(title) == done]
    stayed = before.todos.keys() & after.todos.keys()
    for row in rows:
        yield from (f"a row says that {title!r} is gone" for title in stayed if says(row.former, [title]))
        if row.kind != "disappeared":
            yield from (f"a row says that {title!r} is new" for title in stayed if says(row.words, [title]))
        if isinstance(row.row, ChangedRow) and row.row.field == "checked":
            yield from (f"a row says that {title!r} was ticked" for title in same if row.holds(title))
