"""The rule `repeat`: the same call again, and nothing has changed since."""

from __future__ import annotations

from stillframe.loopguard.step import Step, StepKey, key_of


class Repeats:
    """Counts identical calls in a row.

    Scrolling and waiting begin a new row: to click again after a scroll is another attempt, and the rule `stagnant`
    sees to it that this cannot go on for ever. Within a batch nobody looks at the page, so identical calls in a row
    count once there. A call that failed was not performed and does not count; it is the rule `failing` that counts it.
    """

    def __init__(self, exempt: frozenset[str]) -> None:
        self._exempt = exempt
        self._last: StepKey | None = None
        self._count = 0
        self._added = 0

    def count(self, step: Step) -> int:
        """Take in a call, and return that it is the N-th of its row; 0 for one that is not counted."""
        if step.signature.action in self._exempt:
            self.reset()
            return 0
        key = key_of(step)
        self._added = int(key != self._last or step.looked)
        if key != self._last or step.page is None:
            self._last, self._count = key, 0
        self._count += self._added
        return self._count

    def failed(self) -> None:
        """Take back the last call: it was not performed."""
        self._count -= self._added
        self._added = 0

    def reset(self) -> None:
        """Begin a new row."""
        self._last, self._count, self._added = None, 0, 0
