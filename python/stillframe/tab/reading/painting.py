"""Paint over secrets in screenshots, with Pillow, which the extra `mcp` installs."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from stillframe.errors import SecretShown

if TYPE_CHECKING:
    from stillframe.tab.reading.shown_secrets import Box

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
