"""Dragging with the mouse, for pages that drag by mouse events and for those that use the browser's drag and drop.

Chrome hands drag and drop to the operating system, where no input of ours would reach it; intercepted, it tells us
what is dragged and we deliver that ourselves.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from stillframe.cdp import CDPSession
from stillframe.cdp.subscription import Subscription
from stillframe.cdp_types import input as cdp_input
from stillframe.cdp_types._base import Command
from stillframe.errors import ContextLost
from stillframe.tab.deadline import Deadline
from stillframe.tab.input.actionability import Ready
from stillframe.tab.input.mouse import moved, path, pressed, released, send_input
from stillframe.tab.input.press import Stroke
from stillframe.tab.tab import Tab

Press = Callable[[Stroke], Awaitable["Ready"]]
FindEnd = Callable[["Ready"], Awaitable[tuple[float, float]]]

LIFT_PX = 12
"""How far the mouse moves before a drag must have begun; Chrome's own threshold is 3 px."""

STEPS = 6
"""Moves on the way: pages measure speed and direction, and drop zones want to see the mouse come in."""

INTERCEPT_S = 5.0
"""Seconds to wait for Chrome to hand over a drag that the page has begun."""


UNDO_S = 1.0
"""Seconds that the page has to take in that the button was let go."""


async def drag(tab: Tab, press: Press, find_end: FindEnd, deadline: Deadline) -> None:
    """Press on the source, move to where the end is by then, and let go; what was pressed is always released.

    `press` makes the source ready and does a stroke there. Raises what they raise, and CommandTimeout when the page
    does not answer.
    """
    session = tab.session
    await session.send(cdp_input.SetInterceptDrags(enabled=True))
    try:
        with session.subscribe(cdp_input.DragIntercepted) as intercepted:
            source = await press(_grip(session))
            async with deadline.enforced(source.what):
                await _drag_on(session, source, find_end, deadline, intercepted)
    finally:
        session.post(cdp_input.SetInterceptDrags(enabled=False))


def _grip(session: CDPSession) -> Stroke:
    """Return the press a drag begins with; the button stays down."""

    async def send(source: Ready, seconds: float) -> None:
        await send_input(session, [pressed(source.x, source.y)], timeout=seconds)

    async def undo(source: Ready) -> None:
        await send_input(session, [released(source.x, source.y)], timeout=UNDO_S)

    return Stroke(send, released=False, undo=undo)


async def _drag_on(
    session: CDPSession,
    source: Ready,
    find_end: FindEnd,
    deadline: Deadline,
    intercepted: Subscription[cdp_input.DragIntercepted],
) -> None:
    at = source.x, source.y
    try:
        near = path(at, (at[0] + LIFT_PX, at[1] + LIFT_PX), 2)
        await send_input(session, [moved(*point, held="left") for point in near], timeout=deadline.late)
        begun = await _has_begun(source, deadline)
        data = (await intercepted.get(min(INTERCEPT_S, deadline.late))).data if begun else None
        end = await find_end(source)
        way = path(at, end, STEPS)
        if data:
            events: list[Command[None]] = [*_carry(way, data)]
        else:
            at = end
            events = [*(moved(x, y, held="left") for x, y in way), released(*end)]
        await send_input(session, events, timeout=deadline.late)
    except BaseException:
        session.post(released(*at))
        raise


async def _has_begun(source: Ready, deadline: Deadline) -> bool:
    try:
        return bool(await source.frame.call("() => __sf.takeDragged()", timeout=deadline.late) == "started")
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
