"""The mouse by coordinates: CSS pixels of the page's viewport, whatever is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stillframe.cdp_types import input as cdp_input
from stillframe.errors import PointOutside
from stillframe.injected import elements
from stillframe.tab.input.actionability import ReadyTarget
from stillframe.tab.input.dragging import End, drag
from stillframe.tab.input.mouse import moved, send_click, send_input
from stillframe.tab.input.route import FramePoint

if TYPE_CHECKING:
    from stillframe.model import actions as a
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.input.attempt import Attempt
    from stillframe.tab.input.press import PointerInput


async def mouse_move(attempt: Attempt, action: a.MouseMove, deadline: Deadline) -> None:
    """Move the mouse to a point; raises PointOutside."""
    await _begin(attempt, (action.x, action.y), deadline)
    await send_input(attempt.tab, [moved(action.x, action.y)], deadline)


async def mouse_click(attempt: Attempt, action: a.MouseClick, deadline: Deadline) -> None:
    """Click at a point; raises PointOutside."""
    await _begin(attempt, (action.x, action.y), deadline)
    # The page handles the move first, as from a hand: what opens under the mouse gets the click.
    await send_input(attempt.tab, [moved(action.x, action.y)], deadline)
    await send_click(
        attempt.tab,
        (action.x, action.y),
        deadline,
        button=action.button,
        count=action.click_count,
        modifiers=action.modifiers,
    )


async def mouse_wheel(attempt: Attempt, action: a.MouseWheel, deadline: Deadline) -> None:
    """Turn the wheel at a point; raises PointOutside."""
    await _begin(attempt, (action.x, action.y), deadline)
    wheel = cdp_input.DispatchMouseEvent(
        type="mouseWheel", x=action.x, y=action.y, delta_x=action.delta_x, delta_y=action.delta_y
    )
    await send_input(attempt.tab, [moved(action.x, action.y), wheel], deadline)


async def mouse_drag(attempt: Attempt, action: a.MouseDrag, deadline: Deadline) -> None:
    """Drag from one point to another; raises PointOutside, and DropMissed.

    The browser's own drag and drop (`draggable`) works where it begins in the document of the page itself.
    """
    await _begin(attempt, (action.x, action.y), deadline)
    await _check(attempt, (action.to_x, action.to_y), deadline)
    main = attempt.tab.frames.main
    what = f"the point {action.x:g}, {action.y:g} of the page"
    source = ReadyTarget(
        frame=main,
        token=0,
        what=what,
        kind="other",
        done=False,
        x=action.x,
        y=action.y,
        points=(FramePoint(main, 0, action.x, action.y),),
    )

    async def press(pointer_input: PointerInput) -> ReadyTarget:
        await send_input(attempt.tab, [moved(action.x, action.y)], deadline)
        await pointer_input.send(source, deadline)
        return source

    async def end(_: ReadyTarget) -> End:
        return End((action.to_x, action.to_y))

    await drag(attempt.tab, press, end, deadline, "mouse_drag")


async def _begin(attempt: Attempt, point: tuple[float, float], deadline: Deadline) -> None:
    """Check the point, and wait until all documents have recorded their state before the input."""
    await _check(attempt, point, deadline)
    if attempt.before_input.armed is not None:
        await attempt.before_input.armed(deadline)


async def _check(attempt: Attempt, point: tuple[float, float], deadline: Deadline) -> None:
    width, height = await attempt.tab.frames.main.call(elements.view_size(), timeout=deadline.hard_left_s)
    x, y = point
    if not (x < width and y < height):
        raise PointOutside(
            f"the point {x:g}, {y:g} is outside of the viewport, which measures {width:g} × {height:g} CSS pixels: "
            "scroll first, or take the coordinates from a new screenshot",
            x=x,
            y=y,
            width=width,
            height=height,
        )
