"""Locator handlers: actions past what comes up over a page, and the calls that a handler makes meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stillframe.engine.actions import finding_s
from stillframe.engine.actions import perform as perform_action
from stillframe.errors import (
    ElementCovered,
    ElementDisabled,
    ElementHidden,
    ElementNotFound,
    ElementUnstable,
    StillframeError,
    WaitTimeout,
)
from stillframe.model.actions import Action, GoBack, GoForward, Navigate, Reload, WaitFor
from stillframe.model.failure import Failure, error_data
from stillframe.model.result import NavigationResult, SequenceResult
from stillframe.tab.deadline import Deadline
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.locating import waits
from stillframe.tab.reading import reading

if TYPE_CHECKING:
    from stillframe.model.options import SequenceOptions
    from stillframe.settling.call_lock import CallLock
    from stillframe.tab.locator_handlers import LocatorHandler
    from stillframe.tab.tab import Tab

IN_THE_WAY = (ElementCovered, ElementDisabled, ElementHidden, ElementNotFound, ElementUnstable, WaitTimeout)
"""Errors before any input was sent, which an overlay may be the reason of."""

SLICE_S = 1.0
"""Seconds that an action tries before the handlers' elements are looked for again."""


async def perform(attempt: Attempt, action: Action, deadline: Deadline, *, lock: CallLock) -> NavigationResult | None:
    """Perform an action, and run the handlers of what shows meanwhile; raises as `actions.perform` does."""
    handlers = attempt.tab.locator_handlers
    if not handlers or lock.is_lent or isinstance(action, Navigate | GoBack | GoForward | Reload):
        return await perform_action(attempt, action, deadline)
    while True:
        await _run_handlers(attempt.tab, lock, deadline)
        try:
            return await perform_action(attempt, action, deadline.within(SLICE_S))
        except IN_THE_WAY:
            if not deadline.left_s:
                raise


async def _run_handlers(tab: Tab, lock: CallLock, deadline: Deadline) -> None:
    for handler in tuple(tab.locator_handlers):
        if handler in tab.locator_handlers and await _shows(tab, handler, deadline):
            await _run(tab, lock, handler, deadline)


async def _shows(tab: Tab, handler: LocatorHandler, deadline: Deadline) -> bool:
    return await reading.is_visible(tab, f"{handler.selector} >> nth=0", deadline=deadline)


async def _run(tab: Tab, lock: CallLock, handler: LocatorHandler, deadline: Deadline) -> None:
    if handler.times is not None:
        handler.times -= 1
        if handler.times <= 0:
            tab.locator_handlers.remove(handler)
    with lock.lent():
        await handler.run()
    if handler.waits:
        gone = WaitFor(selector=f"{handler.selector} >> nth=0", state="hidden")
        await waits.wait_for(tab, gone, deadline, state="hidden")


async def execute_within(tab: Tab, actions: Sequence[Action], options: SequenceOptions) -> SequenceResult:
    """Run the actions of a locator handler: the call around it waits for a still page and compares it."""
    failure = None
    completed = 0
    for index, action in enumerate(actions):
        try:
            limit = Deadline(finding_s(tab, action, options))
            await perform_action(Attempt(tab, follows_action=index > 0), action, limit)
        except StillframeError as error:
            text = tab.redactor.redact(str(error))
            failure = Failure(index=index, action=action.kind, error=text, code=error.code, data=error_data(error))
            break
        completed += 1
    return SequenceResult(
        completed=completed,
        failed=failure,
        state_change=None,
        stability_wait_ms=0.0,
        stable=False,
        reason="within_handler",
        pending=(),
        ignored=(),
        late=(),
        dialogs=(),
        downloads=(),
        new_targets=(),
    )
