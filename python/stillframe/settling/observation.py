"""How closely a browser lets a page be observed: the level, and what is not seen at that level."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from stillframe.model.verdict import Observed, Unseen

if TYPE_CHECKING:
    from stillframe.chrome.capabilities import Capabilities
    from stillframe.model.options import Observe

LEVELS: tuple[Observe, ...] = ("protocol", "dom", "calls")
"""From the least close to the closest."""

NEEDED: dict[Observe, tuple[str, ...]] = {
    "protocol": (),
    "dom": ("Page.createIsolatedWorld", "Runtime.addBinding(executionContextId)"),
    "calls": ("Page.addScriptToEvaluateOnNewDocument",),
}
"""What a level needs besides what the levels before it need."""


class Gap(NamedTuple):
    """Something that browsers before a milestone do not show at a level and above it."""

    unseen: Unseen
    level: Observe
    since: int


GAPS = (
    Gap("requested_navigations", "protocol", 75),  # Page.frameRequestedNavigation
    Gap("shadow_roots", "protocol", 93),  # shadowRootType in DOMSnapshot.captureSnapshot
    Gap("earlier_animations", "dom", 84),  # Document.getAnimations
    Gap("idle_queue", "dom", 94),  # Scheduler.postTask
)
"""What is missing in older browsers even with everything that this package does instead."""


class Means(NamedTuple):
    """What one page can be observed with."""

    capabilities: Capabilities
    isolated: bool = True
    """Whether its documents get isolated worlds."""
    scripted: bool = True
    """Whether the browser takes scripts for them at all."""


@cache
def observed(wanted: Observe, means: Means) -> Observed:
    """Return the closest level that is not closer than the wanted one, and what is not seen there."""
    level = next(level for level in reversed(LEVELS) if not _is_closer(level, wanted) and _reaches(level, means))
    milestone = means.capabilities.milestone
    unseen = [
        gap.unseen
        for gap in GAPS
        if milestone is not None and milestone < gap.since and not _is_closer(gap.level, level)
    ]
    if not means.isolated and level != "protocol":
        unseen.append("page_interference")
    return Observed(level=level, unseen=tuple(unseen))


def shortfall(wanted: Observe, found: Observed) -> Observed | None:
    """Return what a verdict says of it: nothing if the page was observed as closely as asked for."""
    return found if found.level != wanted or found.unseen else None


def _is_closer(one: Observe, other: Observe) -> bool:
    return LEVELS.index(one) > LEVELS.index(other)


def _reaches(level: Observe, means: Means) -> bool:
    # The wrappers would record what the observer itself does if both live in the main world.
    allowed = level == "protocol" or (means.scripted and (means.isolated or level != "calls"))
    below = LEVELS[: LEVELS.index(level) + 1]
    return allowed and all(means.capabilities.has(name) for each in below for name in NEEDED[each])
