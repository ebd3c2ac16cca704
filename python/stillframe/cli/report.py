"""Prints a sequence and its result for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import msgspec
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stillframe.model.bounds import omitted_text, short
from stillframe.model.change import Change, ChangedRow, Row, StateChange
from stillframe.model.secret import REDACTED, Secret

if TYPE_CHECKING:
    from stillframe.model.actions import Action
    from stillframe.model.result import SequenceResult, Step
    from stillframe.model.verdict import Pending

MAX_CHARS = 50
"""Characters to print of a value: as many as rows of a state change have."""

MARKS = {"ok": Text("✓", "green"), "error": Text("✗", "bold red"), "skipped": Text("·", "dim")}


def print_sequence(console: Console, actions: Sequence[Action], result: SequenceResult) -> None:
    """Print the actions with their timings, the verdict and what changed."""
    parts = [actions_table(actions, result), verdict_line(result), change_report(result.state_change), *events(result)]
    console.print(Padding(Group(*parts), (0, 0, 1, 3), expand=False))


# -- actions -------------------------------------------------------------------------------------


def actions_table(actions: Sequence[Action], result: SequenceResult) -> Table:
    """Return a table of the actions: how each ended, its fields, and how long it took."""
    table = Table.grid(padding=(0, 2))
    table.add_column(width=1)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", max_width=64)
    table.add_column(justify="right", no_wrap=True)
    for action, step in zip_steps(actions, result.steps or ()):
        table.add_row(MARKS[step.result if step else "skipped"], Text(action.kind), describe(action), duration(step))
        if step and step.error:
            table.add_row("", "", Text(step.error, "red"), "")
    return table


def zip_steps(actions: Sequence[Action], steps: Sequence[Step]) -> Iterator[tuple[Action, Step | None]]:
    """Yield each action with its step, or with None if it was not run."""
    for index, action in enumerate(actions):
        yield action, steps[index] if index < len(steps) else None


def duration(step: Step | None) -> Text:
    """Return how long a step took, or that it was not run."""
    return milliseconds(step.duration_ms) if step else Text("not run", "dim")


def describe(action: Action) -> Text:
    """Return the fields of an action that are not defaults; secrets stay hidden."""
    given = [(name, getattr(action, name)) for name in type(action).__struct_fields__ if not is_default(action, name)]
    text = Text()
    for name, value in given:
        if text:
            text.append("  ")
        if name in ("selector", "url"):
            text.append(str(value), "cyan")
        else:
            text.append(value_text(value))
    return text


def is_default(action: Action, name: str) -> bool:
    """Return whether a field of an action has its default value."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(action)}
    return bool(getattr(action, name) == defaults[name])


def value_text(value: object) -> str:
    """Return the value of a field as text; secrets stay hidden."""
    match value:
        case Secret():
            return REDACTED
        case str():
            return quote(value)
        case tuple():
            return ", ".join(str(item) for item in value)
    return str(value)


# -- verdict -------------------------------------------------------------------------------------


def verdict_line(result: SequenceResult) -> Text:
    """Return whether the page is still, after what time, and what it waits for."""
    if result.stable:
        text = Text.assemble(("still ", "bold green"), "after ")
    else:
        text = Text.assemble(("not still ", "bold yellow"), "after ")
    text.append_text(milliseconds(result.stability_wait_ms))
    text.append(f" ({result.outcome})", "dim")
    for pending in result.pending:
        text.append(f"\n  pending: {pending_text(pending)}", "yellow")
    return text


def pending_text(pending: Pending) -> str:
    """Return one entry of the pending work as text."""
    return f"{pending.kind} {pending.what}, {pending.age_ms:.0f} ms"


