"""The rule `failing`: a call that has failed on this very page is made again."""

from __future__ import annotations

from stillframe.loopguard.step import Place, Step, place_of
from stillframe.model.loops import Signature

KEPT = 64
"""Failing calls that are remembered; the oldest go first."""


class Failures:
    """Counts the failures of each call on each page, whatever was done in between."""

    def __init__(self) -> None:
        self._failed: dict[tuple[Signature, Place], int] = {}

    def count(self, step: Step) -> int:
        """Return that this is the N-th time that the call is made, all of those before having failed; 0 if none has."""
        failures = self._failed.get((step.signature, place_of(step)), 0)
        return failures + 1 if failures else 0

    def failed(self, step: Step) -> None:
        """Take in that a call has failed."""
        key = (step.signature, place_of(step))
        # Put in anew, so that the oldest stand first.
        self._failed[key] = self._failed.pop(key, 0) + 1
        if len(self._failed) > KEPT:
            del self._failed[next(iter(self._failed))]

    def refused(self, step: Step) -> None:
        """Take in that a call was not performed: if it is one that fails, it has come once more."""
        if (step.signature, place_of(step)) in self._failed:
            self.failed(step)

    def succeeded(self, step: Step) -> None:
        """Take in that a call was performed after all."""
        self._failed.pop((step.signature, place_of(step)), None)

    def reset(self) -> None:
        """Forget all failures."""
        self._failed.clear()
