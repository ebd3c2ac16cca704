"""Rectangles on the screen: edges, middles, overlaps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.native.rect import Rect

RECTS = st.builds(Rect, *[st.integers(-50, 50)] * 2, *[st.integers(0, 60)] * 2)


def test_edges_and_the_middle() -> None:
    rect = Rect(10, -20, 31, 40)
    assert (rect.right, rect.bottom, rect.center, rect.empty) == (41, 20, (25, 0), False)


def test_what_has_no_width_or_no_height_is_empty() -> None:
    assert Rect(1, 2, 0, 5).empty
    assert Rect(1, 2, 5, 0).empty


@given(RECTS, RECTS)
def test_the_overlap_has_exactly_the_pixels_of_both(one: Rect, other: Rect) -> None:
    def pixels(rect: Rect) -> set[tuple[int, int]]:
        return {(x, y) for x in range(rect.left, rect.right) for y in range(rect.top, rect.bottom)}

    assert pixels(one.within(other)) == pixels(one) & pixels(other)
