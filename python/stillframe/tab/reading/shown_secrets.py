"""Find where secrets are visible on a page, from the browser's layout, and paint over them in screenshots.

Text is searched as it is drawn, after CSS transformations, across elements and lines; a match covers whole text boxes,
never less. Text inside images, canvases, videos and plugins is not found.
"""

from __future__ import annotations

import asyncio
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from stillframe.cdp_types import dom, dom_snapshot
from stillframe.errors import CommandError, SecretShown
from stillframe.tab.frames import FRAME_TAGS, Frame

if TYPE_CHECKING:
    from stillframe.core import Redactor
    from stillframe.tab.tab import Tab


EDGES = tuple(f"{kind}-{side}{width}" for side in ("left", "right", "top", "bottom")
              for kind, width in (("border", "-width"), ("padding", "")))  # fmt: skip
CAPTURE = dom_snapshot.CaptureSnapshot(computed_styles=list(EDGES))

DRAWN_BY_BROWSER = frozenset({"INPUT", "TEXTAREA", "SELECT", "IMG", "OBJECT", "METER", "PROGRESS", "VIDEO", "AUDIO"})
"""Elements whose text is in their values and attributes, not in a layout box."""

SEEN_ATTRIBUTES = frozenset({"value", "placeholder", "alt", "label"})

SAME_SIZE = 1.5
"""CSS pixels by which a frame may differ from its element's content box, because of fractions; else it is scaled."""


class Box(NamedTuple):
    """A rectangle in CSS pixels, relative to the top left of the top document."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, x: float, y: float) -> Box:
        """Return the box shifted by x and y."""
        return Box(self.x + x, self.y + y, self.width, self.height)

    def within(self, other: Box) -> Box | None:
        """Return the intersection with another box, or None."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Box(left, top, right - left, bottom - top) if right > left and bottom > top else None


class Layout(NamedTuple):
    """The layout of one process's documents, and the frame element of another process that holds the first of them."""

    frame: str
    snapshot: dom_snapshot.CaptureSnapshotResult
    parent: str
    owner: int


async def shown(tab: Tab, secrets: Redactor) -> list[Box]:
    """Return the boxes of everything that shows a secret on the whole page; frames that go away are left out."""
    main, *others = [frame for frame in tab.frames if frame.is_process_root]
    snapshot = await main.session.send(CAPTURE)
    found = await asyncio.gather(*(_layout(frame) for frame in others))
    layouts = [Layout("", snapshot, "", 0), *(layout for layout in found if layout is not None)]
    return list(boxes(layouts, secrets))


async def _layout(frame: Frame) -> Layout | None:
    assert frame.parent is not None  # only the main frame has none
    try:
        place = await frame.parent.session.send(dom.GetFrameOwner(frame_id=frame.id))
        return Layout(frame.id, await frame.session.send(CAPTURE), frame.parent.process_key, place.backend_node_id)
    except CommandError:
        return None


def boxes(layouts: Sequence[Layout], secrets: Redactor) -> Iterator[Box]:
    """Yield the boxes that show a secret; the first layout is that of the page."""
    inner = {(layout.parent, layout.owner): layout for layout in layouts[1:]}
    yield from _Process(layouts[0], inner, secrets).boxes(0)


