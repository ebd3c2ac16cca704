"""The options of a sequence, with their defaults and bounds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import did_you_mean

Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=600_000)]
PositiveMilliseconds = Annotated[int, msgspec.Meta(gt=0, le=600_000)]
Settle = Literal["causal", "quiet", "virtual"]
Observe = Literal["protocol", "dom", "calls"]
"""How closely a page is observed: by CDP events alone, by an observer in an isolated world as well, or by the timers,
frames and tasks that it schedules too."""


class Expect(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What ends the wait early once it holds: a selector that is visible, a text on the page, a part of the URL."""

    selector: str | None = None
    text: str | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        if sum(part is not None for part in (self.selector, self.text, self.url)) != 1:
            raise OptionInvalid("expect takes exactly one of selector, text and url", option="expect")


class SequenceOptions(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """How a sequence settles and what its result shows; times are in milliseconds.

    The first three defaults are those of the original `execute_sequence` proposal.
    """

    session_id: str | None = None
    """The named session it is meant for, or the page's target id; a page refuses any but its own."""
    stability_ms: PositiveMilliseconds = 500
    """`quiet`: how long the signature must stay unchanged. `virtual`: how much page time must pass without anything; it
    is jumped over, so it costs some milliseconds."""
    poll_interval_ms: PositiveMilliseconds = 100
    """`quiet` only: how often the signature is read."""
    timeout_ms: Milliseconds = 5000
    """The cap on the wait after the last action; the actions have `action_timeout_ms` each. With `virtual` it is a cap
    in the wall's time and in page time: the first that is over ends the wait, and `reason` says which."""
    verbose: bool = False
    """Add `steps`, one row for every attempted action, and the page's `console` messages and uncaught `errors`. To hear
    the errors a listener is put into the page's own world for the time of the sequence."""
    settle: Settle = "causal"
    """`causal` waits for what the actions caused, `quiet` for an unchanged signature as the original proposal does.

    `virtual` is causal on a clock of ours: the page stands still between calls, goes as the wall's while others are
    busy, and jumps over the time in which only its own timers matter. Its clock stays ours for the tab's life and falls
    behind the wall's (`SequenceResult.clock`). For crawling, tests and benchmarks; not for live sessions whose tokens
    expire, for media, or for pages that measure real time. In a browser of others it needs a context of its own.
    """
    observe: Observe | None = None
    """How closely the page is observed; see `Observe`. None takes the context's way, or `calls` for `virtual`."""
    horizon_ms: PositiveMilliseconds = 2000
    """Not for `quiet`: work that takes longer than this after the action is reported as pending, not awaited. With
    `virtual` it is page time."""
    expect: Expect | None = None
    limit: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 12
    """Rows per list, of the state change and of all besides; the rest is counted in `omitted`. A few like
    changes have a row each, more of them share one; above the default as many as this have a row each."""
    text_limit: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 300
    """Characters of the text that a row shows of a message or of an element which holds nothing but text."""
    page_text: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    """Add `page_text`, the page as text with refs, of at most so many characters (200 at least); 0 adds none."""
    guard: bool = False
    """Stop before the next action if the page turned into another one."""
    heal: bool = True
    """Let a ref whose element is gone mean the same element made anew: of the same role and name in the same place, if
    there is exactly one. What that was is told in `healed`."""
    page_hash: bool = False
    """Add `page_hash`, which recognises the page whatever changes on it by itself. What does is learned between the
    sequences that ask for it; costs about 0.1 µs per node."""
    action_timeout_ms: PositiveMilliseconds = 3000
    """How long an action waits for its target; 3 s is what webdriverio's element commands wait. Navigations have 30 s,
    unless the action has a `timeout_ms`."""


FIELDS = SequenceOptions.__struct_fields__
_BY_JSON_NAME = dict(zip(SequenceOptions.__struct_encode_fields__, FIELDS, strict=True))


def parse_options(options: dict[str, Any]) -> SequenceOptions:
    """Validate options given by their Python or their JSON names.

    Raises OptionInvalid naming the option and, for an unknown one, the nearest known name.
    """
    named = {}
    for name, value in options.items():
        field = _BY_JSON_NAME.get(name, name)
        if field not in FIELDS:
            hint = did_you_mean(name, FIELDS)
            raise OptionInvalid(f"unknown option {name!r}{hint}; known: {', '.join(FIELDS)}", option=name)
        named[field] = value
    return _convert(named)


SETTLING = ("settle", "observe", "timeout_ms", "horizon_ms", "stability_ms", "poll_interval_ms", "expect")
"""The options that say how to wait; the others are about actions and about what is shown of them."""


def parse_settling_options(options: dict[str, Any]) -> SequenceOptions:
    """Validate the options of a wait without actions, by their Python or their JSON names.

    Raises OptionInvalid as `parse_options` does, and for an option that only a sequence has a use for.
    """
    parsed = parse_options(options)
    for name in options:
        if _BY_JSON_NAME.get(name, name) not in SETTLING:
            raise OptionInvalid(
                f"option {name}: only a sequence has it; settle takes {', '.join(SETTLING)}", option=name
            )
    return parsed


def _convert(named: dict[str, Any]) -> SequenceOptions:
    by_json_name = {json: named[field] for json, field in _BY_JSON_NAME.items() if field in named}
    if isinstance(by_json_name.get("expect"), Expect):
        by_json_name["expect"] = {k: v for k, v in msgspec.to_builtins(named["expect"]).items() if v is not None}
    try:
        return msgspec.convert(by_json_name, SequenceOptions)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$.")
        json_name = path.rstrip("`").partition(".")[0]
        option = _BY_JSON_NAME.get(json_name, json_name) or None
        raise OptionInvalid(f"option {option}: {reason}", option=option) from None
