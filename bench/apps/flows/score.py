"""What a delta is worth to its reader: where the key fact stands, how long it is, and how much of it is noise.

Pure functions over the result of a sequence.

The rank of the key fact counts rows from 1 in the order in which a reader comes to them. What stands before the rows
(the title, and the dialogs of the result) has rank 1 too, as nothing is before it. 0 is nowhere. A URL says no words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from bench.apps.flows.flow import Fact
from stillframe.model.change import StateChange
from stillframe.model.result import SequenceResult

LISTS = ("appeared", "changed", "disappeared")
"""The order of the lists, for a stillframe whose deltas have no order of all their rows (`StateChange.rows`)."""
FIRST = 3
"""The rows that a reader is sure to read."""
BESIDE_TEXT = frozenset({"selector", "ref", "tagName", "role", "field", "from"})
"""Fields of a row that do not say in words what is there now."""

Json = Mapping[str, Any]


class Placed(NamedTuple):
    """A row with the list that it is in, and its place there, from 1."""

    kind: str
    row: Json
    place: int


class Found(NamedTuple):
    """Where the key fact is: its rank among all rows, and in the list (`where`) that holds it. 0 and "" are nowhere."""

    rank: int = 0
    place: int = 0
    where: str = ""

    @property
    def in_first(self) -> bool:
        """Whether a reader of the first three rows has read it."""
        return 0 < self.rank <= FIRST


def rows(change: StateChange | None) -> list[Placed]:
    """Return all rows in the order in which a reader comes to them, as JSON."""
    if change is None:
        return []
    ordered = change.rows() if hasattr(change, "rows") else _by_list(change)
    places: Counter[str] = Counter()
    placed = []
    for kind, row in ordered:
        places[kind] += 1
        placed.append(Placed(kind, msgspec.to_builtins(row), places[kind]))
    return placed


def _by_list(change: StateChange) -> list[tuple[str, Any]]:
    return [(kind, row) for kind in LISTS for row in getattr(change, kind)]


def find(facts: Iterable[Fact], result: SequenceResult) -> Found:
    """Return where the first row is that says one of the facts."""
    wanted = tuple(facts)
    for where, text in _before_rows(result):
        if any(_says(fact, [text]) for fact in wanted):
            return Found(1, 1, where)
    for rank, (kind, row, place) in enumerate(rows(result.state_change), 1):
        if any(holds(fact, kind, row) for fact in wanted):
            return Found(rank, place, kind)
    return Found()


def _before_rows(result: SequenceResult) -> Iterator[tuple[str, str]]:
    if result.state_change is not None and result.state_change.title is not None:
        yield "title", result.state_change.title.to
    for dialog in result.dialogs:
        yield "dialogs", dialog.message


def _says(fact: Fact, texts: Sequence[str]) -> bool:
    return not fact.field and not fact.gone and _words_in(fact.words, texts)


def holds(fact: Fact, kind: str, row: Json) -> bool:
    """Whether a row of a list says the fact."""
    if fact.field:
        return kind == "changed" and _has_state(fact, row)
    if fact.gone:
        return _is_gone(fact, kind, row)
    return kind != "disappeared" and _words_in(fact.words, list(_news(kind, row)))


def _news(kind: str, row: Json) -> Iterator[str]:
    """The texts of a row that say what is new: the name of an element that was there before is not."""
    for field, value in row.items():
        if not (kind == "changed" and field == "name"):
            yield from _texts({field: value})


def _has_state(fact: Fact, row: Json) -> bool:
    fields = {_plain(field) for field in fact.field.split("|")}
    is_field = _plain(str(row.get("field", ""))) in fields
    is_value = fact.to is None or _folded(str(row.get("to"))) == _folded(fact.to)
    return is_field and is_value and _words_in(fact.words, list(_texts(row)))


def _is_gone(fact: Fact, kind: str, row: Json) -> bool:
    if kind == "disappeared":
        return _words_in(fact.words, list(_texts(row)))
    was = _words_in(fact.words, [str(row.get("from") or "")])
    return kind == "changed" and was and not _words_in(fact.words, [str(row.get("to") or "")])


def _texts(value: Any) -> Iterator[str]:
    """All texts of a row that say what is there, also in lists of examples within it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            if name not in BESIDE_TEXT:
                yield from _texts(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from _texts(part)


def _words_in(words: Iterable[str], texts: Sequence[str]) -> bool:
    return says(" ".join(texts), words)


def says(text: str, words: Iterable[str]) -> bool:
    """Whether a text holds all words as whole ones, in any case: `Person 5` is not in `Person 59`."""
    folded = _folded(text)
    return all(re.search(rf"(?<!\w){re.escape(_folded(word))}(?!\w)", folded) for word in words)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _plain(field: str) -> str:
    """A field's name in one spelling: `aria-sort`, `ariaSort` and `sort` are one."""
    return re.sub(r"[^a-z]", "", field.casefold()).removeprefix("aria")


# -- noise ----------------------------------------------------------------------------------------

BOOKKEEPING = frozenset(
    {"id", "for", "style", "tabindex", "controls", "owns", "activedescendant", "hidden", "labelledby", "describedby"}
)
"""Attributes that hold ids and the like for others, without `aria-`."""
TELLING = re.compile(
    r"(^|[-_])(is[-_]?)?(active|selected|open|opened|show|shown|visible|hidden|collapsed?|expanded|checked|disabled|current|focus"
    r"|error|errors|invalid|valid|warning|success|danger|loading|busy|done|completed|editing|sorted|asc|desc|dirty)($|[-_])",
    re.IGNORECASE,
)
"""Parts of class names that name a state a person can see."""
PASSING = re.compile(r"(enter|leave|appear|exit|transition|anim|ripple|motion)", re.IGNORECASE)
"""Class names of a transition under way."""
WRAPPERS = frozenset({"", "generic", "none", "presentation"})


def is_noise(kind: str, row: Json) -> bool:
    """Whether a row tells a person nothing.

    That is: a class change without a word for a state in it, attributes that hold ids, another query of the same path
    in a link, the position of a single element, and an element without text, name and role that came or went.
    """
    if kind != "changed":
        return row.get("role", "") in WRAPPERS and not any(_texts(row))
    field = _plain(str(row.get("field", "")))
    if field == "classname":
        return not _telling(str(row.get("from") or ""), str(row.get("to") or ""))
    if field in ("href", "src", "action"):
        return _path(row.get("from")) == _path(row.get("to"))
    return field in BOOKKEEPING or field == "position"


def _telling(was: str, now: str) -> bool:
    swapped = set(was.split()) ^ set(now.split())
    return any(TELLING.search(name) and not PASSING.search(name) for name in swapped)


def _path(url: object) -> tuple[str, str]:
    parts = urlsplit(str(url or ""))
    return parts.netloc, parts.path
