"""The reply that a model reads: first what became of the call in our words, then what the page says, in its frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from stillframe.loopguard.advice import CONSEQUENCES, WHAT_TO_DO
from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.model.bounds import omitted_text, short
from stillframe.model.change import ChangedRow, Row, StateChange
from stillframe.model.result import SequenceResult

VALUE_CHARS = 300
"""Characters of one text in a row: what a row has of a message."""

SIGNS = {"appeared": "+", "changed": "~", "disappeared": "-"}

FACTS = ("dialogs", "new_targets", "downloads", "refused", "healed", "pending", "late")
"""What is told besides the rows, the most urgent first."""


def headline(result: SequenceResult, count: int) -> str:
    """Return the outcome in one line, without a word of the page's."""
    failed = result.failed
    done = f"{result.completed} of {count} {'action' if count == 1 else 'actions'} done"
    if failed is not None:
        done += f"; action {failed.index} ({failed.action}) failed: {failed.code}"
    still = "still" if result.stable else "NOT still"
    return f"{done}; page is {still} ({_first_word(result.reason)}, {result.stability_wait_ms:.0f} ms)"


def _first_word(reason: str) -> str:
    """The word of ours that a reason begins with; what follows it may be the page's."""
    return reason.partition(":")[0]


def change_lines(change: StateChange | None) -> list[str]:
    """Return URL, title and rows of a change, a line each, and how many more there are."""
    if change is None:
        return ["nothing changed"]
    lines = [f"{name}: {_arrow(told.from_, told.to)}" for name, told in _places(change) if told is not None]
    lines += [f"{SIGNS[kind]} {_said(row)}" for kind, row in change.rows()]
    return lines + list(_omitted(change))


def _places(change: StateChange) -> tuple[tuple[str, Any], ...]:
    return ("url", change.url), ("title", change.title)


def _omitted(change: StateChange) -> Iterator[str]:
    if unlisted := change.unlisted():
        yield f"… {unlisted} more {'change' if unlisted == 1 else 'changes'} of less weight"
    if change.approximate:
        yield "… so much was replaced that not all of it could be compared"


def _said(row: Row | ChangedRow) -> str:
    return _row(row) if isinstance(row, Row) else _changed(row)


def _row(row: Row) -> str:
    text = f": {quoted(row.text)}" if row.text and row.text != row.name else ""
    return f"{_element(row)}{text}{_times(row)}"


def _changed(row: ChangedRow) -> str:
    return f"{_element(row)} {row.field}: {_arrow(row.from_, row.to)}{_times(row)}"


def _times(row: Row | ChangedRow) -> str:
    """How many like changes a row stands for, and two of them."""
    if row.count == 1:
        return ""
    return f" ×{row.count}, such as {', '.join(map(quoted, row.examples))}"


def _element(row: Row | ChangedRow) -> str:
    name = f" {quoted(row.name)}" if row.name else ""
    return f"{row.role or row.tag_name}{name} [ref={row.ref}]"


def _arrow(before: str | None, after: str | None) -> str:
    return f"{quoted(before)} → {quoted(after)}"


def quoted(text: str | None) -> str:
    """Return page text on one line, in quotes that it cannot end; `none` where there was no text."""
    if text is None:
        return "none"
    return json.dumps(short(text, VALUE_CHARS), ensure_ascii=False)


def failure_lines(result: SequenceResult) -> list[str]:
    """Return why a sequence stopped: such messages quote the page."""
    if result.failed is None:
        return []
    skipped = f" ({result.failed.skipped} not run)" if result.failed.skipped else ""
    return [f"error: {_one_line(result.failed.error)}{skipped}"]


def fact_lines(result: SequenceResult) -> list[str]:
    """Return what happened besides: dialogs, tabs, downloads, refused URLs, refs found anew, what is pending."""
    lines = [_TOLD[name](fact) for name in FACTS for fact in getattr(result, name, ())]
    more = omitted_text(result.omitted, lambda name: name.replace("_", " "))
    detail = result.reason.partition(":")[2].strip()
    ended = [f"the wait ended for: {_one_line(detail)}"] if detail else []
    return [*ended, *lines, *([f"… not listed: {more}"] if more else [])]


_TOLD: dict[str, Callable[[Any], str]] = {
    "dialogs": lambda it: f"dialog: {it.type} {quoted(it.message)}, {'accepted' if it.accepted else 'dismissed'}",
    "new_targets": lambda it: f"new tab: {quoted(it.url)} [targetId={it.target_id}]",
    "downloads": lambda it: f"download: {quoted(it.suggested_filename)}, {it.state}",
    "refused": lambda it: f"refused: {it.kind} of {quoted(it.url)} ({_one_line(it.rule)})",
    "healed": lambda it: f"healed: ref={it.ref} is now ref={it.new_ref}, {it.role} {quoted(it.name)}",
    "pending": lambda it: f"pending: {it.kind} {quoted(it.url or it.what)}, for {it.age_ms:.0f} ms",
    "late": lambda it: f"late, after the last reply: {it.kind} {quoted(it.what)}, {it.after_ms:.0f} ms after it",
}


def loop_heads(result: SequenceResult) -> list[str]:
    """Return the warnings of the loop guard in our words alone, each once however many actions it is about."""
    heads = (
        f"LOOP {event.level} ({event.rule}, {event.count}): {CONSEQUENCES[event.level]}{WHAT_TO_DO[event.rule]}"
        for event in result.loops
    )
    return list(dict.fromkeys(heads))


def loop_lines(result: SequenceResult) -> list[str]:
    """Return which actions the loop guard spoke of: they quote names of the page."""
    return [f"loop: {_one_line(str(event.signature))}, count {event.count}" for event in result.loops]


def page_lines(text: AriaSnapshot) -> list[str]:
    """Return the text of a page under its URL and title."""
    lines = [f"url: {quoted(text.url)}", f"title: {quoted(text.title)}", *text.text.splitlines()]
    return [*lines, f"… {text.cut}"] if text.cut else lines


def cut_to(lines: Sequence[str], budget: int) -> tuple[list[str], int]:
    """Return as many lines as fit into a budget of characters, each with its line feed, and how many do not."""
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
