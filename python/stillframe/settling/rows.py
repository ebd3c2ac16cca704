"""The rows of the pending set: pieces of unfinished work, whether they block, and for how long.

A row blocks the verdict until it is closed, until its own `until` passes, or, unless it is `patient`, until the
horizon. Rows are kept at all times, so that work under way can be adopted; what they mean is for their openers to say.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from stillframe.model.verdict import Ignored, Pending
from stillframe.settling.noise import Noise
from stillframe.settling.slowdown import Slowdown

STANDING = frozenset({"request", "dialog", "indicator"})
"""Kinds that are facts and stay on record when nobody waits for them any more; the others are expectations."""
OWN = frozenset({"timer", "indicator"})
"""Kinds that end by the page's clock alone; an indicator is taken away by something that has its own row."""
INNER = OWN | {"task", "animation", "worker", "fence"}
"""Kinds of what happens within the page, without a request, a message or another document."""
ADOPTED = frozenset({"request", "navigation", "document", "frame", "dialog"})
"""Kinds that may be taken over by a wait that began after them; the others are expectations of an earlier one."""


class Row(msgspec.Struct):
    """One piece of unfinished work; times in milliseconds."""

    kind: str
    key: str
    what: str
    opened: float
    url: str | None = None
    until: float | None = None
    """When it stops blocking by itself."""
    patient: bool = False
    """Whether it blocks beyond the horizon, up to the timeout."""
    later: bool = False
    """Whether it is known to last beyond the horizon, so that waiting is pointless."""
    loader: str = ""
    """The document it belongs to; empty when it belongs to none in particular."""
    site: str | None = None
    """Where in the page's code it was started."""
    realm: str = ""
    """The frame or worker it belongs to, where that is known: it ends with it."""
    here: bool = False
    """Whether all of it has arrived, and it is only to be handed over: it has ended when it blocks no longer."""

    @property
    def external(self) -> bool:
        """Whether real time has to pass for it to end: the page's own timers alone will not end it."""
        return self.kind not in OWN

    def pending(self, now: float) -> Pending:
        """Return what the verdict says about it."""
        return Pending(self.kind, self.what, round(now - self.opened, 1), self.url, self.site)


class Rows:
    """All rows of one page, and what is left out as noise."""

    def __init__(self) -> None:
        self.noise = Noise()
        self.slowdown = Slowdown()
        """How fast the machine is, as the fences show it."""
        self.armed = False
        """Whether somebody acts or waits: rhythms are learned while nobody does."""
        self.fresh = False
        """Whether the document came while armed: then its rhythms are learned all the same."""
        self.came = False
        """Whether the document came while armed, and is not only adopted."""
        self.young = False
        """Whether no wait on the document has ended: what goes on in it may be its loading."""
        self.ignored: dict[tuple[str, str], Ignored] = {}
        self.stirred = float("-inf")
        """When something began last that the page does not do by its own clock: a request, a message, a frame."""
        self._rows: dict[tuple[str, str], Row] = {}

    # -- what blocks -----------------------------------------------------------------------------

    def blocking(self, now: float, horizon: float) -> list[Row]:
        """Return the rows that still hold the verdict back, oldest first."""
        return [row for row in self._rows.values() if now < _end(row, horizon)]

    def external(self, now: float, horizon: float) -> list[Row]:
        """Return the blocking rows that real time has to end; a clock may jump when there are none."""
        return [row for row in self.blocking(now, horizon) if row.external]

    def next_end(self, now: float, horizon: float) -> float | None:
        """Return when the first of the blocking rows stops blocking by itself, or None if none will."""
        ends = [end for row in self._rows.values() if now < (end := _end(row, horizon)) < float("inf")]
        return min(ends, default=None)

    def unfinished(self, now: float) -> list[Row]:
        """Return all rows that are not closed, blocking or not, but for expectations whose time is over."""
        return [row for row in self._rows.values() if row.until is None or now < row.until or _stands(row)]

    # -- single rows -----------------------------------------------------------------------------

    def open(self, row: Row) -> None:
        """Add a row; one with the same kind and key keeps its age."""
        if row.kind not in INNER:
            self.stirred = max(self.stirred, row.opened)
        old = self._rows.get((row.kind, row.key))
        if old is not None:
            row.opened = old.opened
        self._rows[(row.kind, row.key)] = row

    def row(self, kind: str, key: str) -> Row | None:
        """Return an open row, or None."""
        return self._rows.get((kind, key))

    def of_kind(self, kind: str) -> list[Row]:
        """Return all rows of a kind."""
        return [row for row in self._rows.values() if row.kind == kind]

    def close(self, kind: str, key: str) -> bool:
        """Remove a row; tell whether it was there."""
        return self._rows.pop((kind, key), None) is not None

    # -- many rows -------------------------------------------------------------------------------

    def close_kind(self, kind: str) -> bool:
        """Remove all rows of a kind; tell whether there were any."""
        return self.keep(lambda row: row.kind != kind)

    def keep(self, wanted: Callable[[Row], bool]) -> bool:
        """Remove all rows but those that are wanted; tell whether there were others."""
        before = len(self._rows)
        self._rows = {key: row for key, row in self._rows.items() if wanted(row)}
        return len(self._rows) < before

    def renew(self, kind: str, rows: list[Row]) -> None:
        """Replace all rows of a kind by these; those that were there keep their age."""
        kept = {row.key for row in rows}
        self.keep(lambda row: row.kind != kind or row.key in kept)
        for row in rows:
            self.open(row)

    def doubt(self, kind: str, now: float) -> None:
        """Let the rows of a kind block no longer; they stay on record until they are renewed or closed."""
        for row in self._rows.values():
            if row.kind == kind:
                row.until = now

    # -- noise -----------------------------------------------------------------------------------

    @property
    def loading(self) -> bool:
        """Whether the load event of the main document is still to come: until then nothing is noise."""
        return any(row.kind == "document" for row in self._rows.values())

    @property
    def following(self) -> bool:
        """Whether a wait goes after an application that loads: in a document that no wait has seen through."""
        return self.armed and self.fresh and self.young

    @property
    def learning(self) -> bool:
        """Whether rhythms are learned: nobody acts, or the document has come while somebody does."""
        return not self.armed or self.fresh

    def beats(self, key: str, now: float) -> bool:
        """Take in a beat of something that may come by itself; tell whether it does."""
        return self.noise.hear(key, now, learn=self.learning) and not self.loading

    def is_noise(self, kind: str, key: str, now: float) -> bool:
        """Take in a beat as `beats` does, and put on record that it is left out, if it is."""
        heard = self.beats(key, now)
        if heard and self.armed:
            self.ignore(kind, key)
        return heard

    def heed(self, kind: str, key: str) -> None:
        """Strike off the record what turns out to be awaited after all."""
        self.ignored.pop((kind, key), None)

    def ignore(self, kind: str, key: str, rate: float | None = None) -> None:
        """Put on record that something is left out; its rate is that of its rhythm if none is given."""
        self.ignored[(kind, key)] = Ignored(kind, key, round(self.noise.rate(key) if rate is None else rate, 2))


def _stands(row: Row) -> bool:
    return row.kind in STANDING and not row.here


def _end(row: Row, horizon: float) -> float:
    if row.later:
        return float("-inf")
    end = float("inf") if row.until is None else row.until
    return end if row.patient else min(end, horizon)


def place(url: str) -> str:
    """Return a URL without its query and fragment."""
    return url.partition("#")[0].partition("?")[0]
