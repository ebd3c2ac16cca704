"""The table of tools: name, arguments, result and function of each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import mcp_types as types
import msgspec

from stillframe.mcp import arguments, descriptions, goal_tool, page_tools
from stillframe.mcp import structured_content as content
from stillframe.mcp.overflow_store import OverflowStore
from stillframe.mcp.progress import Report
from stillframe.mcp.schemas import Schema, struct_schema
from stillframe.mcp.sequence_tool import run_sequence
from stillframe.mcp.session_provider import SessionProvider
from stillframe.mcp.session_tool import manage_sessions
from stillframe.mcp.settings import Settings, ToolSet
from stillframe.model.action_list import fields_by_kind
from stillframe.model.actions import KINDS, Action

NOT_DESTRUCTIVE = frozenset(
    {"scroll", "swipe", "hover", "focus", "wait_for", "navigate", "go_back", "go_forward", "reload"}
)
"""Actions that send nothing by themselves; no hint can cover a link that destroys when it opens."""

BRIEF_RESULT = ("sessionId", "completed", "failed", "stateChange", "stable", "reason")
"""Result fields in the schemas of tools for one action; their results are those of `execute_sequence`."""


class ToolContext(msgspec.Struct, frozen=True):
    """What a tool needs to run."""

    provider: SessionProvider
    store: OverflowStore
    settings: Settings
    report: Report

    def budget(self, call: Any) -> int:
        """Return the budget of a call's reply, in characters."""
        return getattr(call, "budget", None) or self.settings.budget


Run = Callable[[ToolContext, Any, dict[str, Any]], Awaitable[types.CallToolResult]]
"""Takes the arguments as parsed and as sent: only the latter show which ones are defaults."""


class ToolRow(msgspec.Struct, frozen=True):
    """One tool."""

    tool: types.Tool
    arguments: type[arguments.ToolArguments]
    run: Run
    timeout_ms: Callable[[Settings, Any], float] | None = None
    """Returns the time limit of a call; without it, that of the server counts."""


# -- functions -------------------------------------------------------------------------------------


async def _execute_sequence(context: ToolContext, call: Any, sent: dict[str, Any]) -> types.CallToolResult:
    options = {name: value for name, value in sent.items() if name not in ("actions", "sessionId", "budget")}
    return await _act(context, call, call.actions, options)


