"""Turn the core's delta into the rows of a result: assign refs and name the keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from msgspec import structs

from stillframe.core import ChangedElementRow, ElementRow, Redactor, Snapshot
from stillframe.loopguard import normalize_text
from stillframe.model.change import Change, ChangedRow, Omitted, Row, StateChange
from stillframe.model.secret import REDACTED
from stillframe.tab.refs import NodeKey

if TYPE_CHECKING:
    from stillframe.tab.refs import RefTable

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
    """Return what changed between two snapshots, or None if nothing changed or a snapshot is missing.

    `noise` holds the elements that change by themselves; changes inside them are left out. `limit` is the number of
    rows per list, `text_limit` the number of characters of the longest texts.
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
        changed=tuple(_changed(row, here, refs) for row in delta.changed),
        omitted=_omitted(delta.omitted_appeared, delta.omitted_disappeared, delta.omitted_changed),
        approximate=delta.approximate,
    )
    listed: list[AnyRow] = [*delta.appeared, *delta.changed, *delta.disappeared]
    # Kept outside the struct fields, which define the JSON.
    change.__dict__["ranks"] = [row.rank for row in listed]
    return change


_NUMBERED = re.compile(r"\S*\d\S*")
SAME_LIMIT = 20
"""How many rows two snapshots may differ in before the row-by-row comparison is skipped."""


def is_same(before: Snapshot, after: Snapshot, noise: Collection[NodeKey]) -> bool:
    """Return whether nothing has changed that a user would call progress.

    Ignored are elements that change by themselves (`noise`), style-only changes, and texts and values that differ only
    in case and spaces. In an alert, differences in numbers are ignored too: it repeats the same message.
    """
    delta = before.diff(after, limit=SAME_LIMIT, noise=list(noise))
    if delta.omitted_appeared or delta.omitted_disappeared or delta.omitted_changed:
        return False
    appeared, disappeared = (sorted(map(_normalized, rows)) for rows in (delta.appeared, delta.disappeared))
    visible = [row for row in delta.changed if _is_noticeable(row)]
    return not visible and appeared == disappeared and all(role == "alert" for _, role, _ in appeared)


def _normalized(row: ElementRow) -> tuple[str, str, str]:
    return _container(row), row.role, _normalized_text(row, row.text)


def _is_noticeable(row: ChangedElementRow) -> bool:
    """Return whether a user would notice this change of a field."""
    if row.field == "className":
        return False
    # A changed row with equal texts lost its difference to truncation or redaction, so it counts as a change.
    return row.from_ == row.to or _normalized_text(row, row.from_) != _normalized_text(row, row.to)


def _normalized_text(row: AnyRow, text: str | None) -> str:
    """Return a text without insignificant differences; in an alert, numbers (such as a request id) are one of them."""
    plain = normalize_text(text or "")
    return _NUMBERED.sub("#", plain) if row.role == "alert" else plain


def _namers(before: Snapshot, after: Snapshot, refs: RefTable) -> tuple[Namer, Namer]:
    """Return the function that names present elements and the one that names elements that are gone."""
    present, former = after.loaders, before.loaders

    def here(row: AnyRow) -> str:
        loader = present.get(row.frame_id, "")
        return refs.ref_for(row.frame, row.backend_node_id, row.frame_id, loader)

    def gone(row: AnyRow) -> str:
        return refs.ref_of_gone(row.frame, row.backend_node_id, former.get(row.frame_id, ""))

    return here, gone


def _container(row: AnyRow) -> str:
    """Return the selector of the element that contains the row's element, taken from the row's own selector."""
    return row.selector.rpartition(" > ")[0]


def _change(before: str, after: str, secrets: Redactor) -> Change | None:
    return None if before == after else Change(secrets.redact(before), secrets.redact(after))


def _row(row: ElementRow, name: Namer) -> Row:
    return Row(**_element(row, name), text=row.text)


def _changed(row: ChangedElementRow, name: Namer, refs: RefTable) -> ChangedRow:
    changed = ChangedRow(**_element(row, name), field=row.field, from_=row.from_, to=row.to)
    if row.field != "value" or NodeKey(row.frame, row.backend_node_id) not in refs.unshown:
        return changed
    from_, to = (value and REDACTED for value in (row.from_, row.to))
    return structs.replace(changed, from_=from_, to=to, examples=())


def _element(row: AnyRow, name: Namer) -> dict[str, Any]:
    """Return the fields that every kind of row has for its element."""
    fields = {field: getattr(row, field) for field in ("selector", "tag_name", "role", "name", "count")}
    return fields | {"ref": name(row), "examples": tuple(row.examples)}


def _omitted(appeared: int, disappeared: int, changed: int) -> Omitted | None:
    omitted = Omitted(appeared=appeared, disappeared=disappeared, changed=changed)
    return None if omitted == Omitted() else omitted
