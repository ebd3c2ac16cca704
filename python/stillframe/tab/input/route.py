"""The way of a point out of the frames it is in: where it lies in each of them and on the page.

A frame may be drawn scaled, turned or in perspective. Chrome tells where the corners of its content lie, and four
corners determine where everything else does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from stillframe.cdp_types import dom
from stillframe.errors import CdpError, ContextLost
from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import ElementHandle, Frame
from stillframe.tab.input.geometry import Point, Projection
from stillframe.tab.locating.locate import ask
from stillframe.tab.locating.sought import Report

OWNER: dict[str, Any] = {"any": ["rendered", "spot"]}
"""What must hold of an element that holds a frame, for something in the frame to be reached."""

Size = tuple[float, float]
View = tuple[float, float, float]


class OwnerUnready(Exception):
    """An element that holds a frame on the way is hidden, moves, or is out of reach."""

    def __init__(self, frame: Frame, report: Report) -> None:
        super().__init__(report.fault)
        self.frame = frame
        self.report = report


class Place(msgspec.Struct, frozen=True):
    """A point in the viewport of a frame, and the element to be hit there."""

    frame: Frame
    token: int
    x: float
    y: float


class _Hop(msgspec.Struct, frozen=True):
    """From a frame to the one around it: its owner there, and where the frame's viewport lies in that process's."""

    frame: Frame
    outer: Frame
    owner: int
    """The owner's token in the outer frame."""
    drawn: Projection


class Route(msgspec.Struct, frozen=True):
    """The way from a frame's viewport to the page's, as the frames lay when it was looked up."""

    frame: Frame
    hops: tuple[_Hop, ...] = ()
    zoom: float = 1.0
    """How much larger the frame's pixels are than those of its process's viewport: the CSS `zoom` of its owners."""

    def places(self, token: int, x: float, y: float) -> tuple[Place, ...]:
        """Return the point in its own frame, then in each frame around it; the last one is the page."""
        found = [Place(self.frame, token, x, y)]
        for hop in self.hops:
            x, y = self._own(hop.outer, hop.drawn.point(x, y))
            found.append(Place(hop.outer, hop.owner, x, y))
        return tuple(found)

    def point(self, x: float, y: float) -> Point:
        """Return a point of the frame in the page's viewport."""
        last = self.places(0, x, y)[-1]
        return last.x, last.y

    def within(self, size: Size, quad: Sequence[float], x: float, y: float) -> Point:
        """Return where a position in a box of the frame lies in its viewport; the quad is as CDP gives it."""
        return self._own(self.frame, _projection(size, quad, self.zoom).point(x, y))

    def _own(self, frame: Frame, point: Point) -> Point:
        """Return a point of a process's viewport in the viewport of one of its frames."""
        if frame.is_process_root:
            return point
        drawn = next(hop.drawn for hop in self.hops if hop.frame is frame)
        return drawn.inverse().point(*point)


async def route_of(frame: Frame, view: View, deadline: Deadline, need: dict[str, Any] = OWNER) -> Route:
    """Look up the way out of a frame with that viewport; each owner on it must meet the need.

    By default it must be visible and stand still, and is scrolled into view. Raises OwnerUnready, and CdpError when a
    document goes away.
    """
    views = [(frame, view)]
    owners = []
    while (inner := views[-1][0]).parent is not None:
        outer = inner.parent
        owner = await outer.session.send(dom.GetFrameOwner(frame_id=inner.id))
        handle = await outer.handle(owner.backend_node_id)
        report = await ask(outer, handle, need, {}, deadline.left)
        if report.fault:
            raise OwnerUnready(outer, report)
        owners.append((report.at, outer.session.post(dom.GetBoxModel(backend_node_id=owner.backend_node_id))))
        views.append((outer, report.view))
    zooms = _zooms(views)
    hops = [
        _Hop(inner, outer, token, _projection(size[:2], (await model).model.content, zoom))
        for (inner, size), (outer, _), (token, model), zoom in zip(views, views[1:], owners, zooms[1:], strict=False)
    ]
    return Route(frame, tuple(hops), zooms[0])


def _zooms(views: Sequence[tuple[Frame, View]]) -> list[float]:
    """Return by how much each frame's pixels are larger than those of its process's viewport.

    A frame is zoomed with its owner, and CDP gives quads in pixels that are zoomed like the element's document.
    """
    found: list[float] = []
    root = 0.0
    for frame, (_, _, ratio) in reversed(views):
        root = ratio if frame.is_process_root else root
        found.append(ratio / root if root else 1.0)
    return found[::-1]


async def padding_quad(handle: ElementHandle) -> Sequence[float] | None:
    """Return where the corners of an element's padding box lie in its process's viewport, None without a box."""
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
        # Edge-on or without area: there is no point of it to be hit, which the hit test then says.
        return Projection((1, 0, quad[0], 0, 1, quad[1], 0, 0, 1))
