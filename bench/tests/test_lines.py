"""The rows of the same lines are of one piece, and the judge sees what is wrong."""

from __future__ import annotations

import pytest

from bench import lines
from bench.lines import AREAS, THEIRS, like
from bench.lines.case import RAISES, Case, program

ROWS = [case for cases in AREAS.values() for case in cases]
RIGHT = Case("await page.locator('h1').inner_text()", "Title", "<h1>Title</h1>")
WRONG = Case("await page.title()", "no such title")
RAISING = Case("await page.evaluate('nothing.here')", RAISES)
MISTAKEN = Case("await page.no_such_call()", RAISES)


def test_there_are_many_rows_of_different_names_that_compile() -> None:
    assert len({case.name for case in ROWS}) == len(ROWS) >= 500
    for case in ROWS:
        program(case.code)


@pytest.mark.parametrize(
    ("value", "gives", "same"),
    [(1, 1, True), ((1, 2), [1, 2], True), ([1], [1, 2], False), (1, RAISES, False), (RAISES, RAISES, False)],
)
def test_values_are_compared(value: object, gives: object, same: bool) -> None:
    assert like(value, gives) is same


@pytest.mark.browser
async def test_each_library_is_judged_by_what_its_lines_come_to(monkeypatch: pytest.MonkeyPatch) -> None:
    found = await lines.judged([RIGHT, WRONG, RAISING, MISTAKEN], 1)
    assert THEIRS in found, "make setup installs Playwright"
    for outcomes in found.values():
        faults = {name: outcome.fault for name, (outcome,) in outcomes.items()}
        assert faults.pop(WRONG.name) == "came to 'page', not 'no such title'"
        assert (faults.pop(MISTAKEN.name) or "").startswith("AttributeError")
        assert faults == {RIGHT.name: None, RAISING.name: None}
    monkeypatch.setattr(lines, "AREAS", {"some": [RIGHT, WRONG, RAISING]})
    share, *_ = lines.tables(found)
    assert {row.name: row.note for row in share.rows} == dict.fromkeys(found, "2 of 2")
