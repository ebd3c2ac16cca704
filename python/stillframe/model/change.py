"""What changed on a page, as rows; in JSON the keys are camelCase and `from_` is `from`."""

from __future__ import annotations

import msgspec


class Row(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One element that appeared or disappeared: the topmost one, standing for all it holds.

    `text` is what a user reads of it: up to `text_limit` characters (300 by default) of a message, a live region, a
    dialog or an element that holds nothing but text, up to 120 of a row of a table, and up to 50 of anything that holds
    other elements. A cut is made between graphemes and ends in "…". `ref` (`e12`) names the element in later selectors
    (`ref=e12`). A row that stands for `count` like elements has the words of up to two of them in `examples`.
    """

    selector: str
    tag_name: str
    role: str
    name: str
    text: str
    ref: str
    count: int = 1
    examples: tuple[str, ...] = ()


class ChangedRow(
    msgspec.Struct, frozen=True, kw_only=True, rename={"tag_name": "tagName", "from_": "from"}, omit_defaults=True
):
    """One element of which a field changed: textContent, value, className, checked, selected, disabled, …

    A table of which many rows changed is one row with the field `rows`; `from` and `to` say how many it had and has,
    and what is first. Its field, or that of a list, is `order` if the same ones stand in another order. An element that
    another one took the place of with the same words has the field `role` (or `tagName`). A row that stands for `count`
    like changes has the words of up to two elements in `examples`.
    """

    selector: str
    tag_name: str
    role: str
    name: str
    field: str
    from_: str | None
    to: str | None
    ref: str
    count: int = 1
    examples: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """A value before and after."""

    from_: str
    to: str


class Omitted(msgspec.Struct, frozen=True):
    """How many changes of each list have no row of their own: they are beyond `limit`, or in another row's `count`.

    Parts of the page and plain attributes have room for half of `limit` rows, and come after all that says more. What
    only the page's own code cares for (generated names, references by id, positions) has none, unless there is nothing
    else or `limit` is above its default.
    """

    appeared: int = 0
    disappeared: int = 0
    changed: int = 0


class StateChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, dict=True):
    """Exactly what changed on the page; `url` and `title` are there only if they changed.

    Each list begins with what a person would report first: messages and dialogs, then headings, counters and other
    texts, states of controls, parts of the page, attributes.

    `approximate` is there, and true, if so much was replaced that not all of it could be compared: some of what
    appeared and disappeared may then be the same thing.
    """

    url: Change | None = None
    title: Change | None = None
    appeared: tuple[Row, ...]
    disappeared: tuple[Row, ...]
    changed: tuple[ChangedRow, ...]
    omitted: Omitted | None = None
    approximate: bool = False

    def rows(self) -> tuple[tuple[str, Row | ChangedRow], ...]:
        """Return all rows with the names of their lists, in the order in which a person would report them."""
        listed = [(kind, row) for kind in ("appeared", "changed", "disappeared") for row in getattr(self, kind)]
        ranks = self.__dict__.get("ranks")
        if ranks is None:
            return tuple(listed)
        return tuple(row for _, row in sorted(zip(ranks, listed, strict=True), key=lambda pair: pair[0]))

    def unlisted(self) -> int:
        """Return how many changes are in no row at all, not even in another one's `count`."""
        omitted = 0 if self.omitted is None else sum(msgspec.structs.astuple(self.omitted))
        rows: tuple[Row | ChangedRow, ...] = (*self.appeared, *self.disappeared, *self.changed)
        return omitted - sum(row.count - 1 for row in rows)
