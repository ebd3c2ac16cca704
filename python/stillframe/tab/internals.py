"""What custom elements say of themselves by `ElementInternals`: their role, states and name, which no capture has.

The observer of a document reads it with the page version, so it costs no round trip. A capture knows elements by their
backend node ids: an element that is new takes two round trips, once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stillframe.injected import observer

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame, World

AriaValues = list[tuple[str, str]]
"""Names and values, as attributes have them."""

NumberedInternals = list[tuple[int, AriaValues]]
"""What each element of a document says, by the number that the observer has given to the element."""

_ELEMENT = 1
"""DOM's nodeType of an element."""


class Internals:
    """Knows which nodes of a page the numbers of its observers stand for."""

    def __init__(self) -> None:
        self._nodes: WeakKeyDictionary[World, dict[int, int]] = WeakKeyDictionary()

    async def by_process(self, internals: Mapping[Frame, NumberedInternals]) -> dict[str, NumberedInternals]:
        """Return what the elements of each process say, by their backend node ids; the keys are those of the processes.

        Raises CommandError if a document goes away meanwhile.
        """
        found: defaultdict[str, NumberedInternals] = defaultdict(list)
        for frame, numbered in internals.items():
            nodes = await self._nodes_of(frame.world(), [number for number, _ in numbered])
            found[frame.process_key] += [(nodes[number], values) for number, values in numbered if number in nodes]
        return found

    async def _nodes_of(self, world: World, numbers: list[int]) -> dict[int, int]:
        known = self._nodes.setdefault(world, {})
        unknown = [number for number in numbers if number not in known]
        if unknown:
            nodes = await world.call_nodes(observer.numbered_elements(unknown))
            pairs = zip(unknown, nodes, strict=True)
            known.update({number: node.backend_node_id for number, node in pairs if node.node_type == _ELEMENT})
        return known
