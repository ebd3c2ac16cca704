"""The native screen of a device without anything installed on it: `uiautomator dump` to look, `input` to act.

It is small on purpose: for a permission dialog, a native login, a button beside a WebView. A look takes 1 to 3 s,
because uiautomator starts, waits until nothing moves and ends. What a web page shows is found on the page of its
WebView.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from stillframe.adb.errors import ShellFailed
from stillframe.adb.native.keycodes import keycode
from stillframe.adb.native.native_input import (
    Direction,
    current_screen,
    drag_command,
    inner,
    keyboard_shown,
    natural_screen,
    swipe_points,
    tap_command,
    text_commands,
)
from stillframe.adb.native.native_selectors import matching, parse_selector, the_one
from stillframe.adb.native.rect import Rect
from stillframe.adb.native.ui_tree import COMMAND, NativeElement, parse_hierarchy
from stillframe.cdp.loop_clock import loop_clock
from stillframe.errors import CommandTimeout, ElementDisabled, ElementHidden, ElementNotFound

if TYPE_CHECKING:
    from stillframe.adb.adb_device import AdbDevice, ShellResult

LOOK_S = 15.0
"""Seconds that a look may take: uiautomator waits up to 10 for idle (AOSP, DumpCommand), and starts in 1 to 3."""
FIND_MS = 15_000
"""Milliseconds that `find` looks by default: uiautomator has time to say that a screen does not come to rest."""
INPUT_S = 15.0
"""Seconds that one `input` may take: it types 200 characters, and starts in up to 1 s before Android 11."""
PAUSE_S = 0.2
"""Seconds between two looks."""
LEAST_S = 0.5
"""Seconds that must be left for another look; the fastest devices need about one for it."""

NOT_IDLE = "could not get idle state"
ADVICE = {
    NOT_IDLE: "something on the screen keeps moving (an animation, a video, a countdown); wait until it rests",
    "null root node": "no window answers: wake and unlock the device",
    "not found": "this device has no uiautomator",
    "Killed": "another tool (Appium, a screen reader under test) may hold the only connection to uiautomator",
}
"""What uiautomator prints when it fails (AOSP, DumpCommand), and what to do."""
INPUT_ADVICE = {
    "INJECT_EVENTS": "allow input over adb in the developer options (Xiaomi: USB debugging (Security settings))",
    "not found": "this device has no program `input`",
}

Target = str | NativeElement | tuple[int, int]
"""What a gesture acts on: a selector, an element of an earlier look, or a point of the screen in pixels."""


class NativeUi:
    """Looks at the native screen of one device, and acts on it; selectors are those of `native_selectors`."""

    def __init__(self, device: AdbDevice) -> None:
        self._device = device
        self._through_file = False
        """Whether /dev/tty has failed: a look then goes through a file on the device."""

    # -- looking

    async def elements(self, *, timeout_ms: float = LOOK_S * 1000) -> list[NativeElement]:
        """Return what is on the screen, in document order.

        Args:
            timeout_ms: The limit of the call, in ms.

        Raises:
            ShellFailed: uiautomator fails.
            CommandTimeout: The call takes longer than `timeout_ms`.
            TransportLost: The link to the device breaks.
        """
        deadline = loop_clock().now() + timeout_ms / 1000
        output = await self._dump(deadline)
        if NOT_IDLE in output.decode("utf-8", "replace"):
            with suppress(CommandTimeout):  # that the screen moves is the better reason
                output = await self._dump(deadline)
        return _parsed(output)

    async def find_all(self, selector: str, *, timeout_ms: float = LOOK_S * 1000) -> list[NativeElement]:
        """Return the elements that a selector matches now.

        Args:
            selector: A selector of native elements.
            timeout_ms: The limit of the call, in ms.

        Raises:
            SelectorInvalid: The selector does not parse.
            ShellFailed: uiautomator fails.
            CommandTimeout: The call takes longer than `timeout_ms`.
            TransportLost: The link to the device breaks.
        """
        parse_selector(selector)
        return matching(await self.elements(timeout_ms=timeout_ms), selector)

    async def find(self, selector: str, *, timeout_ms: float = FIND_MS) -> NativeElement:
        """Look until an element matches; it must be the only one.

        Args:
            selector: A selector of native elements.
            timeout_ms: How long to look, in ms.

        Raises:
            SelectorInvalid: The selector does not parse.
            ElementNotFound: Nothing matches within `timeout_ms`; the message has the nearest candidates.
            AmbiguousSelector: Several elements match, said at once, because uiautomator looks when nothing moves.
            ShellFailed: uiautomator fails.
        """
        parse_selector(selector)
        deadline = loop_clock().now() + timeout_ms / 1000
        missed: ElementNotFound | None = None
        while missed is None or _left(deadline) > LEAST_S:
            try:
                elements = await self.elements(timeout_ms=_left(deadline) * 1000)
                return the_one(elements, selector, seconds=timeout_ms / 1000)
            except ElementNotFound as error:
                missed = error
            except CommandTimeout:
                if missed is None:
                    raise
                break
            await asyncio.sleep(min(PAUSE_S, _left(deadline)))
        raise missed

    async def _dump(self, deadline: float) -> bytes:
        if not self._through_file:
            output = await self._device.exec_out(f"{COMMAND} /dev/tty", timeout=_left(deadline))
            if b"<hierarchy" in output or not _names_no_cause(output):
                return output
            self._through_file = True
        return await self._dump_to_file(deadline)

    async def _dump_to_file(self, deadline: float) -> bytes:
        path = f"/data/local/tmp/stillframe_{secrets.token_hex(8)}.xml"
        command = f"{COMMAND} {path}; cat {path}; rm -f {path}"
        return await self._device.exec_out(command, timeout=_left(deadline))

    # -- gestures

    async def tap(self, target: Target, *, timeout_ms: float = FIND_MS) -> None:
        """Tap the middle of an element, or a point.

        Args:
            target: A selector of native elements, an element, or a point.
            timeout_ms: How long to look for the element, in ms.

        Raises:
            ElementNotFound: Nothing matches within `timeout_ms`.
            AmbiguousSelector: Several elements match.
            ElementDisabled: The element is disabled.
            ElementHidden: The element is not on the screen.
            ShellFailed: The device refuses input.
        """
        await self._input(tap_command(await self._point(target, timeout_ms)))

    async def long_press(self, target: Target, *, duration_ms: int = 1000, timeout_ms: float = FIND_MS) -> None:
        """Hold a finger on the middle of an element, or on a point.

        Android takes 500 ms for a long press unless the user has chosen more (AOSP, ViewConfiguration).

        Args:
            target: A selector of native elements, an element, or a point.
            duration_ms: How long the finger stays, in ms.
            timeout_ms: How long to look for the element, in ms.

        Raises:
            ElementNotFound: Nothing matches within `timeout_ms`.
            AmbiguousSelector: Several elements match.
            ElementDisabled: The element is disabled.
            ElementHidden: The element is not on the screen.
            ShellFailed: The device refuses input.
        """
        point = await self._point(target, timeout_ms)
        await self._input(drag_command(point, point, duration_ms), seconds=duration_ms / 1000)

    async def swipe(
        self,
        direction: Direction,
        selector: str | None = None,
        *,
        percent: float = 0.5,
        duration_ms: int = 600,
        timeout_ms: float = FIND_MS,
    ) -> None:
        """Swipe over the screen or over one element with one finger.

        Args:
            direction: Where the content that comes into view lies, opposite to the finger's direction: `down` shows
                what lies below.
            selector: The element to swipe over; by default the screen.
            percent: The share of the width or height that the finger travels, up to 1.
            duration_ms: How long the finger travels, in ms. Android lets the content glide on after the finger lifts; a
                longer duration makes it glide less.
            timeout_ms: How long to look for the element, in ms.

        Raises:
            OptionInvalid: An argument is invalid.
            ElementNotFound: Nothing matches within `timeout_ms`.
            AmbiguousSelector: Several elements match.
            ShellFailed: The device refuses input.
        """
        swipe_points(direction, Rect(0, 0, 2, 2), percent)
        area = inner(await self._screen()) if selector is None else (await self._ready(selector, timeout_ms)).bounds
        start, end = swipe_points(direction, area, percent)
        await self._input(drag_command(start, end, duration_ms), seconds=duration_ms / 1000)

    async def _point(self, target: Target, timeout_ms: float) -> tuple[int, int]:
        if isinstance(target, tuple):
            x, y = target
            return round(x), round(y)
        return (await self._ready(target, timeout_ms)).bounds.center

    async def _ready(self, target: str | NativeElement, timeout_ms: float) -> NativeElement:
        selector = target if isinstance(target, str) else target.describe()
        element = await self.find(target, timeout_ms=timeout_ms) if isinstance(target, str) else target
        if not element.enabled:
            raise ElementDisabled(f"{selector}: the native element {element.describe()} is disabled", selector=selector)
        if element.bounds.empty:
            raise ElementHidden(f"{selector}: {element.describe()} has no area on the screen", selector=selector)
        return element

    async def _screen(self) -> Rect:
        displays = await self._device.shell("dumpsys window displays")
        screen = current_screen(displays.text) or natural_screen((await self._device.shell("wm size")).text)
        if screen is None or screen.empty:
            raise _failed("wm size", displays, "the device does not say how large its screen is; name an element")
        return screen

    # -- keyboard

    async def type_text(self, text: str) -> None:
        """Type ASCII text into the element that has the focus.

        Args:
            text: The text; a line feed is ENTER and a tab is TAB.

        Raises:
            OptionInvalid: It has other characters, which `input text` cannot send.
            ShellFailed: The device refuses input.
        """
        for command in text_commands(text):
            await self._input(command, shown="input text")

    async def press_key(self, key: str | int, *, long: bool = False) -> None:
        """Press a key.

        Args:
            key: `BACK`, `HOME`, `ENTER`, `KEYCODE_APP_SWITCH`, `ArrowUp`, or a number.
            long: Whether it is held.

        Raises:
            OptionInvalid: The key is unknown.
            ShellFailed: The device refuses input.
        """
        await self._input(f"input keyevent {'--longpress ' if long else ''}{keycode(key)}")

    async def wake(self) -> None:
        """Switch the screen on if it is off; a locked device stays locked."""
        await self.press_key("WAKEUP")

    async def hide_keyboard(self) -> bool:
        """Hide the keyboard and return whether there was one; without one, no key is sent to the app.

        If the device does not say, it gets the key all the same.

        Raises:
            ShellFailed: The device refuses input.
        """
        shown = keyboard_shown((await self._device.shell("dumpsys input_method")).text)
        if shown is not False:
            await self.press_key("ESCAPE")
        return shown is not False

    async def _input(self, command: str, *, seconds: float = 0, shown: str = "") -> None:
        """Run a command that lasts `seconds` by itself; `shown` stands for it in errors if it may hold a secret."""
        try:
            result = await self._device.shell(command, timeout=INPUT_S + seconds)
        except CommandTimeout as error:
            timeout_ms = (INPUT_S + seconds) * 1000
            reason = f"{shown or command}: no answer from the device within {timeout_ms:.0f} ms; is its screen on?"
            raise CommandTimeout(reason, timeout_ms=timeout_ms, method=error.method) from None
        output = f"{result.text}{result.stderr.decode('utf-8', 'replace')}"
        if result.returncode or "Exception" in output or output.startswith(("Error", "/system/bin/sh:")):
            raise _failed(shown or command, result, _advice(INPUT_ADVICE, output))


def _left(deadline: float) -> float:
    return max(deadline - loop_clock().now(), 0.01)


def _names_no_cause(output: bytes) -> bool:
    """Say whether uiautomator has printed no reason for writing no XML: it does so if it cannot open the terminal."""
    return not _advice(ADVICE, output.decode("utf-8", "replace"))


def _parsed(output: bytes) -> list[NativeElement]:
    try:
        return parse_hierarchy(output)
    except ShellFailed as error:
        advice = _advice(ADVICE, error.stdout)
        if not advice:
            raise
        printed = " ".join(error.stdout.split())[:200]
        raise ShellFailed(
            f"{COMMAND} failed: {printed}: {advice}", command=COMMAND, returncode=None, stdout=error.stdout
        ) from error


def _advice(advice: dict[str, str], output: str) -> str:
    return next((hint for reason, hint in advice.items() if reason in output), "")


def _failed(command: str, result: ShellResult, advice: str) -> ShellFailed:
    stdout, stderr = result.text, result.stderr.decode("utf-8", "replace")
    printed = " ".join(f"{stderr} {stdout}".split())[:200] or f"exit code {result.returncode}"
    return ShellFailed(
        f"{command} failed on the device: {printed}{advice and f'; {advice}'}",
        command=command,
        returncode=result.returncode,
        stdout=stdout,
        stderr=stderr,
    )
