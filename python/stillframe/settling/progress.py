"""Describe what a wait waits for, as it happens: one line for everything that begins, ends or repeats.

A `Progress` gets the signals of a page's machine after the machine has processed them, and reads the state of the
machine. It decides nothing, so a page settles the same with and without one.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stillframe.settling.machine import Phase, SettleMachine
from stillframe.settling.pending import PendingRow
from stillframe.settling.signals import (
    Committed,
    DialogOpened,
    Download,
    Effect,
    FenceDone,
    FenceSent,
    Finish,
    Mutated,
    NavigatedWithinDocument,
    NewTarget,
    Signal,
    WakeAt,
)

REPEAT_MS = 500.0
"""Lines that repeat faster than this are merged into one with a count: a person reads about two lines a second."""

RETURNING = frozenset({"timer", "task", "indicator", "worker", "websocket", "stream"})
"""Kinds of rows that may open and close many times a second."""

EVENTS = {
    "waits": "the wait starts to wait for this work; `ageMs` is its age",
    "ended": "the work ended; `ageMs` is how long it took",
    "left": "the work continues and is no longer awaited, because it lasts beyond the horizon",
    "changed": "the document changed `count` times since the last such line",
    "fence": "all frames and workers answered that they have processed their tasks; `ageMs` is how long it took",
    "window": "no work is left; `ageMs` is how long to wait for work that no event announces",
    "noise": "recurring activity is ignored; `rate` is in events per second",
    "navigated": "the page shows another document or another URL",
    "dialog": "a JavaScript dialog opened",
    "download": "a download started",
    "new_target": "the page opened another page",
}
"""The values of `Line.event`."""


class Line(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """One event during a wait; `at_ms` counts from the start of the watch."""

    at_ms: float
    event: str
    kind: str | None = None
    what: str | None = None
    url: str | None = None
    site: str | None = None
    age_ms: float | None = None
    rate: float | None = None
    count: int = 1


class _Throttle:
    """Throttles lines that repeat."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str | None, str | None], tuple[float, int, Line | None]] = {}

    def throttle(self, now: float, line: Line) -> Line | None:
        """Return the line with the count of those it stands for, or None if the last one was shown just before."""
        key = (line.event, line.kind, line.what)
        shown_at, held, _ = self._held.get(key, (float("-inf"), 0, None))
        if now - shown_at < REPEAT_MS:
            self._held[key] = (shown_at, held + 1, line)
            return None
        self._held[key] = (now, 0, None)
        return msgspec.structs.replace(line, count=held + 1)

    def flush(self, at_ms: float) -> Iterator[Line]:
        """Yield the changes that were held back, with the current time."""
        for _, held, line in self._held.values():
            if line is not None and line.event == "changed":
                yield msgspec.structs.replace(line, at_ms=at_ms, count=held)
        self._held.clear()


