"""Sequences on pages whose dialogs wait for the caller: what a dialog ends, and what was done before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillframe.model.actions import (
    Action,
    AnswerDialog,
    Click,
    DoubleClick,
    DragTo,
    Hover,
    InsertText,
    KeyDown,
    KeyUp,
    LongPress,
    PressKey,
    RightClick,
    Tap,
    TypeText,
    WaitFor,
)
from stillframe.tab.events.held_dialogs import dialog_error
from stillframe.tab.input.attempt import BeforeInput

if TYPE_CHECKING:
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.frames import Frame
    from stillframe.tab.input.attempt import Armed, Inspector
    from stillframe.tab.locating.query import Identity
    from stillframe.tab.tab import Tab

POINTER = (Click, DoubleClick, DragTo, Hover, LongPress, RightClick, Tap)
"""Actions whose input begins when the documents are told to expect a press."""


ANNOUNCED = (PressKey, TypeText, KeyDown, KeyUp, InsertText, WaitFor)
"""Actions that may have no target, and that act only after the hooks before input, or not at all."""


def refuse_blocked(tab: Tab, plan: Sequence[Action]) -> None:
    """Raise DialogOpen if a dialog waits for an answer and the first action is not one."""
    dialog = tab.dialogs.open
    if dialog is not None and not isinstance(plan[0], AnswerDialog):
        raise dialog_error(dialog)


class Progress:
    """Whether an action has begun to act: a dialog that opens then is its outcome, and one before keeps it undone."""

    def __init__(self, tab: Tab, action: Action) -> None:
        self._presses = tab.presses
        self._pressed = tab.presses.begun
        self._is_pointer = isinstance(action, POINTER)
        # Without a target nothing comes before the input; keys are announced, and to wait is not to act.
        self._marked = getattr(action, "selector", None) is None and not isinstance(action, ANNOUNCED)

    @property
    def has_begun(self) -> bool:
        """Return whether the action may have had an effect."""
        return self._presses.begun > self._pressed if self._is_pointer else self._marked

    def noting(self, inspect: Inspector | None, armed: Armed) -> BeforeInput:
        """Return the hooks before input that note that the action begins, and call the given ones."""

        def look(selector: str, frame: Frame, identity: Identity | None) -> None:
            if inspect is not None:
                inspect(selector, frame, identity)
            self._marked = True

        async def arm(deadline: Deadline) -> None:
            self._marked = True
            await armed(deadline)

        return BeforeInput(look, arm)
