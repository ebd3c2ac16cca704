"""Map a point out of the frames it is in: its position in each of them and on the page.

A frame may be drawn scaled, rotated or in perspective. Chrome reports the corners of its content, and four corners
determine where every other point lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.cdp_types import dom
from stillframe.errors import CdpError, ContextLost
from stillframe.tab.frames import ElementHandle, Frame
from stillframe.tab.input.geometry import Point, Projection
from stillframe.tab.locating.locate import ask

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.locating.query import Report

OWNER: dict[str, Any] = {"any": ["rendered", "spot"]}
"""What a frame element must meet before anything in its frame can be reached."""

Size = tuple[float, float]
View = tuple[float, float, float]


class OwnerUnready(Exception):
    """Raised when a frame element on the way is hidden, moving, or out of reach."""

    def __init__(self, frame: Frame, report: Report) -> None:
        super().__init__(report.fault)
        self.frame = frame
        self.report = report


class FramePoint(msgspec.Struct, frozen=True):
    """A point in the viewport of a frame, and the element to hit there."""

    frame: Frame
    token: int
    x: float
    y: float


class _Hop(msgspec.Struct, frozen=True):
    """From a frame to the outer one: the frame element there, and the frame's viewport in that process's viewport."""

    frame: Frame
    outer: Frame
    owner: int
    """The frame element's token in the outer frame."""
    drawn: Projection


class FramePath(msgspec.Struct, frozen=True):
    """The way from a frame's viewport to the page's, at the time of the lookup."""

    frame: Frame
    hops: tuple[_Hop, ...] = ()
    zoom: float = 1.0
    """Ratio of the frame's pixels to those of its process's viewport: the CSS `zoom` of its frame elements."""

    def points(self, token: int, x: float, y: float) -> tuple[FramePoint, ...]:
        """Return the point in its own frame, then in each frame around it; the last one is the page."""
        found = [FramePoint(self.frame, token, x, y)]
        for hop in self.hops:
            x, y = self._own(hop.outer, hop.drawn.point(x, y))
            found.append(FramePoint(hop.outer, hop.owner, x, y))
        return tuple(found)

    def point(self, x: float, y: float) -> Point:
        """Return the position of a frame's point in the page's viewport."""
        last = self.points(0, x, y)[-1]
        return last.x, last.y

    def within(self, size: Size, quad: Sequence[float], x: float, y: float) -> Point:
        """Return the viewport position of a point in a box of the frame; the quad is as CDP gives it."""
        return self._own(self.frame, _projection(size, quad, self.zoom).point(x, y))

    def _own(self, frame: Frame, point: Point) -> Point:
        """Convert a point from a process's viewport to the viewport of one of its frames."""
        if frame.is_process_root:
            return point
        drawn = next(hop.drawn for hop in self.hops if hop.frame is frame)
        return drawn.inverse().point(*point)


async def path_of(frame: Frame, view: View, deadline: Deadline, need: dict[str, Any] = OWNER) -> FramePath:
    """Look up the way out of a frame with the given viewport; each frame element must meet the need.

    By default it must be visible and not move, and is scrolled into view. Raises OwnerUnready, and CdpError if a
    document goes away.
    """
    views = [(frame, view)]
    owners = []
    while (inner := views[-1][0]).parent is not None:
        outer = inner.parent
        owner = await outer.session.send(dom.GetFrameOwner(frame_id=inner.id))
        handle = await outer.handle(owner.backend_node_id)
        report = await ask(outer, handle, need, {}, deadline)
        if report.fault:
            raise OwnerUnready(outer, report)
        owners.append((report.at, outer.session.post(dom.GetBoxModel(backend_node_id=owner.backend_node_id))))
        views.append((outer, report.view))
    zooms = _zooms(views)
    hops = [
        _Hop(inner, outer, token, _projection(size[:2], (await model).model.content, zoom))
        for (inner, size), (outer, _), (token, model), zoom in zip(views, views[1:], owners, zooms[1:], strict=False)
    ]
    return FramePath(frame, tuple(hops), zooms[0])


def _zooms(views: Sequence[tuple[Frame, View]]) -> list[float]:
    """Return the ratio of each frame's pixels to those of its process's viewport.

    A frame is zoomed with its frame element, and CDP gives quads in the zoomed pixels of the element's document.
    """
    found: list[float] = []
    root = 0.0
    for frame, (_, _, ratio) in reversed(views):
        root = ratio if frame.is_process_root else root
        found.append(ratio / root if root else 1.0)
    return found[::-1]


async def padding_quad(handle: ElementHandle) -> Sequence[float] | None:
    """Return the corners of an element's padding box in its process's viewport; None without a box."""
    try:
        return (await handle.session.send(dom.GetBoxModel(object_id=handle.object_id))).model.padding
    except ContextLost:
        raise
    except CdpError:
        return None


def _projection(size: Size, quad: Sequence[float], zoom: float) -> Projection:
    quad = [value * zoom for value in quad]
    try:
        return Projection.of_box(*size, quad)
    except ValueError:
        # Edge-on or without area: no point of it can be hit, which the hit test then reports.
        return Projection((1, 0, quad[0], 0, 1, quad[1], 0, 0, 1))
