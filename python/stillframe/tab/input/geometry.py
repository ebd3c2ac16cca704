"""Plane projections: where a point of a box lies when the box is drawn moved, scaled, rotated or in perspective."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

Point = tuple[float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]


class Projection(msgspec.Struct, frozen=True):
    """A projective map of the plane, as a 3 × 3 matrix by rows; the images of four corners determine it.

    CSS draws a box by such a map whatever transforms, perspectives and frames apply, so this is exact.
    """

    matrix: Matrix = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)

    @classmethod
    def of_box(cls, width: float, height: float, quad: Sequence[float]) -> Projection:
        """Return the map of a box of that size, with its top left at 0, 0, to a quad.

        The quad is x1, y1, … x4, y4, clockwise from the image of the top left, as CDP gives it. Raises ValueError if
        the box or the quad has no area.
        """
        if width <= 0 or height <= 0:
            raise ValueError("a box without area")
        a, b, c, d, e, f, g, h, i = _of_unit_square(quad)
        found = cls((a / width, b / height, c, d / width, e / height, f, g / width, h / height, i))
        found.inverse()
        return found

    def point(self, x: float, y: float) -> Point:
        """Return the image of a point; raises ValueError for a point on the horizon, which has none."""
        a, b, c, d, e, f, g, h, i = self.matrix
        w = g * x + h * y + i
        if w == 0:
            raise ValueError("a point on the horizon")
        return (a * x + b * y + c) / w, (d * x + e * y + f) / w

    def inverse(self) -> Projection:
        """Return the inverse map; raises ValueError if all points fall on one line."""
        a, b, c, d, e, f, g, h, i = self.matrix
        rows = (
            *(e * i - f * h, c * h - b * i, b * f - c * e),
            *(f * g - d * i, a * i - c * g, c * d - a * f),
            *(d * h - e * g, b * g - a * h, a * e - b * d),
        )
        determinant = a * rows[0] + b * rows[3] + c * rows[6]
        if abs(determinant) < _FLAT:
            raise ValueError("a quad without area")
        return Projection(tuple(value / determinant for value in rows))  # type: ignore[arg-type]


_FLAT = 1e-12
"""A smaller determinant means that the box is seen edge-on."""


def _of_unit_square(quad: Sequence[float]) -> Matrix:
    """Return the map of the unit square to a quad (Heckbert, Fundamentals of Texture Mapping, 1989, §2.2.3)."""
    x0, y0, x1, y1, x2, y2, x3, y3 = quad
    sum_x, sum_y = x0 - x1 + x2 - x3, y0 - y1 + y2 - y3
    dx1, dx2, dy1, dy2 = x1 - x2, x3 - x2, y1 - y2, y3 - y2
    base = dx1 * dy2 - dx2 * dy1
    if base == 0:
        raise ValueError("a quad without area")
    g = (sum_x * dy2 - dx2 * sum_y) / base
    h = (dx1 * sum_y - sum_x * dy1) / base
    return (x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h, 1.0)
