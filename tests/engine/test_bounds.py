"""No call lasts longer than its own limits and one second, whatever the page or the browser does.

Twelve kinds stand for the others, and three of these run always: a page, a renderer and a browser that do not answer.
`python -m bench bounds` measures all kinds.
"""

from __future__ import annotations

import pytest
from bounds import CALLS, CASES, late, measured

from sampling import sampled

pytestmark = pytest.mark.serial

KINDS = (
    "endless loop in a click handler",
    "endless loop in a timer",
    "endless loop in a frame of another process",
    "while (1) alert()",
    "beforeunload that always asks",
    "debugger",
    "synchronous request without an answer",
    "navigation without an answer",
    "a capture that never comes",
    "crashed renderer",
    "stopped renderer",
    "stopped browser",
)
ALWAYS = (
    "endless loop in a click handler",
    "crashed renderer",  # tests/test_kill.py stops browsers, too
)


@pytest.mark.parametrize("kind", sampled(KINDS, ALWAYS))
async def test_no_call_lasts_longer_than_its_limits_and_a_second(kind: str) -> None:
    took = await measured(CASES[kind], side_by_side=True)
    assert set(took) == set(CALLS)
    assert late(took) == {}
