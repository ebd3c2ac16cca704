"""Mouse events; coordinates are CSS pixels of the page's viewport, whatever frame is there."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from stillframe.cdp.loop_clock import sleep, time_limit
from stillframe.cdp_types import input as cdp_input
from stillframe.errors import CommandError, StillframeError
from stillframe.injected import elements
from stillframe.tab.input.held_input import BUTTONS, FORCE
from stillframe.tab.input.keyboard import modifier_bits

if TYPE_CHECKING:
    from stillframe.cdp_types._base import Command
    from stillframe.injected.call import Call
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.tab import Tab

Button = Literal["left", "right", "middle"]


def moved(x: float, y: float, *, held: Button | None = None, modifiers: int = 0) -> cdp_input.DispatchMouseEvent:
    """Return the event of a mouse move, with or without a held button."""
    return cdp_input.DispatchMouseEvent(
        type="mouseMoved",
        x=x,
        y=y,
        button=held or "none",
        buttons=BUTTONS[held] if held else 0,
        modifiers=modifiers,
        force=FORCE if held else None,
    )


def pressed(
    x: float, y: float, button: Button = "left", *, count: int = 1, modifiers: int = 0
) -> cdp_input.DispatchMouseEvent:
    """Return the event of a button going down for the `count`th time in a row."""
    return cdp_input.DispatchMouseEvent(
        type="mousePressed",
        x=x,
        y=y,
        button=button,
        buttons=BUTTONS[button],
        click_count=count,
        modifiers=modifiers,
        force=FORCE,
    )


def released(
    x: float, y: float, button: Button = "left", *, count: int = 1, modifiers: int = 0
) -> cdp_input.DispatchMouseEvent:
    """Return the event of a button going up."""
    return cdp_input.DispatchMouseEvent(
        type="mouseReleased", x=x, y=y, button=button, buttons=0, click_count=count, modifiers=modifiers
    )


def click_events(
    x: float, y: float, *, button: Button = "left", count: int = 1, modifiers: Sequence[str] = ()
) -> Iterable[cdp_input.DispatchMouseEvent]:
    """Yield the events of a click at the mouse position: the button goes down and up `count` times."""
    bits = modifier_bits(modifiers)
    for n in range(1, count + 1):
        yield pressed(x, y, button, count=n, modifiers=bits)
        yield released(x, y, button, count=n, modifiers=bits)


async def hold(hold_s: float, release: Coroutine[Any, Any, None]) -> None:
    """Keep a button or a key down, then release it, even if the call is cancelled meanwhile."""
    try:
        if hold_s:
            await sleep(hold_s)
    finally:
        await release


async def send_click(
    tab: Tab,
    at: tuple[float, float],
    deadline: Deadline,
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    hold_s: float = 0.0,
) -> None:
    """Click at the mouse position, with the button held for `hold_s` each time, and as long between two clicks."""
    events = list(click_events(*at, button=button, count=count, modifiers=modifiers))
    if not hold_s:
        await send_input(tab, events, deadline)
        return
    for down, up in zip(events[::2], events[1::2], strict=True):
        if down is not events[0]:
            await sleep(hold_s)
        await send_input(tab, [down], deadline)
        await hold(hold_s, send_input(tab, [up], deadline))


def path(start: tuple[float, float], end: tuple[float, float], steps: int) -> list[tuple[float, float]]:
    """Return `steps` points on the line from start to end, including the end but not the start."""
    (x0, y0), (x1, y1) = start, end
    return [(x0 + (x1 - x0) * n / steps, y0 + (y1 - y0) * n / steps) for n in range(1, steps + 1)]


async def send_input(tab: Tab, events: Iterable[Command[None]], deadline: Deadline) -> None:
    """Send input events in order; returns when the page has handled all of them.

    They have the keys and buttons that the caller holds, and are sent without waiting in between. On a virtual clock
    each waits for the one before, so that none arrives while a script is paused.
    """
    if tab.clock.virtual is None:
        async with tab.session.batch(timeout=deadline.hard_left_s) as batch:
            for event in events:
                batch.send(tab.held.applied(event))
        return
    for event in events:
        async with tab.clock.undisturbed():
            await tab.session.send(tab.held.applied(event), timeout=deadline.hard_left_s)


# The mouse as a hand moves it: buttons that stay down from one call to the next, and drags of the browser's own.
#
# Chrome passes its own drag and drop to the operating system, where input events do not reach it. With interception it
# reports the data of a drag instead, and the moves and the release that follow become drag events.

INTERCEPT_S = 5.0
"""Seconds for Chrome to report the data of a drag that the page has started."""


class CarriedDrag:
    """A drag of the browser's own that began while a button is down."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self.data: cdp_input.DragData | None = None
        self._began = asyncio.Event()
        self._remove = tab.session.on(cdp_input.DragIntercepted, self._intercepted)

    def _intercepted(self, event: cdp_input.DragIntercepted) -> None:
        self.data = event.data
        self._began.set()

    async def watch(self, deadline: Deadline) -> None:
        """Begin to notice drags; raises CommandTimeout."""
        await self._tab.session.send(cdp_input.SetInterceptDrags(enabled=True), timeout=deadline.hard_left_s)
        await self._ask(elements.watch_drag(), deadline)

    async def notice(self, deadline: Deadline) -> None:
        """Wait for the data of a drag if the page has started one."""
        if self.data is None and "started" in await self._ask(elements.drag_start(), deadline):
            try:
                async with time_limit(min(INTERCEPT_S, deadline.hard_left_s)):
                    await self._began.wait()
            except StillframeError:
                raise
            except TimeoutError:
                return  # the page takes the drag over with the mouse

    async def over(self, x: float, y: float, deadline: Deadline) -> None:
        """Carry what is dragged to a point."""
        await self._send(("dragEnter", "dragOver"), x, y, deadline)

    async def drop(self, x: float, y: float, deadline: Deadline) -> None:
        """Drop what is dragged at a point."""
        await self._send(("dragOver", "drop"), x, y, deadline)

    async def _send(self, kinds: Sequence[str], x: float, y: float, deadline: Deadline) -> None:
        assert self.data is not None
        events = [cdp_input.DispatchDragEvent(type=kind, x=x, y=y, data=self.data) for kind in kinds]
        await send_input(self._tab, events, deadline)

    async def _ask(self, call: Call, deadline: Deadline) -> list[object]:
        known = [frame for frame in self._tab.frames if frame.context_id is not None]
        calls = (frame.call(call, timeout=deadline.hard_left_s) for frame in known)
        answers = await asyncio.gather(*calls, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, CommandError):
                raise answer
        return answers

    def end(self) -> None:
        """Stop noticing drags; awaits nothing."""
        self._remove()
        self._tab.session.post(cdp_input.SetInterceptDrags(enabled=False))