class _Process:
    """Searches the documents of one process, and those of other processes framed in them."""

    def __init__(self, layout: Layout, inner: dict[tuple[str, int], Layout], secrets: Redactor) -> None:
        self._layout = layout
        self._inner = inner
        self._secrets = secrets
        self._documents = [
            _Document(document, layout.snapshot.strings, secrets) for document in layout.snapshot.documents
        ]

    @property
    def size(self) -> tuple[float, float]:
        """Return the viewport size of the first document."""
        return self._documents[0].size

    def boxes(self, number: int) -> Iterator[Box]:
        """Yield the boxes of a document and of all frames in it, relative to its top left."""
        document = self._documents[number]
        yield from document.boxes()
        for node, child in document.frames():
            yield from self._framed(document, node, self._documents[child].size, list(self.boxes(child)), child)
        for node, key in document.owners():
            layout = self._inner.get((self._layout.frame, key))
            if layout is not None:
                process = _Process(layout, self._inner, self._secrets)
                yield from process.framed_in(document, node)

    def framed_in(self, document: _Document, node: int) -> Iterator[Box]:
        """Yield the boxes of the first document, relative to the document that frames it."""
        return self._framed(document, node, self.size, list(self.boxes(0)), 0)

    def _framed(
        self, document: _Document, node: int, size: tuple[float, float], found: list[Box], child: int
    ) -> Iterator[Box]:
        outer = document.box_of(node)
        if outer is None or not found:
            return
        room = document.room_in(node, outer)
        if abs(room.width - size[0]) > SAME_SIZE or abs(room.height - size[1]) > SAME_SIZE:
            yield outer  # the frame is scaled or rotated: cover all of it
            return
        left, top = self._documents[child].scrolled
        for box in found:
            seen = box.moved(room.x - left, room.y - top).within(room)
            if seen is not None:
                yield seen


class _Document:
    """One document of a layout snapshot."""

    def __init__(self, document: dom_snapshot.DocumentSnapshot, strings: Sequence[str], secrets: Redactor) -> None:
        self._nodes, self._layout, self._texts = document.nodes, document.layout, document.text_boxes
        self._strings = strings
        self._secrets = secrets
        self.scrolled = (document.scroll_offset_x or 0.0, document.scroll_offset_y or 0.0)
        self._rows = {node: row for row, node in reversed(list(enumerate(self._layout.node_index)))}

    @property
    def size(self) -> tuple[float, float]:
        """Return the viewport size: the first layout row is the document's."""
        bounds = self._layout.bounds
        return (bounds[0][2], bounds[0][3]) if bounds else (0.0, 0.0)

    def boxes(self) -> Iterator[Box]:
        """Yield the boxes of texts and fields that show a secret."""
        drawn = [(self._drawn(number), Box(*bounds)) for number, bounds in enumerate(self._texts.bounds)]
        hidden = self._secrets.hidden_in([text for text, _ in drawn])
        yield from (drawn[number][1] for number in hidden)
        for node in self._fields():
            box = self.box_of(node)
            if box is not None:
                yield box

    def frames(self) -> Iterator[tuple[int, int]]:
        """Yield the nodes that hold a document of the same process, with its number."""
        held = self._nodes.content_document_index
        yield from zip(held.index, held.value, strict=True) if held else ()

    def owners(self) -> Iterator[tuple[int, int]]:
        """Yield the frame elements with their backend node ids, by which layouts of other processes refer to them."""
        for node, key in enumerate(self._nodes.backend_node_id or ()):
            if self._name(node).lower() in FRAME_TAGS:
                yield node, key

    def box_of(self, node: int) -> Box | None:
        """Return the box of a node; None if it has none."""
        row = self._rows.get(node)
        return None if row is None else Box(*self._layout.bounds[row])

    def room_in(self, node: int, outer: Box) -> Box:
        """Return the content box of an element, given its border box."""
        styles = [self._strings[style] for style in self._layout.styles[self._rows[node]]]
        edges = [float(style.removesuffix("px") or 0) if style.endswith("px") else 0.0 for style in styles]
        left, right, top, bottom = (sum(edges[side : side + 2]) for side in (0, 2, 4, 6))
        return Box(outer.x + left, outer.y + top, outer.width - left - right, outer.height - top - bottom)

    def _name(self, node: int) -> str:
        return self._strings[(self._nodes.node_name or ())[node]].upper()

    def _drawn(self, number: int) -> str:
        # Offsets count UTF-16 units, as in JavaScript.
        text = self._strings[self._layout.text[self._texts.layout_index[number]]].encode("utf-16-le", "surrogatepass")
        start, length = 2 * self._texts.start[number], 2 * self._texts.length[number]
        return text[start : start + length].decode("utf-16-le", "replace")

    def _fields(self) -> set[int]:
        """Return the nodes in which the browser draws a secret."""
        found = {node for node, text in self._values() if self._secrets.hidden_in([text])}
        return {field for node in found if (field := self._field_of(node)) is not None}

    def _values(self) -> Iterator[tuple[int, str]]:
        for rare in (self._nodes.input_value, self._nodes.text_value):
            for node, value in zip(rare.index, rare.value, strict=True) if rare else ():
                yield node, self._strings[value]
        for node in range(len(self._nodes.attributes or ())):
            yield from ((node, value) for name, value in self._attributes(node).items() if name in SEEN_ATTRIBUTES)
        for node, index in enumerate(self._nodes.node_value or ()):
            if index >= 0 and node not in self._rows:
                yield node, self._strings[index]

    def _field_of(self, node: int) -> int | None:
        """Return the field that contains a node: an option is drawn in its list."""
        parents = self._nodes.parent_index or ()
        while node >= 0 and self._name(node) not in DRAWN_BY_BROWSER:
            node = parents[node]
        # A password field draws bullets.
        return None if node < 0 or self._attributes(node).get("type", "").lower() == "password" else node

    def _attributes(self, node: int) -> dict[str, str]:
        texts = [self._strings[index] if index >= 0 else "" for index in (self._nodes.attributes or ())[node]]
        return dict(zip(texts[::2], texts[1::2], strict=True))


