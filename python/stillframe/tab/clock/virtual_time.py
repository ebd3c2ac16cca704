"""The policies of a page's virtual clock, named after Emulation.setVirtualTimePolicy.

Chrome's policies are `pause` and `advance`; the latter has a budget of page time, which it uses up as fast as it can.
In real time a budget is the wall time that has passed since the previous one.
"""

from __future__ import annotations

import msgspec

MIN_MS = 1.0
"""The smallest budget: browsers round timers to it."""

INTERVAL_S = 0.008
"""Seconds between two budgets in real time: twice per frame; 158 budgets in 1.5 s cost 2 % of a core (measured)."""
FENCE_INTERVAL_S = 0.002
"""The same while a fence is pending: after its frame, tasks that the frame queued wait for the next budget."""


class VirtualTimePolicy(msgspec.Struct, frozen=True):
    """One way to run the clock: `budget_ms` is page time to pass at once, `interval_s` how often time passes."""

    name: str
    budget_ms: float = 0.0
    interval_s: float = INTERVAL_S


PAUSE = VirtualTimePolicy("pause")
REAL_TIME = VirtualTimePolicy("real time")
FENCE_TIME = VirtualTimePolicy("real time", interval_s=FENCE_INTERVAL_S)


def advance(ms: float) -> VirtualTimePolicy:
    """Return the policy that passes that much page time at once."""
    return VirtualTimePolicy("advance", max(MIN_MS, ms))