async def _single_action(kind: str, context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    return await _act(context, call, [arguments.action_from(kind, call)], {})


async def _act(
    context: ToolContext, call: Any, actions: list[dict[str, Any]], options: dict[str, Any]
) -> types.CallToolResult:
    session = await context.provider.get(call.session_id)
    return await run_sequence(
        session,
        actions,
        options,
        provider=context.provider,
        budget=context.budget(call),
        report=context.report,
    )


async def _aria_snapshot(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    return await page_tools.aria_snapshot(context.provider, context.store, call, context.budget(call))


async def _screenshot(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    return await page_tools.screenshot(context.provider, call)


async def _sessions(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    return await manage_sessions(context.provider, context.store, call, context.budget(call))


async def _run_goal(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    session = await context.provider.get(call.session_id)
    return await goal_tool.run_goal(
        session,
        call,
        settings=context.settings,
        store=context.store,
        budget=context.budget(call),
        report=context.report,
    )


# -- names and arguments ---------------------------------------------------------------------------


def tool_table(chosen: ToolSet = "default", *, with_goals: bool = False) -> dict[str, ToolRow]:
    """Return the tools by name: six by default; `all` adds one for every other kind of action.

    `with_goals` adds `run_goal`.
    """
    rows = [*_default_rows(), *([_goal_row()] if with_goals else [])]
    if chosen == "all":
        rows += [_action_row(kind) for kind in KINDS if kind not in descriptions.TOOLS]
    return {row.tool.name: row for row in rows}


def _default_rows() -> Iterator[ToolRow]:
    acts = _action_hints("execute_sequence")
    yield _row("execute_sequence", arguments.SequenceArguments, _execute_sequence, _full_result(), acts)
    yield _action_row("navigate")
    yield _action_row("wait_for")
    aria_snapshot = _result(content.AriaSnapshotContent)
    yield _row("aria_snapshot", arguments.AriaSnapshotArguments, _aria_snapshot, aria_snapshot, _READ_HINTS)
    picture = _result(content.ScreenshotContent)
    yield _row("screenshot", arguments.ScreenshotArguments, _screenshot, picture, _READ_HINTS)
    sessions = _result(content.SessionsContent)
    yield _row("sessions", arguments.SessionsArguments, _sessions, sessions, _SESSION_HINTS)


def _goal_row() -> ToolRow:
    acts = _action_hints("execute_sequence")
    title, description = descriptions.TOOLS["run_goal"]
    tool = types.Tool(
        name="run_goal",
        title=title,
        description=description,
        input_schema=struct_schema(arguments.GoalArguments, descriptions.GOAL_ARGUMENTS),
        output_schema=struct_schema(content.GoalContent, descriptions.GOAL_RESULTS, closed=False, depth=1),
        annotations=acts,
    )
    return ToolRow(tool, arguments.GoalArguments, _run_goal, goal_tool.call_timeout_ms)


def _action_row(kind: str) -> ToolRow:
    hints = _READ_HINTS if kind == "wait_for" else _action_hints(kind)
    takes = arguments.action_arguments(kind)
    return _row(kind, takes, partial(_single_action, kind), _brief_result(), hints, KINDS[kind])


def _row(
    name: str,
    takes: type[arguments.ToolArguments],
    run: Run,
    output: Schema,
    hints: types.ToolAnnotations,
    kind: type[Action] | None = None,
) -> ToolRow:
    title, description = descriptions.TOOLS.get(name) or _describe(kind)
    schema = struct_schema(takes, descriptions.ARGUMENTS | {"selector": descriptions.SAME_SELECTOR})
    if name == "execute_sequence":
        schema["properties"]["actions"]["items"] = action_schema()
    tool = types.Tool(
        name=name,
        title=title,
        description=description,
        input_schema=schema,
        output_schema=output,
        annotations=hints,
    )
    return ToolRow(tool, takes, run)


def _describe(kind: type[Action] | None) -> tuple[str, str]:
    """Return title and description of the tool for one kind of action, from the docstring of the action."""
    assert kind is not None
    first = (kind.__doc__ or "").partition("\n")[0]
    title = str(kind.__struct_config__.tag).replace("_", " ").capitalize()
    return title, f"{first} Returns what changed."


def action_schema() -> Schema:
    """Return the schema of an action in a list: one flat object, because many clients refuse a choice of schemas."""
    merged: Schema = {}
    for kind in KINDS.values():
        merged |= struct_schema(kind, descriptions.ARGUMENTS)["properties"]
    fields = {"action": {"type": "string", "enum": list(KINDS), "description": fields_by_kind()}, **_plain(merged)}
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


# -- results ---------------------------------------------------------------------------------------


def _result(struct: type[msgspec.Struct]) -> Schema:
    return struct_schema(struct, descriptions.RESULTS, closed=False, depth=1)


def _full_result() -> Schema:
    """Return the schema of a sequence's result; descriptions stand for the rows of its lists."""
    schema = struct_schema(content.SequenceContent, descriptions.RESULTS, closed=False, depth=1)
    deep = struct_schema(content.SequenceContent, descriptions.RESULTS, closed=False, depth=2)["properties"]
    schema["properties"] |= {name: deep[name] for name in ("failed", "stateChange")}
    return schema


def _brief_result() -> Schema:
    schema = struct_schema(content.SequenceContent, descriptions.RESULTS, closed=False, depth=1)
    schema["properties"] = {name: schema["properties"][name] for name in BRIEF_RESULT}
    schema["required"] = [name for name in schema["required"] if name in BRIEF_RESULT]
    return schema


_READ_HINTS = types.ToolAnnotations(
    read_only_hint=True, idempotent_hint=True, destructive_hint=False, open_world_hint=True
)
_SESSION_HINTS = types.ToolAnnotations(
    read_only_hint=False, idempotent_hint=False, destructive_hint=True, open_world_hint=False
)


def _action_hints(kind: str) -> types.ToolAnnotations:
    return types.ToolAnnotations(
        read_only_hint=False,
        idempotent_hint=kind == "navigate",
        destructive_hint=kind not in NOT_DESTRUCTIVE,
        open_world_hint=True,
    )
