"""What a picture of the task tells: the colours of things, and where dots and lines are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from PIL import Image, ImageColor

from stillframe.tab.reading.reading import Box

Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)


def rgb(name: str) -> Colour:
    """Return a colour of CSS by its name. Raises ValueError for another name."""
    return ImageColor.getcolor(name, "RGB")  # type: ignore[return-value]


def crop(picture: Image.Image, box: Box) -> Image.Image:
    """Return the part of a picture in a box, at least one pixel."""
    left, top = round(box.x), round(box.y)
    return picture.crop((left, top, max(left + 1, round(box.x + box.width)), max(top + 1, round(box.y + box.height))))


def colours(picture: Image.Image) -> list[Colour]:
    """Return the colours of all pixels of a picture in RGB, row by row."""
    data = picture.tobytes()
    return list(zip(data[::3], data[1::3], data[2::3], strict=True))


def pixels(picture: Image.Image) -> Iterator[tuple[int, int, Colour]]:
    """Yield the column, the row and the colour of every pixel."""
    width, _ = picture.size
    for index, colour in enumerate(colours(picture)):
        yield index % width, index // width, colour


def main_colour(picture: Image.Image) -> Colour:
    """Return the most frequent colour."""
    return Counter(colours(picture)).most_common(1)[0][0]


def ink(picture: Image.Image) -> Colour:
    """Return the colour that is farthest from white: that of a thin stroke, whose edges are paler."""
    return max(colours(picture), key=lambda colour: distance(colour, WHITE))


def distance(one: Colour, other: Colour) -> int:
    """Return the square of the distance of two colours."""
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def nearest(colour: Colour, names: Iterable[str]) -> str:
    """Return the name, of those of CSS given, whose colour is nearest."""
    return min(names, key=lambda name: distance(colour, rgb(name)))


def nearest_ink(colour: Colour, names: Iterable[str]) -> str:
    """Return the name of the ink that leaves a colour on white, also where the stroke covers a pixel in part."""
    missing = [255 - part for part in colour]

    def likeness(name: str) -> float:
        full = [255 - part for part in rgb(name)]
        length = sum(part * part for part in full) ** 0.5
        return sum(a * b for a, b in zip(missing, full, strict=True)) / length if length else 0.0

    return max(names, key=likeness)


def middle(points: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the mean of some points. Raises LookupError if there are none."""
    every = list(points)
    if not every:
        raise LookupError("the picture shows nothing of that colour")
    return sum(x for x, _ in every) / len(every), sum(y for _, y in every) / len(every)
