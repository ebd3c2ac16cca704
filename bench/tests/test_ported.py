"""Scripts written for Playwright run with stillframe, and the judge sees what is wrong."""

from __future__ import annotations

import json

import pytest

from bench import ported
from bench.ported import ANSWERS, NAMES, OURS, SCRIPTS, THEIRS, Judged, Outcome

RIGHT = json.loads(ANSWERS.read_text())


@pytest.mark.browser
@pytest.mark.parametrize("library", [OURS, pytest.param(THEIRS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
async def test_it_comes_to_what_playwright_comes_to(name: str, library: str) -> None:
    async with ported.serving() as url:
        assert ported.fault(await ported.outcome(name, library, url), RIGHT[name]) is None


def test_each_script_has_an_answer_and_the_size_of_a_real_one() -> None:
    assert len(NAMES) >= 12
    assert set(RIGHT) == set(NAMES)
    for name in NAMES:
        source = (SCRIPTS / f"{name}.py").read_text()
        assert 30 <= len(source.splitlines()) <= 60
        assert "playwright" not in ported.for_stillframe(source)


async def test_what_is_wrong_is_reported() -> None:
    assert ported.fault(Outcome([1], None, 1), [1]) is None
    assert ported.fault(Outcome([1], None, 1), [2]) == "[1] instead of [2]"
    assert ported.fault(Outcome(None, "TypeError: no", 1), [2]) == "TypeError: no"
    found = {each: [Judged("board", 1, None), Judged("board", 2, "[2] instead of [1]")] for each in ported.MADE}
    times, wrong = ported.tables(found)
    assert {row.name: row.note for row in times.rows} == dict.fromkeys(ported.MADE, "0 of 1 right")
    assert {row.name: row.note for row in wrong.rows} == {
        f"board with {each}": "[2] instead of [1]" for each in ported.MADE
    }
