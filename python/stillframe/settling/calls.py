"""Turn scheduled calls into rows: timers block until they are due, other calls for a window of their own.

A report lists the calls that have not run yet, so each report of a realm replaces the previous one. A one-shot timer
blocks until it is due; if that is beyond the horizon, it is only reported. A chain blocks link by link, a repeating
timer until it is cleared; the verdict names either one if it still runs at the horizon. In a document that the actions
loaded, a repeating timer blocks for a few turns only, and a timer that sets itself again until it has had no effect for
a while: what a page starts at load and never ends is its heartbeat.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from stillframe.settling.rows import PendingRow, Rows

if TYPE_CHECKING:
    from stillframe.settling.signals import Call

OVERDUE_MS = 30.0
"""How long after a fence to check an overdue call again: the minimum duration of a fence."""
TASK_MS = 60.0
"""How long to wait for a call that has no observable end; the quiet window where calls are not observed."""
IDLE_CALLBACK = "requestIdleCallback"
FRAME_CALLS = frozenset({"requestAnimationFrame", "requestVideoFrameCallback", IDLE_CALLBACK})
"""Calls that run with a frame or after one, not at a time."""
REPEATING = frozenset({"setInterval"})
"""Calls that run until they are cleared."""
CHAINED = frozenset({"setTimeout"})
"""Calls that run once, and repeat if they make themselves again."""
SLACK_MS = 10.0
"""How much before its due time the next link of a chain may appear: the times in two reports differ slightly."""
IDLE_MS, IDLE_TURNS = 500.0, 2
"""After this time and this many turns without effect, a call that repeats is idle and no longer awaited."""
TURNS = 3
"""How many turns of a repeating timer to await in a document that the actions loaded."""
HEARTBEAT_MS = 1000.0
"""Repeating timers with this period or a longer one are not awaited there at all: no page builds itself that slowly."""


class KnownCall(msgspec.Struct):
    """A reported call; times are in milliseconds of the machine's clock."""

    opened: float
    due: float
    period: float
    links: int = 1


class Calls:
    """The calls of one page that have not run yet."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[str, KnownCall] = {}
        self._idle: set[str] = set()
        """The keys of the calls that repeat without effect in this document."""

    def arm(self) -> None:
        """Forget the calls of earlier waits; the realms are armed as well and report only later ones."""
        self._known.clear()

    def forget_idle(self) -> None:
        """Forget the idle loops: the document was replaced, or a loop had an effect after all."""
        self._idle.clear()

    def replace(self, realm: str, calls: tuple[Call, ...], now: float, horizon: float) -> None:
        """Replace the rows of a realm with the calls that it reports as scheduled and not run."""
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

    def _row(self, key: str, realm: str, call: Call, now: float, horizon: float) -> PendingRow | None:
        opened = now - call.age_ms
        if call.due_ms is None:
            until = opened + (call.window_ms or TASK_MS)
            return PendingRow("task", key, call.what, opened, until=until, site=call.site, realm=realm)
        known = self._track(key, opened, now + call.due_ms)
        if self._is_idle(call, known, now) or (call.kind in REPEATING and self._is_heartbeat(known, now)):
            self._rows.ignore("timer", call.key, 1000 / known.period)
            return None
        # An overdue call waits for a busy thread.
        until = now + (call.due_ms if call.due_ms > 0 else OVERDUE_MS)
        if call.kind in FRAME_CALLS:
            return PendingRow("task", key, call.what, opened, until=until, site=call.site, realm=realm)
        continues = known.links > 1 or (call.kind in REPEATING and opened + known.period <= horizon)
        beyond_horizon = until > horizon and not continues
        return PendingRow(
            "timer", key, call.what, opened, until=until, beyond_horizon=beyond_horizon, site=call.site, realm=realm
        )

    def _track(self, key: str, opened: float, due: float) -> KnownCall:
        known = self._known.setdefault(key, KnownCall(opened, due, max(1.0, due - opened)))
        if opened >= known.due - SLACK_MS:
            known.links += 1
            known.opened = opened
        known.due = due
        return known

    def _is_idle(self, call: Call, known: KnownCall, now: float) -> bool:
        """Return whether a call repeats without effect: neither the page nor the network shows any."""
        idle_ms = min(call.idle_ms or 0.0, now - self._rows.last_external)
        # After a click, a timer that sets itself again may wait for the end of what the click began.
        is_awaited = call.kind in CHAINED and not self._rows.fresh
        if idle_ms >= max(IDLE_MS, IDLE_TURNS * known.period) and not is_awaited:
            self._idle.add(call.key)
        return call.key in self._idle

    def _is_heartbeat(self, known: KnownCall, now: float) -> bool:
        turns = 0 if known.period >= HEARTBEAT_MS else TURNS
        return self._rows.fresh and now - known.opened >= turns * known.period
