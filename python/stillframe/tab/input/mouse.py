"""Mouse events; coordinates are CSS pixels of the page's viewport, whatever frame is there."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from stillframe.cdp.loop_clock import sleep
from stillframe.cdp_types import input as cdp_input
from stillframe.tab.input.held_input import BUTTONS, FORCE
from stillframe.tab.input.keyboard import modifier_bits

if TYPE_CHECKING:
    from stillframe.cdp_types._base import Command
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


async def hold(seconds: float, release: Coroutine[Any, Any, None]) -> None:
    """Keep a button or a key down, then release it, even if the call is cancelled meanwhile."""
    try:
        if seconds:
            await sleep(seconds)
    finally:
        await release


async def send_click(
    tab: Tab,
    at: tuple[float, float],
    *,
    button: Button = "left",
    count: int = 1,
    modifiers: Sequence[str] = (),
    hold_s: float = 0.0,
    timeout: float | None = 30.0,
) -> None:
    """Click at the mouse position, with the button held for `hold_s` each time, and as long between two clicks."""
    events = list(click_events(*at, button=button, count=count, modifiers=modifiers))
    if not hold_s:
        await send_input(tab, events, timeout=timeout)
        return
    for down, up in zip(events[::2], events[1::2], strict=True):
        if down is not events[0]:
            await sleep(hold_s)
        await send_input(tab, [down], timeout=timeout)
        await hold(hold_s, send_input(tab, [up], timeout=timeout))


def path(start: tuple[float, float], end: tuple[float, float], steps: int) -> list[tuple[float, float]]:
    """Return `steps` points on the line from start to end, including the end but not the start."""
    (x0, y0), (x1, y1) = start, end
    return [(x0 + (x1 - x0) * n / steps, y0 + (y1 - y0) * n / steps) for n in range(1, steps + 1)]


async def send_input(tab: Tab, events: Iterable[Command[None]], *, timeout: float | None = 30.0) -> None:
    """Send input events in order; returns when the page has handled all of them.

    They have the keys and buttons that the caller holds, and are sent without waiting in between. On a virtual clock
    each waits for the one before, so that none arrives while a script is paused; `timeout`, in seconds, is then for
    each.
    """
    if tab.clock.virtual is None:
        async with tab.session.batch(timeout=timeout) as batch:
            for event in events:
                batch.send(tab.held.applied(event))
        return
    for event in events:
        async with tab.clock.undisturbed():
            await tab.session.send(tab.held.applied(event), timeout=timeout)
