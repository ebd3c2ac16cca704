"""How fast the clock of a page shall go now, from what the page still waits for: a pure decision.

    nobody waits any more                                    PAUSE
    the actions are still being performed                    REAL_TIME
    a fence is under way                                     REAL_TIME   frames come in real time; at short intervals
    something outside the page's own clock is unfinished     REAL_TIME   requests, sockets, workers, frames, animations
    otherwise                                                advance   to the next thing that is due

A jump ends where the page itself has something to do, as far as its calls are known, because what it does there may be
a request, whose answer has to come in its natural place among the timers that follow.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

import msgspec

from stillframe.settling.calls import FRAME_CALLS
from stillframe.settling.pending import Row
from stillframe.settling.signals import Call
from stillframe.tab.virtual_time import FENCE_TIME, REAL_TIME, VirtualTimePolicy, advance

STEP_MS = 50.0
"""How far to jump at once where the page's calls are not known: what it may do unseen comes late by as much."""
UNTIMED_CALLS = FRAME_CALLS | {"requestIdleCallback"}
"""Calls that run with a frame or after one, not with a clock."""
SHORT_MS = 16.0
"""What is due within a frame is passed at once: a chain of timers of no delay would cost a look for every link."""


class ScheduledWork(msgspec.Struct, frozen=True):
    """What a page has scheduled, and whether anything in it happens again and again by itself."""

    calls: tuple[Call, ...] = ()
    recurs: bool = False


def choose(
    now: float, wake_at: float | None, rows: Iterable[Row], *, fencing: bool, workers: Container[str]
) -> VirtualTimePolicy:
    """Return the policy of a page that is waited for: `rows` hold the verdict back, `wake_at` is when it looks again.

    `workers` are the realms whose timers real time alone ends.
    """
    if fencing:
        return FENCE_TIME
    if wake_at is None or any(row.external or row.realm in workers for row in rows):
        return REAL_TIME
    return advance(wake_at - now)


def bound(policy: VirtualTimePolicy, outlook: ScheduledWork | None) -> VirtualTimePolicy:
    """Shorten a jump to what the page has scheduled; None where that is not known.

    Where something recurs, steps keep its beats apart: many at one moment would not be the rhythm that was learned.
    """
    if policy.name != "advance":
        return policy
    if outlook is None:
        return advance(min(policy.budget_ms, STEP_MS))
    due = min(policy.budget_ms, STEP_MS) if outlook.recurs else policy.budget_ms
    for call in outlook.calls:
        if call.due_ms is None or call.kind in UNTIMED_CALLS:
            return REAL_TIME
        # What was due has run: the clock does not stop before it has.
        due = min(due, max(call.due_ms, SHORT_MS)) if call.due_ms > 0 else due
    return advance(due)
