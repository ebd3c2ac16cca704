"""The rule `stagnant`: call after call, whatever they are, and the page stays as it was."""

from __future__ import annotations

from collections import deque

from stillframe.loopguard.limits import Limits
from stillframe.loopguard.step import Place, Step, place_of
from stillframe.model.loops import Signature

KEPT = 256
"""Positions and readings that are remembered of one page; nobody scrolls to more places without a change of the page
than this, and whoever does is counted again."""


class Stagnation:
    """Counts calls in a row on a page that does not change; a batch is one call, for nobody looks in between.

    Not counted are scrolling (and pressing keys) that led to a position that was not seen yet on this page, and reading
    what was not read yet: they do what they are for. At the end of a feed scrolling leads nowhere, and counts.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._place: Place | None = None
        self._count = 0
        self._positions: deque[str] = deque(maxlen=KEPT)
        self._read: deque[tuple[Signature, str]] = deque(maxlen=KEPT)
        self._moved = self._learned = True

    def count(self, step: Step) -> int:
        """Take in a call, and return that it is the N-th on this page as it is; 0 within a batch."""
        if not step.looked:
            self._note(step, first=False)
            return 0
        if step.page is None or self._place != place_of(step):
            self.reset()
            self._place = place_of(step)
        self._count += not self._was_of_use(step)
        if step.position not in self._positions:
            self._positions.append(step.position)
        self._note(step, first=True)
        return self._count

    def reset(self) -> None:
        """Begin with a page that nothing is known of."""
        self._place, self._count = None, 0
        self._positions.clear()
        self._read.clear()
        self._moved = self._learned = False

    def _was_of_use(self, step: Step) -> bool:
        """Whether the call before led to a new position, or was new reading."""
        return self._learned or (self._moved and step.position not in self._positions)

    def _note(self, step: Step, *, first: bool) -> None:
        """Note what kind of call this is: a batch moves or reads if all its calls do."""
        action = step.signature.action
        asked = (step.signature, step.position)
        reads = action in self._limits.reading and asked not in self._read
        self._moved = action in self._limits.moving and (first or self._moved)
        self._learned = reads and (first or self._learned)
        if reads:
            self._read.append(asked)