def events(result: SequenceResult) -> Iterator[Text]:
    """Yield a line for each entry of the other lists: ignored changes, dialogs, downloads, tabs, refused URLs."""
    for noise in result.ignored:
        yield Text(f"left out: {noise.kind} {noise.key}, {noise.rate:.1f} per second", "dim")
    for dialog in result.dialogs:
        answer = "accepted" if dialog.accepted else "dismissed, unanswered" if dialog.expired else "dismissed"
        yield Text(f"{dialog.type}: {quote(dialog.message)} {answer}")
    if (waits := result.open_dialog) is not None:
        yield Text(f"{waits.type}: {quote(waits.message)} waits for answer_dialog", "bold yellow")
    for download in result.downloads:
        yield Text(f"download: {download.suggested_filename} {download.state}")
    for target in result.new_targets:
        yield Text(f"opened{' and closed' if target.closed else ''}: {target.type} {target.url}")
    for refused in result.refused:
        yield Text(f"refused: {refused.kind} {refused.url} ({refused.rule})", "yellow")
    if more := omitted_text(result.omitted, lambda name: name.replace("_", " ")):
        yield Text(f"and more: {more}", "dim")
    if (captures := result.captures) is not None:
        yield Text(f"captures: {captures.taken} taken, {captures.reused} reused, {captures.bytes / 1000:.0f} kB", "dim")


# -- what changed --------------------------------------------------------------------------------


def change_report(change: StateChange | None) -> RenderableType:
    """Return what changed, one line per row."""
    if change is None:
        return Text("nothing changed", "dim")
    table = Table.grid(padding=(0, 2))
    table.add_column(width=1)
    table.add_column(overflow="fold", max_width=40)
    table.add_column(overflow="fold")
    for row in change_rows(change):
        table.add_row(*row)
    left_out = change.unlisted()
    return Group(table, Text(f"and {left_out} more", "dim")) if left_out else table


def change_rows(change: StateChange) -> Iterator[tuple[Text, Text, Text]]:
    """Yield a row of three cells for each change: its sign, what changed, and how."""
    for name, pair in (("url", change.url and without_origin(change.url)), ("title", change.title)):
        if pair is not None:
            yield Text("~", "yellow"), Text(name, "bold"), from_to(pair)
    yield from element_rows("±", "magenta", change.came_and_went)
    yield from element_rows("+", "green", change.appeared)
    for row in change.changed:
        yield (
            Text("~", "yellow"),
            Text(row.selector),
            Text(f"{row.field} ").append_text(from_to(row)).append(count_text(row)),
        )
    yield from element_rows("-", "red", change.disappeared)


def without_origin(url: Change) -> Change:
    """Remove the origin from two URLs if it is the same."""
    one, two = urlsplit(url.from_), urlsplit(url.to)
    if (one.scheme, one.netloc) != (two.scheme, two.netloc) or not one.netloc:
        return url
    return Change(urlunsplit(("", "", *one[2:])), urlunsplit(("", "", *two[2:])))


def element_rows(sign: str, style: str, rows: Iterable[Row]) -> Iterator[tuple[Text, Text, Text]]:
    """Yield a row for each element that appeared or disappeared."""
    for row in rows:
        yield (
            Text(sign, style),
            Text(row.selector, style),
            Text.assemble((row.tag_name, "dim"), "  ", quote(row.text), count_text(row)),
        )


def count_text(row: Row | ChangedRow) -> str:
    """Return how many similar changes a row stands for, if more than one."""
    return f"  ×{row.count}" if row.count > 1 else ""


def from_to(change: Change | ChangedRow) -> Text:
    """Return the old and the new text of a change."""
    return Text.assemble((quote(change.from_), "red"), " → ", (quote(change.to), "green"))


# -- texts ---------------------------------------------------------------------------------------


def quote(text: str | None) -> str:
    """Return a value in quotes on one line, cut to MAX_CHARS; `none` for None."""
    if text is None:
        return "none"
    flat = " ".join(text.split())
    return f'"{short(flat, MAX_CHARS)}"'


def milliseconds(value: float) -> Text:
    """Return a duration as text."""
    return Text(f"{value:.0f} ms", "bold")
