"""The rule `repeat`: an identical action again, and nothing has changed since."""

from __future__ import annotations

from stillframe.loopguard.step import LoopStep, StepKey, step_key


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
