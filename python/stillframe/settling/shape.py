"""Compare texts by shape: URLs and messages that differ only in digits are alike."""

from __future__ import annotations

import re

SHAPE_CHARS = 24
"""How many characters of a message make its shape: enough for a JSON message to name its type, as most do."""
DIGITS = re.compile(r"\d+")


def without_digits(text: str) -> str:
    """Return a text with every number replaced by 0."""
    return DIGITS.sub("0", text)


def shape_of(message: str) -> str:
    """Return the beginning of a message without its digits."""
    return without_digits(message[:SHAPE_CHARS])
