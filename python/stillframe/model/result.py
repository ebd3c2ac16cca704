"""The result of a sequence; in JSON the keys are camelCase and `from_` is `from`."""

from __future__ import annotations

from typing import Any, Self

import msgspec

from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.model.change import StateChange
from stillframe.model.events import (
    ConsoleMessage,
    DialogReport,
    DownloadReport,
    NewTarget,
    OpenDialog,
    PageError,
    RefusedUrl,
)
from stillframe.model.failure import Failure, failure_error
from stillframe.model.loops import LoopEvent
from stillframe.model.structs import TrafficValue, Value
from stillframe.model.verdict import (
    Ignored,
    Late,
    Observed,
    OmittedRows,
    Pending,
    Reason,
    SequenceReason,
    outcome_of,
)


class NavigationResult(TrafficValue, frozen=True, kw_only=True, omit_defaults=True):
    """Where a navigation ended: the URL of the page, fragment included, and the HTTP status of its document.

    A download has its own URL. `status` is None if no server responded: for `about:` and `data:` URLs, a navigation
    within the document, and a document from the back/forward cache.
    """

    url: str
    status: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the status is 200 to 299, or there is none."""
        return self.status is None or 200 <= self.status <= 299


class Step(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One attempted action; `result` is `ok` or `error`. `url` and `status` are those of a `NavigationResult`."""

    action: str
    result: str
    duration_ms: float
    error: str | None = None
    url: str | None = None
    status: int | None = None


class Healed(Value, frozen=True, kw_only=True, rename="camel"):
    """A ref whose element the page had replaced, and the replacement that was used for it.

    `role` and `name` are those of both elements; `score` is their similarity and `margin` its lead over all other
    elements of that role and name, both 0 to 1. From then on `ref` means the same element as `new_ref`.
    """

    ref: str
    new_ref: str
    selector: str
    role: str
    name: str
    score: float
    margin: float


class Clock(Value, frozen=True, kw_only=True, rename="camel"):
    """Page time and wall time of a sequence with `settle="virtual"`, in milliseconds.

    `page_ms` and `wall_ms` are the times from its beginning to its verdict. `behind_ms` is how far the page's clock has
    fallen behind wall time since it became virtual, mostly between calls; it is negative if the clock is ahead.
    """

    page_ms: float
    wall_ms: float
    behind_ms: float


class CaptureCounts(Value, frozen=True, kw_only=True, rename="camel"):
    """How often a page was captured.

    `taken` counts the captures that Chrome made and `bytes` their total size; `reused` counts the captures that were
    not necessary, because nothing had changed since the last one.
    """

    taken: int = 0
    reused: int = 0
    bytes: int = 0

    def __add__(self, other: CaptureCounts) -> CaptureCounts:
        return CaptureCounts(
            taken=self.taken + other.taken, reused=self.reused + other.reused, bytes=self.bytes + other.bytes
        )

    def __sub__(self, earlier: CaptureCounts) -> CaptureCounts:
        return CaptureCounts(
            taken=self.taken - earlier.taken, reused=self.reused - earlier.reused, bytes=self.bytes - earlier.bytes
        )


class MaskRow(Value, frozen=True, kw_only=True, rename="camel"):
    """An element, or a part of it, that a page hash leaves out because it changes by itself.

    `level` is the part that is left out: `digits`, `text`, `style`, `attributes`, `structure` (all but the structure)
    or `subtree`; `why` names the rule, or says how often it changed without an action.
    """

    selector: str
    level: str
    why: str


