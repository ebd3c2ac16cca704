"""The options of sequences as keywords, for type checkers: `**options: Unpack[SequenceKeywords]`.

Each mirrors a Struct, which has the documentation and validates the values; `tests/typing/test_keywords.py` keeps the
two equal. Layers above do the same for their Structs: `chrome/keywords.py`, `tab/context/keywords.py`.
"""

from __future__ import annotations

from typing import TypedDict

from stillframe.model.options import Expect, Observe, Settle


class ExpectFields(TypedDict, total=False):
    """The fields of `Expect` as a mapping."""

    selector: str | None
    text: str | None
    url: str | None


class WaitTimes(TypedDict, total=False):
    """When a wait for a still page ends."""

    horizon_ms: float
    stability_ms: float
    poll_interval_ms: float
    expect: Expect | ExpectFields | None


class WaitKeywords(WaitTimes, total=False):
    """How a wait for a still page observes the page, for calls with a limit of their own such as navigations."""

    observe: Observe | None


class NavigationKeywords(WaitKeywords, total=False):
    """The options of `Page.goto`, `reload`, `go_back` and `go_forward` with `settle`."""

    settle_timeout_ms: float


class SettleKeywords(WaitKeywords, total=False):
    """The options of `Page.settle`: those of `SequenceOptions` that say how to wait."""

    settle: Settle
    timeout_ms: float


class SessionSequenceKeywords(SettleKeywords, total=False):
    """The options of sequences on a session: the fields of `SequenceOptions` but `session_id`."""

    verbose: bool
    limit: int
    text_limit: int
    controls: int
    page_text: int
    guard: bool
    heal: bool
    page_hash: bool
    action_timeout_ms: float


class SequenceKeywords(SessionSequenceKeywords, total=False):
    """The options of `Page.execute_sequence`: the fields of `SequenceOptions`."""

    session_id: str | None


class ActionKeywords(SequenceKeywords, total=False):
    """The options of calls for one action, such as `Page.click`: those of sequences, and `check`.

    `check` is True by default: an action that fails raises the error of its failure. With False the call returns the
    result, and `failed` in it says what failed.
    """

    check: bool
