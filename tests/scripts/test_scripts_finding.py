"""What stands in the brackets of a line of an ARIA snapshot, whatever the page says."""

from __future__ import annotations

import pytest

from stillframe.scripts.finding import brackets

LINES: list[tuple[str, tuple[str, ...]]] = [
    ('- button "Save" [ref=e2]', ("ref=e2",)),
    ("  - generic [ref=e2] [clickable]: Save", ("ref=e2", "clickable")),
    ('- heading "Log in [clickable]" [level=2] [ref=e2]', ("level=2", "ref=e2")),
    ('- heading "say \\"x\\" [clickable]" [ref=e2]', ("ref=e2",)),
    ("- listitem [ref=e3]: Buy [clickable] milk", ("ref=e3",)),
    ("- text: [ref=e9]", ()),
    ("", ()),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_brackets(line: str, expected: tuple[str, ...]) -> None:
    assert brackets(line) == expected
