"""The rule `stagnant`: action after action, whatever they are, and the page does not change."""

from __future__ import annotations

from collections import deque

from stillframe.loopguard.limits import LoopLimits
from stillframe.loopguard.step import LoopStep, PageKey, page_key
from stillframe.model.loops import ActionSignature

MAX_REMEMBERED = 256
"""Positions and reads to remember of one page. Nobody scrolls to more positions of a page that does not change; the
rule counts the steps of a caller that does."""


class StagnationCounter:
    """Counts steps in a row on a page that does not change; a batch is one step, because nobody looks in between.

    Two kinds of steps do not count, because they did what they are for: scrolling (and pressing keys) that led to a new
    position on this page, and a new read. Scrolling at the end of a feed leads nowhere, and counts.
    """

    def __init__(self, limits: LoopLimits) -> None:
        self._limits = limits
        self._page: PageKey | None = None
        self._count = 0
        self._positions: deque[str] = deque(maxlen=MAX_REMEMBERED)
        self._reads: deque[tuple[ActionSignature, str]] = deque(maxlen=MAX_REMEMBERED)
        self._moves = self._reads_new = False

    def count(self, step: LoopStep) -> int:
        """Add a step and return its number on the unchanged page, 0 within a batch."""
        if not step.starts_batch:
            self._note(step, first=False)
            return 0
        if step.page_state is None or self._page != page_key(step):
            self.reset()
            self._page = page_key(step)
        self._count += not self._last_was_useful(step)
        if step.position not in self._positions:
            self._positions.append(step.position)
        self._note(step, first=True)
        return self._count

    def reset(self) -> None:
        """Start with an unknown page."""
        self._page, self._count = None, 0
        self._positions.clear()
        self._reads.clear()
        self._moves = self._reads_new = False

    def _last_was_useful(self, step: LoopStep) -> bool:
        """Return whether the last step was a new read or led to a new position."""
        return self._reads_new or (self._moves and step.position not in self._positions)

    def _note(self, step: LoopStep, *, first: bool) -> None:
        """Note the kind of a step: a batch moves or reads if all its steps do."""
        action = step.signature.action
        read = (step.signature, step.position)
        is_new_read = action in self._limits.reading and read not in self._reads
        self._moves = action in self._limits.moving and (first or self._moves)
        self._reads_new = is_new_read and (first or self._reads_new)
        if is_new_read:
            self._reads.append(read)