class PageHash(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Digests that recognise the page a sequence left: 128 bits in hexadecimal, the same on every machine.

    `visible` covers what a user sees and the state of controls, `exact` everything, `struct` the structure alone; each
    leaves out what `masks` lists. Two equal hashes with the same masks are the same page. `omitted` counts the masks
    after the first 100 and is absent if there are none.
    """

    exact: str
    visible: str
    struct: str
    masks: tuple[MaskRow, ...]
    omitted: int = 0


class SequenceResult(Value, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The result of `execute_sequence`.

    Lists hold their first `limit` rows, and texts up to 1,000 characters (errors 4,000, file names 255, `data:` URLs
    100); a text that was cut ends in "…". `omitted` counts the rows that were left out.

    In JSON, `failed` is absent if nothing failed, and `steps`, `captures`, `console` and `errors` unless the sequence
    was `verbose`. `state_change` is null if nothing changed. `stability_wait_ms` is the time of the wait alone.
    """

    completed: int
    """How many actions succeeded; the sequence stops at the first one that fails."""
    failed: Failure | None = None
    """The action that failed, and why."""
    state_change: StateChange | None
    """What the actions changed."""
    stability_wait_ms: float
    stable: bool
    """Whether the page came to rest in time."""
    reason: SequenceReason
    """Why the wait ended: a reason of `Verdict`, `unseen` if the page could not be captured before the actions or after
    the wait, or `within_handler` in a locator handler, where the call around it waits."""
    detail: str | None = None
    """What caused the outcome, such as `indicator #spinner`; with `unseen` and no other cause, why the page could not
    be captured. Absent from the JSON if the reason says all."""
    wait_reason: Reason | None = None
    """With the reason `unseen` only: why the wait ended."""
    pending: tuple[Pending, ...]
    """The work that was still running when the wait ended."""
    ignored: tuple[Ignored, ...]
    """The changes with an origin of their own, which were not awaited and are in no row."""
    late: tuple[Late, ...]
    """What happened after the verdict of the previous sequence."""
    dialogs: tuple[DialogReport, ...]
    """The dialogs that were answered."""
    open_dialog: OpenDialog | None = None
    """The dialog that waits for an answer, only with `dialogs="ask"`; absent from the JSON if there is none. The page
    stands still behind it and shows nothing: the result of `answer_dialog` has what changed before and after."""
    downloads: tuple[DownloadReport, ...]
    """The downloads that began."""
    new_targets: tuple[NewTarget, ...]
    """The tabs and popups that the page opened."""
    refused: tuple[RefusedUrl, ...] = ()
    """What the page tried to load and the policy, Chrome's popup blocker or a headless browser refused."""
    steps: tuple[Step, ...] | None = None
    """Each attempted action; only if the sequence was `verbose`."""
    captures: CaptureCounts | None = None
    """How often the page was captured; only if the sequence was `verbose`."""
    console: tuple[ConsoleMessage, ...] | None = None
    """What the page wrote to its console; only if the sequence was `verbose`."""
    errors: tuple[PageError, ...] | None = None
    """The exceptions that the page did not catch; only if the sequence was `verbose`."""
    clock: Clock | None = None
    """Page time and wall time; only with `settle="virtual"`."""
    page_hash: PageHash | None = None
    """Hashes that recognise the page; only with `page_hash`."""
    page_text: AriaSnapshot | None = None
    """The page as text; only with `page_text`."""
    loops: tuple[LoopEvent, ...] = ()
    """What the page's loop guard reported about the actions; absent from the JSON if nothing."""
    healed: tuple[Healed, ...] = ()
    """The refs of replaced elements that were used; absent from the JSON if there were none."""
    omitted: OmittedRows | None = None
    """How many rows each list left out because of `limit`; absent from the JSON if none did. `steps` are complete."""
    observed: Observed | None = None
    """How closely the page was observed; absent from the JSON if as closely as asked for, as in a current browser."""

    @property
    def outcome(self) -> str:
        """Reason and detail as people read them: `timeout: indicator #spinner`, `unseen: hung`."""
        return outcome_of(self.reason, self.wait_reason, self.detail)

    def raise_for_failure(self) -> Self:
        """Return the result, or raise the error of the action that failed.

        The error is of the class with the code of `failed`: an ActionFailed, or another StillframeError if not the
        action but the page or the connection was the problem. Its message is `failed.error`; `error.index` is the index
        of the action and `error.result` this result. A page that did not become still is not a failure; see `stable`.
        """
        __tracebackhide__ = True  # what pytest shows begins with the caller's line
        if self.failed is None:
            return self
        raise failure_error(self.failed, result=self)

    def to_json(self, *, measured: bool = True) -> bytes:
        """Return the result as one JSON object.

        Without what was `measured`, the same behaviour of a page gives the same bytes: durations, rates, timestamps,
        `clock` and `captures` are left out, and numbers replace the random ids of new targets.
        """
        return msgspec.json.encode(self if measured else _unmeasured(self))


MEASURED = {
    "pending": {"ageMs"},
    "ignored": {"rate"},
    "late": {"afterMs"},
    "steps": {"durationMs"},
    "console": {"timestampMs"},
    "errors": {"timestampMs"},
}
"""The fields of each list that hold durations, rates and times."""


def _unmeasured(result: SequenceResult) -> dict[str, Any]:
    builtins = result.to_dict()
    for name in ("stabilityWaitMs", "clock", "captures"):
        builtins.pop(name, None)
    for name, measured in MEASURED.items():
        if name in builtins:
            builtins[name] = [_without(row, measured) for row in builtins[name]]
    for number, row in enumerate(builtins["newTargets"], 1):
        row["targetId"] = str(number)
    return builtins


def _without(row: dict[str, Any], fields: set[str]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in fields}