# Paint over secrets in screenshots, with Pillow, which the extra `mcp` installs.

BLOCK = "black"
MARGIN = 1.0
"""CSS pixels added around a box: glyphs extend beyond it by a fraction, and edges are smoothed."""


def require_pillow() -> None:
    """Raise SecretShown if Pillow is not installed."""
    try:
        import_module("PIL.Image")
    except ImportError:
        raise SecretShown(
            "the screenshot would show a secret, and painting over it needs Pillow: pip install 'stillframe[mcp]'"
        ) from None


def painted(
    picture: bytes,
    boxes: Iterable[Box],
    view: Box,
    area: Box | None,
    *,
    format: str,
    quality: int | None,
    shrink: float = 1.0,
) -> bytes:
    """Return a picture of `view` with the boxes painted over, cropped to `area` if given, in the given format.

    It is scaled by `shrink`.
    """
    images, drawing = import_module("PIL.Image"), import_module("PIL.ImageDraw")
    with images.open(io.BytesIO(picture)) as opened:
        image = opened.convert("RGB" if format == "jpeg" else "RGBA")
    scale = image.width / view.width
    brush = drawing.Draw(image)
    for box in boxes:
        brush.rectangle(_pixels(box, view, scale), fill=BLOCK)
    if area is not None:
        image = image.crop(_cut(area, view, scale))
    if shrink != 1.0:
        image = image.resize(tuple(max(1, round(side * shrink)) for side in image.size))
    out = io.BytesIO()
    image.save(out, format=format.upper(), **_options(format, quality))
    return out.getvalue()


def _pixels(box: Box, view: Box, scale: float) -> tuple[int, int, int, int]:
    left, top = box.x - view.x - MARGIN, box.y - view.y - MARGIN
    right, bottom = left + box.width + 2 * MARGIN, top + box.height + 2 * MARGIN
    return math.floor(left * scale), math.floor(top * scale), math.ceil(right * scale), math.ceil(bottom * scale)


def _cut(area: Box, view: Box, scale: float) -> tuple[int, int, int, int]:
    left, top = round((area.x - view.x) * scale), round((area.y - view.y) * scale)
    return left, top, left + max(1, round(area.width * scale)), top + max(1, round(area.height * scale))


def _options(format: str, quality: int | None) -> dict[str, Any]:
    if format == "png":
        return {}
    # Chrome's own default.
    return {"quality": 80 if quality is None else quality}
