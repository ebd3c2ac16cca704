"""The rows of the pending set: pieces of unfinished work, whether they block, and for how long.

A row blocks the verdict until it is closed, until its own `until` passes, or, unless it is `patient`, until the
horizon. Rows are kept at all times, so that a wait can adopt work in progress; the code that opens a row defines its
meaning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import msgspec

from stillframe.model.verdict import Ignored, Pending
from stillframe.settling.noise import Noise
from stillframe.settling.slowdown import Slowdown

FACT_KINDS = frozenset({"request", "dialog", "indicator"})
"""Kinds that are facts and stay on record when nothing waits for them; the other kinds are expectations."""
CLOCK_KINDS = frozenset({"timer", "indicator"})
"""Kinds that the page's clock alone can end; whatever removes an indicator has a row of its own."""
INTERNAL_KINDS = CLOCK_KINDS | {"task", "animation", "worker", "fence", "shadow_root"}
"""Kinds of work within the page: no request, message or other document is involved."""
ADOPTABLE_KINDS = frozenset({"request", "navigation", "document", "frame", "dialog"})
"""Kinds that a later wait may adopt; the other kinds are expectations of an earlier wait."""


class PendingRow(msgspec.Struct):
    """One piece of unfinished work; times are in milliseconds."""

    kind: str
    key: str
    what: str
    opened: float
    url: str | None = None
    until: float | None = None
    """When it stops blocking by itself."""
    patient: bool = False
    """Whether it blocks beyond the horizon, up to the timeout."""
    beyond_horizon: bool = False
    """Whether it is known to last beyond the horizon, so that waiting is pointless."""
    loader: str = ""
    """The loader of its document; empty if it belongs to no particular one."""
    site: str | None = None
    """Where in the page's code it was started."""
    realm: str = ""
    """The frame or worker it belongs to, if known: it ends with its realm."""
    received: bool = False
    """Whether it has arrived completely and only has to be delivered: it has ended when it stops blocking."""
    opening: bool = False
    """Whether it expects what a channel brings when it opens, not the reply to a message."""

    rest: bool = False
    """Whether it expects what may follow a reply, not the reply itself."""
    lasting: bool = False
    """Whether it stays on record when it stops blocking: it may still come."""

    @property
    def external(self) -> bool:
        """Whether it needs real time to end: the page's own timers alone do not end it."""
        return self.kind not in CLOCK_KINDS

    def pending(self, now: float) -> Pending:
        """Return its row in a verdict."""
        return Pending(self.kind, self.what, round(now - self.opened, 1), self.url, self.site)


