"""The prompt of one turn: the same parts in the same order, each within its budget, with the page marked as data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stillframe.agent.journey import MAX_EXTRACTED_CHARS, Journey
from stillframe.agent.limits import Limits
from stillframe.model.bounds import short
from stillframe.security.untrusted_text import MARKER_CHARS, mark_untrusted

SHARES = {"goal": 0.15, "memory": 0.1, "answers": 0.25, "turns": 0.2}
"""The shares of a prompt that the parts before the page may take; the page gets the rest."""
MIN_PAGE_CHARS = 200


class Task(NamedTuple):
    """What a run is to do: the goal, its steps, and which one is the current one, counted from 0."""

    goal: str
    steps: tuple[str, ...]
    current: int = 0


class PageView(NamedTuple):
    """What a turn shows of the page: its URL, its title, its text with refs, and what the last commands changed."""

    url: str
    title: str
    text: str
    change: str = ""
    secrets: tuple[str, ...] = ()
    """The names of the declared secrets that may be typed on this page."""


def compose(
    task: Task,
    view: PageView,
    journey: Journey,
    limits: Limits,
    *,
    notes: Iterable[str] = (),
    answers: Sequence[str] = (),
) -> str:
    """Return the prompt of a turn, of at most `limits.max_prompt_chars` characters.

    `notes` are what the orchestrator has to say about the last reply, and `answers` what tools returned. What comes
    from the page is marked as data: its text, what changed, and the answers.
    """
    most = limits.max_prompt_chars
    own = [
        _cut(_task_lines(task), int(most * SHARES["goal"])),
        _cut(_own_lines(journey, view), int(most * SHARES["memory"])),
        _cut([f"Note: {note}" for note in notes], int(most * SHARES["goal"])),
    ]
    head = "\n".join(part for part in own if part)
    quoting = [_cut(answers, int(most * SHARES["answers"])), _cut(_turn_lines(journey), int(most * SHARES["turns"]))]
    used = len(head) + sum(map(len, quoting)) + MARKER_CHARS + 4
    page = _page(view, max(MIN_PAGE_CHARS, most - used))
    return short(f"{head}\n{mark_untrusted([part for part in (*quoting, page) if part])}", most)


def _task_lines(task: Task) -> list[str]:
    lines = [f"Goal: {task.goal}"]
    if len(task.steps) > 1:
        lines += [f"Step {task.current + 1} of {len(task.steps)}: {task.steps[task.current]}"]
        lines += [f"Done: {'; '.join(task.steps[: task.current])}"] if task.current else []
        lines += [f"Later: {'; '.join(task.steps[task.current + 1 :])}"] if task.current + 1 < len(task.steps) else []
    return lines


def _own_lines(journey: Journey, view: PageView) -> list[str]:
    """Return what is in the words of the model itself or of the caller."""
    lines = [f"Your note: {journey.guidance}"] if journey.guidance else []
    lines += [f"Secrets to type here: {', '.join(view.secrets)}"] if view.secrets else []
    return lines + [f"Lesson: {experience}" for experience in reversed(journey.experiences)]


def _turn_lines(journey: Journey) -> list[str]:
    """Return the memory that quotes pages: extracted data, and the last turns with what they changed."""
    lines = [f"Data {name}: {_shown(value)}" for name, value in journey.extracted.items()]
    return lines + [f"Turn {turn}" for turn in reversed(journey.recent)]


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return short(text, MAX_EXTRACTED_CHARS)


def _page(view: PageView, most: int) -> str:
    head = [f"URL: {short(view.url, 300)}", f"Title: {short(view.title, 200)}"]
    if view.change:
        head.append(f"Changed by your last commands:\n{short(view.change, most // 3)}")
    used = sum(len(line) + 1 for line in head)
    return "\n".join([*head, short(f"Page:\n{view.text}", max(MIN_PAGE_CHARS, most - used))])


def _cut(lines: Iterable[str], most: int) -> str:
    """Return the first lines that fit, each whole except the first one, and how many more there were."""
    kept: list[str] = []
    room = most
    waiting = list(lines)
    for index, line in enumerate(waiting):
        if len(line) + 1 > room:
            kept.append(short(line, max(room, 40)) if not kept else f"({len(waiting) - index} more)")
            break
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(kept)
