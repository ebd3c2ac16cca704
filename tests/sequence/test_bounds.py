"""No call lasts longer than its own limits and one second, whatever the page or the browser does."""

from __future__ import annotations

import pytest

from bench.bounds import CALLS, CASES, late, measured


@pytest.mark.parametrize("kind", CASES)
async def test_no_call_lasts_longer_than_its_limits_and_a_second(kind: str) -> None:
    took = await measured(CASES[kind], side_by_side=True)
    assert set(took) == set(CALLS)
    assert late(took) == {}
