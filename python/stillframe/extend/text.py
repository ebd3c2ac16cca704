"""A result as text for a model: first the outcome in words of our own, then what the page says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from stillframe.loopguard.advice import CONSEQUENCES, WHAT_TO_DO
from stillframe.model.bounds import omitted_text, short
from stillframe.model.change import ChangedRow, Control, Row, StateChange
from stillframe.model.verdict import outcome_of

if TYPE_CHECKING:
    from stillframe.model.aria_snapshot import AriaSnapshot
    from stillframe.model.events import DialogReport
    from stillframe.model.result import SequenceResult

VALUE_CHARS = 300
"""Characters of one text in a line: as many as a row has of a message."""

SIGNS = {"appeared": "+", "changed": "~", "disappeared": "-", "came_and_went": "±"}

FACTS = ("dialogs", "new_targets", "downloads", "refused", "healed", "pending", "late")
"""The lists to report besides the changes, the most urgent first."""


def headline(result: SequenceResult, count: int) -> str:
    """Return the outcome in one line, without any text of the page."""
    failed = result.failed
    done = f"{result.completed} of {count} {'action' if count == 1 else 'actions'} done"
    if failed is not None:
        done += f"; action {failed.index} ({failed.action}) failed: {failed.code}"
    still = "still" if result.stable else "NOT still"
    return f"{done}; page is {still} ({result.reason}, {result.stability_wait_ms:.0f} ms)"


def change_lines(change: StateChange | None) -> list[str]:
    """Return one line each for URL, title and row of a change, and the number of omitted rows."""
    if change is None:
        return ["nothing changed"]
    pairs = (("url", change.url), ("title", change.title))
    lines = [f"{name}: {_arrow(pair.from_, pair.to)}" for name, pair in pairs if pair is not None]
    for kind, row in change.rows():
        lines += [f"{SIGNS[kind]} {_row_line(row)}", *_controls_of(row)]
    if change.nearby:
        lines += ["nearby, unchanged:", *_control_lines(change.nearby)]
    return lines + list(_omitted_lines(change))


def _controls_of(row: Row | ChangedRow) -> Iterator[str]:
    yield from _control_lines(row.controls)
    if row.controls and row.omitted_controls:
        yield f"  … {row.omitted_controls} more (ref={row.ref} shows them)"


def _control_lines(controls: Sequence[Control]) -> Iterator[str]:
    """Yield a line for each run of controls of one role: `- menuitem "Open" [ref=e5], "Save" [disabled] [ref=e6]`."""
    for role, run in groupby(controls, key=lambda control: control.role):
        yield f"  - {role} {', '.join(map(_control, run))}"


def _control(control: Control) -> str:
    return f"{quote(control.name)}{_condition(control)} [ref={control.ref}]"


def _condition(control: Control | Row) -> str:
    """Return the states of an element, what it contains and what can be selected, as in `Page.aria_snapshot`."""
    states = "".join(f" [{state}]" for state in control.states)
    value = f" = {quote(control.value)}" if control.value else ""
    options = f" [options: {', '.join(map(quote, control.options))}]" if control.options else ""
    return f"{states}{value}{options}"


def _omitted_lines(change: StateChange) -> Iterator[str]:
    if unlisted := change.unlisted():
        yield f"… {unlisted} more {'change' if unlisted == 1 else 'changes'} of less weight"
    if change.approximate:
        yield "… too much was replaced to compare all of it"


def _row_line(row: Row | ChangedRow) -> str:
    return _element_line(row) if isinstance(row, Row) else _changed_line(row)


def _element_line(row: Row) -> str:
    said = _without_controls(row.text, row.controls) if row.count == 1 else row.text
    text = f": {quote(said)}" if said and said not in (row.name, row.value) else ""
    return f"{_element(row)}{text}{_similar(row)}"


def _without_controls(text: str, controls: Sequence[Control]) -> str:
    """Return a text without the names of the controls in it, which have lines of their own; borders stand for them."""
    pieces, at = [], 0
    for control in controls:
        found = text.find(control.name, at) if control.name else -1
        if found >= 0:
            pieces.append(text[at:found])
            at = found + len(control.name)
    rest = text[at:].strip()
    # The last name may be cut off with the text.
    if not (rest.endswith("…") and any(control.name.startswith(rest[:-1]) for control in controls)):
        pieces.append(rest)
    return " | ".join(piece for piece in map(str.strip, pieces) if piece)


def _changed_line(row: ChangedRow) -> str:
    return f"{_element(row)} {row.field}: {_arrow(row.from_, row.to)}{_similar(row)}"


def _similar(row: Row | ChangedRow) -> str:
    """Return how many similar changes a row stands for, with two examples."""
    if row.count == 1:
        return ""
    each = row.each if isinstance(row, Row) else None
    last = f"nth={each.first + row.count - 1}" if each else ""
    reached = f" ({quote(f'{each.selector} >> nth={each.first}')} to {last})" if each else ""
    return f" ×{row.count}, such as {', '.join(map(quote, row.examples))}{reached}"


def _element(row: Row | ChangedRow) -> str:
    name = f" {quote(row.name)}" if row.name else ""
    condition = _condition(row) if isinstance(row, Row) else ""
    ref = f" [ref={row.ref}]" if row.ref else ""
    return f"{row.role or row.tag_name}{name}{condition}{ref}"


def _arrow(before: str | None, after: str | None) -> str:
    return f"{quote(before)} → {quote(after)}"


def quote(text: str | None) -> str:
    """Return page text on one line in quotes that it cannot close; `none` for None."""
    if text is None:
        return "none"
    return json.dumps(short(text, VALUE_CHARS), ensure_ascii=False)


def failure_lines(result: SequenceResult) -> list[str]:
    """Return why a sequence stopped; such messages quote the page."""
    if result.failed is None:
        return []
    skipped = f" ({result.failed.skipped} not run)" if result.failed.skipped else ""
    return [f"error: {_one_line(result.failed.error)}{skipped}"]


def fact_lines(result: SequenceResult) -> list[str]:
    """Return what else happened: dialogs, tabs, downloads, refused URLs, healed refs, pending and late work."""
    lines = [_FACT_LINES[name](fact) for name in FACTS for fact in getattr(result, name, ())]
    if result.open_dialog is not None:  # it has a line of its own
        lines = [line for line in lines if not line.startswith("pending: dialog ")]
    omitted = omitted_text(result.omitted, lambda name: name.replace("_", " "))
    ending = outcome_of(result.wait_reason, result.detail)
    ended = [f"the wait ended with: {_one_line(ending)}"] if ending else []
    return [*ended, *lines, *([f"… not listed: {omitted}"] if omitted else [])]


_FACT_LINES: dict[str, Callable[[Any], str]] = {
    "dialogs": lambda it: f"dialog: {it.type} {quote(it.message)}, {_answer_of(it)}",
    "new_targets": lambda it: (
        f"new tab, closed again: {quote(it.url)}"
        if it.closed
        else f"new tab: {quote(it.url)} [targetId={it.target_id}]"
    ),
    "downloads": lambda it: f"download: {quote(it.suggested_filename)}, {it.state}",
    "refused": lambda it: f"refused: {it.kind} of {quote(it.url)} ({_one_line(it.rule)})",
    "healed": lambda it: f"healed: ref={it.ref} is now ref={it.new_ref}, {it.role} {quote(it.name)}",
    "pending": lambda it: f"pending: {it.kind} {quote(it.url or it.what)}, for {it.age_ms:.0f} ms",
    "late": lambda it: f"late: {it.kind} {quote(it.what)}, {it.after_ms:.0f} ms after the last reply",
}


def _answer_of(dialog: DialogReport) -> str:
    if dialog.expired:
        return "dismissed because no answer came in time"
    return "accepted" if dialog.accepted else "dismissed"


def dialog_lines(result: SequenceResult) -> list[str]:
    """Return the line of the dialog that waits for an answer, with its message and the default text of a prompt."""
    dialog = result.open_dialog
    if dialog is None:
        return []
    preset = f", default text {quote(dialog.default_prompt)}" if dialog.default_prompt else ""
    return [f"dialog open: {dialog.type} {quote(dialog.message)}{preset}"]


def loop_heads(result: SequenceResult) -> list[str]:
    """Return the warnings of the loop guard without text of the page, each once."""
    heads = (
        f"LOOP {event.level} ({event.rule}, {event.count}): {CONSEQUENCES[event.level]}{WHAT_TO_DO[event.rule]}"
        for event in result.loops
    )
    return list(dict.fromkeys(heads))


def loop_lines(result: SequenceResult) -> list[str]:
    """Return the actions that the loop guard reported; they quote names on the page."""
    return [f"loop: {_one_line(str(event.signature))}, count {event.count}" for event in result.loops]


def page_lines(text: AriaSnapshot) -> list[str]:
    """Return URL, title and text of a page."""
    lines = [f"url: {quote(text.url)}", f"title: {quote(text.title)}", *text.text.splitlines()]
    return [*lines, f"… {text.cut}"] if text.cut else lines


def cut_to(lines: Sequence[str], budget: int) -> tuple[list[str], int]:
    """Return the lines that fit into a budget of characters, with their line feeds, and the number of the others."""
    kept: list[str] = []
    left = budget
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return kept, len(lines) - len(kept)


def _one_line(text: str) -> str:
    return " ".join(text.split())
