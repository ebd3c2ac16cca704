"""Numbered marks on a screenshot, one for each element that can be acted on, with the box of each."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from stillframe.errors import ActionFailed, CommandError, InputError
from stillframe.model.structs import Value
from stillframe.tab.reading.aria_snapshot import page_text
from stillframe.tab.reading.reading import Box, box
from stillframe.tab.reading.screenshot import screenshot

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.tab import Tab

MAX_MARKS = 60
"""Marks on one picture by default; more hide the page."""
TEXT_CHARS = 40_000
"""Characters of the text of the viewport that the marks come from."""

COLOURS = ("#d81b60", "#1e88e5", "#2e7d32", "#8e24aa", "#b45309", "#00838f")
"""Colours in turn, so that neighbours differ; all are dark enough for a white number."""
FONT_PX = 12
PADDING_PX = 2
"""Pixels between a number and the edge of its label."""

_LINE = re.compile(r'\s*- (?P<role>[\w-]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?P<rest>.*)')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_REF = re.compile(r"\[ref=(\w+)\]")


class MarkedElement(Value, frozen=True, kw_only=True, rename="camel"):
    """A marked element; `box` is in CSS pixels from the top left of the viewport, and `ref=…` is a selector for it."""

    number: int
    ref: str
    role: str
    name: str
    box: Box

    def line(self) -> str:
        """Return what the mark stands for, as a line of an ARIA snapshot; the name is quoted as in JSON."""
        name = f" {json.dumps(self.name, ensure_ascii=False)}" if self.name else ""
        return f"{self.number}: {self.role}{name} [ref={self.ref}]"


class MarkedScreenshot(Value, frozen=True, kw_only=True, rename="camel"):
    """A picture of the viewport with numbered marks, and what they stand for."""

    image: bytes
    """A PNG, in device pixels."""
    marks: tuple[MarkedElement, ...]
    """In reading order; the first has the number 1."""
    width: float
    height: float
    """The size of the viewport in CSS pixels, as the boxes are."""
    unmarked: int = 0
    """How many elements were left without a mark because there would be too many."""

    @property
    def boxes(self) -> dict[str, Box]:
        """The box of each marked element by its ref."""
        return {mark.ref: mark.box for mark in self.marks}


class Reachable(NamedTuple):
    """An element of an ARIA snapshot that has a ref."""

    ref: str
    role: str
    name: str


async def marked_screenshot(tab: Tab, *, max_marks: int, deadline: Deadline) -> MarkedScreenshot:
    """Return a picture of the viewport with marks; see `Page.marked_screenshot`."""
    _check_pillow()
    text = await page_text(tab, scope="viewport", budget=TEXT_CHARS, tree="compact", links=False, deadline=deadline)
    found = list(reachable(text.text))
    size = await tab.frames.main.evaluate("[innerWidth, innerHeight]", timeout=deadline.hard_left_s)
    width, height = size
    boxes = await asyncio.gather(*(_box(tab, each, deadline) for each in found))
    placed = [(each, at) for each, at in zip(found, boxes, strict=True) if at and is_visible(at, width, height)]
    image = await screenshot(tab, deadline=deadline.hard())
    marks = [
        MarkedElement(number=number, ref=each.ref, role=each.role, name=each.name, box=at)
        for number, (each, at) in enumerate(placed[:max_marks], 1)
    ]
    marked = await asyncio.to_thread(draw_marks, image, marks, width)
    return MarkedScreenshot(
        image=marked, marks=tuple(marks), width=width, height=height, unmarked=len(placed) - len(marks)
    )


async def _box(tab: Tab, element: Reachable, deadline: Deadline) -> Box | None:
    """Return the box of an element; None if it is gone again or is not rendered."""
    try:
        return await box(tab, f"ref={element.ref}", deadline=deadline.hard())
    except (ActionFailed, CommandError):
        return None


def reachable(text: str) -> Iterator[Reachable]:
    """Yield the elements of the text of an ARIA snapshot that have a ref.

    Refs inside of quotes are text of the page, and no refs.
    """
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        ref = found and _REF.search(_QUOTED.sub("", found["rest"]))
        if found and ref:
            yield Reachable(ref[1], found["role"], json.loads(f'"{found["name"] or ""}"'))


def is_visible(box: Box, width: float, height: float) -> bool:
    """Return whether a box is in a viewport of this size, at least in part, and has a size itself."""
    is_inside = box.x < width and box.y < height and box.x + box.width > 0 and box.y + box.height > 0
    return is_inside and box.width > 0 and box.height > 0


# -- drawing ---------------------------------------------------------------------------------------


def _check_pillow() -> None:
    try:
        import_module("PIL")  # here, to fail before anything is done
    except ImportError:
        raise InputError("marks need Pillow: pip install 'stillframe[mcp]'; a plain screenshot does not") from None


def draw_marks(png: bytes, marks: Sequence[MarkedElement], width: float) -> bytes:
    """Return a screenshot of a viewport that is `width` CSS pixels wide, with the marks drawn on it."""
    images, drawing = import_module("PIL.Image"), import_module("PIL.ImageDraw")
    with images.open(BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    canvas = drawing.Draw(picture)
    scale = picture.width / width
    boxes = [_scaled(mark.box, scale) for mark in marks]
    labels: list[Rectangle] = []
    for mark, drawn in zip(marks, boxes, strict=True):
        _draw(canvas, drawn, str(mark.number), COLOURS[mark.number % len(COLOURS)], scale, boxes, labels)
    buffer = BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


Rectangle = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels of the picture."""


def _scaled(box: Box, scale: float) -> Rectangle:
    left, top = max(0.0, box.x * scale), max(0.0, box.y * scale)
    return left, top, (box.x + box.width) * scale, (box.y + box.height) * scale


def _draw(
    canvas: Any,
    box: Rectangle,
    number: str,
    colour: str,
    scale: float,
    boxes: Sequence[Rectangle],
    labels: list[Rectangle],
) -> None:
    canvas.rectangle(box, outline=colour, width=2)
    font = FONT_PX * max(1.0, scale)
    text = canvas.textbbox((0, 0), number, font_size=font)
    width, height = text[2] + 2 * PADDING_PX, text[3] + 2 * PADDING_PX
    x, y = place(box, width, height, boxes, labels)
    labels.append((x, y, x + width, y + height))
    canvas.rectangle(labels[-1], fill=colour)
    canvas.text((x + PADDING_PX, y + PADDING_PX), number, fill="white", font_size=font)


def place(
    box: Rectangle, width: float, height: float, boxes: Sequence[Rectangle], labels: Sequence[Rectangle]
) -> tuple[float, float]:
    """Return where the label of a box goes: beside it, on no other label, and on no other element if there is room."""
    left, top, right, bottom = box
    places = [(left - width, top), (left, top - height), (right, top), (left, bottom), (right - width, top)]
    inside = [(x, y) for x, y in places if x >= 0 and y >= 0]
    free = [at for at in inside if not _hits(at, width, height, labels)]
    others = [other for other in boxes if not _contains(other, box)]
    clear = [at for at in free if not _hits(at, width, height, others)]
    return next(iter([*clear, *free]), (max(0.0, left - width), max(0.0, top)))


def _hits(at: tuple[float, float], width: float, height: float, others: Sequence[Rectangle]) -> bool:
    label = (at[0], at[1], at[0] + width, at[1] + height)
    return any(_overlap(label, other) for other in others)


def _contains(outer: Rectangle, inner: Rectangle) -> bool:
    """Return whether a box is around another one, or is it: a label may lie on what contains its element."""
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _overlap(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
