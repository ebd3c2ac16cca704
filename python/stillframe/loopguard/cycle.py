"""The rule `cycle`: calls that go round, each in the very state in which it was made before."""

from __future__ import annotations

from collections import deque

from stillframe.loopguard.step import Step, StepKey, key_of


class Cycles:
    """Counts the rounds of a circle of calls, regular (A-B-A-B, A-B-C-A-B-C) or not.

    A stretch is what has been done since something new was last done: a call is new if it is not in the window with the
    same state of page and target. A stretch of n calls, d of them different, has gone round n/d times after the first.
    So a circle that goes through several pages is seen, while whoever opens one item of a list after the other always
    does something new. Calls in a row that are the same count as one, for `repeat` counts them; scrolling and waiting
    are passed over.
    """

    def __init__(self, exempt: frozenset[str], window: int) -> None:
        self._exempt = exempt
        self._window: deque[StepKey] = deque(maxlen=window)
        self._stretch: deque[StepKey] = deque(maxlen=window * 10)

    def count(self, step: Step) -> int:
        """Take in a call, and return the number of the round it belongs to; 0 if there is no circle."""
        if step.signature.action in self._exempt:
            return 0
        key = key_of(step)
        if self._window and key == self._window[-1]:
            return 0
        if step.page is None or key not in self._window:
            self._stretch.clear()
        else:
            self._stretch.append(key)
        self._window.append(key)
        return rounds(self._stretch)

    def reset(self) -> None:
        """Forget all calls."""
        self._window.clear()
        self._stretch.clear()


def rounds(stretch: deque[StepKey]) -> int:
    """Return the number of the round that the last call of a stretch of known calls is in; 0 for no circle."""
    different = len(set(stretch))
    return 0 if different < 2 else 1 - (-len(stretch) // different)
