"""The prompt of one turn: the same parts in the same order, each within its budget, with the page marked as data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stillframe.agent.journey import MAX_EXTRACTED_CHARS, Journey
from stillframe.agent.limits import Limits
from stillframe.model.bounds import short
from stillframe.security.untrusted_text import MARKER_CHARS, mark_untrusted, neutralize

SHARES = {"goal": 0.15, "memory": 0.1, "notes": 0.15, "answers": 0.45, "turns": 0.2}
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
    room = Room(limits.max_prompt_chars)
    own = [
        room.part("goal", _task_lines(task)),
        room.part("memory", _own_lines(journey, view)),
        room.part("notes", [f"Note: {note}" for note in notes]),
    ]
    # Neutralized before they are cut, because the markers make dangerous characters longer.
    quoting = [
        room.part("answers", map(neutralize, answers)),
        room.part("turns", map(neutralize, _turn_lines(journey))),
        _page(view, room.left),
    ]
    head = "\n".join(part for part in own if part)
    return f"{head}\n{mark_untrusted([part for part in quoting if part])}"


class Room:
    """The characters of a prompt: each part takes its share at most and leaves MIN_PAGE_CHARS for the page."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.left = most - MARKER_CHARS - 1

    def part(self, name: str, lines: Iterable[str]) -> str:
        """Return the lines of a part that fit."""
        text = _cut(lines, min(int(self._most * SHARES[name]), self.left - MIN_PAGE_CHARS))
        self.left -= len(text) + 1 if text else 0
        return text


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
    lines = [f"URL: {short(view.url, 300)}", f"Title: {short(view.title, 200)}"]
    if view.change:
        lines.append(f"Changed by your last commands:\n{short(view.change, most // 3)}")
    return short(neutralize("\n".join([*lines, f"Page:\n{view.text}"])), most)


def _cut(lines: Iterable[str], most: int) -> str:
    """Return the first lines that fit, the first one cut if necessary, and how many more there were."""
    kept: list[str] = []
    room = max(most, 0)
    waiting = list(lines)
    for index, line in enumerate(waiting):
        if len(line) > room:
            rest = f"({len(waiting) - index} more)" if kept else short(line, max(room, 1))
            kept += [rest] if len(rest) <= room else []
            break
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(kept)
