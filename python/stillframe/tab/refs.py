"""Refs: short names (`e12`) of elements, used in results, texts and selectors (`ref=e12`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from stillframe.core import Snapshot
    from stillframe.model.result import Healed

K = TypeVar("K")
V = TypeVar("V")

MARK = "\0"
"""The placeholder that the core leaves for a ref; page text there never contains it."""

MAX_REFS = 20_000
"""Refs that a page remembers, the most recently used; a page that recreates its elements would need ever more."""

MAX_SNAPSHOTS, MAX_SNAPSHOT_NODES = 8, 150_000
"""Snapshots kept to recognise recreated elements: this many, with this many nodes in total (some 30 MB), but always the
last one however large it is; a page at another URL drops them. An older ref only matches its original element."""


class NodeKey(NamedTuple):
    """Identifies an element as long as its document lives.

    `frame` is the id of the root frame of the element's process ("" for the page's own), because backend node ids are
    unique per process only.
    """

    frame: str
    backend_node_id: int


class Given(NamedTuple):
    """The element that a ref was assigned to; `frame_id` and `loader` name its document, "" if unknown."""

    key: NodeKey
    frame_id: str
    loader: str


class RefNumbers:
    """Numbers refs: one counter for all pages of a context, so that no two share a ref."""

    def __init__(self) -> None:
        self.last = 0

    def draw(self) -> str:
        """Return a new ref."""
        self.last += 1
        return f"e{self.last}"

    def has_drawn(self, ref: str) -> bool:
        """Return whether a ref was ever assigned, on any page of the context."""
        return 1 <= int(ref[1:]) <= self.last


class RefTable:
    """Refs of one page; an element keeps its ref for the life of its document."""

    def __init__(self, numbers: RefNumbers | None = None) -> None:
        self.numbers = numbers or RefNumbers()
        self._refs: dict[tuple[NodeKey, str], str] = {}
        self._given: dict[str, Given] = {}
        self._former: dict[tuple[NodeKey, str], str] = {}
        self._gone: dict[str, Given] = {}
        self._absent: dict[str, NodeKey] = {}
        """Elements that got their refs when they had left the page."""
        self.unshown: set[NodeKey] = set()
        """Fields of the current document that hold one letter of a secret each, which no delta shows."""
        self._snapshots: list[Snapshot] = []
        self._relocated: dict[str, Healed] = {}
        self._heals = True
        self._healed: list[Healed] = []

    @property
    def longest(self) -> int:
        """Return the length of the longest ref that one text can need."""
        return len(f"e{self.numbers.last + MAX_REFS}")

    def ref_for(self, frame: str, backend_node_id: int, frame_id: str = "", loader: str = "") -> str:
        """Return the ref of an element, assigning one if needed; `frame_id` and `loader` name its document."""
        given = Given(NodeKey(frame, backend_node_id), frame_id, loader)
        ref = self._refs.pop((given.key, loader), None) or self.numbers.draw()
        # Re-inserted last: the least recently used refs are dropped first.
        self._refs[given.key, loader] = ref
        self._given.pop(ref, None)
        self._given[ref] = given
        if len(self._given) > MAX_REFS:
            self._drop(next(iter(self._given)))
        return ref

    def known(self, frame: str, backend_node_id: int, loader: str = "") -> str | None:
        """Return the ref of an element of the current document if it has one."""
        return self._refs.get((NodeKey(frame, backend_node_id), loader))

    def ref_of_gone(self, frame: str, backend_node_id: int, loader: str = "") -> str:
        """Return the ref of an element that has left the page, or a new ref that matches nothing."""
        key = NodeKey(frame, backend_node_id), loader
        # A new document can reuse the id for another element; without a loader the former document takes precedence.
        present = self._refs.get(key) if loader or not self._former else None
        if (known := self._former.get(key) or present) is not None:
            return known
        ref = self.numbers.draw()
        self._absent[ref] = key[0]
        if len(self._absent) > MAX_REFS:
            del self._absent[next(iter(self._absent))]
        return ref

    def stood_for(self, ref: str) -> NodeKey | None:
        """Return the element that a ref was assigned to, whether or not it is still on the page; None if unknown."""
        given = self.given(ref)
        return given.key if given else self._absent.get(ref)

    def lookup(self, ref: str) -> NodeKey | None:
        """Return the element that a ref was assigned to, or None if it is not a ref of the current document."""
        given = self._given.get(ref)
        return given.key if given else None

    def given(self, ref: str) -> Given | None:
        """Return what a ref was assigned to, in this document or the previous one; None if unknown."""
        return self._given.get(ref) or self._gone.get(ref)

    def forget(self, url: str = "") -> None:
        """Drop all refs, because their document is gone; numbers are never reused. `url` is that of the new document.

        Recreated elements are only searched for under the same URL.
        """
        self._snapshots = [snapshot for snapshot in self._snapshots if snapshot.url == url]
        # Merged, so that a short-lived document in between does not erase the refs of the document before it.
        self._former = _newest(self._former | self._refs)
        self._gone = _newest(self._gone | self._given)
        self._refs, self._given = {}, {}
        self.unshown.clear()

    # -- elements that were recreated ----------------------------------------------------------

    @property
    def heals(self) -> bool:
        """Return whether a ref may heal: mean the recreated element."""
        return self._heals

    @contextmanager
    def healing(self, allowed: bool) -> Iterator[list[Healed]]:
        """Allow or forbid healing inside the block; yields the list of refs that healed."""
        self._heals, self._healed = allowed, []
        try:
            yield self._healed
        finally:
            self._heals, self._healed = True, []

    def saw(self, *snapshots: Snapshot) -> None:
        """Keep the last few snapshots in which refs were assigned or used: they describe what a ref meant."""
        for snapshot in snapshots:
            self._snapshots = [kept for kept in self._snapshots if kept is not snapshot] + [snapshot]
        while len(self._snapshots) > MAX_SNAPSHOTS or self._holds_too_many_nodes():
            self._snapshots.pop(0)

    def _holds_too_many_nodes(self) -> bool:
        return len(self._snapshots) > 1 and sum(map(len, self._snapshots)) > MAX_SNAPSHOT_NODES

    def last_seen(self, given: Given) -> Snapshot | None:
        """Return the last kept snapshot that contains an element in its own document."""
        for snapshot in reversed(self._snapshots):
            is_home = not given.loader or snapshot.loaders.get(given.frame_id) == given.loader
            if is_home and snapshot.describe(*given.key) is not None:
                return snapshot
        return None

    def note(self, healed: Healed) -> None:
        """Remember that a ref means another element from now on."""
        self._relocated.pop(healed.ref, None)
        self._relocated[healed.ref] = healed
        self._relocated = _newest(self._relocated)
        if healed not in self._healed:
            self._healed.append(healed)

    def relocated(self, ref: str) -> Healed | None:
        """Return the element that a ref was healed to, or None."""
        return self._relocated.get(ref)

    def is_of_present(self, given: Given) -> bool:
        """Return whether an element was used since the page's last new document."""
        return (given.key, given.loader) in self._refs

    def _drop(self, ref: str) -> None:
        given = self._given.pop(ref)
        self._refs.pop((given.key, given.loader), None)


def _newest(table: dict[K, V]) -> dict[K, V]:
    return dict(islice(table.items(), max(0, len(table) - MAX_REFS), None))
