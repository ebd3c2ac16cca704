"""How fast the clock of a page shall go now, from what the page still waits for: a pure decision.

    nobody waits any more                                    HOLD
    the actions are still being performed                    PACE
    a fence is under way                                     PACE   frames come in real time; at short intervals
    something outside the page's own clock is unfinished     PACE   requests, sockets, workers, frames, animations
    otherwise                                                Jump   to the next thing that is due

A jump ends where the page itself has something to do, as far as its calls are known, because what it does there may be
a request, whose answer has to come in its natural place among the timers that follow.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

import msgspec

from stillframe.settling.calls import FRAME_CALLS
from stillframe.settling.pending import Row
from stillframe.settling.signals import Call

STEP_MS = 50.0
"""How far to jump at once where the page's calls are not known: what it may do unseen comes late by as much."""
UNTIMED_CALLS = FRAME_CALLS | {"requestIdleCallback"}
"""Calls that run with a frame or after one, not with a clock."""
LEAST_MS = 1.0
"""The shortest jump: browsers round timers to it."""
SHORT_MS = 16.0
"""What is due within a frame is passed at once: a chain of timers of no delay would cost a look for every link."""


PACE_S = 0.008
"""Seconds between two grants in pace: twice a frame; 158 grants in 1.5 s cost 2 % of a core (measured)."""
FENCE_PACE_S = 0.002
"""The same while a fence is under way: after its frame, what the frame has queued waits for the next grant."""


class Gear(msgspec.Struct, frozen=True):
    """One way to let the clock go; `jump_ms` is page time to be passed at once, `pace_s` how often time is passed."""

    name: str
    jump_ms: float = 0.0
    pace_s: float = PACE_S


class Outlook(msgspec.Struct, frozen=True):
    """What a page has scheduled, and whether anything in it happens again and again by itself."""

    calls: tuple[Call, ...] = ()
    recurs: bool = False


HOLD = Gear("hold")
PACE = Gear("pace")
FENCE_PACE = Gear("pace", pace_s=FENCE_PACE_S)


def jump(ms: float) -> Gear:
    """Return the gear that passes so much page time at once."""
    return Gear("jump", max(LEAST_MS, ms))


def choose(now: float, wake_at: float | None, rows: Iterable[Row], *, fencing: bool, workers: Container[str]) -> Gear:
    """Return the gear of a page that is waited for: `rows` hold the verdict back, `wake_at` is when it looks again.

    `workers` are the realms whose timers real time alone ends.
    """
    if fencing:
        return FENCE_PACE
    if wake_at is None or any(row.external or row.realm in workers for row in rows):
        return PACE
    return jump(wake_at - now)


def bound(gear: Gear, outlook: Outlook | None) -> Gear:
    """Shorten a jump to what the page has scheduled; None where that is not known.

    Where something recurs, steps keep its beats apart: many at one moment would not be the rhythm that was learned.
    """
    if gear.name != "jump":
        return gear
    if outlook is None:
        return jump(min(gear.jump_ms, STEP_MS))
    due = min(gear.jump_ms, STEP_MS) if outlook.recurs else gear.jump_ms
    for call in outlook.calls:
        if call.due_ms is None or call.kind in UNTIMED_CALLS:
            return PACE
        # What was due has run: the clock does not stop before it has.
        due = min(due, max(call.due_ms, SHORT_MS)) if call.due_ms > 0 else due
    return jump(due)
