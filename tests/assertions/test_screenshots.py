"""How two screenshots differ, and what may differ."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from stillframe.assertions.screenshots import Tolerance, compare

EXACT = Tolerance(None, None, 0.0)


def picture(*dots: tuple[int, int, int], size: tuple[int, int] = (10, 10)) -> bytes:
    """Return a white PNG with dots of these colours."""
    image = Image.new("RGB", size, "white")
    for place, colour in enumerate(dots):
        image.putpixel((place, 0), colour)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


BLACK, NEARLY_WHITE = (0, 0, 0), (250, 250, 250)


@pytest.mark.parametrize(
    ("dots", "threshold", "differing"),
    [
        ([], 0.2, 0),
        ([BLACK], 0.2, 1),
        ([BLACK, BLACK], 0.9, 2),
        ([NEARLY_WHITE], 0.2, 0),
        ([NEARLY_WHITE], 0.0, 1),
        ([BLACK], 1.0, 0),
        ([(255, 0, 0)], 0.2, 1),
    ],
)
def test_pixels_are_counted_whose_colours_are_further_apart_than_the_threshold(
    dots: list[tuple[int, int, int]], threshold: float, differing: int
) -> None:
    found = compare(picture(), picture(*dots), threshold)
    assert (found.differing, found.pixels) == (differing, 100)
    assert bool(found.picture) is bool(differing)


def test_what_differs_is_red_in_the_picture() -> None:
    found = compare(picture(), picture(BLACK), 0.2)
    with Image.open(io.BytesIO(found.picture)) as marked:
        assert marked.getpixel((0, 0)) == (255, 0, 0)
        assert marked.getpixel((1, 0)) == (255, 255, 255)
    assert str(found) == "1 of 100 pixels differ (1.00%)"


def test_other_sizes_never_match() -> None:
    found = compare(picture(), picture(size=(9, 10)), 0.2)
    assert str(found) == "9 x 10 pixels instead of 10 x 10"
    assert not Tolerance(1000, 1.0, 1.0).allows(found)


@pytest.mark.parametrize(
    ("tolerance", "allowed"),
    [
        (EXACT, False),
        (Tolerance(1, None, 0.2), False),
        (Tolerance(2, None, 0.2), True),
        (Tolerance(None, 0.01, 0.2), False),
        (Tolerance(None, 0.02, 0.2), True),
        (Tolerance(2, 0.01, 0.2), False),
    ],
)
def test_some_pixels_may_differ(tolerance: Tolerance, allowed: bool) -> None:
    assert tolerance.allows(compare(picture(), picture(BLACK, BLACK), 0.2)) is allowed
