"""Short names (`e12`) for elements, given in results and taken in selectors (`ref=e12`)."""

from __future__ import annotations

from typing import NamedTuple


class NodeKey(NamedTuple):
    """What makes an element the same one as long as its document lives.

    `frame` is the id of the root frame of the process the element lives in ("" for the page's own), because backend
    node ids are unique per process only.
    """

    frame: str
    backend_node_id: int


class RefTable:
    """Refs of one page; an element keeps its ref for the life of its document."""

    def __init__(self) -> None:
        self._refs: dict[NodeKey, str] = {}
        self._keys: dict[str, NodeKey] = {}
        self._former: dict[NodeKey, str] = {}
        self._next = 1

    def ref_for(self, frame: str, backend_node_id: int) -> str:
        """Return the ref of an element, a new one if it has none yet."""
        key = NodeKey(frame, backend_node_id)
        ref = self._refs.get(key)
        if ref is None:
            ref = self._refs[key] = self._new()
            self._keys[ref] = key
        return ref

    def ref_of_gone(self, frame: str, backend_node_id: int) -> str:
        """Return the ref that an element had, or one that finds nothing: the element has left the page."""
        key = NodeKey(frame, backend_node_id)
        # In a new document the same id may name another element, so the refs of the former one come first.
        return self._former.get(key) or (not self._former and self._refs.get(key)) or self._new()

    def lookup(self, ref: str) -> NodeKey | None:
        """Return the element a ref was given to, or None if it is not a ref of the present document."""
        return self._keys.get(ref)

    def forget(self) -> None:
        """Drop all refs, because their document is gone; numbers are never given twice."""
        self._former = self._refs
        self._refs = {}
        self._keys = {}

    def _new(self) -> str:
        ref = f"e{self._next}"
        self._next += 1
        return ref
