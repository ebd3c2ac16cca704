"""From the core's delta to the rows of a result: refs are given, keys are named."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from stillframe.dom import Delta, Snapshot
from stillframe.model.result import Change, ChangedRow, Omitted, Row, StateChange
from stillframe.model.secrets import redact
from stillframe.page.refs import RefTable

Namer = Callable[[str, int], str]


def state_change(
    before: Snapshot | None,
    after: Snapshot | None,
    refs: RefTable,
    limit: int,
    secrets: Sequence[str],
    noise: Collection[str] = (),
) -> StateChange | None:
    """Return what changed between two snapshots, or None when nothing did or one of them could not be taken.

    `noise` holds the selectors of elements that change by themselves: what changed in them is left out.
    """
    if before is None or after is None:
        return None
    delta = before.diff(after, limit=limit, secrets=list(secrets))
    url = _change(before.url, after.url, secrets)
    title = _change(before.title, after.title, secrets)
    changed = [row for row in delta.changed if not _by_itself(row, noise)]
    if not (changed or delta.appeared or delta.disappeared or url or title):
        return None
    return StateChange(
        url=url,
        title=title,
        appeared=tuple(_row(row, refs.ref_for) for row in delta.appeared),
        disappeared=tuple(_row(row, refs.ref_of_gone) for row in delta.disappeared),
        changed=tuple(_changed(row, refs.ref_for) for row in changed),
        omitted=_omitted(delta),
    )


def _by_itself(row: dict[str, Any], noise: Collection[str]) -> bool:
    """Whether a change belongs to an element that changes by itself, or is a move within one, as in a carousel."""
    selector: str = row["selector"]
    moved_in = selector.rpartition(" > ")[0] if row["field"] == "position" else None
    return selector in noise or moved_in in noise


def _change(before: str, after: str, secrets: Sequence[str]) -> Change | None:
    return None if before == after else Change(redact(before, secrets), redact(after, secrets))


def _row(row: dict[str, Any], name: Namer) -> Row:
    return Row(
        selector=row["selector"],
        tag_name=row["tag_name"],
        role=row["role"],
        name=row["name"],
        text=row["text"],
        ref=name(row["frame"], row["backend_node_id"]),
    )


def _changed(row: dict[str, Any], name: Namer) -> ChangedRow:
    return ChangedRow(
        selector=row["selector"],
        tag_name=row["tag_name"],
        role=row["role"],
        name=row["name"],
        field=row["field"],
        from_=row["from_"],
        to=row["to"],
        ref=name(row["frame"], row["backend_node_id"]),
    )


def _omitted(delta: Delta) -> Omitted | None:
    omitted = Omitted(
        appeared=delta.omitted_appeared, disappeared=delta.omitted_disappeared, changed=delta.omitted_changed
    )
    return None if omitted == Omitted() else omitted
