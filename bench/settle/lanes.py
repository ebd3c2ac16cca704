"""The words of settlebench: a case and its truth, one run of it, and the lanes that are compared.

In the pages `settlebench.mark(text)` notes the moment a change that the action caused has been applied; the text is
what the change put into the page. All moments are milliseconds since the epoch, on the one clock of this machine.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol

import msgspec

HORIZON_MS = 2000.0
"""Changes later than this after the action are reported as pending, not awaited: the horizon of `SequenceOptions`."""

ActionKind = Literal["click", "type", "key", "hover", "scroll", "navigate"]
LaneKind = Literal["stillframe", "program", "library", "rule", "sleep"]
ACTED = "@acted"
"""The mark that the harness itself makes in the page when the action's input event arrives there."""


class Act(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The one action of a case. `value` is the text to type, the key to press, or the path to navigate to."""

    kind: ActionKind = "click"
    selector: str = "#go"
    value: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One behaviour and its truth; times in milliseconds after the action."""

    name: str
    set: str
    """`base`, `hostile`, or the name of a user's directory."""
    page: str
    """The path of the page on the loopback server."""
    why: str
    """What is hard about it, in one sentence."""
    action: Act = Act()
    ends_ms: float = 0
    """When the last change that counts is applied, by design; the oracle measures it again in every run."""
    external_ms: float = 0
    """The part of `ends_ms` that no page clock can skip: server, sockets, streams, workers, and what is drawn frame by
    frame (animations, requestAnimationFrame)."""
    marks: tuple[str, ...] = ()
    """The texts that must be in what the lane hands out; each is also the name of an in-page mark."""
    warm_ms: float = 150
    """How long the page runs before the action: periodic noise can be learned only from a few periods."""
    click13: bool = False
    """Whether it is one of the 13 click-then-look pages."""
    pending: tuple[str, ...] = ()
    """What the verdict must name (in its reason, its pending work or its ignored noise): any one of these texts."""


class Run(msgspec.Struct, kw_only=True):
    """One wait of one lane. Figures that a lane cannot tell are None."""

    acted_at: float
    """Just before the call that acts and waits."""
    input_at: float | None = None
    """When the input that acts was sent to the browser, where the lane can tell; acting may begin with looking."""
    returned_at: float
    seen: str
    """What the lane hands its user: a delta, the text of a reply, or the page's text right at the return."""
    reason: str | None = None
    pending: list[str] = []
    ignored: list[str] = []
    capped: bool = False
    """Whether the rule ran into its own limit."""
    sent_bytes: int | None = None
    received_bytes: int | None = None
    messages: int | None = None
    client_cpu_ms: float | None = None
    browser_cpu_ms: float | None = None


class Lane(Protocol):
    """One way of acting and waiting. `run` opens the page, lets it run for `warm_ms`, acts, waits, and reports."""

    name: str
    kind: LaneKind
    missing: str | None
    """Why the lane cannot run here, in one sentence with what to do; None if it can."""
    page_clock: bool
    """Whether the lane owns the page's clock, so that times in the page are not wall time."""

    async def start(self) -> None:
        """Start the browser and whatever else the lane needs; may set `missing` instead."""
        ...

    async def run(self, case: Case, url: str) -> Run:
        """Run a case on a fresh page; raises if the lane itself breaks, never for what the page does."""
        ...

    async def marks(self) -> dict[str, float]:
        """Return `window.settlebench.marks` of the page of the last run; {} if the page cannot be asked."""
        ...

    async def leave(self) -> None:
        """Close the page of the last run, so that it does not disturb the next lane."""
        ...

    async def stop(self) -> None:
        """End everything that `start` began; also called after a `start` that failed."""
        ...


def mark_expression() -> str:
    """The expression that reads the marks, for lanes that evaluate in the page's own world."""
    return "window.settlebench ? window.settlebench.marks : {}"


def to_json(case: Case) -> dict[str, Any]:
    """Return a case as plain values, for lanes in other languages."""
    result: dict[str, Any] = msgspec.to_builtins(case)
    return result
