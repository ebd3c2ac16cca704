"""The tables of operators' cases are as long as the docs say, and no case stands twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from operators.count import AREAS, table

DOCS = Path(__file__).parents[2] / "docs" / "farm.md"


def test_the_docs_have_the_count() -> None:
    assert table() in DOCS.read_text(), f"write into {DOCS.name}:\n{table()}"


@pytest.mark.parametrize("area", AREAS)
def test_each_case_has_a_name_of_its_own_and_a_source(area: str) -> None:
    cases, least, _ = AREAS[area]
    assert len(cases) >= least
    assert len({case.name for case in cases}) == len(cases)
    assert all(case.why for case in cases)
