"""What a loop guard is told of a call."""

from __future__ import annotations

import msgspec

from stillframe.model.loops import Signature


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One call and what things were like before it; what the call before it has done is seen by that.

    The texts are opaque: only equality counts.
    """

    signature: Signature
    page: str | None = ""
    """What the page looked like, without what changes by itself; None if nobody could look, which is like nothing."""
    target: str = ""
    """The state of the element: its value, whether it is checked, expanded, pressed, selected, disabled, …"""
    url: str = ""
    """Where the page was; what is behind `?` and `#` is best left out, for the page tells whether it mattered."""
    position: str = ""
    """How far the page was scrolled, and what had the focus."""
    looked: bool = True
    """Whether the page was looked at for this call. If not, it belongs to the same batch as the call before it, and
    `page` and `position` are those of the batch's beginning."""


Place = tuple[str, str | None]
"""Where a step began: the URL and what the page looked like."""
StepKey = tuple[Signature, str, str | None, str]
"""What makes a step the same one: the same call in the same state of page and target."""


def place_of(step: Step) -> Place:
    """Return where a step began."""
    return step.url, step.page


def key_of(step: Step) -> StepKey:
    """Return what makes a step the same one as another."""
    return step.signature, step.url, step.page, step.target
