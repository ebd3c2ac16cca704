"""One capture of the whole page, across the processes it is spread over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from stillframe.cdp_types import dom, dom_snapshot
from stillframe.dom import Snapshot
from stillframe.errors import CdpError, SessionLost

if TYPE_CHECKING:
    from stillframe.page.frames import Frame
    from stillframe.page.page import Page

CAPTURE = dom_snapshot.CaptureSnapshot(computed_styles=["visibility"])
"""Layout comes along whether asked for or not; `visibility` is the one style that rendering cannot be told without.
Paint order and DOM rectangles are left out: they cost Chrome more than all the rest (reference: up to 5 times)."""

Part = tuple[str, str | None, int | None, msgspec.Raw]


async def capture(page: Page, *, timeout: float | None = 30.0) -> Snapshot:
    """Take a snapshot of the page; frames of other processes are asked side by side and put in their place.

    An out-of-process frame that goes away meanwhile is left out. Raises CommandError if the page itself is lost.
    """
    parts = await capture_parts(page, timeout=timeout)
    # A new document can bear the node ids of the one before, when it came up in a new process: its loader is its own.
    return Snapshot.from_parts(parts, {frame.id: frame.loader_id for frame in page.frames})


async def capture_parts(page: Page, *, timeout: float | None = 30.0) -> list[Part]:
    """Take the bytes a snapshot is made of, parents before the frames they hold: what can be kept in a file."""
    main, *others = [frame for frame in page.frames if frame.is_process_root]
    parts = await asyncio.gather(_part(main, timeout), *(_part_or_none(frame, timeout) for frame in others))
    return _connected([part for part in parts if part is not None])


async def _part(frame: Frame, timeout: float | None) -> Part:
    raw = frame.session.send_raw(CAPTURE, timeout=timeout)
    if frame.parent is None:
        return ("", None, None, await raw)
    owner = frame.parent.session.send(dom.GetFrameOwner(frame_id=frame.id), timeout=timeout)
    snapshot, place = await asyncio.gather(raw, owner)
    return (frame.id, frame.parent.process_key, place.backend_node_id, snapshot)


async def _part_or_none(frame: Frame, timeout: float | None) -> Part | None:
    try:
        return await _part(frame, timeout)
    except (CdpError, SessionLost):
        return None


def _connected(parts: list[Part]) -> list[Part]:
    """Leave out parts whose parent was left out."""
    kept: dict[str, Part] = {}
    for part in parts:
        if part[1] is None or part[1] in kept:
            kept[part[0]] = part
    return list(kept.values())
