"""The tools that act: `execute_sequence`, and one for each kind of action."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import mcp_types as types

from stillframe.mcp import arguments, descriptions
from stillframe.mcp import structured_content as content
from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.schemas import Schema, struct_schema
from stillframe.mcp.sequence_tool import run_sequence
from stillframe.mcp.tool_row import ACTS, READS, ToolContext, ToolRow, result_schema
from stillframe.model.action_list import ALIASES, fields_by_kind, listed_fields
from stillframe.model.actions import KINDS, Action

if TYPE_CHECKING:
    from stillframe.mcp.capabilities import Capability

NOT_DESTRUCTIVE = frozenset(
    {
        *("scroll", "scroll_to", "swipe", "hover", "focus", "wait_for", "mouse_move", "mouse_wheel"),
        *("navigate", "go_back", "go_forward", "reload"),
    }
)
"""Actions that send nothing by themselves; no hint can cover a link that destroys when it opens."""

BRIEF_RESULT = ("sessionId", "completed", "failed", "stateChange", "stable", "reason")
"""Result fields in the schemas of tools for one action; their results are those of `execute_sequence`."""

CAPABILITY_OF: dict[str, Capability] = {"navigate": "core", "wait_for": "core", "upload_file": "files"}
"""The capability of the tool for one kind of action; `actions` for those that are not here."""

LISTED_WITH: dict[str, Capability] = {
    "answer_dialog": "dialogs",
    **dict.fromkeys(("blur", "dispatch_event"), "actions"),
    **dict.fromkeys(("mouse_move", "mouse_click", "mouse_drag", "mouse_wheel"), "vision"),
    **dict.fromkeys(("key_down", "key_up", "insert_text"), "vision"),
    **dict.fromkeys(("upload_content", "drop_files"), "files"),
}
"""Kinds of actions that the schema of `execute_sequence` lists only with a capability: it is read with every request.
All others are always listed."""


def sequence_row(capabilities: AbstractSet[Capability]) -> ToolRow:
    """Return the row of `execute_sequence`; its schema lists the kinds of actions of the capabilities."""

    def list_kinds(schema: Schema) -> None:
        schema["properties"]["actions"]["items"] = action_schema(
            listed_kinds(capabilities), rare="actions" in capabilities
        )

    return ToolRow(
        name="execute_sequence",
        takes=arguments.SequenceArguments,
        run=_execute_sequence,
        returns=partial(_full_result, asks="dialogs" in capabilities),
        hints=ACTS,
        refine=list_kinds,
    )


def listed_kinds(capabilities: AbstractSet[Capability]) -> list[str]:
    """Return the kinds of actions that the schema of `execute_sequence` lists."""
    return [kind for kind in KINDS if kind not in LISTED_WITH or LISTED_WITH[kind] in capabilities]


def action_row(kind: str) -> ToolRow:
    """Return the row of the tool for one kind of action."""
    capability = LISTED_WITH.get(kind) or CAPABILITY_OF.get(kind, "actions")
    return ToolRow(
        name=kind,
        takes=arguments.action_arguments(kind, rare=capability != "core"),
        run=partial(_single_action, kind),
        returns=brief_result,
        hints=READS if kind == "wait_for" else _hints(kind),
        capability=capability,
        texts=descriptions.TOOLS.get(kind) or _describe(KINDS[kind]),
    )


async def _execute_sequence(context: ToolContext, call: Any, sent: dict[str, Any]) -> types.CallToolResult:
    options = {name: value for name, value in sent.items() if name not in ("actions", "sessionId", "budget")}
    return await act(context, call, call.actions, options)


async def _single_action(kind: str, context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    return await act(context, call, [arguments.action_from(kind, call)], {})


async def act(
    context: ToolContext, call: Any, actions: list[dict[str, Any]], options: dict[str, Any]
) -> types.CallToolResult:
    """Run actions in the session of a call, and reply with what they changed.

    Raises ToolError for a kind of action whose capability is off: the schema does not list it.
    """
    for action in actions:
        kind = str(action.get("action")) if isinstance(action, dict) else ""
        capability = LISTED_WITH.get(ALIASES.get(kind, kind))
        if capability is not None and capability not in context.settings.shown:
            raise ToolError(
                "tool_hidden", f"the action {kind} needs --caps {capability}", option=f"--caps {capability}"
            )
    return await run_sequence(
        await context.session(call),
        actions,
        options,
        provider=context.provider,
        budget=context.budget(call),
        report=context.report,
    )


# -- schemas ---------------------------------------------------------------------------------------


def _describe(kind: type[Action]) -> tuple[str, str]:
    """Return title and description of the tool for one kind of action, from the docstring of the action."""
    first = (kind.__doc__ or "").partition("\n")[0]
    title = str(kind.__struct_config__.tag).replace("_", " ").capitalize()
    return title, f"{first} Returns what changed."


def action_schema(kinds: Iterable[str], *, rare: bool) -> Schema:
    """Return the schema of an action in a list: one flat object, because many clients refuse a choice of schemas.

    It has the fields that only programs need with `rare`.
    """
    listed = list(kinds)
    merged: Schema = {}
    for kind in listed:
        names = {"timeoutMs", *(field.encode_name for field in listed_fields(kind, rare=rare))}
        properties = struct_schema(KINDS[kind], descriptions.ARGUMENTS)["properties"]
        merged |= {name: schema for name, schema in properties.items() if name in names}
    action = {"type": "string", "enum": listed, "description": fields_by_kind(listed, rare=rare)}
    fields = {"action": action, **_plain(merged)}
    return {"type": "object", "properties": fields, "required": ["action"], "additionalProperties": False}


def _plain(properties: Schema) -> Schema:
    """Drop defaults, which differ between kinds, and the parts of points, which their descriptions name.

    A value may have any type that one of the kinds takes.
    """
    dropped = ("default", "properties", "required", "additionalProperties")
    fields = {
        name: {keyword: value for keyword, value in schema.items() if keyword not in dropped}
        for name, schema in properties.items()
    }
    fields["value"] = {
        "type": ["string", "boolean", "array", "object"],
        "items": {"type": "string"},
        "properties": {
            name: {"type": "string", "description": descriptions.ARGUMENTS[name]} for name in ("secret", "secretName")
        },
        "additionalProperties": False,
        "description": descriptions.ARGUMENTS["value"],
    }
    return fields


def _full_result(*, asks: bool) -> Schema:
    """Return the schema of a sequence's result; descriptions stand for the rows of its lists.

    Only where dialogs wait for the model does it have the one that does.
    """
    schema = result_schema(content.SequenceContent)
    if not asks:
        del schema["properties"]["openDialog"]
    deep = result_schema(content.SequenceContent, depth=2)["properties"]
    schema["properties"] |= {name: deep[name] for name in ("failed", "stateChange")}
    return schema


@cache
def brief_result() -> Schema:
    """Return the schema of a result of one action, the same for all."""
    schema = result_schema(content.SequenceContent)
    schema["properties"] = {name: schema["properties"][name] for name in BRIEF_RESULT}
    schema["required"] = [name for name in schema["required"] if name in BRIEF_RESULT]
    return schema


def _hints(kind: str) -> types.ToolAnnotations:
    return types.ToolAnnotations(
        read_only_hint=False,
        idempotent_hint=kind == "navigate",
        destructive_hint=kind not in NOT_DESTRUCTIVE,
        open_world_hint=True,
    )
