"""Ask the documents of a page which of their elements change by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Set
from typing import TYPE_CHECKING, Literal

from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import CommandError
from stillframe.injected import observer
from stillframe.tab.refs import NodeKey

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame, World
    from stillframe.tab.tab import Tab

NOISE_SECONDS = 1.0
"""How long a frame may take to report its noise: a frame that settled just before takes some milliseconds, and one that
hangs is not worth more time."""

Kind = Literal["noise", "habits"]
"""What the observer is asked for: what changed by a rhythm, or what changed as it had before."""

CALLS = {"noise": observer.noise, "habits": observer.habits}


class RestlessElements:
    """The elements of one tab that change by themselves; only documents that announced some, in `worlds`, are asked."""

    def __init__(self, tab: Tab, worlds: Set[World]) -> None:
        self._tab = tab
        self._worlds = worlds

    async def find(self, kind: Kind, deadline: Deadline) -> set[NodeKey]:
        """Return the elements of one kind; those of a frame that does not answer in time are left out."""
        frames = [frame for frame in self._tab.frames if frame.world() in self._worlds and frame.context_id is not None]
        deadline = deadline.within(NOISE_SECONDS)
        found = await asyncio.gather(*(_within(frame, kind, deadline) for frame in frames))
        return set().union(*found)


async def _within(frame: Frame, kind: Kind, deadline: Deadline) -> set[NodeKey]:
    try:
        async with time_limit(deadline.left_s):
            return await _nodes(frame, kind)
    except (CommandError, TimeoutError):
        # The document is being replaced, and its noise with it; or it does not answer.
        return set()


async def _nodes(frame: Frame, kind: Kind) -> set[NodeKey]:
    nodes = await frame.world().call_nodes(CALLS[kind]())
    return {NodeKey(frame.process_key, node.backend_node_id) for node in nodes}
