"""From the core's delta to the rows of a result: refs are given, keys are named."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from stillframe.core import ChangedElementRow, ElementRow, Redactor, Snapshot
from stillframe.loopguard import normalize_text
from stillframe.model.change import Change, ChangedRow, Omitted, Row, StateChange
from stillframe.tab.refs import NodeKey, RefTable

AnyRow = ElementRow | ChangedElementRow
Namer = Callable[[AnyRow], str]


def state_change(
    before: Snapshot | None,
    after: Snapshot | None,
    refs: RefTable,
    limit: int,
    secrets: Redactor,
    noise: Collection[NodeKey] = (),
    text_limit: int = 300,
) -> StateChange | None:
    """Return what changed between two snapshots, or None when nothing did or one of them could not be taken.

    `noise` holds the elements that change by themselves: what changed in them is left out. `limit` is in rows per list,
    `text_limit` in characters of the longest texts.
    """
    if before is None or after is None or before is after:
        return None
    delta = before.diff(after, limit=limit, text_limit=text_limit, secrets=secrets, noise=list(noise))
    url = _change(before.url, after.url, secrets)
    title = _change(before.title, after.title, secrets)
    if not (delta or url or title):
        return None
    refs.saw(before, after)
    here, gone = _namers(before, after, refs)
    change = StateChange(
        url=url,
        title=title,
        appeared=tuple(_row(row, here) for row in delta.appeared),
        disappeared=tuple(_row(row, gone) for row in delta.disappeared),
        changed=tuple(_changed(row, here) for row in delta.changed),
        omitted=_omitted(delta.omitted_appeared, delta.omitted_disappeared, delta.omitted_changed),
        approximate=delta.approximate,
    )
    listed: list[AnyRow] = [*delta.appeared, *delta.changed, *delta.disappeared]
    # Beside the fields, which are the JSON's: ranks follow from the lists for all who read them one by one.
    change.__dict__["ranks"] = [row.rank for row in listed]
    return change


_NUMBERED = re.compile(r"\S*\d\S*")
SAME_LIMIT = 20
"""Rows that two snapshots may differ in and still be looked at row by row."""


def is_same(before: Snapshot, after: Snapshot, noise: Collection[NodeKey]) -> bool:
    """Whether nothing has changed that a user would call progress.

    Left out is what changes by itself (`noise`), what is styling only, and texts and values that differ in nothing but
    case and spaces, or in an alert in nothing but numbers: it says the same again.
    """
    delta = before.diff(after, limit=SAME_LIMIT, noise=list(noise))
    if delta.omitted_appeared or delta.omitted_disappeared or delta.omitted_changed:
        return False
    appeared, disappeared = (sorted(map(_words, rows)) for rows in (delta.appeared, delta.disappeared))
    told = [row for row in delta.changed if _tells(row)]
    return not told and appeared == disappeared and all(role == "alert" for _, role, _ in appeared)


def _words(row: ElementRow) -> tuple[str, str, str]:
    return _holder(row), row.role, _said(row, row.text)


def _tells(row: ChangedElementRow) -> bool:
    """Whether a change of a field is one that a user would take notice of."""
    if row.field == "className":
        return False
    # A change that shows no difference is one of which the texts were cut, or left out as secret.
    return row.from_ == row.to or _said(row, row.from_) != _said(row, row.to)


def _said(row: AnyRow, text: str | None) -> str:
    """A text without what makes no difference; in an alert that is numbers too, such as that of the request."""
    plain = normalize_text(text or "")
    return _NUMBERED.sub("#", plain) if row.role == "alert" else plain


def _namers(before: Snapshot, after: Snapshot, refs: RefTable) -> tuple[Namer, Namer]:
    """Return what names the elements that are there, and what names those that are gone."""
    present, former = after.loaders, before.loaders

    def here(row: AnyRow) -> str:
        loader = present.get(row.frame_id, "")
        return refs.ref_for(row.frame, row.backend_node_id, row.frame_id, loader)

    def gone(row: AnyRow) -> str:
        return refs.ref_of_gone(row.frame, row.backend_node_id, former.get(row.frame_id, ""))

    return here, gone


def _holder(row: AnyRow) -> str:
    """The selector of the element that a row's element lies in, which its own selector names."""
    return row.selector.rpartition(" > ")[0]


def _change(before: str, after: str, secrets: Redactor) -> Change | None:
    return None if before == after else Change(secrets.redact(before), secrets.redact(after))


def _row(row: ElementRow, name: Namer) -> Row:
    return Row(**_element(row, name), text=row.text)


def _changed(row: ChangedElementRow, name: Namer) -> ChangedRow:
    return ChangedRow(**_element(row, name), field=row.field, from_=row.from_, to=row.to)


def _element(row: AnyRow, name: Namer) -> dict[str, Any]:
    """Return what every row says of its element."""
    said = {field: getattr(row, field) for field in ("selector", "tag_name", "role", "name", "count")}
    return said | {"ref": name(row), "examples": tuple(row.examples)}


def _omitted(appeared: int, disappeared: int, changed: int) -> Omitted | None:
    omitted = Omitted(appeared=appeared, disappeared=disappeared, changed=changed)
    return None if omitted == Omitted() else omitted
