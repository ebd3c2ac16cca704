"""What each tool takes: Structs, from which both the schemas and the reading of calls are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.mcp.schemas import fields_of
from stillframe.mcp.settings import LEAST_BUDGET, MOST_BUDGET
from stillframe.model.actions import KINDS
from stillframe.model.options import SequenceOptions
from stillframe.model.suggest import did_you_mean

Budget = Annotated[int, msgspec.Meta(ge=LEAST_BUDGET, le=MOST_BUDGET)]


class Call(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What every tool takes."""

    session_id: str | None = None


class ReadingCall(Call, frozen=True, kw_only=True):
    """What every tool takes whose reply can be long."""

    budget: Budget | None = None


class Snapshot(ReadingCall, frozen=True, kw_only=True):
    """Arguments of `snapshot`."""

    scope: str = "page"


class Screenshot(Call, frozen=True, kw_only=True):
    """Arguments of `screenshot`."""

    selector: str | None = None
    full_page: bool = False


class Sessions(ReadingCall, frozen=True, kw_only=True):
    """Arguments of `sessions`."""

    action: Literal["list", "open", "close", "switch"] = "list"
    url: str | None = None
    own_browser: bool = False
    target_id: str | None = None


ExecuteSequence: type[ReadingCall] = msgspec.defstruct(  # type: ignore[assignment]
    "ExecuteSequence",
    [("actions", list[dict[str, Any]]), *fields_of(SequenceOptions, leave_out=["session_id"])],
    bases=(ReadingCall,),
    kw_only=True,
    frozen=True,
    rename="camel",
    forbid_unknown_fields=True,
)
"""Arguments of `execute_sequence`: the actions and all options of a sequence."""


def single(kind: str) -> type[ReadingCall]:
    """Return the arguments of the tool that does one action of a kind alone: the fields of the action."""
    return msgspec.defstruct(  # type: ignore[return-value]
        KINDS[kind].__name__,
        fields_of(KINDS[kind]),
        bases=(ReadingCall,),
        kw_only=True,
        frozen=True,
        rename="camel",
        forbid_unknown_fields=True,
    )


def read(struct: type[Call], arguments: Mapping[str, Any]) -> Any:
    """Read the arguments of a call; raises OptionInvalid that names the argument and the nearest known name."""
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
        told = f"argument {option}: {reason}" if option else reason
        raise OptionInvalid(f"{told}; known: {', '.join(known)}", option=option) from None


def action_of(kind: str, call: Call) -> dict[str, Any]:
    """Return the action that a tool for one kind was called for, as its JSON object."""
    named: dict[str, Any] = msgspec.to_builtins(call)
    fields = KINDS[kind].__struct_encode_fields__
    return {"action": kind} | {name: named[name] for name in fields if named.get(name) is not None}
