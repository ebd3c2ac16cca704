"""Drop files and texts from outside of the browser onto an element."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from stillframe.cdp_types import input as cdp_input
from stillframe.errors import CommandError, DropMissed
from stillframe.injected import elements
from stillframe.tab.input import actionability as need
from stillframe.tab.input.actionability import make_ready
from stillframe.tab.input.mouse import send_input
from stillframe.tab.input.uploading import Paths

if TYPE_CHECKING:
    from stillframe.model import actions as a
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.input.actionability import ReadyTarget
    from stillframe.tab.input.attempt import Attempt

COPY = 1
"""The bit of a copy in `DragData.dragOperationsMask`."""

ANSWER_FRAMES = 2
"""Frames for a page to answer the drag before the drop: one for its listeners, one for what they render."""


async def drop_files(attempt: Attempt, action: a.DropFiles, deadline: Deadline) -> None:
    """Drag files and texts over an element and drop them there; raises DropMissed if nothing there takes them."""
    paths = await asyncio.to_thread(Paths.of, action)
    at = {} if action.position is None else {"position": {"x": action.position.x, "y": action.position.y}}
    async with deadline.enforced(f"drop_files on {action.selector}"):
        target = await make_ready(attempt, action.selector, need.HOVER, at, deadline=deadline)
        if attempt.before_input.armed is not None:
            await attempt.before_input.armed(deadline)
        await target.frame.call(elements.watch_drag(), timeout=deadline.hard_left_s)
        items = [cdp_input.DragDataItem(mime_type=kind, data=text) for kind, text in (action.data or {}).items()]
        data = cdp_input.DragData(items=items, files=paths.paths or None, drag_operations_mask=COPY)
        await _send(attempt, target, data, ("dragEnter", "dragOver"), deadline)
        await target.frame.call(elements.answered(ANSWER_FRAMES, 0), timeout=deadline.hard_left_s)
        await _send(attempt, target, data, ("dragOver", "drop"), deadline)
        await _check(target, action, deadline)


async def _send(
    attempt: Attempt, target: ReadyTarget, data: cdp_input.DragData, kinds: tuple[str, ...], deadline: Deadline
) -> None:
    events = [cdp_input.DispatchDragEvent(type=kind, x=target.x, y=target.y, data=data) for kind in kinds]
    await send_input(attempt.tab, events, deadline)


async def _check(target: ReadyTarget, action: a.DropFiles, deadline: Deadline) -> None:
    try:
        ended = await target.frame.call(elements.drag_end(), timeout=deadline.hard_left_s)
    except CommandError:
        return  # the page has replaced the document, so it has taken the drop
    if not ended["dropped"]:
        dropped, them = ("files were", "them") if action.paths else ("data was", "it")
        instead = ", or use upload_file on its file input" if action.paths else ""
        raise DropMissed(
            f"{action.selector} is {target.what} in {target.frame.describe()}; {dropped} dropped there, but nothing "
            f"there takes {them}: choose the element that the page shows as the place to drop {them}{instead}",
            selector=action.selector,
        )
