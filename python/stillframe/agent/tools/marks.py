"""Numbered marks on a screenshot, one for each element that can be acted on, and the list of what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from stillframe.errors import ToolFailed
from stillframe.tab.reading import Box

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

COLOURS = ("#d81b60", "#1e88e5", "#2e7d32", "#8e24aa", "#b45309", "#00838f")
"""Colours in turn, so that neighbours differ; all are dark enough for a white number."""
FONT_PX = 12
PADDING_PX = 2
"""Pixels between a number and the edge of its label."""

_LINE = re.compile(r'\s*- (?P<role>[\w-]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?P<rest>.*)')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_REF = re.compile(r"\[ref=(\w+)\]")


class Reachable(NamedTuple):
    """An element of an ARIA snapshot that can be acted on; `name` is escaped as in JSON."""

    ref: str
    role: str
    name: str


class ElementMark(NamedTuple):
    """A marked element, with its box in CSS pixels from the top left of the viewport."""

    element: Reachable
    box: Box

    def line(self, number: int) -> str:
        """Return what the mark of that number stands for."""
        name = f' "{self.element.name}"' if self.element.name else ""
        return f"{number}: {self.element.role}{name} [ref={self.element.ref}]"


def reachable(text: str) -> Iterator[Reachable]:
    """Yield the elements of the text of an ARIA snapshot that have a ref.

    Refs inside of quotes are text of the page, and no refs.
    """
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        ref = found and _REF.search(_QUOTED.sub("", found["rest"]))
        if found and ref:
            yield Reachable(ref[1], found["role"], found["name"] or "")


def on_screen(marks: Iterable[ElementMark], width: float, height: float) -> list[ElementMark]:
    """Return the marks whose boxes are in the viewport, at least in part, and have a size."""
    return [mark for mark in marks if _is_visible(mark.box, width, height)]


def _is_visible(box: Box, width: float, height: float) -> bool:
    is_inside = box.x < width and box.y < height and box.x + box.width > 0 and box.y + box.height > 0
    return is_inside and box.width > 0 and box.height > 0


def draw_marks(png: bytes, marks: Sequence[ElementMark], width: float) -> bytes:
    """Return a screenshot of a viewport that is `width` CSS pixels wide, with the marks numbered from 1.

    Raises ToolFailed if Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise ToolFailed(
            "refresh_som_markers needs Pillow to draw its marks: pip install 'stillframe[agent]'; "
            "take_screenshot works without it",
            tool="refresh_som_markers",
        ) from None
    with Image.open(BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    canvas = ImageDraw.Draw(picture)
    for number, mark in enumerate(marks, 1):
        _draw(canvas, mark.box, picture.width / width, str(number), COLOURS[number % len(COLOURS)])
    buffer = BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def _draw(canvas: ImageDraw, box: Box, scale: float, number: str, colour: str) -> None:
    left, top = max(0.0, box.x * scale), max(0.0, box.y * scale)
    canvas.rectangle((left, top, (box.x + box.width) * scale, (box.y + box.height) * scale), outline=colour, width=2)
    text = canvas.textbbox((0, 0), number, font_size=FONT_PX)
    width, height = text[2] + 2 * PADDING_PX, text[3] + 2 * PADDING_PX
    left = max(0.0, left - width)  # beside the element, so that it does not hide its text
    canvas.rectangle((left, top, left + width, top + height), fill=colour)
    canvas.text((left + PADDING_PX, top + PADDING_PX), number, fill="white", font_size=FONT_PX)
