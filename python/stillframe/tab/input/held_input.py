"""The keys and mouse buttons that the caller holds down on one tab, and where the mouse is.

CDP keeps no such state: each input event says by itself which keys and buttons are down. So every event that is sent
to the tab passes through `HeldInput.applied`. A new document of the page begins with nothing held: the one before it
can no longer see the release.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from stillframe.cdp_types import input as cdp_input

SHIFT = 8
"""The bit of Shift in CDP's Input domain."""

BUTTONS = {"left": 1, "right": 2, "middle": 4}
"""Mouse buttons and their bits in MouseEvent.buttons."""

FORCE = 0.5
"""PointerEvent.pressure of hardware without a sensor while a button is down (Pointer Events, "pressure")."""


class HeldKey(NamedTuple):
    """A key that is down: its place on the keyboard, and its bit if it is a modifier."""

    code: str
    bit: int


class HeldInput:
    """What is held down on one tab."""

    def __init__(self) -> None:
        self.keys: dict[str, HeldKey] = {}
        """The keys that are down, by their places on the keyboard."""
        self.buttons: list[str] = []
        """The mouse buttons that are down, in the order in which they were pressed."""
        self.at: tuple[float, float] = (0.0, 0.0)
        """Where the mouse is, in CSS pixels of the viewport."""
        self.drag: Any = None
        """The drag of the browser's own that a held button may have begun; see `tab/input/mouse.py`."""

    @property
    def modifiers(self) -> int:
        """Return CDP's bit set of the modifier keys that are down."""
        bits = 0
        for key in self.keys.values():
            bits |= key.bit
        return bits

    def press(self, code: str, bit: int) -> bool:
        """Note that a key goes down; returns whether it was down already, as a keyboard that repeats it."""
        repeats = code in self.keys
        self.keys[code] = HeldKey(code, bit)
        return repeats

    def release(self, code: str) -> None:
        """Note that a key goes up."""
        self.keys.pop(code, None)

    def clear(self) -> None:
        """Forget all keys and buttons: nobody can see their release."""
        self.keys.clear()
        self.buttons.clear()
        if self.drag is not None:
            self.drag.end()
            self.drag = None

    def applied(self, event: Any) -> Any:
        """Return an input event with the keys and buttons that are down, and note where it moves the mouse."""
        if isinstance(event, cdp_input.DispatchMouseEvent):
            self.at = (event.x, event.y)
            event = self._with_buttons(event)
        held = self.modifiers
        if not held or isinstance(event, cdp_input.InsertText):
            return event
        event = msgspec.structs.replace(event, modifiers=(event.modifiers or 0) | held)
        if isinstance(event, cdp_input.DispatchKeyEvent) and event.text and held & ~SHIFT:
            # With Control, Alt or Meta held, a key is a command, not text.
            return msgspec.structs.replace(event, type="rawKeyDown", text=None, unmodified_text=None)
        return event

    def _with_buttons(self, event: cdp_input.DispatchMouseEvent) -> cdp_input.DispatchMouseEvent:
        if not self.buttons:
            return event
        bits = (event.buttons or 0) | sum(BUTTONS[name] for name in self.buttons)
        if event.type != "mouseMoved" or event.buttons:
            return msgspec.structs.replace(event, buttons=bits)
        return msgspec.structs.replace(event, button=self.buttons[0], buttons=bits, force=FORCE)
