"""Suggestions for names that a caller can mistype, with the unit of the value they stand for."""

from __future__ import annotations

from collections.abc import Iterable

MIN_SCORE = 60.0
"""The least similarity (0 to 100, rapidfuzz WRatio) of a suggestion: below it, a suggestion is a guess."""

UNITS = {"_ms": "milliseconds", "Ms": "milliseconds", "_s": "seconds"}
"""The endings of names whose values have a unit."""


def unit(name: str) -> str:
    """Return the unit of what a name stands for, or nothing if its ending tells none."""
    return next((unit for ending, unit in UNITS.items() if name.endswith(ending)), "")


def with_unit(name: str) -> str:
    """Return a name followed by its unit in parentheses, where it has one."""
    return f"{name} ({unit(name)})" if unit(name) else name


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like `name`, or None if none is near; one that adds a unit comes first."""
    # Only mistakes need it, and it takes longer to import than all of the model.
    from rapidfuzz import process

    names = list(known)
    for ending in UNITS:
        if name + ending in names:
            return name + ending
    best = process.extractOne(name, names, score_cutoff=MIN_SCORE)
    return best[0] if best else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` for the nearest known name, with its unit, or nothing if none is near."""
    best = nearest(name, known)
    if best is None:
        return ""
    return f" (did you mean {best!r}, in {unit(best)}?)" if unit(best) else f" (did you mean {best!r}?)"


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """Return the sentences that refuse an unknown name: what it was taken for, the nearest name, and all names.

    >>> unknown("option", "timeout", ["timeout_ms", "limit"])
    "unknown option 'timeout'; did you mean 'timeout_ms' (milliseconds)? Known: timeout_ms, limit"
    """
    names = list(known)
    best = nearest(str(name), names)
    if best is None:
        hint = "."
    else:
        hint = f"; did you mean {best!r} ({unit(best)})?" if unit(best) else f"; did you mean {best!r}?"
    return f"unknown {what} {name!r}{hint} Known: {', '.join(names)}"
