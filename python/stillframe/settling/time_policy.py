"""Decide how fast the clock of a page runs, from what the page still waits for; pure logic.

    nothing waits any more                                   PAUSE
    the actions are still running                            REAL_TIME
    a fence is in progress                                   REAL_TIME   frames need real time; at short intervals
    work outside of the page's own clock is unfinished       REAL_TIME   requests, sockets, workers, frames, animations
    otherwise                                                advance   to the next thing that is due

A jump ends where the page itself has something to run, if its calls are known: it may send a request then, and the
response has to come at its natural place among the timers that follow.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

import msgspec

from stillframe.settling.calls import FRAME_CALLS, IDLE_CALLBACK
from stillframe.settling.signals import Call
from stillframe.tab.clock.virtual_time import FENCE_TIME, REAL_TIME, VirtualTimePolicy, advance

if TYPE_CHECKING:
    from stillframe.settling.pending import PendingRow

STEP_MS = 50.0
"""How far to jump at once if the page's calls are not known: unseen work may be late by this much."""
SHORT_MS = 16.0
"""Calls that are due within a frame are passed at once: otherwise a chain of zero-delay timers costs a question per
link."""


class ScheduledWork(msgspec.Struct, frozen=True):
    """The calls that a page has scheduled, and whether anything in it recurs by itself."""

    calls: tuple[Call, ...] = ()
    recurs: bool = False


def choose(
    now: float, wake_at: float | None, rows: Iterable[PendingRow], *, fencing: bool, workers: Container[str]
) -> VirtualTimePolicy:
    """Return the policy of a page during a wait: `rows` block the verdict, `wake_at` is the next check.

    `workers` are the realms whose timers need real time.
    """
    if fencing:
        # Chrome runs idle callbacks when the thread has nothing to do, which takes real time.
        return REAL_TIME if any(row.what == IDLE_CALLBACK for row in rows) else FENCE_TIME
    if wake_at is None or any(row.external or row.realm in workers for row in rows):
        return REAL_TIME
    return advance(wake_at - now)


def bound(policy: VirtualTimePolicy, scheduled: ScheduledWork | None) -> VirtualTimePolicy:
    """Shorten a jump to the scheduled work of the page; None if that is not known.

    Where something recurs, steps keep its beats apart: many beats at one moment would not match the learned rhythm.
    """
    if policy.name != "advance":
        return policy
    if scheduled is None:
        return advance(min(policy.budget_ms, STEP_MS))
    due = min(policy.budget_ms, STEP_MS) if scheduled.recurs else policy.budget_ms
    for call in scheduled.calls:
        if call.due_ms is None or call.kind in FRAME_CALLS:
            return REAL_TIME
        # An overdue call has run: the clock stops only after it.
        due = min(due, max(call.due_ms, SHORT_MS)) if call.due_ms > 0 else due
    return advance(due)
