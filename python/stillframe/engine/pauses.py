"""Waits between the actions of one sequence: an action meets the page that the one before it has led to.

Most actions wait for nothing: they find their element when it comes, and retry when the document is replaced. Three
kinds do not:

- A navigation or a step through the history after another action: a click may lead elsewhere by a link, by a form, or a
  moment later by a script, and going back means back from there.
- Any action after a navigation: scripts attach their handlers while the page loads, and input before that is lost.
- Input without an element while the page is being replaced: it would go to the document that leaves, or to one that has
  just come, whose scripts do not listen yet and which takes no input before it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillframe.engine.page_guard import NAVIGATING
from stillframe.model.actions import (
    Action,
    InsertText,
    KeyDown,
    KeyUp,
    MouseClick,
    MouseDrag,
    MouseMove,
    MouseWheel,
    Navigate,
    PressKey,
    Scroll,
    ScrollTo,
    Swipe,
    TypeText,
    WaitFor,
)

if TYPE_CHECKING:
    from stillframe.settling.settler import Settler, Settling
    from stillframe.tab.deadline import Deadline

AIMLESS = (
    *(PressKey, TypeText, KeyDown, KeyUp, InsertText, Scroll, ScrollTo, Swipe),
    *(MouseMove, MouseClick, MouseDrag, MouseWheel),
)
"""Actions that need no element: without one they act on whatever the page shows."""

LOADED_S = 2.0
"""Seconds that the page of a navigation may take to become still before the next action."""


class Pauses:
    """The waits between the actions of one sequence."""

    def __init__(self, settler: Settler, settling: Settling, plan: Sequence[Action], timeout_ms: float) -> None:
        self._settler = settler
        self._settling = settling
        self._plan = plan
        self._limit_s = timeout_ms / 1000
        self._awaited_document = settler.tab.frames.main.loader_id

    async def before(self, index: int, deadline: Deadline) -> None:
        """Wait before an action that must not overtake what the one before it has begun; at most half of its time."""
        action = self._plan[index]
        if index == 0 or isinstance(self._plan[index - 1], NAVIGATING):
            return
        if isinstance(action, NAVIGATING) or (_is_aimless(action) and await self._is_replaced()):
            await self._rest(deadline.within(min(deadline.left_s / 2, self._limit_s)))

    async def after(self, index: int, deadline: Deadline) -> None:
        """Wait after a navigation until the next action can take place, at most until its deadline."""
        following = self._plan[index + 1 : index + 2]
        if (
            isinstance(self._plan[index], NAVIGATING)
            and following
            and not isinstance(following[0], (Navigate, WaitFor))
        ):
            await self._rest(deadline.within(min(self._limit_s, LOADED_S)))

    async def _rest(self, deadline: Deadline) -> None:
        await self._settling.rest(deadline)
        self._awaited_document = self._settler.tab.frames.main.loader_id

    async def _is_replaced(self) -> bool:
        """Whether another document is on its way, or has come since the last wait."""
        tab = self._settler.tab
        await tab.next_document.ask()
        return self._settler.leaving_for is not None or tab.frames.main.loader_id != self._awaited_document


def _is_aimless(action: Action) -> bool:
    return isinstance(action, AIMLESS) and getattr(action, "selector", None) is None