async def move(tab: Tab, x: float, y: float, steps: int, deadline: Deadline) -> None:
    """Move the mouse to a point in some steps, with what it holds and what it drags."""
    drag = tab.held.drag
    for at in path(tab.held.at, (x, y), steps):
        if drag is not None and drag.data is not None:
            await drag.over(*at, deadline)
            tab.held.at = at
            continue
        await send_input(tab, [moved(*at)], deadline)
        if drag is not None:
            await drag.notice(deadline)


async def down(tab: Tab, button: Button, count: int, deadline: Deadline) -> None:
    """Press a button where the mouse is, for the `count`th time in a row, and hold it."""
    if button == "left" and tab.held.drag is None and tab.context.capabilities.has(cdp_input.SetInterceptDrags.method):
        tab.held.drag = drag = CarriedDrag(tab)
        await drag.watch(deadline)
    event = pressed(*tab.held.at, button, count=count)
    if button not in tab.held.buttons:
        tab.held.buttons.append(button)
    await send_input(tab, [event], deadline)


async def up(tab: Tab, button: Button, count: int, deadline: Deadline) -> None:
    """Release a button where the mouse is, and drop what it drags."""
    if button in tab.held.buttons:
        tab.held.buttons.remove(button)
    drag = tab.held.drag if button == "left" else None
    try:
        if drag is not None and drag.data is not None:
            await drag.drop(*tab.held.at, deadline)
        else:
            await send_input(tab, [released(*tab.held.at, button, count=count)], deadline)
    finally:
        if drag is not None:
            drag.end()
            tab.held.drag = None


async def wheel(tab: Tab, delta_x: float, delta_y: float, deadline: Deadline) -> None:
    """Turn the wheel where the mouse is."""
    x, y = tab.held.at
    event = cdp_input.DispatchMouseEvent(type="mouseWheel", x=x, y=y, delta_x=delta_x, delta_y=delta_y)
    await send_input(tab, [event], deadline)


async def click(tab: Tab, button: Button, count: int, hold_s: float, deadline: Deadline) -> None:
    """Press and release a button `count` times where the mouse is, and hold it for `hold_s` each time."""
    for number in range(1, count + 1):
        if number > 1 and hold_s:
            await sleep(hold_s)
        await down(tab, button, number, deadline)
        await hold(hold_s, up(tab, button, number, deadline))
