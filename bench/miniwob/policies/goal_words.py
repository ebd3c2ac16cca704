"""What several policies read in a goal: quoted texts, ordinals and numbers."""

from __future__ import annotations

import re

QUOTED = re.compile(r'"([^"]*)"')
ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def quoted(goal: str) -> list[str]:
    """Return the texts that a goal has in double quotes."""
    return QUOTED.findall(goal)


def ordinals(goal: str) -> list[int]:
    """Return the places that a goal names: 3 for `3rd`."""
    return [int(place) for place in ORDINAL.findall(goal)]


def numbers(text: str) -> list[float]:
    """Return the numbers in a text, those in ordinals too."""
    return [float(number) for number in NUMBER.findall(text)]


def after(goal: str, pattern: str) -> str:
    """Return the first group of a pattern in a goal. Raises LookupError if the goal does not match."""
    if match := re.search(pattern, goal):
        return match[1].strip()
    raise LookupError(f"the goal has no {pattern!r}: {goal}")
