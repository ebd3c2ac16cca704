"""One action on its way to the page, and what must run before its first input event."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from stillframe.tab.frames import Frame
from stillframe.tab.locating.sought import Identity
from stillframe.tab.tab import Tab

Inspector = Callable[[str, Frame, Identity | None], None]
"""Sees the selector, the frame and the identity of the element of an action before anything is done to it; may raise."""

Armed = Callable[[float], Awaitable[None]]
"""Waits, for so many seconds at most, until all documents have noted what was going on before the input."""


class BeforeInput(NamedTuple):
    """What runs before the first input event of an action."""

    inspect: Inspector | None = None
    armed: Armed | None = None


class Attempt(NamedTuple):
    """A tab and what runs before input is sent to it: what every action gets."""

    tab: Tab
    before_input: BeforeInput = BeforeInput()
