"""Short names (`e12`) for elements, given in results and texts and taken in selectors (`ref=e12`)."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MARK = "\0"
"""What the core leaves where a ref goes; no text of a page holds one there."""

MOST = 20_000
"""Refs that a page remembers, those met last: one that makes itself anew all the time would have no end of them."""


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

    def forget(self) -> None:
        """Drop all refs, because their document is gone; numbers are never given twice."""
        # A document that was there for a moment must not make those before it forgotten.
        self._former = _newest(self._former | self._refs)
        self._gone = _newest(self._gone | self._given)
        self._refs, self._given = {}, {}

    def _drop(self, ref: str) -> None:
        given = self._given.pop(ref)
        self._refs.pop((given.key, given.loader), None)


def _newest(table: dict[K, V]) -> dict[K, V]:
    return dict(islice(table.items(), max(0, len(table) - MOST), None))
