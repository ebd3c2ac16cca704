"""Did-you-mean for names that a caller can mistype."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process

MIN_SCORE = 60.0
"""Below this similarity (0-100, rapidfuzz WRatio) a suggestion would be a guess."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the nearest known name, or nothing when none is near."""
    best = process.extractOne(name, list(known), score_cutoff=MIN_SCORE)
    return f" (did you mean {best[0]!r}?)" if best else ""
