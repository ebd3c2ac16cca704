"""One action on its way to the page, and what must run before its first input event."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from stillframe.tab.deadline import Deadline
from stillframe.tab.frames import Frame
from stillframe.tab.locating.query import Identity

if TYPE_CHECKING:
    from stillframe.tab.tab import Tab

Inspector = Callable[[str, Frame, Identity | None], None]
"""Gets the selector, frame and identity of an action's element before any input is sent; may raise."""

Armed = Callable[[Deadline], Awaitable[None]]
"""Waits, at most until the deadline, until all documents have recorded their state before the input."""


class BeforeInput(NamedTuple):
    """The hooks that run before the first input event of an action."""

    inspect: Inspector | None = None
    armed: Armed | None = None


class Attempt(NamedTuple):
    """A tab and the hooks that run before input is sent to it; every action gets one."""

    tab: Tab
    before_input: BeforeInput = BeforeInput()
    follows_key: bool = False
    """Whether the action before it pressed a key, which the page may not have answered."""
    follows_action: bool = False
    """Whether it is not the first action of its sequence."""
