"""What a run came to: usage that adds up, and JSON with camelCase keys."""

from __future__ import annotations

import json
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from stillframe.agent import Outcome, StepReport, Usage
from stillframe.agent.turn import Turn
from stillframe.scripts.script import Script

COUNTS = st.builds(Usage, **dict.fromkeys(Usage.__struct_fields__, st.integers(0, 10**9)))


@given(COUNTS, COUNTS)
def test_usage_adds_up_by_kind(one: Usage, other: Usage) -> None:
    total = one + other
    assert total.tokens == one.tokens + other.tokens
    assert (total.calls, total.cache_read_tokens) == (
        one.calls + other.calls,
        one.cache_read_tokens + other.cache_read_tokens,
    )
    assert one + Usage() == one


def test_an_outcome_as_json() -> None:
    turn = Turn(step=1, iteration=1, url="/a", status="complete")
    outcome = Outcome(
        status="complete",
        reason="the page shows it",
        steps=(StepReport(goal="Buy", status="complete", reason="", turns=(turn,)),),
        extracted={"order": "A-17"},
        usage=Usage(calls=1, input_tokens=2, output_tokens=3),
        price=Decimal("0.0012"),
        script=Script(name="buy", goal="Buy", url="/a", steps=()),
    )
    told = json.loads(outcome.to_json())
    assert told["usage"]["inputTokens"] == 2
    assert told["price"] in ("0.0012", 0.0012)
    assert told["steps"][0]["turns"][0]["iteration"] == 1
    assert (told["status"], told["extracted"]) == ("complete", {"order": "A-17"})
