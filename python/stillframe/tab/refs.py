"""Short names (`e12`) for elements, given in results and texts and taken in selectors (`ref=e12`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple, TypeVar

from stillframe.core import Snapshot
from stillframe.model.result import Healed

K = TypeVar("K")
V = TypeVar("V")

MARK = "\0"
"""What the core leaves where a ref goes; no text of a page holds one there."""

MOST = 20_000
"""Refs that a page remembers, those met last: one that makes itself anew all the time would have no end of them."""

SEEN, SEEN_NODES = 8, 150_000
"""Snapshots that a page keeps to know elements again by: this many, of this many nodes together (some 30 MB), but the
last one however large it is; a page of another address lets go of them. A ref that was last met longer ago can only
mean the very element."""


class NodeKey(NamedTuple):
    """What makes an element the same one as long as its document lives.

    `frame` is the id of the root frame of the process the element lives in ("" for the page's own), because backend
    node ids are unique per process only.
    """

    frame: str
    backend_node_id: int


class Given(NamedTuple):
    """The element that a ref was given to; `frame_id` and `loader` name its document, "" where they are not known."""

    key: NodeKey
    frame_id: str
    loader: str


class RefNumbers:
    """Where the numbers of refs come from: one source for all pages of a context, so that no two share a ref."""

    def __init__(self) -> None:
        self.last = 0

    def draw(self) -> str:
        """Return a ref that was never given."""
        self.last += 1
        return f"e{self.last}"

    def has_drawn(self, ref: str) -> bool:
        """Whether a ref was given at all, to whatever page."""
        return 1 <= int(ref[1:]) <= self.last


class RefTable:
    """Refs of one page; an element keeps its ref for the life of its document."""

    def __init__(self, numbers: RefNumbers | None = None) -> None:
        self.numbers = numbers or RefNumbers()
        self._refs: dict[tuple[NodeKey, str], str] = {}
        self._given: dict[str, Given] = {}
        self._former: dict[tuple[NodeKey, str], str] = {}
        self._gone: dict[str, Given] = {}
        self._seen: list[Snapshot] = []
        self._became: dict[str, Healed] = {}
        self._heals = True
        self._noted: list[Healed] = []

    @property
    def longest(self) -> int:
        """Characters of the longest ref that one text can come to need."""
        return len(f"e{self.numbers.last + MOST}")

    def ref_for(self, frame: str, backend_node_id: int, frame_id: str = "", loader: str = "") -> str:
        """Return the ref of an element, a new one if it has none yet; `frame_id` and `loader` name its document."""
        given = Given(NodeKey(frame, backend_node_id), frame_id, loader)
        ref = self._refs.pop((given.key, loader), None) or self.numbers.draw()
        # Put in last: those that were not met for longest go first.
        self._refs[given.key, loader] = ref
        self._given.pop(ref, None)
        self._given[ref] = given
        if len(self._given) > MOST:
            self._drop(next(iter(self._given)))
        return ref

    def ref_of_gone(self, frame: str, backend_node_id: int, loader: str = "") -> str:
        """Return the ref that an element had, or one that finds nothing: the element has left the page."""
        key = NodeKey(frame, backend_node_id), loader
        # In a new document the same id may name another element; where no loader tells, the former one comes first.
        present = self._refs.get(key) if loader or not self._former else None
        return self._former.get(key) or present or self.numbers.draw()

    def lookup(self, ref: str) -> NodeKey | None:
        """Return the element a ref was given to, or None if it is not a ref of the present document."""
        given = self._given.get(ref)
        return given.key if given else None

    def given(self, ref: str) -> Given | None:
        """Return what a ref was given to, in this document or the one before; None if that is not known."""
        return self._given.get(ref) or self._gone.get(ref)

    def forget(self, url: str = "") -> None:
        """Drop all refs, because their document is gone; numbers are never given twice. `url` is that of the new one.

        What was made anew is only looked for under the address it had.
        """
        self._seen = [snapshot for snapshot in self._seen if snapshot.url == url]
        # A document that was there for a moment must not make those before it forgotten.
        self._former = _newest(self._former | self._refs)
        self._gone = _newest(self._gone | self._given)
        self._refs, self._given = {}, {}

    # -- elements that were made anew ----------------------------------------------------------

    @property
    def heals(self) -> bool:
        """Whether a ref may come to mean the same element made anew."""
        return self._heals

    @contextmanager
    def healing(self, allowed: bool) -> Iterator[list[Healed]]:
        """Allow it or not inside the block; what came to mean another element goes into the list that is given."""
        self._heals, self._noted = allowed, []
        try:
            yield self._noted
        finally:
            self._heals, self._noted = True, []

    def saw(self, *snapshots: Snapshot) -> None:
        """Keep the snapshots that refs were given or met in, the last few of them: they know what a ref meant."""
        for snapshot in snapshots:
            self._seen = [kept for kept in self._seen if kept is not snapshot] + [snapshot]
        while len(self._seen) > SEEN or (len(self._seen) > 1 and sum(map(len, self._seen)) > SEEN_NODES):
            self._seen.pop(0)

    def last_seen(self, given: Given) -> Snapshot | None:
        """Return the last of those snapshots that shows an element, in its own document."""
        for snapshot in reversed(self._seen):
            is_home = not given.loader or snapshot.loaders.get(given.frame_id) == given.loader
            if is_home and snapshot.describe(*given.key) is not None:
                return snapshot
        return None

    def note(self, healed: Healed) -> None:
        """Remember that a ref means another element from now on."""
        self._became.pop(healed.ref, None)
        self._became[healed.ref] = healed
        self._became = _newest(self._became)
        if healed not in self._noted:
            self._noted.append(healed)

    def became(self, ref: str) -> Healed | None:
        """Return what a ref has come to mean."""
        return self._became.get(ref)

    def is_of_present(self, given: Given) -> bool:
        """Whether an element was met since the last new document of the page."""
        return (given.key, given.loader) in self._refs

    def _drop(self, ref: str) -> None:
        given = self._given.pop(ref)
        self._refs.pop((given.key, given.loader), None)


def _newest(table: dict[K, V]) -> dict[K, V]:
    return dict(islice(table.items(), max(0, len(table) - MOST), None))
