"""Record what happens after a verdict: the next verdict reports it, and it shows how early the last one came."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from stillframe.model.verdict import Late, OmittedRows
from stillframe.settling.signals import (
    CallerScriptRan,
    Committed,
    DialogOpened,
    Download,
    Mutated,
    NavigatedWithinDocument,
    NavigationRequested,
    NewTarget,
    RequestEnded,
    Signal,
    SocketReceived,
    StreamMessage,
)

if TYPE_CHECKING:
    from stillframe.settling.pending import PendingSet
    from stillframe.settling.rows import PendingRow

MAX_LATE = 20
"""How many late changes to keep; the oldest go first."""
TIMER_MS = 100.0
"""How soon after its due time a timer counts as the cause of a change."""


class _Entry(msgspec.Struct):
    kind: str
    what: str
    at: float
    key: str = ""


class LateLog:
    """The late changes since the last verdict."""

    def __init__(self) -> None:
        self._late: deque[_Entry] = deque(maxlen=MAX_LATE)
        self._since: float | None = None
        self._left: dict[tuple[str, str], PendingRow] = {}
        self._arrived: frozenset[str] = frozenset()
        self._navigating = False
        self._first: float | None = None
        self._teaches = False
        self._count = 0

    def start(self, now: float, left: list[PendingRow], *, teaches: bool, arrived: Iterable[str] = ()) -> None:
        """Start to record after a verdict; `left` are the rows that were unfinished.

        `arrived` are the ids of requests whose whole body the page had by then: Chrome announces the end of one that no
        script reads some time later, and that is not an effect.
        `teaches` says whether a late change shows that the verdict came too early; it does not if the verdict said so.
        """
        self._clear()
        self._since = now
        self._arrived = frozenset(arrived)
        self._left = {(row.kind, row.key): row for row in left}
        self._navigating = False
        self._first = None
        self._teaches = teaches

    def take(self, pending: PendingSet) -> tuple[Late, ...]:
        """Return the late changes, except those that turned out to recur by themselves."""
        since = self._since or 0.0
        entries = [entry for entry in self._late if not (entry.key and pending.noise.rate(entry.key))]
        return tuple(Late(entry.kind, entry.what, round(entry.at - since, 1)) for entry in entries)

    @property
    def omitted(self) -> OmittedRows | None:
        """How many late changes were dropped."""
        dropped = self._count - len(self._late)
        return OmittedRows(late=dropped) if dropped else None

    def _clear(self) -> None:
        self._late.clear()
        self._count = 0

    def _add(self, entry: _Entry) -> None:
        self._late.append(entry)
        self._count += 1

    @property
    def first(self) -> float | None:
        """How long after the verdict the first late change came that the verdict should have awaited."""
        return None if self._first is None or self._since is None else self._first - self._since

    def record(self, now: float, signal: Signal, pending: PendingSet, *, waiting: bool) -> None:
        """Record a signal if it is late; call this before the pending set processes the signal.

        During the next actions or wait (`waiting`), only work that was left unfinished counts as late.
        """
        if self._since is None:
            return
        if isinstance(signal, RequestEnded):
            self._request_ended(now, signal, pending, waiting=waiting)
        elif isinstance(signal, (SocketReceived, StreamMessage)):
            self._message_came(now, signal)
        elif isinstance(signal, CallerScriptRan):
            self._teaches = False
        elif isinstance(signal, Committed) and signal.main:
            self._committed(waiting=waiting)
        elif not waiting and (what := self._change(signal)) is not None:
            self._add_change(now, *what)

    def _request_ended(self, now: float, signal: RequestEnded, pending: PendingSet, *, waiting: bool) -> None:
        row = self._left.pop(("request", signal.id), None)
        if signal.id in self._arrived:
            return
        if row is None and not waiting:
            row = pending.row("request", signal.id)
        if row is not None:
            request = pending.requests.get(signal.id)
            self._add(_Entry("request", row.what, now, request.key if request else ""))

    def _message_came(self, now: float, signal: SocketReceived | StreamMessage) -> None:
        row = self._left.pop(("websocket" if isinstance(signal, SocketReceived) else "stream", signal.id), None)
        if row is not None:
            self._add(_Entry(row.kind, row.url or row.what, now))

    def _committed(self, *, waiting: bool) -> None:
        self._left.clear()
        if not self._navigating and not waiting:
            # The page did not request another document, so the caller did; the consequences are not late effects.
            self._clear()
            self._since = None
        self._navigating = False

    def _add_change(self, now: float, kind: str, what: str) -> None:
        for key in [key for key, row in self._left.items() if row.kind == "timer" and _ran(row, now)]:
            row = self._left.pop(key)
            self._add(_Entry("timer", row.what, row.until or now))
        if self._first is None and self._teaches:
            self._first = now
        self._add(_Entry(kind, what, now))

    def _change(self, signal: Signal) -> tuple[str, str] | None:
        match signal:
            case Mutated(where):
                return "changes", where or "the document"
            case NavigationRequested(main=True, url=url):
                self._navigating = True
                return "navigation", url
            case NavigatedWithinDocument(main=True, url=url):
                return "url", url
            case DialogOpened(kind, message):
                return "dialog", f"{kind}: {message}"
            case Download(url):
                return "download", url
            case NewTarget(url):
                return "new_target", url
        return None


def _ran(row: PendingRow, now: float) -> bool:
    return row.until is not None and row.until <= now <= row.until + TIMER_MS
