"""Show a person which element is meant: Chrome draws a box over it, which no screenshot and no script sees."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING

from stillframe.cdp_types import dom, overlay
from stillframe.tab.deadline import Deadline
from stillframe.tab.locating.locate import ACTION_TIMEOUT, locate

if TYPE_CHECKING:
    from stillframe.tab.tab import Tab

BOX = overlay.HighlightConfig(
    show_info=True,
    content_color=dom.RGBA(r=111, g=168, b=220, a=0.5),
    padding_color=dom.RGBA(r=147, g=196, b=125, a=0.5),
    margin_color=dom.RGBA(r=246, g=178, b=107, a=0.5),
)
"""The colours of Chrome's own DevTools."""


async def highlight(tab: Tab, selector: str, *, deadline: Deadline) -> None:
    """Draw a box over one element until another one is highlighted or the document is replaced."""
    handle = await locate(tab, selector, Deadline(ACTION_TIMEOUT) if isinf(deadline.left_s) else deadline)
    session = handle.frame.session
    try:
        node = await handle.backend_node_id()
        await session.send(dom.Enable())
        await session.send(overlay.Enable())
        await session.send(overlay.HighlightNode(highlight_config=BOX, backend_node_id=node))
    finally:
        handle.forget()


async def hide(tab: Tab, *, deadline: Deadline) -> None:
    """Take the box away, in whichever process its element is."""
    async with deadline.enforced("hide_highlight"):
        for session in {frame.session.session_id: frame.session for frame in tab.frames}.values():
            await session.send(dom.Enable())
            await session.send(overlay.Enable())
            await session.send(overlay.HideHighlight())
