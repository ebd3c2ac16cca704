"""What scripts do to an element without any input: dispatch an event, take the focus away."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stillframe.errors import ContextLost, ElementDetached, ElementUnsuitable, EvaluationFailed
from stillframe.injected import elements
from stillframe.tab.input.actionability import Need, make_ready

if TYPE_CHECKING:
    from stillframe.injected.call import Call
    from stillframe.model import actions as a
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.input.attempt import Attempt

ATTACHED: Need = {"any": []}
"""The element need not be visible, as scripts of a page do not ask for that either."""


async def dispatch_event(attempt: Attempt, action: a.DispatchEvent, deadline: Deadline) -> None:
    """Dispatch an event; raises ElementUnsuitable if the event cannot be made of what `event_init` has."""
    problem = await _once(
        attempt, action, deadline, lambda token: elements.dispatch_to(token, action.type, action.event_init or {})
    )
    if problem:
        raise ElementUnsuitable(
            f"{action.selector}: an event {action.type!r} cannot be made of {action.event_init}: {problem}",
            selector=action.selector,
        )


async def blur(attempt: Attempt, action: a.Blur, deadline: Deadline) -> None:
    """Take the focus away from an element that has it."""
    await _once(attempt, action, deadline, elements.blur_element)


async def _once(
    attempt: Attempt, action: a.DispatchEvent | a.Blur, deadline: Deadline, call: Callable[[int], Call]
) -> Any:
    async with deadline.enforced(f"{action.kind} on {action.selector}"):
        target = await make_ready(attempt, action.selector, ATTACHED, deadline=deadline)
        try:
            return await target.frame.call(call(target.token), timeout=deadline.hard_left_s)
        except ContextLost:
            return None  # what listens has left the document, so the event has arrived
        except EvaluationFailed as error:
            raise ElementDetached(
                f"{action.selector} is {target.what}; it left the document before {action.kind}: take a new snapshot",
                selector=action.selector,
            ) from error
