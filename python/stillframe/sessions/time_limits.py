"""Time limits of the public calls of sessions: milliseconds outside, seconds inside."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from stillframe.errors import OptionInvalid
from stillframe.tab.deadline import Deadline

CALL_MS = 30_000.0
"""The default limit of a call."""


def seconds(milliseconds: Any, option: str = "timeout_ms") -> float | None:
    """Convert a time limit; raises OptionInvalid for what is neither a number of milliseconds nor None."""
    if milliseconds is None:
        return None
    is_number = isinstance(milliseconds, int | float) and not isinstance(milliseconds, bool)
    if not is_number or not milliseconds >= 0:
        raise OptionInvalid(
            f"{option} is {milliseconds!r}: it takes milliseconds, 0 or more, or None for no limit", option=option
        )
    return float(milliseconds) / 1000


def time_limited(what: str, timeout_ms: float | None) -> AbstractAsyncContextManager[None]:
    """End the block soon after `timeout_ms` milliseconds; raises CommandTimeout then, and OptionInvalid at once."""
    return Deadline(seconds(timeout_ms)).enforced(what)
