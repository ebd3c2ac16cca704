"""Projections: a map of four corners sends each to its image, its inverse comes back, and lines stay lines."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.tab.input.geometry import Projection

sides = st.floats(1, 5000)
angles = st.floats(-1.4, 1.4)
parts = st.floats(0, 1)


def drawn(x: float, y: float, turn: float, tilt: float, distance: float = 3000.0) -> tuple[float, float]:
    """The slow twin: turn about z, tilt about y, and look from a distance, as CSS says."""
    x, y = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
    x, z = x * math.cos(tilt), -x * math.sin(tilt)
    scale = distance / (distance - z)
    return x * scale, y * scale


@given(sides, sides, angles, angles, parts, parts)
def test_it_agrees_with_the_transform_that_drew_the_box(
    width: float, height: float, turn: float, tilt: float, px: float, py: float
) -> None:
    width, height = min(width, 1000), min(height, 1000)
    corners = [(0, 0), (width, 0), (width, height), (0, height)]
    quad = [value for corner in corners for value in drawn(*corner, turn, tilt)]
    map_ = Projection.of_box(width, height, quad)
    x, y = px * width, py * height
    assert map_.point(x, y) == pytest.approx(drawn(x, y, turn, tilt), abs=1e-3)
    assert map_.inverse().point(*map_.point(x, y)) == pytest.approx((x, y), abs=1e-3)


@given(sides, sides, st.floats(-500, 500), st.floats(-500, 500), st.floats(0.1, 10))
def test_scaling_and_moving_are_plain_arithmetic(width: float, height: float, x: float, y: float, scale: float) -> None:
    right, bottom = x + width * scale, y + height * scale
    map_ = Projection.of_box(width, height, [x, y, right, y, right, bottom, x, bottom])
    assert map_.point(width / 3, height / 7) == pytest.approx(
        (x + width / 3 * scale, y + height / 7 * scale), rel=1e-6, abs=1e-6
    )


@pytest.mark.parametrize(
    ("width", "height", "quad"),
    [
        (0, 10, [0, 0, 1, 0, 1, 1, 0, 1]),
        (10, 10, [0, 0, 10, 0, 10, 0, 0, 0]),
        (10, 10, [0, 0, 1, 1, 2, 2, 3, 3]),
        (10, 10, [5, 5, 5, 5, 5, 5, 5, 5]),
    ],
)
def test_what_has_no_area_is_refused(width: float, height: float, quad: list[float]) -> None:
    with pytest.raises(ValueError, match="without area"):
        Projection.of_box(width, height, quad)
