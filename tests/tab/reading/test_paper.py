"""Formats and lengths of paper."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.errors import OptionInvalid
from stillframe.tab.reading.paper import FORMATS, in_inches, inches


@pytest.mark.parametrize(
    ("value", "expected"),
    [(96, 1), (0, 0), ("96px", 1), ("96", 1), ("1in", 1), ("2.54cm", 1), ("25.4 MM", 1), (".5in", 0.5)],
)
def test_lengths_are_pixels_or_have_a_unit(value: Any, expected: float) -> None:
    assert inches(value, "width") == pytest.approx(expected)


@pytest.mark.parametrize("value", ["1 foot", "", "-1cm", -1, True, None, float("nan"), [1]])
def test_what_is_not_a_length_is_refused(value: Any) -> None:
    with pytest.raises(OptionInvalid, match="is not a length"):
        inches(value, "width")


def test_options_become_fields_of_the_command() -> None:
    assert in_inches({"format": "letter", "tagged": True, "scale": None}) == {
        "paper_width": 8.5,
        "paper_height": 11,
        "generate_tagged_pdf": True,
    }
    margins = in_inches({"width": "10in", "margin": {"top": 96, "left": "1in"}})
    assert margins == {"paper_width": 10, "margin_top": 1, "margin_left": 1}
    assert in_inches({"margin": "1in"}) == dict.fromkeys(
        [f"margin_{side}" for side in ("top", "right", "bottom", "left")], 1
    )
    assert in_inches({"paper_width": 3}) == {"paper_width": 3}
    assert FORMATS["A4"] == pytest.approx((8.268, 11.693), abs=0.001)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"format": "A44"}, "did you mean 'A4'"),
        ({"format": "A4", "width": 3}, "given twice"),
        ({"margin": {"tp": 1}}, "did you mean 'top'"),
        ({"margin": {"top": "x"}}, "margin.top"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionInvalid, match=words):
        in_inches(options)
