"""Elements in the page's own world, for the caller's scripts: found by a selector there or by a handle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillframe import injected
from stillframe.cdp_types import dom, runtime
from stillframe.errors import ElementNotFound, EvaluationFailed, RefStale
from stillframe.injected import elements
from stillframe.tab import remote
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import FRAME_TAGS, ElementHandle, Frame
from stillframe.tab.javascript.page_objects import PageObject
from stillframe.tab.locating.closed_roots import adopt_closed_roots
from stillframe.tab.locating.locate import ACTION_TIMEOUT, Search, locate
from stillframe.tab.locating.query import Report

if TYPE_CHECKING:
    from stillframe.tab.tab import Tab

CHUNK = 1000
"""Elements that one call takes as arguments: they are on Chrome's stack during the call."""
TOP = "function() { return (this.ownerDocument || this).documentElement }"
"""The element of a document whose description names its frame."""


async def one(tab: Tab, selector: str, *, deadline: Deadline) -> PageObject:
    """Wait for exactly one matching element and return it; raises the errors of `locate`."""
    handle = await locate(tab, selector, deadline.within(tab.timeouts.finding_s(ACTION_TIMEOUT)))
    frame, loader_id = handle.frame, handle.frame.loader_id
    (element,) = await _in_main_world(frame, loader_id, [handle.object_id])
    return element


async def all_matching(tab: Tab, selector: str) -> list[PageObject]:
    """Return the elements that match now, in document order; it waits for none.

    Raises SelectorInvalid, and ContextLost if the document is being replaced.
    """
    return (await _all_in_frame(tab, selector))[1]


async def array_of(tab: Tab, selector: str) -> PageObject:
    """Return an array of the page that holds the elements that match now; raises the errors of `all_matching`."""
    frame, held = await _all_in_frame(tab, selector)
    loader_id, ids = frame.loader_id, [element.object_id or "" for element in held]
    context_id = remote.context_of(ids[0]) if ids else await frame.main_world_context()
    made = await frame.session.send(runtime.Evaluate(expression="[]", context_id=context_id))
    array = PageObject(frame, loader_id, made.result)
    for at in range(0, len(ids), CHUNK):
        command = runtime.CallFunctionOn(
            function_declaration=injected.read("append"),
            arguments=[runtime.CallArgument(object_id=each) for each in ids[at : at + CHUNK]],
            object_id=array.object_id,
        )
        await frame.session.send(command)
    for element in held:
        element.forget()
    return array


async def _all_in_frame(tab: Tab, selector: str) -> tuple[Frame, list[PageObject]]:
    search = Search(tab, selector, Deadline(0))
    try:
        frame, target = await search.query(await search.enter(), search.selector.chain)
    except (ElementNotFound, RefStale):
        return tab.frames.main, []  # a frame or ref before the target is missing
    loader_id = frame.loader_id
    if isinstance(target, ElementHandle):
        return frame, await _in_main_world(frame, loader_id, [target.object_id])
    await adopt_closed_roots(tab, frame)
    try:
        handles = await target.handles(frame, elements.all_found())
    except EvaluationFailed as error:
        raise search.syntax(Report(fault="syntax", detail=error.text.partition("\n")[0])) from error
    return frame, await _in_main_world(frame, loader_id, handles)


async def in_isolated_world(tab: Tab, held: PageObject) -> ElementHandle:
    """Return a handle in the isolated world to a node of the page's own world; raises HandleReleased."""
    node, frame = await _described(held), held.frame
    if len(tab.frames.of_session(held.session)) > 1:
        # Chrome resolves a node of another frame of the process, too, in a world that is not that of its document.
        frame = await owner_frame(tab, held) or frame
    return await frame.handle(node.backend_node_id)


async def ref_of(tab: Tab, held: PageObject) -> str:
    """Return the selector of a node by its ref, by which actions find it; raises HandleReleased."""
    node = await _described(held)
    frame = await owner_frame(tab, held) or held.frame
    return f"ref={tab.refs.ref_for(frame.process_key, node.backend_node_id, frame.id, frame.loader_id)}"


async def owner_frame(tab: Tab, held: PageObject) -> Frame | None:
    """Return the frame whose document a node belongs to; None for a document that no frame shows."""
    held.require_usable()
    command = runtime.CallFunctionOn(function_declaration=TOP, object_id=held.object_id)
    top = (await held.session.send(command)).result
    if top.object_id is None:
        return None
    node = (await held.session.send(dom.DescribeNode(object_id=top.object_id))).node
    held.session.post(runtime.ReleaseObject(object_id=top.object_id))
    return tab.frames.by_id.get(node.frame_id or "")


async def content_frame(tab: Tab, held: PageObject) -> Frame | None:
    """Return the frame that an element shows; None for an element that shows none."""
    node = await _described(held)
    return tab.frames.by_id.get(node.frame_id or "") if node.node_name.lower() in FRAME_TAGS else None


async def _described(held: PageObject) -> dom.Node:
    held.require_usable()
    return (await held.session.send(dom.DescribeNode(object_id=held.object_id))).node


async def _in_main_world(frame: Frame, loader_id: str, handles: Sequence[str]) -> list[PageObject]:
    """Return nodes of the isolated world, which are released, as objects of the page's own world."""
    nodes = await frame.world().describe(handles)
    async with frame.session.batch() as batch:
        replies = [batch.send(dom.ResolveNode(backend_node_id=node.backend_node_id)) for node in nodes]
    return [PageObject(frame, loader_id, reply.result().object) for reply in replies]
