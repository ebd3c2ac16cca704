"""The arguments of each tool: Structs for both the schemas and the parsing of calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.extend.options import MAX_MARKS
from stillframe.mcp.page_record import Level
from stillframe.mcp.schemas import fields_of
from stillframe.mcp.settings import MAX_BUDGET, MIN_BUDGET
from stillframe.model.action_list import RARE
from stillframe.model.actions import KINDS, Milliseconds, NonEmpty
from stillframe.model.options import Expect, SequenceOptions
from stillframe.model.suggest import did_you_mean

MAX_TIMEOUT_S = 3_600
"""The longest run of an agent in one call: clients give up long before."""

Number = Annotated[int, msgspec.Meta(ge=0)]
Budget = Annotated[int, msgspec.Meta(ge=MIN_BUDGET, le=MAX_BUDGET)]


class ToolArguments(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Arguments of every tool."""

    session_id: str | None = None


class BudgetArguments(ToolArguments, frozen=True, kw_only=True):
    """Arguments of every tool whose reply can be long."""

    budget: Budget | None = None


class AriaSnapshotArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `aria_snapshot`."""

    scope: str = "page"


class ScreenshotArguments(ToolArguments, frozen=True, kw_only=True):
    """Arguments of `screenshot`."""

    selector: str | None = None
    full_page: bool = False


class SessionsArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `sessions`."""

    action: Literal["list", "open", "close", "switch"] = "list"
    url: str | None = None
    own_browser: bool = False
    target_id: str | None = None


class ConsoleArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `console_messages`."""

    level: Level = "info"
    contains: str | None = None
    since: Number = 0


class RequestsArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `network_requests`."""

    url: str | None = None
    type: str | None = None
    method: str | None = None
    status: str | None = None
    failed: bool = False
    include_static: bool = False
    since: Number = 0


class RequestArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `network_request`."""

    number: Number


class TabsArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `tabs`."""

    action: Literal["list", "open", "close", "switch"] = "list"
    tab: int | str | None = None
    url: str | None = None


class EvaluateArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `evaluate`."""

    script: NonEmpty
    selector: str | None = None
    timeout_ms: Milliseconds = 10_000


class FindArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `find`."""

    text: NonEmpty | None = None
    regex: NonEmpty | None = None
    scope: str = "page"
    context: Annotated[int, msgspec.Meta(ge=0, le=20)] = 2


class ListPageToolsArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `list_webmcp_tools`."""


class CallPageToolArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `execute_webmcp_tool`; `input` may be JSON text, which some models send."""

    name: str
    input: dict[str, Any] | str = {}
    frame_id: str | None = None
    timeout_ms: Milliseconds = 30_000


class MarkedScreenshotArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `marked_screenshot`."""

    max_marks: Annotated[int, msgspec.Meta(ge=1, le=500)] = MAX_MARKS


class PdfArguments(ToolArguments, frozen=True, kw_only=True):
    """Arguments of `save_pdf`."""

    landscape: bool = False
    print_background: bool = True
    page_ranges: str | None = None


class DownloadsArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `downloads`."""

    number: Number | None = None


class GoalArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `run_goal`; `timeout_s` is in seconds."""

    goal: str
    url: str | None = None
    check: Expect | None = None
    budget_usd: Annotated[float, msgspec.Meta(ge=0)] | None = None
    budget_tokens: Annotated[int, msgspec.Meta(ge=0)] | None = None
    timeout_s: Annotated[float, msgspec.Meta(gt=0, le=MAX_TIMEOUT_S)] | None = None


class ViewportArgument(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A size of pages, in CSS pixels."""

    width: int
    height: int
    device_scale_factor: float = 1
    mobile: bool = False
    touch: bool = False


class GeolocationArgument(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A position in degrees, with its accuracy in metres."""

    latitude: float
    longitude: float
    accuracy: float = 0


class EmulateArguments(ToolArguments, frozen=True, kw_only=True):
    """Arguments of `emulate`: what is not given stays as it is; `reset` gives back the browser's own first."""

    device: str | None = None
    viewport: ViewportArgument | None = None
    user_agent: str | None = None
    locale: str | None = None
    timezone: str | None = None
    color_scheme: Literal["light", "dark", "no-preference"] | None = None
    reduced_motion: Literal["reduce", "no-preference"] | None = None
    forced_colors: Literal["active", "none"] | None = None
    contrast: Literal["more", "no-preference"] | None = None
    geolocation: GeolocationArgument | None = None
    headers: dict[str, str] | None = None
    offline: bool | None = None
    reset: bool = False


class StateArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `storage_state`."""

    action: Literal["list", "save", "restore", "clear"] = "list"
    name: str | None = None
    indexed_db: bool = False


Choice = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class AskArguments(ToolArguments, frozen=True, kw_only=True):
    """Arguments of `ask_user`; without choices the answer is a text."""

    question: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]
    choices: Annotated[tuple[Choice, ...], msgspec.Meta(max_length=20)] = ()


class TracingArguments(BudgetArguments, frozen=True, kw_only=True):
    """Arguments of `tracing`; `screenshots` is for a trace."""

    action: Literal["start", "stop"]
    format: Literal["trace", "har"] = "trace"
    screenshots: bool = False


SequenceArguments: type[BudgetArguments] = msgspec.defstruct(  # type: ignore[assignment]
    "SequenceArguments",
    [("actions", list[dict[str, Any]]), *fields_of(SequenceOptions, leave_out=["session_id"])],
    bases=(BudgetArguments,),
    kw_only=True,
    frozen=True,
    rename="camel",
    forbid_unknown_fields=True,
)
"""Arguments of `execute_sequence`: the actions and all options of a sequence."""


def camel(name: str) -> str:
    """Return the name of a field as an argument: `user_agent` is `userAgent`."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def action_arguments(kind: str, *, rare: bool) -> type[BudgetArguments]:
    """Return the arguments of the tool for one kind of action; those that only programs need are there with `rare`."""
    left_out = () if rare else RARE.get(kind, ())
    return msgspec.defstruct(  # type: ignore[return-value]
        f"{KINDS[kind].__name__}Arguments",
        fields_of(KINDS[kind], leave_out=left_out),
        bases=(BudgetArguments,),
        kw_only=True,
        frozen=True,
        rename="camel",
        forbid_unknown_fields=True,
    )


def parse_arguments(struct: type[ToolArguments], arguments: Mapping[str, Any]) -> Any:
    """Parse the arguments of a call; raises OptionInvalid with the argument and the nearest known name."""
    known = struct.__struct_encode_fields__
    for name in arguments:
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise OptionInvalid(f"unknown argument {name!r}{hint}; known: {', '.join(known)}", option=str(name))
    try:
        return msgspec.convert(dict(arguments), struct)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$.")
        option = path.rstrip("`").partition(".")[0] or None
        message = f"argument {option}: {reason}" if option else reason
        raise OptionInvalid(f"{message}; known: {', '.join(known)}", option=option) from None


def action_from(kind: str, arguments: ToolArguments) -> dict[str, Any]:
    """Return the action of a call of the tool for one kind of action, as its JSON object."""
    values: dict[str, Any] = msgspec.to_builtins(arguments)
    fields = KINDS[kind].__struct_encode_fields__
    return {"action": kind} | {name: values[name] for name in fields if values.get(name) is not None}
