"""Time limits: what a message says of them."""

from __future__ import annotations

import pytest

from stillframe.tab.deadline import Deadline


@pytest.mark.parametrize(
    ("timeout", "shown"),
    [(3.0, "3 s"), (2.99997, "3 s"), (0.5, "0.5 s"), (1.25, "1.25 s"), (120, "120 s"), (None, "inf s")],
)
async def test_the_limit_in_a_message_is_a_round_number(timeout: float | None, shown: str) -> None:
    assert Deadline(timeout).shown == shown
