"""One step of a loop check: an action, and the state of the page before it."""

from __future__ import annotations

import msgspec

from stillframe.model.loops import ActionSignature


class LoopStep(msgspec.Struct, frozen=True, kw_only=True):
    """One action and the state before it. The next step shows what the action did.

    The loop guard compares the texts for equality only.
    """

    signature: ActionSignature
    page_state: str | None = ""
    """The state of the page, without what changes by itself; None if it is unknown, which equals no other state."""
    element_state: str = ""
    """The state of the element: its value, and whether it is checked, expanded, pressed, selected, disabled, …"""
    already: bool = False
    """Whether the element has the value already that the action sets."""
    url: str = ""
    """The URL of the page. Leave out query and fragment: `page_state` shows whether they matter."""
    position: str = ""
    """The scroll position of the page, and the element that has the focus."""
    starts_batch: bool = True
    """Whether the caller looked at the page for this step. If not, the step belongs to the batch of the step before it,
    and `page_state` and `position` are those of the start of the batch."""


PageKey = tuple[str, str | None]
"""URL and state of the page before a step."""
StepKey = tuple[ActionSignature, str, str | None, str]
"""What two identical steps have in common: the action, and the states of page and element."""


def page_key(step: LoopStep) -> PageKey:
    """Return URL and state of the page before a step."""
    return step.url, step.page_state


def step_key(step: LoopStep) -> StepKey:
    """Return the key by which two steps are identical."""
    return step.signature, step.url, step.page_state, step.element_state
