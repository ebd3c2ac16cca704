"""Touch events of one finger; coordinates are CSS pixels of the page's viewport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillframe.cdp.loop_clock import sleep
from stillframe.cdp_types import emulation
from stillframe.cdp_types import input as cdp_input
from stillframe.cdp_types import page as cdp_page
from stillframe.tab.drawing import drawn
from stillframe.tab.input.keyboard import modifier_bits
from stillframe.tab.input.mouse import path, send_input

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.tab import Tab

MOVES = 12
"""Moves of a swipe, `MOVE_S` seconds apart: Chromium takes fewer and faster ones for a fling (measured)."""

MOVE_S = 0.012

DWELLS = 4
"""Repetitions of the last point, `DWELL_S` seconds apart, before the finger lifts: without them 600 px of finger
movement become a fling of 3000 px that lasts more than a second (measured)."""

DWELL_S = 0.03


def touched(kind: str, *points: tuple[float, float], modifiers: int = 0) -> cdp_input.DispatchTouchEvent:
    """Return a touch event (`touchStart`, `touchMove`, `touchEnd` or `touchCancel`) with the fingers that are down."""
    return cdp_input.DispatchTouchEvent(
        type=kind,
        touch_points=[cdp_input.TouchPoint(x=x, y=y, id=n) for n, (x, y) in enumerate(points)],
        modifiers=modifiers,
    )


async def tap(tab: Tab, x: float, y: float, deadline: Deadline, *, modifiers: Sequence[str] = ()) -> None:
    """Tap a point."""
    bits = modifier_bits(modifiers)
    events = (touched("touchStart", (x, y), modifiers=bits), touched("touchEnd", modifiers=bits))
    await send_input(tab, events, deadline)


async def long_press(tab: Tab, x: float, y: float, hold_s: float, deadline: Deadline) -> None:
    """Hold a finger on a point for `hold_s`, which the deadline includes.

    Chrome reports a long press after 0.7 s, and a tap before that (measured). Plain touch events end in a tap however
    long they last. A mouse that emulates touch gives a long press, but not with `Input.dispatchMouseEvent`: Chrome
    never answers that, and gives later answers to the wrong mouse events.
    """
    session = tab.session
    # In contrast to all other input, the point is one of the window: a page that is zoomed has another one there.
    view = (await session.send(cdp_page.GetLayoutMetrics(), timeout=deadline.hard_left_s)).css_visual_viewport
    scale = 1.0 if view is None else view.scale  # Chrome has it since version 90
    at = (round(x * scale), round(y * scale))
    await session.send(emulation.SetEmitTouchEventsForMouse(enabled=True, configuration="mobile"))
    async with tab.clock.undisturbed():
        try:
            await session.send(_emulated("mousePressed", at), timeout=deadline.hard_left_s)
            await session.drain_events(timeout=deadline.hard_left_s)
            await sleep(hold_s)
        finally:
            await _lifted(tab, at)
    await session.drain_events(timeout=deadline.hard_left_s)


def _emulated(kind: str, at: tuple[int, int]) -> cdp_input.EmulateTouchFromMouseEvent:
    return cdp_input.EmulateTouchFromMouseEvent(type=kind, x=at[0], y=at[1], button="left", click_count=1)


async def _lifted(tab: Tab, at: tuple[int, int]) -> None:
    """Lift the finger, and end the emulation once the page has it: before, the end cancels the touch."""
    tab.session.post(_emulated("mouseReleased", at))
    await drawn(tab.frames.main)
    tab.session.post(emulation.SetEmitTouchEventsForMouse(enabled=False))


async def swipe(tab: Tab, start: tuple[float, float], end: tuple[float, float], deadline: Deadline) -> None:
    """Move a finger from start to end and stop before lifting it, so that there is no fling."""
    await _move_finger(tab, [start, *path(start, end, MOVES), *[end] * DWELLS], deadline)


async def _move_finger(tab: Tab, points: Sequence[tuple[float, float]], deadline: Deadline) -> None:
    """Draw a line with a finger that holds still at the end; it is lifted whatever happens on the way."""
    first, *rest = points
    try:
        await send_input(tab, [touched("touchStart", first)], deadline)
        for at, point in enumerate(rest):
            await sleep(MOVE_S if at < MOVES else DWELL_S)
            await send_input(tab, [touched("touchMove", point)], deadline)
        await sleep(DWELL_S)
    except BaseException:
        tab.session.post(touched("touchCancel"))
        raise
    await send_input(tab, [touched("touchEnd")], deadline)
