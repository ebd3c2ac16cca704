"""Answers that sockets and streams owe, where the clock is ours: they come in real time, however late.

A page that stands still cannot be told anything later, so a channel that owes an answer is waited for as long as work
is at all: up to the horizon. A channel that has let such a wait go by is known to be silent and gets the ordinary time.
One that has answered is given about the time its answer took for another, unless it is known to answer once.
"""

from __future__ import annotations

from stillframe.settling.rows import Row, Rows, place
from stillframe.settling.sockets import SOCKET_REPLY_MS

KINDS = ("websocket", "stream")
AGAIN, AGAIN_MS = 1.25, 20.0
"""How much longer than the last answer took the next one may take: servers answer in a beat, with some jitter."""


class ExpectedReplies:
    """What the channels of one page owe in the present wait, and what is known of them from earlier ones."""

    def __init__(self) -> None:
        self._silent: set[str] = set()
        self._once: set[str] = set()
        self._waited: dict[tuple[str, str], Row] = {}
        self._answered: dict[tuple[str, str], float] = {}
        self._more: dict[str, float] = {}

    def begin(self) -> None:
        """Begin a wait."""
        self._waited, self._answered, self._more = {}, {}, {}

    def look(self, rows: Rows, horizon: float) -> None:
        """Take in what is expected now, and let it be expected up to the horizon."""
        for row in (row for kind in KINDS for row in rows.of_kind(kind)):
            if row.later:
                self._take_answer(row)
            elif self._is_short(row, horizon) and _place(row) not in self._silent:
                row.until = horizon
                self._waited[row.kind, row.key] = row

    def _is_short(self, row: Row, horizon: float) -> bool:
        """Whether a row ends too soon; one that had no horizon yet when it was stretched is cut to it."""
        known = (row.kind, row.key) in self._waited
        return row.until is not None and (row.until < horizon or (known and row.until > horizon))

    def more_until(self) -> float:
        """Return until when a channel that has answered may go on: no time may be jumped over before that."""
        return max(self._more.values(), default=0.0)

    def end(self, now: float, rows: Rows) -> None:
        """End a wait: learn which channels have kept silent, and which have answered once."""
        for key, row in self._waited.items():
            left = rows.row(*key)
            if left is not None and not left.later and left.until is not None and now >= left.until:
                self._silent.add(_place(row))
        self._once.update(where for where, until in self._more.items() if now >= until)

    def _take_answer(self, row: Row) -> None:
        heard = (row.until or 0.0) - SOCKET_REPLY_MS
        before = self._answered.get((row.kind, row.key), row.opened)
        where = _place(row)
        self._silent.discard(where)
        if heard <= before:
            return
        if (row.kind, row.key) in self._answered:
            self._once.discard(where)
        self._answered[row.kind, row.key] = heard
        if where not in self._once:
            self._more[where] = heard + min(SOCKET_REPLY_MS, AGAIN * (heard - before) + AGAIN_MS)


def _place(row: Row) -> str:
    return f"{row.kind} {place(row.url or row.what)}"