class Rows:
    """All rows of one page, and the record of what is left out as noise."""

    def __init__(self) -> None:
        self.noise = Noise()
        self.slowdown = Slowdown()
        """How slow the machine is, measured by the fences."""
        self.armed = False
        """Whether actions or a wait are in progress: otherwise rhythms are learned."""
        self.fresh = False
        """Whether the document came while armed or was adopted: then its rhythms are learned all the same."""
        self.arrived_while_armed = False
        """Whether the document came while armed, and was not only adopted."""
        self.never_settled = False
        """Whether no wait on the document has ended: its activity may be its loading."""
        self.ignored: dict[tuple[str, str], Ignored] = {}
        self.last_external = float("-inf")
        """When the last work began that the page's own clock does not start: a request, a message, a frame."""
        self._rows: dict[tuple[str, str], PendingRow] = {}
        self._by_kind: defaultdict[str, dict[str, PendingRow]] = defaultdict(dict)
        """The same rows by kind: a page may have ten thousand requests and a signal for each."""

    # -- blocking --------------------------------------------------------------------------------

    def blocking(self, now: float, horizon: float) -> list[PendingRow]:
        """Return the rows that still block the verdict, oldest first."""
        return [row for row in self._rows.values() if now < _end(row, horizon)]

    def blocks(self, row: PendingRow, now: float, horizon: float) -> bool:
        """Return whether a row is still open and blocks the verdict."""
        return self._rows.get((row.kind, row.key)) is row and now < _end(row, horizon)

    def external(self, now: float, horizon: float) -> list[PendingRow]:
        """Return the blocking rows that need real time to end; if there are none, a clock may jump."""
        return [row for row in self.blocking(now, horizon) if row.external]

    def next_end(self, now: float, horizon: float) -> float | None:
        """Return when the first blocking row stops blocking by itself, or None if none does."""
        ends = [end for row in self._rows.values() if now < (end := _end(row, horizon)) < float("inf")]
        return min(ends, default=None)

    def unfinished(self, now: float) -> list[PendingRow]:
        """Return all open rows, blocking or not, except expectations whose time is over."""
        return [row for row in self._rows.values() if row.until is None or now < row.until or _is_fact(row)]

    # -- single rows -----------------------------------------------------------------------------

    def open(self, row: PendingRow) -> None:
        """Add a row; if it replaces one with the same kind and key, it keeps that row's age."""
        if row.kind not in INTERNAL_KINDS:
            self.last_external = max(self.last_external, row.opened)
        old = self._rows.get((row.kind, row.key))
        if old is not None:
            row.opened = old.opened
        self._rows[(row.kind, row.key)] = self._by_kind[row.kind][row.key] = row

    def row(self, kind: str, key: str) -> PendingRow | None:
        """Return an open row, or None."""
        return self._rows.get((kind, key))

    def of_kind(self, kind: str) -> list[PendingRow]:
        """Return all rows of a kind."""
        return list(self._by_kind[kind].values())

    def close(self, kind: str, key: str) -> bool:
        """Remove a row; return whether it existed."""
        self._by_kind[kind].pop(key, None)
        return self._rows.pop((kind, key), None) is not None

    # -- many rows -------------------------------------------------------------------------------

    def close_kind(self, kind: str) -> bool:
        """Remove all rows of a kind; return whether there were any."""
        if not self._by_kind[kind]:
            return False
        return self.keep(lambda row: row.kind != kind)

    def keep(self, wanted: Callable[[PendingRow], bool]) -> bool:
        """Remove all rows except the wanted ones; return whether any were removed."""
        before = len(self._rows)
        self._rows = {key: row for key, row in self._rows.items() if wanted(row)}
        if len(self._rows) == before:
            return False
        self._by_kind.clear()
        for row in self._rows.values():
            self._by_kind[row.kind][row.key] = row
        return True

    def renew(self, kind: str, rows: list[PendingRow]) -> None:
        """Replace all rows of a kind; rows that existed before keep their age."""
        kept = {row.key for row in rows}
        self.keep(lambda row: row.kind != kind or row.key in kept)
        for row in rows:
            self.open(row)

    def unblock(self, kind: str, now: float) -> None:
        """Stop the rows of a kind from blocking; they stay on record until they are renewed or closed."""
        for row in self._by_kind[kind].values():
            row.until = now

    # -- noise -----------------------------------------------------------------------------------

    @property
    def loading(self) -> bool:
        """Whether the main document has not fired its load event: until then nothing is noise."""
        return bool(self._by_kind["document"])

    @property
    def awaits_loading(self) -> bool:
        """Whether a wait awaits the loading of an application: in a document on which no wait has ended."""
        return self.armed and self.fresh and self.never_settled

    @property
    def learning(self) -> bool:
        """Whether rhythms are learned: no actions run, or the document came while armed."""
        return not self.armed or self.fresh

    def record_beat(self, key: str, now: float) -> bool:
        """Record a beat of a possibly recurring event; return whether it recurs by itself."""
        return self.noise.record(key, now, learn=self.learning) and not self.loading

    def is_noise(self, kind: str, key: str, now: float) -> bool:
        """Record a beat as `record_beat` does; if it is noise, also put it on record as ignored."""
        is_noise = self.record_beat(key, now)
        if is_noise and self.armed:
            self.ignore(kind, key)
        return is_noise

    def unignore(self, kind: str, key: str) -> None:
        """Remove an entry from the ignored record: it is awaited after all."""
        self.ignored.pop((kind, key), None)

    def ignore(self, kind: str, key: str, rate: float | None = None) -> None:
        """Put an entry on the ignored record; `rate` defaults to the rate of its rhythm."""
        self.ignored[(kind, key)] = Ignored(kind, key, round(self.noise.rate(key) if rate is None else rate, 2))


def _is_fact(row: PendingRow) -> bool:
    return row.lasting or (row.kind in FACT_KINDS and not row.received)


def _end(row: PendingRow, horizon: float) -> float:
    if row.beyond_horizon:
        return float("-inf")
    end = float("inf") if row.until is None else row.until
    return end if row.patient else min(end, horizon)


def without_query(url: str) -> str:
    """Return a URL without its query and fragment."""
    return url.partition("#")[0].partition("?")[0]
