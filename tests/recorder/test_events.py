"""Reports of the script in the page are values; whatever else arrives is ignored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.recorder.events import Point, parse_report


def test_a_report_is_parsed() -> None:
    report = parse_report('{"kind": "click", "gesture": 3, "element": 4, "position": {"x": 1, "y": 2}}')
    assert report is not None
    assert (report.kind, report.gesture, report.element, report.position) == ("click", 3, 4, Point(1, 2))


@pytest.mark.parametrize("text", ["", "null", "{}", '{"kind": "no"}', '{"kind": "click", "element": "x"}', "\ud800"])
def test_what_is_not_a_report_is_ignored(text: str) -> None:
    assert parse_report(text) is None


@given(st.text())
def test_no_text_breaks_the_parser(text: str) -> None:
    parse_report(text)
