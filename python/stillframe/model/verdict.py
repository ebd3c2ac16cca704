"""What settling found out."""

from __future__ import annotations

import msgspec

from stillframe.model.change import StateChange


class Pending(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Work that had not ended when the wait did.

    `kind` is one of request, navigation, document, frame, indicator, animation, changes, worker, websocket, stream,
    dialog, target, timer, task, fence; `what` names it (a URL, a selector, a call), `age_ms` is how long it had been
    going on, `site` is where in the page's code it was started, as `url:line:column`, where that is known.
    """

    kind: str
    what: str
    age_ms: float
    url: str | None = None
    site: str | None = None


class Ignored(msgspec.Struct, frozen=True, rename="camel"):
    """Change with an origin of its own, left out of the wait; `rate` is in events per second."""

    kind: str
    key: str
    rate: float


class Late(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Something that happened after the previous verdict; `after_ms` is how long after it.

    The last row of kind `changes` carries all that changed between the end of the last sequence and this one.
    """

    kind: str
    what: str
    after_ms: float
    state_change: StateChange | None = None


class OmittedRows(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """How many rows each list left out; in JSON only of the lists that did. A result has all of its `steps`."""

    pending: int = 0
    ignored: int = 0
    late: int = 0
    dialogs: int = 0
    downloads: int = 0
    new_targets: int = 0
    refused: int = 0
    loops: int = 0
    healed: int = 0
    console: int = 0
    errors: int = 0
    steps: int = 0


class Verdict(msgspec.Struct, frozen=True, rename="camel"):
    """The outcome of settling; every wait ends in exactly one.

    `reason` begins with one of the words of `stillframe.settling.machine.REASONS`; where something is to blame, a colon
    and its name follow, as in `timeout: indicator #spinner`. In the result of a sequence it begins with `unseen` where
    nobody could look at the page before the actions or after the wait, and what the wait ended with follows.
    """

    stable: bool
    reason: str
    waited_ms: float
    fences: int = 0
    pending: tuple[Pending, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    late: tuple[Late, ...] = ()
    omitted: OmittedRows | None = None
    """What the lists left out; None if that is nothing."""