class Progress:
    """A view of the settling of one page from now on; times are the machine's, in milliseconds."""

    def __init__(self, machine: SettleMachine, now: float) -> None:
        self._machine = machine
        self._started = now
        self._rows: dict[tuple[str, str], PendingRow] = {}
        self._left: set[tuple[str, str]] = set()
        self._noise: set[tuple[str, str]] = set()
        self._fence_sent: float | None = None
        self._throttle = _Throttle()

    def take(self, now: float, signal: Signal, effects: tuple[Effect, ...] = ()) -> list[Line]:
        """Process one signal and the effects that the machine returned for it; return the lines to show."""
        lines = [*self._event_lines(now, signal), *self._row_lines(now), *self._noise_lines(now, signal)]
        lines += self._fence_lines(now, signal, effects)
        shown = [kept for line in lines if (kept := self._throttled(now, line)) is not None]
        if any(isinstance(effect, Finish) for effect in effects):
            shown += self._throttle.flush(round(now - self._started, 1))
        return shown

    @property
    def awaited(self) -> list[PendingRow]:
        """The rows that are currently awaited, oldest first."""
        rows = [*self._rows.values()]
        if self._fence_sent is not None:
            rows.append(PendingRow("fence", "", "an answer of the page", self._fence_sent))
        return sorted(rows, key=lambda row: row.opened)

    def _throttled(self, now: float, line: Line) -> Line | None:
        often = line.event in ("changed", "fence", "window") or line.kind in RETURNING
        return self._throttle.throttle(now, line) if often else line

    def _line(self, now: float, event: str, **fields: object) -> Line:
        return Line(at_ms=round(now - self._started, 1), event=event, **fields)  # type: ignore[arg-type]

    def _row_line(self, now: float, event: str, row: PendingRow) -> Line:
        age = round(now - row.opened, 1)
        return self._line(now, event, kind=row.kind, what=row.what, url=row.url, site=row.site, age_ms=age)

    # -- signals ---------------------------------------------------------------------------------

    def _event_lines(self, now: float, signal: Signal) -> Iterator[Line]:
        match signal:
            case Mutated(where):
                yield self._line(now, "changed", what=where or "the document")
            case Committed(main=True, url=url) | NavigatedWithinDocument(main=True, url=url):
                yield self._line(now, "navigated", url=url)
            case DialogOpened(kind, message):
                yield self._line(now, "dialog", kind=kind, what=message)
            case Download(url):
                yield self._line(now, "download", url=url)
            case NewTarget(url):
                yield self._line(now, "new_target", url=url)

    def _noise_lines(self, now: float, signal: Signal) -> Iterator[Line]:
        ignored_rows = [*self._machine.pending.ignored.values()]
        if isinstance(signal, FenceDone):
            ignored_rows += signal.report.ignored
        for ignored in ignored_rows:
            if (ignored.kind, ignored.key) not in self._noise:
                self._noise.add((ignored.kind, ignored.key))
                yield self._line(now, "noise", kind=ignored.kind, what=ignored.key, rate=ignored.rate)

    # -- the state of the machine ----------------------------------------------------------------

    def _row_lines(self, now: float) -> Iterator[Line]:
        """Yield lines for the rows that opened and closed since the last signal."""
        if self._machine.phase is Phase.IDLE:
            return
        over = self._machine.phase is Phase.DONE
        blocking = {} if over else {(row.kind, row.key): row for row in self._machine.blocking(now)}
        there = {(row.kind, row.key): row for row in self._machine.pending.unfinished(now)}
        # An indicator or a stalled response may stop blocking and block again; it has not ended in between.
        gone = [
            key
            for key in self._rows
            if key not in blocking and (key not in there or self._is_past_horizon(now, there[key]))
        ]
        for key in gone:
            row = self._rows.pop(key)
            if key in there:
                self._left.add(key)
            yield self._row_line(now, "left" if key in there else "ended", row)
        for key, row in blocking.items():
            if key not in self._rows or self._rows[key].what != row.what:
                yield self._row_line(now, "waits", row)
            self._rows[key] = msgspec.structs.replace(row)
        yield from self._unawaited_lines(
            now, [row for key, row in there.items() if key not in blocking and self._is_past_horizon(now, row)]
        )

    def _unawaited_lines(self, now: float, rows: list[PendingRow]) -> Iterator[Line]:
        """Yield lines for work that was never awaited because it is known to take too long."""
        for row in rows:
            if row.beyond_horizon and (row.kind, row.key) not in self._left:
                self._left.add((row.kind, row.key))
                yield self._row_line(now, "left", row)

    def _is_past_horizon(self, now: float, row: PendingRow) -> bool:
        return row.beyond_horizon or (now >= self._machine.horizon and not row.patient)

    def _fence_lines(self, now: float, signal: Signal, effects: tuple[Effect, ...]) -> Iterator[Line]:
        if isinstance(signal, FenceSent):
            self._fence_sent = now
            return
        if self._fence_sent is not None and not self._machine.fencing:
            yield self._line(now, "fence", age_ms=round(now - self._fence_sent, 1))
            self._fence_sent = None
        wake = next((effect.at for effect in effects if isinstance(effect, WakeAt)), None)
        waiting = self._machine.phase is Phase.SETTLING and not self._machine.fencing and not self._rows
        if wake is not None and waiting:
            yield self._line(now, "window", age_ms=round(wake - now, 1))
