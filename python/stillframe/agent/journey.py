"""What a run remembers: its turns, the lessons about the site, the data it has extracted, and notes to itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from stillframe.agent.limits import Limits
from stillframe.agent.turn import Turn
from stillframe.model.bounds import short

MAX_EXPERIENCE_CHARS = 300
MAX_EXTRACTED_CHARS = 2_000
"""Characters of one extracted value in a prompt; the outcome has the whole value."""


class Journey:
    """The memory of one run."""

    def __init__(self, limits: Limits) -> None:
        self._turns: deque[Turn] = deque(maxlen=limits.max_history_size)
        self._recent = limits.recent_steps_count
        self._max_experiences = limits.max_experiences
        self.experiences: list[str] = []
        """Lessons about the site, oldest first."""
        self.extracted: dict[str, Any] = {}
        """Data that the model has asked to keep, by name."""
        self.guidance = ""
        """What the last turn told the next one."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The remembered turns, oldest first."""
        return tuple(self._turns)

    @property
    def recent(self) -> tuple[Turn, ...]:
        """The turns that every prompt repeats."""
        return self.turns[-self._recent :] if self._recent else ()

    def record(self, turn: Turn) -> None:
        """Remember a turn; the oldest one is forgotten where there are too many."""
        self._turns.append(turn)

    def learn(self, experiences: Iterable[str]) -> None:
        """Remember lessons. One that another contains is the same lesson: the longer one stays, as the latest."""
        for experience in experiences:
            lesson = short(" ".join(experience.split()), MAX_EXPERIENCE_CHARS)
            if not lesson:
                continue
            same = [known for known in self.experiences if _is_same(known, lesson)]
            longest = max([*same, lesson], key=len)
            self.experiences = [known for known in self.experiences if known not in same] + [longest]
        del self.experiences[: max(0, len(self.experiences) - self._max_experiences)]

    def keep(self, extracted: Mapping[str, Any]) -> None:
        """Keep extracted data by name; a later value replaces an earlier one."""
        self.extracted.update(extracted)

    def recall(self, query: str = "", limit: int = 10) -> tuple[Turn, ...]:
        """Return the latest turns whose text contains the query, oldest first."""
        wanted = query.casefold()
        found = [turn for turn in self._turns if wanted in str(turn).casefold()]
        return tuple(found[-limit:] if limit > 0 else ())


def _is_same(known: str, lesson: str) -> bool:
    first, second = known.casefold().rstrip(". "), lesson.casefold().rstrip(". ")
    return first in second or second in first
