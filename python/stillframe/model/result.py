"""What a sequence answers with; in JSON the keys are camelCase and `from_` is `from`."""

from __future__ import annotations

from typing import Any

import msgspec

from stillframe.model.change import Change as Change
from stillframe.model.change import ChangedRow as ChangedRow
from stillframe.model.change import Omitted as Omitted
from stillframe.model.change import Row as Row
from stillframe.model.change import StateChange as StateChange
from stillframe.model.events import ConsoleMessage, PageError
from stillframe.model.loops import LoopEvent
from stillframe.model.text import PageText
from stillframe.model.verdict import Ignored, Late, OmittedRows, Pending


class Failure(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The action a sequence stopped at; `code` is that of the error class, `skipped` counts the actions not run."""

    index: int
    action: str
    error: str
    code: str
    skipped: int = 0


class Response(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a navigation came to: the URL of the page, fragment included, and the HTTP status of its document.

    A download has its own URL. `status` is None where no server answered: `about:` and `data:` URLs, a navigation
    within the document, a document out of the back/forward cache.
    """

    url: str
    status: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the status is 200 to 299, or there is none."""
        return self.status is None or 200 <= self.status <= 299


class Step(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One attempted action; `result` is `ok` or `error`. `url` and `status` say what a navigation came to."""

    action: str
    result: str
    duration_ms: float
    error: str | None = None
    url: str | None = None
    status: int | None = None


class Healed(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A ref whose element was gone, and the same element made anew that was used in its place.

    `role` and `name` are those of both; `score` says how like they are and `margin` how far it leads all others of that
    role and name, both 0 to 1. From then on `ref` means what `new_ref` does.
    """

    ref: str
    new_ref: str
    selector: str
    role: str
    name: str
    score: float
    margin: float


class DialogReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A JavaScript dialog that was answered by policy; `type` is alert, confirm, prompt or beforeunload."""

    type: str
    message: str
    accepted: bool
    url: str


class DownloadReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A download the sequence started; `state` is inProgress, completed or canceled, `path` where it was saved."""

    url: str
    suggested_filename: str
    state: str
    path: str | None = None


class NewTarget(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A tab or popup the sequence opened; the sequence itself stays with its own page.

    `browser.page(row)` is its page, for sequences there; a named session switches to it by `target_id`.
    """

    target_id: str
    type: str
    url: str


class RefusedUrl(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Something the page tried to load and the policy refused; `rule` says which of its rules.

    `kind` is navigation, redirect, popup or frame for documents, else what Chrome calls the request, in lower case
    (fetch, image, script, websocket, ping, prefetch, …), or connection where no request of a page is known.
    """

    url: str
    rule: str
    kind: str


class Clock(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How page time and wall time went during a sequence with `settle="virtual"`, in milliseconds.

    `page_ms` and `wall_ms` passed from its beginning to its verdict. `behind_ms` is how far the page's clock has fallen
    behind the wall's since it was taken, between calls above all; negative if it is ahead.
    """

    page_ms: float
    wall_ms: float
    behind_ms: float


class CaptureCounts(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How often a page was captured.

    `taken` counts the captures that Chrome was asked for and `bytes` their size; `reused` those that were spared, since
    nothing had changed after the last one.
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


class MaskRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One thing that a page hash leaves out because it changes by itself.

    `level` says how much of the element: `digits`, `text`, `style`, `attributes`, `structure` (all but that) or
    `subtree`; `why` names the rule or says how often it changed while nobody acted.
    """

    selector: str
    level: str
    why: str


class PageHash(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What recognises the page that a sequence left: 128-bit digests in hexadecimal, the same on every machine.

    `visible` covers what a user sees and the state of controls, `exact` everything, `struct` the structure alone; each
    without what `masks` names. Two equal hashes under the same masks are the same page. `omitted` counts the masks
    beyond the first 100, and is absent if there are none.
    """

    exact: str
    visible: str
    struct: str
    masks: tuple[MaskRow, ...]
    omitted: int = 0


class SequenceResult(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The answer of `execute_sequence`.

    Lists hold up to `limit` rows, the first ones, and texts up to 1,000 characters, those of errors 4,000, names of
    files 255 and `data:` URLs 100; one that was cut ends in "…". `omitted` counts the rows that were left out.

    `failed` is absent from the JSON when there is nothing to say; `steps`, `captures`, `console` and `errors` unless
    the sequence was `verbose`; `state_change` is null when nothing changed. `stability_wait_ms` is the time spent in
    the wait alone.
    """

    completed: int
    failed: Failure | None = None
    state_change: StateChange | None
    stability_wait_ms: float
    stable: bool
    reason: str
    pending: tuple[Pending, ...]
    ignored: tuple[Ignored, ...]
    late: tuple[Late, ...]
    dialogs: tuple[DialogReport, ...]
    downloads: tuple[DownloadReport, ...]
    new_targets: tuple[NewTarget, ...]
    refused: tuple[RefusedUrl, ...] = ()
    steps: tuple[Step, ...] | None = None
    captures: CaptureCounts | None = None
    clock: Clock | None = None
    page_hash: PageHash | None = None
    page_text: PageText | None = None
    console: tuple[ConsoleMessage, ...] | None = None
    """What the page wrote into its console meanwhile, if the sequence was `verbose`; else absent from the JSON."""
    errors: tuple[PageError, ...] | None = None
    """The errors that the page did not catch meanwhile, if the sequence was `verbose`; else absent from the JSON."""
    loops: tuple[LoopEvent, ...] = ()
    """What the page's loop guard said of the actions; absent from the JSON if it said nothing."""
    healed: tuple[Healed, ...] = ()
    """The refs that were used for elements the page made again; absent from the JSON if there was none."""
    omitted: OmittedRows | None = None
    """How many rows each list left out because of `limit`; absent from the JSON if none did. `steps` are all there."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain builtins with its JSON keys."""
        builtins: dict[str, Any] = msgspec.to_builtins(self)
        return builtins

    def to_json(self, *, measured: bool = True) -> bytes:
        """Return the result as one JSON object; without what was `measured`, the same course gives the same bytes.

        Left out are then the times that something took and how often it comes, the clock and the captures; the ids of
        new targets, which the browser draws by lot, are replaced by their number.
        """
        return msgspec.json.encode(self if measured else _unmeasured(self))


MEASURED = {"pending": {"ageMs"}, "ignored": {"rate"}, "late": {"afterMs"}, "steps": {"durationMs"}} | {
    "console": {"timestampMs"},
    "errors": {"timestampMs"},
}
"""By list, the fields that say how long or how often."""


def _unmeasured(result: SequenceResult) -> dict[str, Any]:
    told = result.to_dict()
    for name in ("stabilityWaitMs", "clock", "captures"):
        told.pop(name, None)
    for name, measured in MEASURED.items():
        if name in told:
            told[name] = [{key: value for key, value in row.items() if key not in measured} for row in told[name]]
    for number, row in enumerate(told["newTargets"], 1):
        row["targetId"] = str(number)
    return told
