"""Turn the core's delta into the rows of a result: assign refs and name the keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from stillframe.core import ChangedElementRow, ControlRow, ElementRow, Redactor, Snapshot
from stillframe.loopguard import normalize_text
from stillframe.model.bounds import short
from stillframe.model.change import Change, ChangedRow, Control, Each, ListName, Omitted, Row, StateChange
from stillframe.model.secret import REDACTED
from stillframe.tab.refs import NodeKey

if TYPE_CHECKING:
    from stillframe.core import Delta
    from stillframe.settling.messages import Message
    from stillframe.tab.refs import RefTable

AnyRow = ElementRow | ChangedElementRow
Named = AnyRow | ControlRow
Namer = Callable[[Named], str]
Listed = tuple[ListName, Row | ChangedRow]

NO_CONTROL = Control(role="", name="", ref="")
FIRST_MESSAGES = 2
"""How many messages that came and went stand before all other rows."""
SHORT_TEXT = 25
"""A text of fewer characters may occur in any other one: only the same text says it, too."""


class Seen(NamedTuple):
    """What a person saw of the page that no two snapshots show."""

    messages: tuple[Message, ...] = ()
    """The messages that came and went."""
    scheme: tuple[str, str] | None = None
    """The color schemes before and after, if they differ."""


NOTHING = Seen()


class Comparison(NamedTuple):
    """How to compare the snapshots of one page; `limit` is the number of rows per list."""

    refs: RefTable
    limit: int
    secrets: Redactor
    noise: Collection[NodeKey] = ()
    """The elements that change by themselves: changes inside them are left out."""
    text_limit: int = 300
    """The number of characters of the longest texts."""
    habits: Collection[NodeKey] = ()
    """The elements that have changed by themselves before: their changes get a row only if there is nothing else."""
    controls: int = 0
    """The number of elements to act on that a row lists."""
    target: NodeKey | str | None = None
    """The target of the last action: its key, or a selector."""

    def change(self, before: Snapshot | None, after: Snapshot | None, seen: Seen = NOTHING) -> StateChange | None:
        """Return what changed between two snapshots, or None if nothing changed or a snapshot is missing."""
        if before is None or after is None or (before is after and seen == NOTHING):
            return None
        delta = before.diff(
            after,
            limit=self.limit,
            text_limit=self.text_limit,
            secrets=self.secrets,
            noise=list(self.noise),
            habitual=list(self.habits),
            controls=self.controls,
            target=self.target,
        )
        url = _change(before.url, after.url, self.secrets)
        title = _change(before.title, after.title, self.secrets)
        if not (delta or url or title or seen != NOTHING):
            return None
        self.refs.saw(before, after)
        rows = self._rows(_told(delta, before, after, self.refs), seen)
        if not (rows or delta or url or title):
            return None
        return StateChange(
            url=url,
            title=title,
            **_lists(rows),
            nearby=_controls(delta.nearby, _namers(before, after, self.refs)[0], self.refs),
            omitted=_omitted(delta.omitted_appeared, delta.omitted_disappeared, delta.omitted_changed),
            approximate=delta.approximate,
        )

    def _rows(self, told: list[Listed], seen: Seen) -> list[Listed]:
        """Return all rows in order: those of the core, and those of what was seen besides."""
        texts = [text for _, row in told for text in _texts(row)]
        messages = [_message(each, self.secrets, self.text_limit) for each in seen.messages]
        passed: list[Listed] = [("came_and_went", row) for row in messages if not _is_in(row.text, texts)]
        first, others = passed[:FIRST_MESSAGES], passed[FIRST_MESSAGES : self.limit]
        return [*first, *_with_scheme(told, seen.scheme), *others]


def state_change(
    before: Snapshot | None,
    after: Snapshot | None,
    refs: RefTable,
    limit: int,
    secrets: Redactor,
    noise: Collection[NodeKey] = (),
    text_limit: int = 300,
) -> StateChange | None:
    """Return what changed between two snapshots alone; see `Comparison`."""
    return Comparison(refs, limit, secrets, noise, text_limit).change(before, after)


def _told(delta: Delta, before: Snapshot, after: Snapshot, refs: RefTable) -> list[Listed]:
    """Return the rows of the core in the order of report."""
    here, gone = _namers(before, after, refs)
    listed: list[tuple[int, Listed]] = [(row.rank, ("appeared", _row(row, here, refs))) for row in delta.appeared]
    listed += [(row.rank, ("changed", _changed(row, here, refs))) for row in delta.changed]
    listed += [(row.rank, ("disappeared", _row(row, gone, refs))) for row in delta.disappeared]
    return [row for _, row in sorted(listed, key=lambda pair: pair[0])]


def _lists(rows: Sequence[Listed]) -> dict[str, Any]:
    """Return the lists of a StateChange, their rows ranked, and the order of all rows."""
    lists: dict[ListName, list[Any]] = {"appeared": [], "disappeared": [], "changed": [], "came_and_went": []}
    order = []
    for rank, (name, row) in enumerate(rows, start=1):
        order.append(f"{'cameAndWent' if name == 'came_and_went' else name}/{len(lists[name])}")
        lists[name].append(structs.replace(row, rank=rank))
    return {**{name: tuple(found) for name, found in lists.items()}, "order": tuple(order)}


def _with_scheme(rows: list[Listed], scheme: tuple[str, str] | None) -> list[Listed]:
    """Return the rows with one for the color scheme of the page, before those of attributes that a theme sets."""
    if scheme is None:
        return rows
    row = ChangedRow(
        selector="html", tag_name="html", role="", name="", field="colorScheme", from_=scheme[0], to=scheme[1], ref=""
    )
    first = next((at for at, (_, other) in enumerate(rows) if _is_of_theme(other)), len(rows))
    return [*rows[:first], ("changed", row), *rows[first:]]


def _is_of_theme(row: Row | ChangedRow) -> bool:
    return isinstance(row, ChangedRow) and (row.field == "className" or row.field.startswith("data-"))


def _message(message: Message, secrets: Redactor, text_limit: int) -> Row:
    """Return the row of a message that came and went; it has no ref, because its element is gone."""
    text = short(secrets.redact(message.text), text_limit)
    return Row(selector=message.selector, tag_name=message.tag, role=message.role, name="", text=text, ref="")


def _texts(row: Row | ChangedRow) -> tuple[str, ...]:
    said = (row.text,) if isinstance(row, Row) else (row.from_ or "", row.to or "")
    return (row.name, *said, *row.examples)


def _is_in(text: str, others: Sequence[str]) -> bool:
    """Return whether one of the other texts, of which some are cut, says the same."""
    if len(text) < SHORT_TEXT:
        return text in others
    return any(text in other or (other.endswith("…") and text.startswith(other[:-1])) for other in others)


_NUMBERED = re.compile(r"\S*\d\S*")
SAME_LIMIT = 20
"""How many rows two snapshots may differ in before the row-by-row comparison is skipped."""


def is_same(before: Snapshot, after: Snapshot, noise: Collection[NodeKey], *, at_rest: bool = False) -> bool:
    """Return whether nothing has changed that a user would call progress.

    Ignored are elements that change by themselves (`noise`), style-only changes, and texts and values that differ only
    in case and spaces. In an alert, differences in numbers are ignored too: it repeats the same message. `at_rest` says
    that nothing acted on the page in between: numbers that differ are then a clock or a countdown, wherever they are.
    """
    delta = before.diff(after, limit=SAME_LIMIT, noise=list(noise))
    if delta.omitted_appeared or delta.omitted_disappeared or delta.omitted_changed:
        return False
    rows = ([_normalized(row, at_rest) for row in rows] for rows in (delta.appeared, delta.disappeared))
    appeared, disappeared = map(sorted, rows)
    visible = [row for row in delta.changed if _is_noticeable(row, at_rest)]
    replaced = appeared == disappeared and (at_rest or all(role == "alert" for _, role, _ in appeared))
    return not visible and replaced


def _normalized(row: ElementRow, at_rest: bool) -> tuple[str, str, str]:
    return _container(row), row.role, _normalized_text(row, row.text, at_rest)


def _is_noticeable(row: ChangedElementRow, at_rest: bool) -> bool:
    """Return whether a user would notice this change of a field."""
    if row.field == "className":
        return False
    # A changed row with equal texts lost its difference to truncation or redaction, so it counts as a change.
    return row.from_ == row.to or _normalized_text(row, row.from_, at_rest) != _normalized_text(row, row.to, at_rest)


def _normalized_text(row: AnyRow, text: str | None, at_rest: bool) -> str:
    """Return a text without insignificant differences; in an alert, numbers (such as a request id) are one of them."""
    plain = normalize_text(text or "")
    return _NUMBERED.sub("#", plain) if at_rest or row.role == "alert" else plain


def _namers(before: Snapshot, after: Snapshot, refs: RefTable) -> tuple[Namer, Namer]:
    """Return the function that names present elements and the one that names elements that are gone."""
    present, former = after.loaders, before.loaders

    def here(row: Named) -> str:
        loader = present.get(row.frame_id, "")
        return refs.ref_for(row.frame, row.backend_node_id, row.frame_id, loader)

    def gone(row: Named) -> str:
        return refs.ref_of_gone(row.frame, row.backend_node_id, former.get(row.frame_id, ""))

    return here, gone


def _container(row: AnyRow) -> str:
    """Return the selector of the element that contains the row's element, taken from the row's own selector."""
    return row.selector.rpartition(" > ")[0]


def _change(before: str, after: str, secrets: Redactor) -> Change | None:
    return None if before == after else Change(secrets.redact(before), secrets.redact(after))


def _row(row: ElementRow, name: Namer, refs: RefTable) -> Row:
    each = Each(selector=row.each[0], first=row.each[1]) if row.each else None
    own = _control(row.own_control, "", refs) if row.own_control else NO_CONTROL
    return Row(
        **_element(row, name, refs), text=row.text, each=each, states=own.states, value=own.value, options=own.options
    )


def _changed(row: ChangedElementRow, name: Namer, refs: RefTable) -> ChangedRow:
    changed = ChangedRow(**_element(row, name, refs), field=row.field, from_=row.from_, to=row.to)
    if row.field != "value" or NodeKey(row.frame, row.backend_node_id) not in refs.unshown:
        return changed
    from_, to = (value and REDACTED for value in (row.from_, row.to))
    return structs.replace(changed, from_=from_, to=to, examples=())


def _element(row: AnyRow, name: Namer, refs: RefTable) -> dict[str, Any]:
    """Return the fields that every kind of row has for its element."""
    same = ("selector", "tag_name", "role", "name", "count", "omitted_controls")
    fields = {field: getattr(row, field) for field in same}
    return fields | {"ref": name(row), "examples": tuple(row.examples), "controls": _controls(row.controls, name, refs)}


def _controls(controls: Sequence[ControlRow], name: Namer, refs: RefTable) -> tuple[Control, ...]:
    return tuple(_control(control, name(control), refs) for control in controls)


def _control(control: ControlRow, ref: str, refs: RefTable) -> Control:
    is_unshown = NodeKey(control.frame, control.backend_node_id) in refs.unshown
    return Control(
        role=control.role,
        name=control.name,
        ref=ref,
        states=tuple(control.states),
        value=REDACTED if control.value and is_unshown else control.value,
        options=tuple(control.options),
    )


def _omitted(appeared: int, disappeared: int, changed: int) -> Omitted | None:
    omitted = Omitted(appeared=appeared, disappeared=disappeared, changed=changed)
    return None if omitted == Omitted() else omitted
