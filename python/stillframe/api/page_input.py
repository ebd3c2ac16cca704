"""The input devices of a page."""

from __future__ import annotations

from stillframe.api.keyboard import Keyboard
from stillframe.api.mouse import Mouse, Touchscreen
from stillframe.api.parts import PagePart


class PageInput(PagePart):
    """The input devices of a page: what they send is real input, and they hold keys and buttons."""

    @property
    def keyboard(self) -> Keyboard:
        """The keyboard, for what has the focus: `await page.keyboard.press("Escape")`."""
        return Keyboard(self._parts)

    @property
    def mouse(self) -> Mouse:
        """The mouse, by coordinates: `await page.mouse.move(10, 20)`."""
        return Mouse(self._parts)

    @property
    def touchscreen(self) -> Touchscreen:
        """The touchscreen, by coordinates: `await page.touchscreen.tap(10, 20)`."""
        return Touchscreen(self._parts)
