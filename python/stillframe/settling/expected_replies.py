"""Track replies that sockets and streams still owe under a virtual clock: they arrive in real time, however late.

While its clock stands, a page cannot receive a late reply, so a channel that owes one is awaited up to the horizon,
like other work. A channel that stays silent for one such wait is known to be silent and gets the ordinary time from
then on; one that is silent when it opens may still reply to messages. A channel that has replied gets about the time of
its last reply for another one, unless it is known to reply once.
"""

from __future__ import annotations

from stillframe.settling.rows import PendingRow, Rows, without_query
from stillframe.settling.sockets import SOCKET_REPLY_MS

KINDS = ("websocket", "stream")
REPEAT_FACTOR, REPEAT_EXTRA_MS = 1.25, 20.0
"""How much longer than the previous reply the next one may take: servers reply at a steady pace with some jitter."""


class ExpectedReplies:
    """The replies that the channels of one page owe in the current wait, and what earlier waits showed about them."""

    def __init__(self) -> None:
        self._silent: set[str] = set()
        self._once: set[str] = set()
        self._extended: dict[tuple[str, str], PendingRow] = {}
        self._answered: dict[tuple[str, str], float] = {}
        self._more: dict[str, float] = {}

    def begin(self) -> None:
        """Start a wait."""
        self._extended, self._answered, self._more = {}, {}, {}

    def update(self, rows: Rows, horizon: float) -> None:
        """Read the current rows and extend those that expect a reply to the horizon."""
        for row in (row for kind in KINDS for row in rows.of_kind(kind)):
            if row.beyond_horizon:
                self._take_answer(row)
            elif not row.rest and self._is_short(row, horizon) and _expectation_key(row) not in self._silent:
                row.until = horizon
                self._extended[row.kind, row.key] = row

    def _is_short(self, row: PendingRow, horizon: float) -> bool:
        """Return whether a row ends too early, or was extended before the horizon was known and has to be cut to it."""
        extended = (row.kind, row.key) in self._extended
        return row.until is not None and (row.until < horizon or (extended and row.until > horizon))

    def more_until(self) -> float:
        """Return until when a channel that has replied may send more; the clock must not jump before that."""
        return max(self._more.values(), default=0.0)

    def end(self, now: float, rows: Rows) -> None:
        """End a wait: learn which channels stayed silent and which replied once."""
        for key, row in self._extended.items():
            left = rows.row(*key)
            if left is not None and not left.beyond_horizon and left.until is not None and now >= left.until:
                self._silent.add(_expectation_key(row))
        self._once.update(where for where, until in self._more.items() if now >= until)

    def _take_answer(self, row: PendingRow) -> None:
        answered_at = (row.until or 0.0) - SOCKET_REPLY_MS
        before = self._answered.get((row.kind, row.key), row.opened)
        where = _channel_key(row)
        self._silent.discard(_expectation_key(row))
        if answered_at <= before:
            return
        if (row.kind, row.key) in self._answered:
            self._once.discard(where)
        self._answered[row.kind, row.key] = answered_at
        if where not in self._once:
            self._more[where] = answered_at + min(
                SOCKET_REPLY_MS, REPEAT_FACTOR * (answered_at - before) + REPEAT_EXTRA_MS
            )


def _expectation_key(row: PendingRow) -> str:
    return f"{_channel_key(row)} {'opening' if row.opening else 'reply'}"


def _channel_key(row: PendingRow) -> str:
    return f"{row.kind} {without_query(row.url or row.what)}"
