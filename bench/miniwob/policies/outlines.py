"""Outlines that only a picture shows: black frames, and how many corners a figure has; pure functions on pixels."""

from __future__ import annotations

import cmath
from collections.abc import Iterator
from itertools import groupby

from PIL import Image

from bench.miniwob.policies.pictures import Colour, pixels
from stillframe.tab.reading.reading import Box

Pixel = tuple[int, int]
DARK = 90
"""The brightest channel of a colour that counts as black."""
FRAME_WIDTH = 50
"""CSS pixels: a black line at least this long is the side of a frame, not of a shape."""
CORNERS = range(3, 8)
"""The numbers of corners that the figures may have."""


def is_dark(colour: Colour) -> bool:
    """Return whether a colour is black or nearly so."""
    return max(colour) <= DARK


def frames(picture: Image.Image) -> list[Box]:
    """Return the boxes with a black outline, from left to right."""
    found: dict[int, list[Pixel]] = {}
    for left, right, y in _lines(picture):
        found.setdefault(left, []).append((right, y))
    return [
        Box(left, ends[0][1], ends[0][0] - left, ends[-1][1] + 1 - ends[0][1]) for left, ends in sorted(found.items())
    ]


def _lines(picture: Image.Image) -> Iterator[tuple[int, int, int]]:
    """Yield the long black horizontal lines from top to bottom: where they begin, where they end, and their row."""
    black = ((x, y) for x, y, colour in pixels(picture) if is_dark(colour))
    for (_, y), group in groupby(enumerate(black), key=lambda each: (each[1][0] - each[0], each[1][1])):
        columns = [x for _, (x, _) in group]
        if len(columns) >= FRAME_WIDTH:
            yield columns[0], columns[-1] + 1, y


def corners(picture: Image.Image) -> int:
    """Return how many corners the only outline in a picture has, if its sides are equal.

    Seen from the middle, the distance of the outline rises and falls once per corner; this is the strongest wave in it.
    Raises LookupError if the picture shows no outline.
    """
    dark = [complex(x, y) for x, y, colour in pixels(picture) if is_dark(colour)]
    if not dark:
        raise LookupError("the picture shows no black outline")
    middle = sum(dark) / len(dark)
    polar = [cmath.polar(point - middle) for point in dark]

    def strength(waves: int) -> float:
        return abs(sum(distance * cmath.exp(1j * waves * angle) for distance, angle in polar))

    return max(CORNERS, key=strength)
