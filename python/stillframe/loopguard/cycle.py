"""The rule `cycle`: actions repeat in a cycle, each in the same state as before."""

from __future__ import annotations

from collections import deque

from stillframe.loopguard.step import LoopStep, StepKey, step_key


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
