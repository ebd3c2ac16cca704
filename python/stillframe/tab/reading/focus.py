"""Find what has the focus and which dialogs are modal: no snapshot shows either."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import CommandError
from stillframe.injected import elements
from stillframe.tab.refs import NodeKey

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame
    from stillframe.tab.tab import Tab

SECONDS = 1.0
"""Seconds for the page to answer; a text without this is better than none."""
SHARE = 0.25
"""Share of a caller's time limit for the same."""
MAX_FRAMES = 10
"""Frames within one another that are asked; each has the focus of the one around it."""


class Focus(NamedTuple):
    """The element that has the focus, if there is one, and the open modal dialogs; as the core takes them."""

    active: NodeKey | None = None
    modals: tuple[NodeKey, ...] = ()


async def focus_of(tab: Tab, deadline: Deadline) -> Focus:
    """Return what has the focus, from the page into the frames; nothing if the page does not answer in time.

    `deadline` is that of the caller's whole answer.
    """
    modals: list[NodeKey] = []
    active: NodeKey | None = None
    try:
        async with time_limit(min(SECONDS, deadline.left_s * SHARE)):
            frame: Frame | None = tab.frames.main
            for _ in range(MAX_FRAMES):
                if frame is None:
                    break
                focused, *dialogs = await frame.world().call_nodes(elements.focus_and_modals())
                modals += [NodeKey(frame.process_key, dialog.backend_node_id) for dialog in dialogs]
                active = NodeKey(frame.process_key, focused.backend_node_id)
                frame = tab.frames.by_id.get(focused.frame_id or "") if focused.node_name != "#document" else None
    except (CommandError, TimeoutError):
        pass  # a document is being replaced, or the page is busy
    return Focus(active, tuple(modals))
