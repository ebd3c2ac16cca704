"""Scheduling calls as rows: timers by the time they are due, other work by a window of its own .

A report tells the calls that have not run yet, so each report of a realm replaces what its last one told. A one-shot
timer blocks until it is due, and is only reported when that is beyond the horizon. A chain blocks link by link, a
repeating timer until it is cleared; when either goes on at the horizon it is to blame. In a document that came with the
actions a repeating timer is awaited for a few turns only: what a page starts at load and never clears is its heartbeat.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from stillframe.settling.rows import Row, Rows
from stillframe.settling.signals import Call

OVERDUE_MS = 30.0
"""How long after a fence a call that is overdue is looked at again: what a fence takes at least."""
TASK_MS = 60.0
"""How long a call whose end nobody can know is given; the residual window where calls are not observed."""
FRAME_CALLS = frozenset({"requestAnimationFrame", "requestVideoFrameCallback", "requestIdleCallback"})
"""Calls that run with a frame, not with a clock."""
REPEATING = frozenset({"setInterval"})
"""Calls that run until they are cleared."""
SLACK_MS = 10.0
"""How much earlier than due the next link of a chain may seem to be made: the times of reports do not quite agree."""
IDLE_MS, IDLE_TURNS = 500.0, 2
"""For how long, and how often, frames or an interval come round without effect until nobody waits for them."""
TURNS = 3
"""How many turns of a repeating timer are awaited in a document that the actions loaded."""
HEARTBEAT_MS = 1000.0
"""Repeating timers at this distance or more are not awaited there at all: nobody builds a page at that pace."""


class Known(msgspec.Struct):
    """A call that was told of; times in milliseconds of our clock."""

    opened: float
    due: float
    period: float
    links: int = 1


class Calls:
    """The calls of one page that have not run yet."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[str, Known] = {}
        self._idle: set[str] = set()
        """The keys of what has come round without effect in this document."""

    def arm(self) -> None:
        """Forget the calls of earlier waits; the realms are armed too and tell only of later ones."""
        self._known.clear()

    def forget(self) -> None:
        """Know nothing of idle loops: there is another document, or one of them had an effect after all."""
        self._idle.clear()

    def told(self, realm: str, calls: tuple[Call, ...], now: float, horizon: float) -> None:
        """Take in all that a realm has scheduled and not run."""
        count: Counter[str] = Counter()
        rows = []
        for call in calls:
            count[call.key] += 1
            row = self._row(f"{realm} {call.key} {count[call.key]}", realm, call, now, horizon)
            if row is not None:
                rows.append(row)
        self._rows.keep(lambda row: row.realm != realm or row.kind not in ("timer", "task"))
        for row in rows:
            self._rows.open(row)

    def _row(self, key: str, realm: str, call: Call, now: float, horizon: float) -> Row | None:
        opened = now - call.age_ms
        if call.due_ms is None:
            until = opened + (call.window_ms or TASK_MS)
            return Row("task", key, call.what, opened, until=until, site=call.site, realm=realm)
        known = self._follow(key, opened, now + call.due_ms)
        if self._is_idle(call, known, now) or (call.kind in REPEATING and self._is_heartbeat(known, now)):
            self._rows.ignore("timer", call.key, 1000 / known.period)
            return None
        # One that should have run and has not waits for a busy thread.
        until = now + (call.due_ms if call.due_ms > 0 else OVERDUE_MS)
        if call.kind in FRAME_CALLS:
            return Row("task", key, call.what, opened, until=until, site=call.site, realm=realm)
        goes_on = known.links > 1 or (call.kind in REPEATING and opened + known.period <= horizon)
        later = until > horizon and not goes_on
        return Row("timer", key, call.what, opened, until=until, later=later, site=call.site, realm=realm)

    def _follow(self, key: str, opened: float, due: float) -> Known:
        known = self._known.setdefault(key, Known(opened, due, max(1.0, due - opened)))
        if opened >= known.due - SLACK_MS:
            known.links += 1
            known.opened = opened
        known.due = due
        return known

    def _is_idle(self, call: Call, known: Known, now: float) -> bool:
        """Tell whether frames or an interval come round without effect: neither the page nor the network shows any."""
        idle_ms = min(call.idle_ms or 0.0, now - self._rows.stirred)
        if idle_ms >= max(IDLE_MS, IDLE_TURNS * known.period):
            self._idle.add(call.key)
        return call.key in self._idle

    def _is_heartbeat(self, known: Known, now: float) -> bool:
        turns = 0 if known.period >= HEARTBEAT_MS else TURNS
        return self._rows.fresh and now - known.opened >= turns * known.period
