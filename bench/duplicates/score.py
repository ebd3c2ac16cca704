"""From scores of pairs to precision, recall and F1: thresholds are chosen on one half and tried on the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Score(NamedTuple):
    """How well a yes-or-no question was answered."""

    precision: float
    recall: float
    f1: float

    def __str__(self) -> str:
        return f"precision {self.precision:.3f}, recall {self.recall:.3f}"


def score(answers: Iterable[tuple[bool, bool]]) -> Score:
    """Score pairs of (said, true)."""
    both = said_only = true_only = 0
    for said, true in answers:
        both += said and true
        said_only += said and not true
        true_only += true and not said
    precision = both / (both + said_only) if both else 0.0
    recall = both / (both + true_only) if both else 0.0
    return Score(precision, recall, 2 * both / (2 * both + said_only + true_only) if both else 0.0)


def threshold(distances: Sequence[tuple[float, bool]]) -> float:
    """Return the distance up to which "yes" gives the best F1: the middle of the gap behind the best cut."""
    ordered = sorted(distances)
    total = sum(true for _, true in ordered)
    best, cut, hits = 0.0, 0.0, 0
    for at, (distance, true) in enumerate(ordered):
        hits += true
        following = ordered[at + 1][0] if at + 1 < len(ordered) else distance
        if following == distance and at + 1 < len(ordered):
            continue
        f1 = 2 * hits / (at + 1 + total)
        if f1 > best:
            best, cut = f1, (distance + following) / 2
    return cut


def held_out(training: Sequence[tuple[float, bool]], rest: Sequence[tuple[float, bool]]) -> tuple[float, Score]:
    """Choose the threshold on `training` and score it on `rest`."""
    chosen = threshold(training)
    return chosen, score((distance <= chosen, true) for distance, true in rest)
