"""The mouse and the touchscreen of a page, by coordinates."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from stillframe.api.arguments import choice, count, number
from stillframe.api.parts import PagePart, page_call
from stillframe.model.actions import Button
from stillframe.settling import signals
from stillframe.tab.deadline import CALL_MS, Deadline
from stillframe.tab.input import mouse, touch
from stillframe.tab.input.held_input import BUTTONS
from stillframe.tab.input.mouse import Button as Pressed

PIXELS = "CSS pixels from the top left of the viewport"
DELAY = "milliseconds to hold the button"


class HandPart(PagePart):
    """What sends input to a point of the page."""

    async def _send(self, timeout_ms: float | None, send: Callable[[Deadline], Awaitable[None]]) -> None:
        """Send input after the sequences that run on the page."""
        deadline = Deadline.of_ms(timeout_ms)
        async with self._parts.settler.lock:
            self._parts.settler.emit(signals.CallerScriptRan())
            await send(deadline)


class Mouse(HandPart):
    """A real mouse, in CSS pixels from the top left of the viewport; `page.mouse` is it.

    It stays where a call or an action has left it, with the buttons that are down, and presses whatever is there. The
    calls return when the page has handled the events, and wait for nothing else: call `page.settle()` after them, or
    use the actions `mouse_move`, `mouse_click`, `mouse_drag` and `mouse_wheel` of `page.execute_sequence`, which return
    what changed. They wait for sequences that run on the page, as every call does.
    """

    @page_call
    async def move(self, x: float, y: float, *, steps: int = 1, timeout_ms: float | None = CALL_MS) -> None:
        """Move the mouse to a point.

        With the left button down it drags, also what the browser itself drags (`draggable`).

        Args:
            x: How far right of the viewport's top left, in CSS pixels.
            y: How far below it.
            steps: How many moves lead there, on the straight way.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        number("x", x, what=PIXELS)
        number("y", y, what=PIXELS)
        count("steps", steps, what="moves on the way")
        await self._send(timeout_ms, lambda deadline: mouse.move(self._tab, x, y, steps, deadline))

    @page_call
    async def down(self, *, button: Button = "left", click_count: int = 1, timeout_ms: float | None = CALL_MS) -> None:
        """Press a button where the mouse is, and hold it.

        Args:
            button: The button to press: `left`, `middle` or `right`.
            click_count: Which click of a row it begins: 2 for that of a double click.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        which, number_ = _button(button), count("click_count", click_count, what="presses in a row")
        await self._send(timeout_ms, lambda deadline: mouse.down(self._tab, which, number_, deadline))

    @page_call
    async def up(self, *, button: Button = "left", click_count: int = 1, timeout_ms: float | None = CALL_MS) -> None:
        """Release a button where the mouse is.

        Args:
            button: The button to release: `left`, `middle` or `right`.
            click_count: Which click of a row it ends: 2 for that of a double click.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        which, number_ = _button(button), count("click_count", click_count, what="presses in a row")
        await self._send(timeout_ms, lambda deadline: mouse.up(self._tab, which, number_, deadline))

    @page_call
    async def click(
        self,
        x: float,
        y: float,
        *,
        button: Button = "left",
        click_count: int = 1,
        delay_ms: float = 0,
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Move the mouse to a point and click there.

        `page.mouse_click` does it as an action, which returns what changed.

        Args:
            x: How far right of the viewport's top left, in CSS pixels.
            y: How far below it.
            button: The button to press: `left`, `middle` or `right`.
            click_count: How many clicks.
            delay_ms: How long the button is held, in ms.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        number("x", x, what=PIXELS)
        number("y", y, what=PIXELS)
        which, times = _button(button), count("click_count", click_count, what="clicks in a row")
        delay_s = number("delay_ms", delay_ms, what=DELAY, least=0) / 1000

        async def send(deadline: Deadline) -> None:
            await mouse.move(self._tab, x, y, 1, deadline)
            await mouse.click(self._tab, which, times, delay_s, deadline)

        await self._send(timeout_ms, send)

    @page_call
    async def dblclick(
        self,
        x: float,
        y: float,
        *,
        button: Button = "left",
        delay_ms: float = 0,
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Move the mouse to a point and click twice there.

        Args:
            x: How far right of the viewport's top left, in CSS pixels.
            y: How far below it.
            button: The button to press: `left`, `middle` or `right`.
            delay_ms: How long the button is held each time, in ms.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self.click(x, y, button=button, click_count=2, delay_ms=delay_ms, timeout_ms=timeout_ms)

    @page_call
    async def wheel(self, delta_x: float, delta_y: float, *, timeout_ms: float | None = CALL_MS) -> None:
        """Turn the wheel where the mouse is.

        Args:
            delta_x: How far to scroll to the right, in CSS pixels.
            delta_y: How far to scroll down; a positive value shows what lies below.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        number("delta_x", delta_x, what="CSS pixels to scroll by")
        number("delta_y", delta_y, what="CSS pixels to scroll by")
        await self._send(timeout_ms, lambda deadline: mouse.wheel(self._tab, delta_x, delta_y, deadline))


class Touchscreen(HandPart):
    """A real finger, in CSS pixels from the top left of the viewport; `page.touchscreen` is it."""

    @page_call
    async def tap(self, x: float, y: float, *, timeout_ms: float | None = CALL_MS) -> None:
        """Touch a point with one finger and release it; returns when the page has handled the events.

        `page.tap(selector)` does it to an element, as an action.

        Args:
            x: How far right of the viewport's top left, in CSS pixels.
            y: How far below it.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            ActionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        number("x", x, what=PIXELS)
        number("y", y, what=PIXELS)
        await self._send(timeout_ms, lambda deadline: touch.tap(self._tab, x, y, deadline))


def _button(button: str) -> Pressed:
    return choice("button", button, BUTTONS)  # type: ignore[return-value]
