"""Frames that load their document once they come into view (`loading=lazy`): until then nothing is found in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stillframe.cdp_types import dom
from stillframe.errors import CdpError, ContextLost
from stillframe.injected import elements

if TYPE_CHECKING:
    from stillframe.tab.frames import ElementHandle, Frame

NOT_LOADED = ("", "about:blank")
"""URLs of a frame that shows no document yet; some frames keep them."""


async def owner_of(frame: Frame) -> ElementHandle:
    """Return a handle to the frame element of a frame, in the frame around it; raises CdpError if it is gone."""
    assert frame.parent is not None, "the page's own frame has no frame element"
    place = await frame.parent.session.send(dom.GetFrameOwner(frame_id=frame.id))
    return await frame.parent.handle(place.backend_node_id)


class Awaited(msgspec.Struct, frozen=True):
    """The document that a frame loads once it comes into view, and the name that the frame has then."""

    url: str
    name: str


async def awaited_document(frame: Frame) -> Awaited | None:
    """Return the document that a frame loads once it comes into view; None if it does not wait for that."""
    if frame.parent is None or frame.url not in NOT_LOADED:
        return None
    try:
        return msgspec.convert(await (await owner_of(frame)).call(elements.awaited_document()), Awaited | None)
    except ContextLost:
        raise
    except CdpError:
        return None  # the frame went away meanwhile


async def bring_lazy_frame(frame: Frame) -> bool:
    """Scroll a frame into view if it loads its document only then; return whether it does."""
    if await awaited_document(frame) is None:
        return False
    await (await owner_of(frame)).call(elements.show_in_middle())
    return True
