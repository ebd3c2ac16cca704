"""The work that every application gets, as the phases of Speedometer: sequences of typed actions, made from titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bench.doing import Do, click, fill, hover, press

TODOS = 100
"""As many as Speedometer adds."""
BATCH = 20
"""Todos that one sequence adds, ticks or deletes."""
FIELD = ".new-todo"
FILTERS = ("active", "completed", "all")


class Phase(NamedTuple):
    """Sequences of the same kind, one after the other."""

    name: str
    sequences: tuple[tuple[Do, ...], ...]


def titles(count: int = TODOS) -> list[str]:
    """Return the todos; no title is a part of another one."""
    return [f"Task {number:03}" for number in range(1, count + 1)]


def churn(count: int = TODOS, batch: int = BATCH) -> tuple[Phase, ...]:
    """Add all, tick the odd ones, delete every third, show each filter, and clear what is done."""
    every = titles(count)
    return (
        Phase(f"add, {batch} at a time", _batches(every, add, batch)),
        Phase(f"tick the odd ones, {batch} at a time", _batches(every[::2], tick, batch)),
        Phase(f"delete every third, {batch} at a time", _batches(every[2::3], delete, batch)),
        Phase("filter", tuple((click(f'.filters a >> has-text="{name}"'),) for name in FILTERS)),
        Phase("clear completed", ((click(".clear-completed"),),)),
    )


def one_by_one(count: int = TODOS) -> tuple[Phase, ...]:
    """Add all, each in a sequence of its own."""
    return (Phase("add, one by one", _batches(titles(count), add, 1)),)


def add(title: str) -> tuple[Do, ...]:
    """Type a todo and press Enter."""
    return fill(FIELD, title), press("Enter", FIELD)


def tick(title: str) -> tuple[Do, ...]:
    """Click the box of a todo."""
    return (click(f"{_item(title)} >> .toggle"),)


def delete(title: str) -> tuple[Do, ...]:
    """Hover over a todo, which shows its button, and press that."""
    return hover(_item(title)), click(f"{_item(title)} >> .destroy")


def _item(title: str) -> str:
    return f'.todo-list > li >> has-text="{title}"'


def _batches(every: Sequence[str], make: Callable[[str], tuple[Do, ...]], size: int) -> tuple[tuple[Do, ...], ...]:
    starts = range(0, len(every), size)
    return tuple(tuple(action for title in every[start : start + size] for action in make(title)) for start in starts)
