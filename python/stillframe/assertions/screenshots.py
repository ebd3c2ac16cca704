"""Compare screenshots, with Pillow. Pure: bytes and files in, a comparison out."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any, NamedTuple

from stillframe.errors import InputError

MOST = 35_215.0
"""The largest distance of two colours in YIQ, between black and white, as pixelmatch counts it."""
WEIGHTS = (0.5053, 0.299, 0.1957)
"""How much a difference in Y, I and Q counts, as in pixelmatch."""
TO_YIQ = (
    *(0.29889531, 0.58662247, 0.11448223, 0.0),
    *(0.59597799, -0.27417610, -0.32180189, 128.0),
    *(0.21147017, -0.52261711, 0.31114694, 128.0),
)
"""The matrix from RGB to YIQ; I and Q are shifted, so that they are bytes."""


class Tolerance(NamedTuple):
    """What may differ."""

    pixels: int | None
    ratio: float | None
    threshold: float

    def allows(self, found: Comparison) -> bool:
        """Return whether two screenshots are alike enough: without any limit, all pixels have to be."""
        if found.sizes[0] != found.sizes[1]:
            return False
        limits = [
            *([] if self.pixels is None else [self.pixels]),
            *([] if self.ratio is None else [self.ratio * found.pixels]),
        ]
        return found.differing <= min(limits, default=0)


class Comparison(NamedTuple):
    """How two screenshots differ."""

    differing: int
    """Pixels whose colours are further apart than the threshold; all of them if the sizes differ."""
    pixels: int
    sizes: tuple[tuple[int, int], tuple[int, int]]
    picture: bytes
    """A PNG of the second one in grey, with what differs in red; empty if nothing does."""

    def __str__(self) -> str:
        (width, height), (other_width, other_height) = self.sizes
        if self.sizes[0] != self.sizes[1]:
            return f"{other_width} x {other_height} pixels instead of {width} x {height}"
        return f"{self.differing} of {self.pixels} pixels differ ({self.differing / self.pixels:.2%})"


def compare(expected: bytes, actual: bytes, threshold: float) -> Comparison:
    """Compare two pictures; `threshold`, from 0 to 1, is the distance of colours up to which they count as equal.

    Raises InputError if Pillow is not installed.
    """
    images = _pillow("PIL.Image")
    one, other = (images.open(io.BytesIO(each)).convert("RGB") for each in (expected, actual))
    sizes, pixels = (one.size, other.size), one.width * one.height
    if one.size != other.size:
        return Comparison(pixels, pixels, sizes, actual)
    if one.tobytes() == other.tobytes():
        return Comparison(0, pixels, sizes, b"")
    mask = _differing(one, other, threshold)
    differing = mask.histogram()[255]
    return Comparison(differing, pixels, sizes, _marked(other, mask) if differing else b"")


def _differing(one: Any, other: Any, threshold: float) -> Any:
    """Return a picture that is white where the colours are further apart than the threshold."""
    chops, math = _pillow("PIL.ImageChops"), _pillow("PIL.ImageMath")
    bands = chops.difference(one.convert("RGB", TO_YIQ), other.convert("RGB", TO_YIQ)).split()
    limit = MOST * threshold * threshold

    def distance(args: dict[str, Any]) -> Any:
        weighed = sum(
            args["float"](args[name]) * args[name] * weight for name, weight in zip("yiq", WEIGHTS, strict=True)
        )
        return args["convert"]((weighed > limit) * 255, "L")

    return math.lambda_eval(distance, **dict(zip("yiq", bands, strict=True)))


def _marked(picture: Any, mask: Any) -> bytes:
    grey = picture.convert("L").point(lambda value: 255 - (255 - value) // 5).convert("RGB")
    grey.paste((255, 0, 0), mask=mask)
    out = io.BytesIO()
    grey.save(out, format="PNG")
    return out.getvalue()


def _pillow(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise InputError("comparing screenshots needs Pillow: pip install 'stillframe[testing]'") from None
