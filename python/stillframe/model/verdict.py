"""The outcome of settling."""

from __future__ import annotations

from typing import Literal

from stillframe.model.change import StateChange
from stillframe.model.options import Observe
from stillframe.model.structs import Value

Reason = Literal[
    "quiet",
    "no_effect",
    "navigated",
    "dialog",
    "download",
    "new_target",
    "animation_done",
    "expected",
    "horizon",
    "timeout",
    "hung",
    "crashed",
    "closed",
]
"""Why a wait ended; `stillframe.settling.machine.REASONS` has the meaning of each word."""

SequenceReason = Literal[Reason, "unseen", "within_handler"]
"""Why the wait of a sequence ended: one of `Reason`, or one of two more words.

- `unseen`: the page could not be captured before the actions or after the wait, so what changed is not known
- `within_handler`: a locator handler ran the sequence; the call around it waits, and reports what changed
"""

GONE: tuple[Reason, ...] = ("crashed", "closed")
"""The reasons that say that the page is gone."""


def outcome_of(*parts: str | None) -> str:
    """Return how a wait ended, as people read it, from its reason, the reason of the wait, and the detail.

    >>> outcome_of("timeout", None, "indicator #spinner")
    'timeout: indicator #spinner'
    """
    return ": ".join(part for part in parts if part)


class Pending(Value, frozen=True, rename="camel", omit_defaults=True):
    """Work that was still going on when the wait ended.

    `kind` is one of request, navigation, document, frame, indicator, animation, changes, worker, websocket, stream,
    dialog, target, timer, task, fence, shadow_root; `what` names it (a URL, a selector, a call) and `age_ms` is its
    age. `site` is the place in the page's code that started it, as `url:line:column`, None if unknown.
    """

    kind: str
    what: str
    age_ms: float
    url: str | None = None
    site: str | None = None


class Ignored(Value, frozen=True, rename="camel"):
    """Recurring work of the page itself that the wait ignored; `rate` is in events per second."""

    kind: str
    key: str
    rate: float


class Late(Value, frozen=True, rename="camel", omit_defaults=True):
    """Something that happened after the previous verdict; `after_ms` is the time since then.

    The last row of kind `changes` carries all changes between the end of the last sequence and this one.
    """

    kind: str
    what: str
    after_ms: float
    state_change: StateChange | None = None


class OmittedRows(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How many rows each list left out; in JSON only lists that left out some. A result has all of its `steps`."""

    pending: int = 0
    ignored: int = 0
    late: int = 0
    dialogs: int = 0
    downloads: int = 0
    new_targets: int = 0
    refused: int = 0
    loops: int = 0
    healed: int = 0
    steps: int = 0
    console: int = 0
    errors: int = 0


Unseen = Literal["requested_navigations", "shadow_roots", "earlier_animations", "idle_queue", "page_interference"]
"""What an older browser does not show.

- `requested_navigations`: a navigation is known from its first request on, not from the click (Chrome 74)
- `shadow_roots`: captures do not tell the inside of a shadow root from the outside (before Chrome 93)
- `earlier_animations`: animations that began before the page was observed (before Chrome 84)
- `idle_queue`: whether the page's main thread is busy with ever new tasks (before Chrome 94)
- `page_interference`: the browser made no more isolated worlds, so the page can disturb the observer (before Chrome 77)
"""


class Observed(Value, frozen=True, rename="camel"):
    """How closely a page was observed where the browser is too old for all that was asked for."""

    level: Observe
    """The level that the browser allowed; at most the one that was asked for."""
    unseen: tuple[Unseen, ...] = ()
    """What this level shows in a newer browser and not in this one."""


class Verdict(Value, frozen=True, kw_only=True, rename="camel"):
    """The outcome of settling; every wait has exactly one.

    `stillframe.settling.machine.REASONS` has the meaning of each `reason`; `outcome` is reason and detail in one text.
    """

    stable: bool
    reason: Reason
    detail: str | None = None
    """What caused the outcome, such as `indicator #spinner`; None if the reason says all."""
    waited_ms: float
    fences: int = 0
    pending: tuple[Pending, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    late: tuple[Late, ...] = ()
    omitted: OmittedRows | None = None
    """How many rows the lists left out; None if none."""
    observed: Observed | None = None
    """How closely the page was observed; None if as closely as asked for."""

    @property
    def outcome(self) -> str:
        """Reason and detail as people read them: `timeout: indicator #spinner`."""
        return outcome_of(self.reason, self.detail)
