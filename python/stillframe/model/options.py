"""The options of a sequence, with their defaults and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown
from stillframe.model.validation import (
    Validated,
    json_names,
    milliseconds_problem,
    own_error,
    python_names,
    read_problem,
)

Milliseconds = Annotated[float, msgspec.Meta(ge=0, le=600_000)]
PositiveMilliseconds = Annotated[float, msgspec.Meta(gt=0, le=600_000)]
Settle = Literal["causal", "quiet", "virtual"]
Observe = Literal["protocol", "dom", "calls"]
"""How closely a page is observed: by CDP events alone; by an observer in an isolated world too; or by the timers,
frames and tasks that it schedules as well."""


def _expect_invalid(message: str, field: str | None) -> OptionInvalid:
    return OptionInvalid(message, option=f"expect.{field}" if field else "expect")


def _option_invalid(message: str, field: str | None) -> OptionInvalid:
    return OptionInvalid(message, option=field)


class Expect(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, metaclass=Validated
):
    """A condition that ends the wait early: an element is visible, the page shows a text, or the URL contains one."""

    selector: str | None = None
    text: str | None = None
    url: str | None = None

    invalid = staticmethod(_expect_invalid)

    def __post_init__(self) -> None:
        if sum(part is not None for part in (self.selector, self.text, self.url)) != 1:
            raise OptionInvalid("expect takes exactly one of selector, text and url", option="expect")


class SequenceOptions(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, metaclass=Validated
):
    """How a sequence settles and what its result shows; times are in milliseconds.

    `model.keywords.SequenceKeywords` shows the same options to type checkers.
    """

    session_id: str | None = None
    """The named session that the sequence is for, or the page's target id; a page refuses any but its own."""
    stability_ms: PositiveMilliseconds = 500
    """`quiet`: how long the signature must stay unchanged. `virtual`: how much page time must pass without any work;
    the clock jumps over it, so it costs some milliseconds."""
    poll_interval_ms: PositiveMilliseconds = 100
    """`quiet` only: how often the signature is read."""
    timeout_ms: Milliseconds = 5000
    """The limit of the wait after the last action; the actions have `action_timeout_ms` each. With `virtual` it limits
    wall time and page time: the first to run out ends the wait, and `detail` says which."""
    verbose: bool = False
    """Add `steps`, one row per attempted action, `captures`, and the page's `console` and `errors`."""
    settle: Settle = "causal"
    """How to tell that the page is still.

    `causal` waits for the work that the actions caused. `quiet` waits until a signature of the page stays unchanged, as
    docs/design/proposal.md says. `virtual` is causal on a virtual clock: the page's time stands still between calls,
    passes as wall time while requests or other processes are busy, and jumps over periods in which only the page's own
    timers are due. The clock stays virtual for the life of the tab and falls behind wall time
    (`SequenceResult.clock`). Use it for crawling, tests and benchmarks; not for live sessions whose tokens expire, for
    media, or for pages that measure real time. In a browser that others use too, it needs a context of its own.
    """
    observe: Observe | None = None
    """How closely the page is observed; see `Observe`. None means as the context says, or `calls` for `virtual`."""
    horizon_ms: PositiveMilliseconds = 2000
    """Not for `quiet`: work due later than this after the action is reported as pending and not awaited. With `virtual`
    it is page time."""
    expect: Expect | None = None
    limit: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 12
    """The most rows per list, in the state change and elsewhere; `omitted` counts the rest. Up to this many similar
    changes have a row each if `limit` is above its default; otherwise a few do, and more of them share one row."""
    text_limit: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 300
    """The most characters of text that a row shows of a message, or of an element that holds nothing but text."""
    controls: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 40
    """The most elements to act on that a row lists of what is in it; all rows together list up to twice as many.
    With 0 there are none, and none nearby."""
    page_text: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    """Add `page_text`, the page as text with refs, of at most this many characters (at least 200); 0 adds none."""
    guard: bool = False
    """Stop before the next action if the page has turned into another page."""
    heal: bool = True
    """Use the replacement of an element that the page has replaced for its ref: the only element of the same role and
    name in the same place. `healed` lists these refs."""
    page_hash: bool = False
    """Add `page_hash`, which recognises the page despite what changes on it by itself. Those changes are learned
    between the sequences that ask for the hash; it costs about 0.1 µs per node."""
    action_timeout_ms: PositiveMilliseconds = 3000
    """How long an action waits for its target; 3 s is what webdriverio's element commands wait. Navigations have 30 s,
    unless the action has a `timeout_ms`."""

    invalid = staticmethod(_option_invalid)

    def __post_init__(self) -> None:
        for name in DURATIONS:
            if problem := milliseconds_problem(name, getattr(self, name), "option"):
                raise OptionInvalid(problem, option=name)


FIELDS = SequenceOptions.__struct_fields__
DURATIONS = tuple(name for name in FIELDS if name.endswith("_ms"))
_PYTHON_NAMES = python_names(SequenceOptions)
_JSON_NAMES = json_names(SequenceOptions)

SETTLING = ("settle", "observe", "timeout_ms", "horizon_ms", "stability_ms", "poll_interval_ms", "expect")
"""The options that say how to wait; the others are about actions and about what the result shows."""


def python_name(name: str) -> str:
    """Return the Python name of an option that is given by either of its names."""
    return _PYTHON_NAMES.get(name, name)


def parse_options(options: Mapping[str, Any]) -> SequenceOptions:
    """Validate options given by their Python or their JSON names.

    Raises OptionInvalid with the option and, for an unknown one, the nearest known name and its unit.
    """
    for name in options:
        if name not in FIELDS and name not in _PYTHON_NAMES:
            raise OptionInvalid(unknown("option", name, FIELDS), option=name)
    by_json_name = {_JSON_NAMES.get(name, name): value for name, value in options.items()}
    try:
        return msgspec.convert(by_json_name, SequenceOptions)
    except msgspec.ValidationError as error:
        field, reason = read_problem(error, SequenceOptions, _PYTHON_NAMES, what="option")
        raise own_error(error) or OptionInvalid(reason, option=field and field.partition(".")[0]) from None


def parse_settling_options(options: Mapping[str, Any]) -> SequenceOptions:
    """Validate the options of a wait without actions, given by their Python or their JSON names.

    Raises OptionInvalid as `parse_options` does, and for an option that only sequences have.
    """
    parsed = parse_options(options)
    for name in options:
        if python_name(name) not in SETTLING:
            raise OptionInvalid(
                f"option {name}: only a sequence has it; settle takes {', '.join(SETTLING)}", option=name
            )
    return parsed
