"""From the core's delta to the rows of a result: refs are given, keys are named."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from stillframe.dom import Delta, Redactor, Snapshot
from stillframe.loopguard import normal
from stillframe.model.result import Change, ChangedRow, Omitted, Row, StateChange
from stillframe.page.refs import NodeKey, RefTable

Namer = Callable[[dict[str, Any]], str]

ROWS_PER_ELEMENT = 2
"""Rows that one element which changes by itself may take: a clock has its text and its class."""


def state_change(
    before: Snapshot | None,
    after: Snapshot | None,
    refs: RefTable,
    limit: int,
    secrets: Redactor,
    noise: Collection[NodeKey] = (),
) -> StateChange | None:
    """Return what changed between two snapshots, or None when nothing did or one of them could not be taken.

    `noise` holds the elements that change by themselves: what changed in them is left out, and takes no other row's
    place.
    """
    if before is None or after is None or before is after:
        return None
    delta = before.diff(after, limit=max(limit, 1) + ROWS_PER_ELEMENT * len(noise), secrets=secrets)
    url = _change(before.url, after.url, secrets)
    title = _change(before.title, after.title, secrets)
    restless = _selectors(before, noise) | _selectors(after, noise)
    changed = [row for row in delta.changed if not _by_itself(row, restless, before)]
    appeared, disappeared = _unturned(delta, restless)
    # Without noise the core's own cut stands, which keeps every alert.
    cut = limit if noise or limit == 0 else None
    if not (changed or appeared or disappeared or url or title):
        return None
    refs.saw(before, after)
    here, gone = _namers(before, after, refs)
    return StateChange(
        url=url,
        title=title,
        appeared=tuple(_row(row, here) for row in appeared[:cut]),
        disappeared=tuple(_row(row, gone) for row in disappeared[:cut]),
        changed=tuple(_changed(row, here) for row in changed[:cut]),
        omitted=_omitted(
            delta.omitted_appeared + _rest(appeared, cut),
            delta.omitted_disappeared + _rest(disappeared, cut),
            delta.omitted_changed + _rest(changed, cut),
        ),
        approximate=delta.approximate,
    )


_NUMBERED = re.compile(r"\S*\d\S*")
SAME_LIMIT = 20
"""Rows that two snapshots may differ in and still be looked at row by row."""


def is_same(before: Snapshot, after: Snapshot, noise: Collection[NodeKey]) -> bool:
    """Whether nothing has changed that a user would call progress.

    Left out is what changes by itself (`noise`), what is styling only, and texts and values that differ in nothing but
    case and spaces, or in an alert in nothing but numbers: it says the same again.
    """
    delta = before.diff(after, limit=SAME_LIMIT + ROWS_PER_ELEMENT * len(noise))
    if delta.omitted_appeared or delta.omitted_disappeared or delta.omitted_changed:
        return False
    restless = _selectors(before, noise) | _selectors(after, noise)
    appeared, disappeared = (sorted(map(_words, rows)) for rows in _unturned(delta, restless))
    told = [row for row in delta.changed if not _by_itself(row, restless, before) and _tells(row)]
    return not told and appeared == disappeared and all(role == "alert" for _, role, _ in appeared)


def _words(row: dict[str, Any]) -> tuple[str, str, str]:
    return _holder(row), row["role"], _said(row, row["text"])


def _tells(row: dict[str, Any]) -> bool:
    """Whether a change of a field is one that a user would take notice of."""
    if row["field"] == "className":
        return False
    # A change that shows no difference is one of which the texts were cut, or left out as secret.
    return row["from_"] == row["to"] or _said(row, row["from_"]) != _said(row, row["to"])


def _said(row: dict[str, Any], text: str | None) -> str:
    """A text without what makes no difference; in an alert that is numbers too, such as that of the request."""
    plain = normal(text or "")
    return _NUMBERED.sub("#", plain) if row["role"] == "alert" else plain


def _namers(before: Snapshot, after: Snapshot, refs: RefTable) -> tuple[Namer, Namer]:
    """Return what names the elements that are there, and what names those that are gone."""
    present, former = after.loaders, before.loaders

    def here(row: dict[str, Any]) -> str:
        loader = present.get(row["frame_id"], "")
        return refs.ref_for(row["frame"], row["backend_node_id"], row["frame_id"], loader)

    def gone(row: dict[str, Any]) -> str:
        return refs.ref_of_gone(row["frame"], row["backend_node_id"], former.get(row["frame_id"], ""))

    return here, gone


def _rest(rows: list[dict[str, Any]], cut: int | None) -> int:
    return 0 if cut is None else len(rows[cut:])


def _selectors(snapshot: Snapshot, noise: Collection[NodeKey]) -> set[str]:
    return {selector for key in noise if (selector := snapshot.selector(*key)) is not None}


def _by_itself(row: dict[str, Any], noise: Collection[str], before: Snapshot) -> bool:
    """Whether a change belongs to an element that changes by itself, or is a move within one, as in a carousel.

    So is a change of what such an element made anew, as a ticker does: it was not there before.
    """
    if row["selector"] in noise:
        return True
    is_inside = _holder(row) in noise
    return is_inside and (row["field"] == "position" or before.describe(row["frame"], row["backend_node_id"]) is None)


def _unturned(delta: Delta, noise: Collection[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Leave out what one turn of a ticker took away together with what it put in its place: the same kind of row."""
    gone = list(delta.disappeared)
    come = []
    turned = []
    for row in delta.appeared:
        place = (_holder(row), row["tag_name"])
        former = next((old for old in gone if (_holder(old), old["tag_name"]) == place), None)
        if place[0] in noise and former is not None:
            gone.remove(former)
            turned.append((row["selector"], former["selector"]))
        else:
            come.append(row)
    return _outside([new for new, _ in turned], come), _outside([old for _, old in turned], gone)


def _outside(turned: Sequence[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows that are in no frame of the elements `turned`: frames have rows of their own."""
    frames = tuple(map(_frame_prefix, turned))
    return [row for row in rows if not row["selector"].startswith(frames)]


def _frame_prefix(selector: str) -> str:
    """How selectors begin that go into a frame which is the element, or is in it by its path."""
    outer, parted, own = selector.rpartition(" >> ")
    return f"{outer}{parted}frame={own} "


def _holder(row: dict[str, Any]) -> str:
    """The selector of the element that a row's element lies in, as far as its own selector tells."""
    selector: str = row["selector"]
    return selector.rpartition(" > ")[0]


def _change(before: str, after: str, secrets: Redactor) -> Change | None:
    return None if before == after else Change(secrets.redact(before), secrets.redact(after))


def _row(row: dict[str, Any], name: Namer) -> Row:
    return Row(**_element(row, name), text=row["text"])


def _changed(row: dict[str, Any], name: Namer) -> ChangedRow:
    return ChangedRow(**_element(row, name), field=row["field"], from_=row["from_"], to=row["to"])


def _element(row: dict[str, Any], name: Namer) -> dict[str, str]:
    """Return what every row says of its element."""
    said = {field: row[field] for field in ("selector", "tag_name", "role", "name")}
    return said | {"ref": name(row)}


def _omitted(appeared: int, disappeared: int, changed: int) -> Omitted | None:
    omitted = Omitted(appeared=appeared, disappeared=disappeared, changed=changed)
    return None if omitted == Omitted() else omitted
