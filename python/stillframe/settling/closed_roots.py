"""Hand closed shadow roots to the scripts of the isolated world; a script cannot get from a host to its closed root.

The observer announces new elements that may have a closed root (custom elements without an open one), each element
once. A page without such elements costs nothing; otherwise one batch costs four round trips.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from stillframe.cdp.loop_clock import time_limit
from stillframe.cdp_types import dom, runtime
from stillframe.errors import CommandError
from stillframe.injected import observer
from stillframe.settling.pending import CLOSED_ROOTS_MS
from stillframe.settling.signals import ClosedRootsHandedOver, ClosedRootsRequested, Signal

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame, WorldScripts

BINDING = "__sfClosed"
"""The binding that the observer calls when there are elements that may have a closed root."""


class ClosedRoots:
    """Hands over the closed roots of one page as they appear; `emit` takes the signals at its beginning and its end.

    A wait does not end in between: the observer does not see what changes in a root that it does not have.
    """

    def __init__(self, scripts: WorldScripts, emit: Callable[[Signal], None]) -> None:
        self._emit = emit
        self._handovers: dict[asyncio.Task[None], str] = {}
        """The handovers in progress, and the frame of each."""
        scripts.bindings[BINDING] = self._on_announcement

    def _on_announcement(self, frame: Frame, _: str) -> None:
        self._emit(ClosedRootsRequested(frame.id))
        task = asyncio.get_running_loop().create_task(_adopt(frame), name="stillframe-closed-roots")
        self._handovers[task] = frame.id
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        frame_id = self._handovers.pop(task)
        if frame_id not in self._handovers.values():
            self._emit(ClosedRootsHandedOver(frame_id))


async def _adopt(frame: Frame) -> None:
    try:
        async with time_limit(CLOSED_ROOTS_MS / 1000):
            await _hand_over(frame)
    except (CommandError, TimeoutError):
        # The document is being replaced or does not answer; its successor announces its own elements.
        return


async def _hand_over(frame: Frame) -> None:
    session, context = frame.session, await frame.world().context()
    hosts = await frame.world().call_handles(observer.possible_hosts())
    nodes = await _all(session.post(dom.DescribeNode(object_id=host, depth=0, pierce=True)) for host in hosts)
    closed = [root for node in nodes for root in node.node.shadow_roots or () if root.shadow_root_type == "closed"]
    adopt = observer.adopt_closed_root().on_this
    roots = await _all(
        session.post(dom.ResolveNode(backend_node_id=root.backend_node_id, execution_context_id=context))
        for root in closed
    )
    await _all(
        session.post(runtime.CallFunctionOn(function_declaration=adopt, object_id=root.object.object_id, silent=True))
        for root in roots
    )


async def _all(replies: Iterable[asyncio.Future[Any]]) -> list[Any]:
    """Await all replies and return the successful ones; a node that is gone has no root to hand over."""
    replied = await asyncio.gather(*replies, return_exceptions=True)
    return [reply for reply in replied if not isinstance(reply, BaseException)]
