"""Dragging with the mouse, for pages that drag by mouse events and for those that use the browser's drag and drop.

Chrome hands drag and drop to the operating system, where no input of ours would reach it; intercepted, it tells us
what is dragged and we deliver that ourselves.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from stillframe.cdp_types import input as cdp_input
from stillframe.errors import ContextLost
from stillframe.page.mouse import moved, path, pressed, released, send_input

if TYPE_CHECKING:
    from stillframe.cdp import Session
    from stillframe.page.actionability import Ready
    from stillframe.page.page import Page

LIFT_PX = 12
"""How far the mouse moves before a drag must have begun; Chrome's own threshold is 3 px."""

STEPS = 6
"""Moves on the way: pages measure speed and direction, and drop zones want to see the mouse come in."""

INTERCEPT_S = 5.0
"""Seconds to wait for Chrome to hand over a drag that the page has begun."""


async def drag(page: Page, source: Ready, find_target: Callable[[], Awaitable[Ready]]) -> None:
    """Press on the source, move to where the target is by then, and let go; what was pressed is always released."""
    session = page.session
    await session.send(cdp_input.SetInterceptDrags(enabled=True))
    at = source.x, source.y
    try:
        with session.subscribe(cdp_input.DragIntercepted) as intercepted:
            await _lift(session, at)
            data = (await intercepted.get(INTERCEPT_S)).data if await _has_begun(source) else None
        target = await find_target()
        end = target.x, target.y
        way = path(at, end, STEPS)
        if data:
            await send_input(session, _carry(way, data))
        else:
            at = end
            await send_input(session, [*(moved(x, y, held="left") for x, y in way), released(*end)])
    except BaseException:
        session.post(released(*at))
        raise
    finally:
        session.post(cdp_input.SetInterceptDrags(enabled=False))


async def _lift(session: Session, at: tuple[float, float]) -> None:
    x, y = at
    near = path(at, (x + LIFT_PX, y + LIFT_PX), 2)
    await send_input(session, [moved(x, y), pressed(x, y), *(moved(*point, held="left") for point in near)])


async def _has_begun(source: Ready) -> bool:
    try:
        return bool(await source.frame.call("() => __sf.takeDragged()") == "started")
    except ContextLost:
        return False


def _carry(way: list[tuple[float, float]], data: cdp_input.DragData) -> list[cdp_input.DispatchDragEvent]:
    """Return the drag's events: into the page, over it, and dropped at the end of the way."""
    (x, y), (end_x, end_y) = way[0], way[-1]
    return [
        cdp_input.DispatchDragEvent(type="dragEnter", x=x, y=y, data=data),
        *(cdp_input.DispatchDragEvent(type="dragOver", x=px, y=py, data=data) for px, py in way),
        cdp_input.DispatchDragEvent(type="drop", x=end_x, y=end_y, data=data),
    ]
