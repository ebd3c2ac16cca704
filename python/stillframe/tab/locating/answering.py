"""Which parts of a widget answer a press: the page script cannot see the page's listeners; the browser lists them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from stillframe.cdp_types import dom_debugger
from stillframe.errors import CdpError, ContextLost
from stillframe.injected import elements

if TYPE_CHECKING:
    from stillframe.tab.frames import ElementHandle, Frame

PRESSES = frozenset({"click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend"})
MAX_ANSWERING = 32
"""Listening elements that are shown to the page script; a widget with one field has a few."""


async def show_listeners(frame: Frame, widget: ElementHandle) -> None:
    """Show the page script of a frame which elements of a widget listen for presses."""
    node = await frame.world().main_world_object(await widget.backend_node_id())
    answer = await frame.session.send(dom_debugger.GetEventListeners(object_id=node, depth=-1))
    listening = {each.backend_node_id for each in answer.listeners if each.type in PRESSES}
    await asyncio.gather(*(_show(frame, id_) for id_ in list(listening)[:MAX_ANSWERING] if id_ is not None))
    await widget.call(elements.note_examined())


async def _show(frame: Frame, backend_node_id: int) -> None:
    try:
        element = await frame.handle(backend_node_id)
        await element.call(elements.note_listener())
    except ContextLost:
        raise
    except CdpError:
        return  # the element went away meanwhile
