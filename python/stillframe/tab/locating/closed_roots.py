"""Closed shadow roots: the agent cannot see them from outside, so they are passed to it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stillframe.cdp_types import dom
from stillframe.errors import CdpError, ContextLost
from stillframe.injected import elements
from stillframe.tab.captures import CAPTURE_S
from stillframe.tab.deadline import Deadline

if TYPE_CHECKING:
    from stillframe.tab.frames import Frame, World
    from stillframe.tab.tab import Tab

SHOWN = "DOMSnapshot.NodeTreeSnapshot.shadowRootType"

_adopted: WeakKeyDictionary[World, set[int]] = WeakKeyDictionary()


async def adopt_closed_roots(tab: Tab, frame: Frame) -> bool:
    """Pass the closed shadow roots of a frame to its agent; return whether there were new ones.

    A snapshot shows which elements are hosts, at little cost; a description of each shows its root and the roots
    inside that one. An empty root is found once it has content. Before Chrome 93 a snapshot does not show hosts, and
    the whole document is described.
    """
    known = _adopted.setdefault(frame.world(), set())
    found = False
    for place in await _places(tab, frame):
        for root in await _closed_roots(frame, place):
            if root not in known:
                known.add(root)
                found |= await _adopt(frame, root)
    return found


async def _places(tab: Tab, frame: Frame) -> list[dom.DescribeNode]:
    """Return the commands that describe where a frame may have closed roots."""
    if not tab.context.capabilities.has(SHOWN):
        return [dom.DescribeNode(object_id=await frame.document_object(), depth=-1, pierce=True)]
    snapshot = await tab.captures.take(Deadline(CAPTURE_S))
    hosts = [shown for shown in snapshot.closed_shadow_roots() if shown.frame == frame.process_key]
    return [dom.DescribeNode(backend_node_id=shown.host, depth=-1, pierce=True) for shown in hosts]


async def _closed_roots(frame: Frame, place: dom.DescribeNode) -> list[int]:
    """Return the backend node ids of the closed roots in a node's subtree, outermost first."""
    try:
        reply = await frame.session.send(place)
    except CdpError:
        return []  # the host went away meanwhile
    roots, nodes = [], [reply.node]
    while nodes:
        node = nodes.pop()
        roots += [root.backend_node_id for root in node.shadow_roots or () if root.shadow_root_type == "closed"]
        nodes += [*(node.shadow_roots or ()), *(node.children or ())]
    return roots


async def _adopt(frame: Frame, root: int) -> bool:
    try:
        handle = await frame.handle(root)
        return bool(await handle.call(elements.adopt_root()))
    except ContextLost:
        raise
    except CdpError:
        return False  # the root is in another frame of the process, or gone
