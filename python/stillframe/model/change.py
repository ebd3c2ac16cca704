"""The changes of a page as rows; in JSON the keys are camelCase and `from_` is `from`."""

from __future__ import annotations

from typing import Literal

import msgspec

from stillframe.model.structs import Value


class Control(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One element that can be acted on: what it is, and the ref by which later selectors reach it (`ref=e12`).

    `states` are the states of `Page.aria_snapshot` (`checked`, `disabled`, `placeholder="…"`). `value` is what a field
    contains or what is selected, up to 60 characters; `options` has up to six options of a closed list.
    """

    role: str
    name: str
    ref: str
    states: tuple[str, ...] = ()
    value: str = ""
    options: tuple[str, ...] = ()


class Each(Value, frozen=True, kw_only=True):
    """How to reach each of the similar elements that a row stands for.

    The n-th of them, from 0, is `f"{selector} >> nth={first + n}"`.
    """

    selector: str
    first: int


class Row(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One element that appeared or disappeared; the topmost element stands for all its descendants.

    `text` is the text a user reads in it: up to `text_limit` characters (300 by default) of a message, a live region, a
    dialog or an element that holds nothing but text. Elements that hold other elements share 600 characters: each has
    at least 50, a table row at least 120, and what is gone 50. If a text is too long, navigation, strips of tabs, links
    or buttons, and column heads come after the rest of it. Text is cut between graphemes and then ends in "…".

    Later selectors use `ref` (`e12`) as `ref=e12`; the `ref` of a message that came and went is empty. A row that
    stands for `count` similar elements has the texts of up to two of them in `examples`, and `each` tells how to reach
    every one. `rank` is the place of the row among all rows of the delta, from 1.

    `states`, `value` and `options` are those of `Control`, for an element that can be acted on itself. `controls` are
    the elements inside that can be acted on, in reading order: up to `controls` of them (40 by default), and
    `omitted_controls` counts the rest. Of a row that stands for several elements they are those of the first 24, up to
    four of each, without those that have the role and the name of one before them.
    """

    selector: str
    tag_name: str
    role: str
    name: str
    text: str
    ref: str
    count: int = 1
    examples: tuple[str, ...] = ()
    rank: int = 0
    states: tuple[str, ...] = ()
    value: str = ""
    options: tuple[str, ...] = ()
    controls: tuple[Control, ...] = ()
    omitted_controls: int = 0
    each: Each | None = None


_CHANGED_NAMES = {"tag_name": "tagName", "from_": "from", "omitted_controls": "omittedControls"}


class ChangedRow(Value, frozen=True, kw_only=True, rename=_CHANGED_NAMES, omit_defaults=True):
    """One element and the field of it that changed, such as textContent, value, className, checked or disabled.

    `name` is the accessible name, or where there is none the text, if it is short and the row does not have it anyway.
    A table with many changed rows is one row with the field `rows`; `from` and `to` give the number of its rows and the
    first ones. The field of a table or list whose rows were only reordered is `order`. An element that was replaced by
    one with the same text has the field `role` (or `tagName`). The field of a page that is light now and was dark, or
    the other way round, is `colorScheme`. A row that stands for `count` similar changes has the texts of up to two
    elements in `examples`. `rank` is the place of the row among all rows of the delta, from 1. `controls` and
    `omitted_controls` are those of `Row`.
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
    rank: int = 0
    controls: tuple[Control, ...] = ()
    omitted_controls: int = 0


class Change(Value, frozen=True, rename={"from_": "from"}):
    """A value before and after."""

    from_: str
    to: str


class Omitted(Value, frozen=True):
    """How many changes of each list have no row of their own: `limit` is exceeded, or another row's `count` has them.

    Page structure and plain attributes get at most half of `limit` rows, after everything more telling. Changes that
    matter only to the page's own code (generated names, references by id, positions) get no row, unless there is
    nothing else or `limit` is above its default.
    """

    appeared: int = 0
    disappeared: int = 0
    changed: int = 0


ListName = Literal["appeared", "disappeared", "changed", "came_and_went"]
"""A list of rows of a delta."""


class StateChange(
    Value, frozen=True, kw_only=True, rename={"came_and_went": "cameAndWent", "order": "rows"}, omit_defaults=True
):
    """Exactly what changed on the page; `url` and `title` are present only if they changed.

    Each list begins with what a person would report first: messages and dialogs, then what opened over the page,
    headings, counters and other texts, states of controls, page structure, attributes.

    `came_and_went` has the messages that appeared and disappeared during the wait, such as a toast of one second.
    `order` names all rows in that order, each by its list and its index there (`changed/0`); in JSON it is `rows`. The
    method `rows()` returns the rows themselves.

    `nearby` is present if no row names an element to act on next. It has up to six such elements that have not changed,
    in reading order: those nearest to what changed, and to the target of the last action.

    `approximate` is present, and true, if the page replaced too much to compare all of it: some elements may then be
    listed both as appeared and as disappeared.
    """

    url: Change | None = None
    title: Change | None = None
    appeared: tuple[Row, ...]
    disappeared: tuple[Row, ...]
    changed: tuple[ChangedRow, ...]
    came_and_went: tuple[Row, ...] = ()
    nearby: tuple[Control, ...] = ()
    order: tuple[str, ...] = ()
    omitted: Omitted | None = None
    approximate: bool = False

    def rows(self) -> tuple[tuple[ListName, Row | ChangedRow], ...]:
        """Return all rows with the names of their lists, in the order a person would report them."""
        listed: list[tuple[ListName, Row | ChangedRow]] = [
            *(("came_and_went", row) for row in self.came_and_went),
            *(("appeared", row) for row in self.appeared),
            *(("changed", row) for row in self.changed),
            *(("disappeared", row) for row in self.disappeared),
        ]
        return tuple(sorted(listed, key=lambda pair: pair[1].rank))

    def unlisted(self) -> int:
        """Return how many changes are in no row, not even in the `count` of another one."""
        omitted = 0 if self.omitted is None else sum(msgspec.structs.astuple(self.omitted))
        rows: tuple[Row | ChangedRow, ...] = (*self.appeared, *self.disappeared, *self.changed)
        return omitted - sum(row.count - 1 for row in rows)
