"""Screenshots of a page for its trace, and where its elements are in them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from stillframe.cdp_types import dom_snapshot
from stillframe.errors import StillframeError

if TYPE_CHECKING:
    from stillframe.extend import NodeKey, PageState

QUALITY = 60
"""JPEG quality: text stays readable at a fifth of the bytes of PNG."""
SCREENSHOT_MS = 2_000.0
"""Milliseconds for a screenshot; it takes some 50 ms. A page that takes longer is traced without it."""

Box = list[float]
"""x, y, width and height in CSS pixels of the screenshot."""


class _Nodes(msgspec.Struct, rename="camel"):
    backend_node_id: list[int]
    content_document_index: _Sparse | None = None


class _Sparse(msgspec.Struct):
    index: list[int]
    value: list[int]


class _Layout(msgspec.Struct, rename="camel"):
    node_index: list[int]
    bounds: list[Box]


class _Document(msgspec.Struct, rename="camel"):
    nodes: _Nodes
    layout: _Layout
    scroll_offset_x: float = 0.0
    scroll_offset_y: float = 0.0


class _Layouts(msgspec.Struct):
    """What is needed of the result of DOMSnapshot.captureSnapshot."""

    documents: list[_Document]


class Screenshot(NamedTuple):
    """A screenshot, and the layout of the page at that moment; `error` says why there is none."""

    data: str | None = None
    """The JPEG in Base64."""
    width: float = 0.0
    height: float = 0.0
    """The size of the view in CSS pixels; 0 if unknown."""
    layout: bytes = b""
    """The result of DOMSnapshot.captureSnapshot, which is decoded only if a delta asks for boxes."""
    error: str = ""


async def take(state: PageState) -> Screenshot:
    """Take a screenshot; never raises. Everything that shows a secret is painted over."""
    command = dom_snapshot.CaptureSnapshot(computed_styles=[])
    try:
        raw = bytes(await state.session.send_raw(command, timeout=SCREENSHOT_MS / 1000))
        width, height = await state.frames.main.evaluate("[innerWidth, innerHeight]", timeout=SCREENSHOT_MS / 1000)
        image = await state.screenshot(format="jpeg", quality=QUALITY, timeout_ms=SCREENSHOT_MS)
    except (StillframeError, ModuleNotFoundError) as error:
        return Screenshot(error=state.redact(str(error)))
    return Screenshot(base64.b64encode(image).decode(), width, height, raw)


def boxes_of(taken: Screenshot, elements: Mapping[str, NodeKey | None]) -> dict[str, Box]:
    """Return the boxes of elements in a screenshot by their refs.

    Elements of other processes, and elements without a box, are left out.
    """
    if not taken.layout or not elements:
        return {}
    found = _by_node(msgspec.json.decode(taken.layout, type=_Layouts))
    return {
        ref: [round(number, 1) for number in box]
        for ref, key in elements.items()
        if key is not None and not key.frame and (box := found.get(key.backend_node_id)) is not None
    }


def _by_node(layouts: _Layouts) -> dict[int, Box]:
    """Return the boxes of all nodes by backend node id, relative to the view."""
    boxes: dict[int, Box] = {}
    offsets = {0: (0.0, 0.0)}
    # A frame's document follows that of its owner, whose box is known by then.
    for index, document in enumerate(layouts.documents):
        if index not in offsets:
            continue
        left, top = offsets[index]
        left, top = left - document.scroll_offset_x, top - document.scroll_offset_y
        ids = document.nodes.backend_node_id
        for node, (x, y, width, height) in zip(document.layout.node_index, document.layout.bounds, strict=False):
            boxes.setdefault(ids[node], [x + left, y + top, width, height])
        if (owners := document.nodes.content_document_index) is not None:
            for node, inner in zip(owners.index, owners.value, strict=False):
                if (box := boxes.get(ids[node])) is not None:
                    offsets[inner] = box[0], box[1]
    return boxes
