"""The rule `failing`: an action that has failed on this page runs again."""

from __future__ import annotations

from stillframe.loopguard.step import LoopStep, PageKey, page_key
from stillframe.model.loops import ActionSignature

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
