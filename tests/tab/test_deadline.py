"""Time limits: what a message says of them, and those of parts of a call."""

from __future__ import annotations

import pytest

from stillframe.errors import OptionInvalid
from stillframe.tab.deadline import Deadline


@pytest.mark.parametrize(
    ("timeout", "shown"),
    [
        (3.0, "3 s"),
        (2.99997, "3 s"),
        (0.5, "0.5 s"),
        (1.25, "1.25 s"),
        (0.001, "0.001 s"),
        (0, "0 s"),
        (120, "120 s"),
        (None, "inf s"),
    ],
)
async def test_the_limit_in_a_message_is_a_round_number(timeout: float | None, shown: str) -> None:
    assert Deadline(timeout).shown == shown


@pytest.mark.parametrize(
    ("timeout", "seconds", "shown"), [(3.0, 0.5, "0.5 s"), (0.5, 3.0, "0.5 s"), (None, 2.0, "2 s")]
)
async def test_a_part_of_a_call_ends_with_the_call_at_the_latest(
    timeout: float | None, seconds: float, shown: str
) -> None:
    assert Deadline(timeout).within(seconds).shown == shown


async def test_a_call_gives_its_limit_in_milliseconds() -> None:
    assert [Deadline.of_ms(limit).timeout for limit in (1500, 0, None)] == [1.5, 0, float("inf")]
    with pytest.raises(OptionInvalid, match="timeout_ms is -1: it must be a number of milliseconds, 0 or more"):
        Deadline.of_ms(-1)
