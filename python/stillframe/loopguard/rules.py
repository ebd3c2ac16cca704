"""The rules that count what repeats without progress: `repeat`, `cycle`, `failing` and `stagnant`."""

from __future__ import annotations

from collections import deque

from stillframe.loopguard.limits import LoopLimits
from stillframe.loopguard.step import LoopStep, PageKey, StepKey, page_key, step_key
from stillframe.model.loops import ActionSignature


class RepeatCounter:
    """Counts identical steps in a row.

    Scrolling and waiting start a new row: a click after a scroll is a new attempt, and the rule `stagnant` limits how
    often that can happen. Nobody looks at the page within a batch, so identical steps in a row count once there. A step
    that failed did not run and does not count; the rule `failing` counts it. Setting a field to the value that it has
    repeats the step that set it, although that one changed the page.
    """

    def __init__(self, exempt: frozenset[str]) -> None:
        self._exempt = exempt
        self._last: StepKey | None = None
        self._count = 0
        self._added = 0

    def count(self, step: LoopStep) -> int:
        """Add a step and return its number in its row, 0 if the rule does not count it."""
        if step.signature.action in self._exempt:
            self.reset()
            return 0
        key = step_key(step)
        if self._sets_again(step, key):
            self._last = key
        self._added = int(key != self._last or step.starts_batch)
        if key != self._last or step.page_state is None:
            self._last, self._count = key, 0
        self._count += self._added
        return self._count

    def _sets_again(self, step: LoopStep, key: StepKey) -> bool:
        """Return whether a step sets a field to what the first step of the row has set it to."""
        follows = self._last is not None and self._count == 1 and key[:2] == self._last[:2]
        return follows and step.already and step.starts_batch

    def failed(self) -> None:
        """Remove the last step: its action did not run."""
        self._count -= self._added
        self._added = 0

    def reset(self) -> None:
        """Start a new row."""
        self._last, self._count, self._added = None, 0, 0


# The rule `cycle`: actions repeat in a cycle, each in the same state as before.


class CycleCounter:
    """Counts the rounds of a cycle of steps, regular (A-B-A-B, A-B-C-A-B-C) or not.

    A step is known if the window holds an identical one. The rule looks at the run of known steps since the last new
    step: n known steps, d of them different, are n/d rounds after the first. This finds cycles that lead through
    several pages, while opening the items of a list one by one always adds new steps. Identical steps in a row count as
    one, because the rule `repeat` counts them. Scrolling and waiting do not count.
    """

    def __init__(self, exempt: frozenset[str], window: int) -> None:
        self._exempt = exempt
        self._window: deque[StepKey] = deque(maxlen=window)
        self._known: deque[StepKey] = deque(maxlen=window * 10)

    def count(self, step: LoopStep) -> int:
        """Add a step and return the number of its round, 0 if there is no cycle."""
        if step.signature.action in self._exempt:
            return 0
        key = step_key(step)
        if self._window and key == self._window[-1]:
            return 0
        if step.page_state is None or key not in self._window:
            self._known.clear()
        else:
            self._known.append(key)
        self._window.append(key)
        return rounds(self._known)

    def reset(self) -> None:
        """Forget all steps."""
        self._window.clear()
        self._known.clear()


def rounds(known: deque[StepKey]) -> int:
    """Return the round of the last step in a run of known steps, 0 if there is no cycle."""
    different = len(set(known))
    return 0 if different < 2 else 1 - (-len(known) // different)


# The rule `failing`: an action that has failed on this page runs again.

MAX_ACTIONS = 64
"""Failing actions to remember; the oldest go first."""


class FailureCounter:
    """Counts the failures of each action on each page, whatever runs in between."""

    def __init__(self) -> None:
        self._failed: dict[tuple[ActionSignature, PageKey], int] = {}

    def count(self, step: LoopStep) -> int:
        """Return the number of this attempt if all attempts before it failed, 0 if none failed."""
        failures = self._failed.get((step.signature, page_key(step)), 0)
        return failures + 1 if failures else 0

    def failed(self, step: LoopStep) -> None:
        """Record that the action failed."""
        key = (step.signature, page_key(step))
        # Removing and adding keeps the oldest first.
        self._failed[key] = self._failed.pop(key, 0) + 1
        if len(self._failed) > MAX_ACTIONS:
            del self._failed[next(iter(self._failed))]

    def refused(self, step: LoopStep) -> None:
        """Record that the action was refused: one that keeps failing was attempted once more."""
        if (step.signature, page_key(step)) in self._failed:
            self.failed(step)

    def succeeded(self, step: LoopStep) -> None:
        """Record that the action succeeded."""
        self._failed.pop((step.signature, page_key(step)), None)

    def reset(self) -> None:
        """Forget all failures."""
        self._failed.clear()


# The rule `stagnant`: action after action, whatever they are, and the page does not change.

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
