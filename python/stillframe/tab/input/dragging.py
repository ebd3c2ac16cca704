"""Drag with the mouse, on pages that use mouse events and on those that use the browser's drag and drop.

Chrome passes drag and drop to the operating system, where input events do not reach it. With interception, Chrome
reports the drag data instead, and stillframe sends the drag events itself. Before Chrome 91 nothing intercepts: there,
only pages that use mouse events can be dragged on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from stillframe.cdp_types import input as cdp_input
from stillframe.errors import ContextLost
from stillframe.tab.input.mouse import moved, path, pressed, released, send_input
from stillframe.tab.input.press import PointerInput
from stillframe.tab.unsupported import unsupported

if TYPE_CHECKING:
    from stillframe.cdp.subscription import Subscription
    from stillframe.cdp_types._base import Command
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.input.actionability import ReadyTarget
    from stillframe.tab.tab import Tab

Press = Callable[[PointerInput], Awaitable["ReadyTarget"]]
FindEnd = Callable[["ReadyTarget"], Awaitable[tuple[float, float]]]

LIFT_PX = 12
"""How far the mouse moves before a drag must have started; Chrome's own threshold is 3 px."""

STEPS = 6
"""Moves on the way: pages measure speed and direction, and drop zones expect to see the mouse enter."""

INTERCEPT_S = 5.0
"""Seconds for Chrome to report the data of a drag that the page has started."""


UNDO_S = 1.0
"""Seconds for the page to process the released button."""


async def drag(tab: Tab, press: Press, find_end: FindEnd, deadline: Deadline) -> None:
    """Press on the source, move to the current position of the end, and release; the button is always released.

    `press` makes the source ready and sends the press. Raises what `press` and `find_end` raise, and CommandTimeout if
    the page does not answer.
    """
    session = tab.session
    intercepts = tab.context.capabilities.has(cdp_input.SetInterceptDrags.method)
    if intercepts:
        await session.send(cdp_input.SetInterceptDrags(enabled=True))
    try:
        with session.subscribe(cdp_input.DragIntercepted) as intercepted:
            source = await press(_button_down(tab))
            async with deadline.enforced(source.what):
                await _move_and_drop(tab, source, find_end, deadline, intercepted)
    finally:
        if intercepts:
            session.post(cdp_input.SetInterceptDrags(enabled=False))


def _button_down(tab: Tab) -> PointerInput:
    """Return the input that a drag begins with; the button stays down."""

    async def send(source: ReadyTarget, seconds: float) -> None:
        await send_input(tab, [pressed(source.x, source.y)], timeout=seconds)

    async def undo(source: ReadyTarget) -> None:
        await send_input(tab, [released(source.x, source.y)], timeout=UNDO_S)

    return PointerInput(send, released=False, undo=undo)


async def _move_and_drop(
    tab: Tab,
    source: ReadyTarget,
    find_end: FindEnd,
    deadline: Deadline,
    intercepted: Subscription[cdp_input.DragIntercepted],
) -> None:
    at = source.x, source.y
    try:
        near = path(at, (at[0] + LIFT_PX, at[1] + LIFT_PX), 2)
        await send_input(tab, [moved(*point, held="left") for point in near], timeout=deadline.late)
        started = await _has_started(source, deadline)
        data = await _dragged(tab, intercepted, deadline) if started else None
        end = await find_end(source)
        way = path(at, end, STEPS)
        if data:
            events: list[Command[None]] = [*_drag_events(way, data)]
        else:
            at = end
            events = [*(moved(x, y, held="left") for x, y in way), released(*end)]
        await send_input(tab, events, timeout=deadline.late)
    except BaseException:
        tab.session.post(released(*at))
        raise


async def _dragged(
    tab: Tab, intercepted: Subscription[cdp_input.DragIntercepted], deadline: Deadline
) -> cdp_input.DragData:
    """Return the data of a drag that the page has started; raises UnsupportedByBrowser where nothing intercepts it."""
    capabilities = tab.context.capabilities
    if not capabilities.has(cdp_input.DragIntercepted.method):
        hint = "the page uses the browser's drag and drop, which input events do not reach"
        raise unsupported(capabilities, cdp_input.DragIntercepted.method, hint)
    return (await intercepted.get(min(INTERCEPT_S, deadline.late))).data


async def _has_started(source: ReadyTarget, deadline: Deadline) -> bool:
    try:
        return bool(await source.frame.call("() => __sf.takeDragStart()", timeout=deadline.late) == "started")
    except ContextLost:
        return False


def _drag_events(way: list[tuple[float, float]], data: cdp_input.DragData) -> list[cdp_input.DispatchDragEvent]:
    """Return the drag events: enter the page, move over it, and drop at the end of the path."""
    (x, y), (end_x, end_y) = way[0], way[-1]
    return [
        cdp_input.DispatchDragEvent(type="dragEnter", x=x, y=y, data=data),
        *(cdp_input.DispatchDragEvent(type="dragOver", x=px, y=py, data=data) for px, py in way),
        cdp_input.DispatchDragEvent(type="drop", x=end_x, y=end_y, data=data),
    ]
