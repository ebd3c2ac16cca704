"""The table of tools: what each is called, takes, answers and does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import mcp_types as types
import msgspec

from stillframe.mcp import arguments, looking, results, words
from stillframe.mcp.acting import act
from stillframe.mcp.desk import Desk
from stillframe.mcp.progress import Report
from stillframe.mcp.schemas import Schema, struct_schema
from stillframe.mcp.settings import Settings, ToolSet
from stillframe.mcp.store import Store
from stillframe.model.actions import KINDS, Action

GENTLE = frozenset({"scroll", "swipe", "hover", "focus", "wait_for", "navigate", "go_back", "go_forward", "reload"})
"""Actions that by themselves send nothing: a link that destroys by being opened is beyond any hint."""

BRIEF = ("sessionId", "completed", "failed", "stateChange", "stable", "reason")
"""What the schemas of tools for one action name of the result; it is the same as that of `execute_sequence`."""


class Surroundings(msgspec.Struct, frozen=True):
    """What a call acts in."""

    desk: Desk
    store: Store
    settings: Settings
    report: Report

    def budget(self, call: Any) -> int:
        """The characters that a call's reply may have."""
        return getattr(call, "budget", None) or self.settings.budget


Run = Callable[[Surroundings, Any, dict[str, Any]], Awaitable[types.CallToolResult]]
"""Takes the call as it was read and as it was sent: only the latter tells a default from what was asked for."""


class ToolRow(msgspec.Struct, frozen=True):
    """One tool."""

    tool: types.Tool
    takes: type[arguments.Call]
    run: Run


# -- what they do ----------------------------------------------------------------------------------


async def _execute(around: Surroundings, call: Any, sent: dict[str, Any]) -> types.CallToolResult:
    options = {name: value for name, value in sent.items() if name not in ("actions", "sessionId", "budget")}
    return await _act(around, call, call.actions, options)


async def _single(kind: str, around: Surroundings, call: Any, sent: dict[str, Any]) -> types.CallToolResult:
    return await _act(around, call, [arguments.action_of(kind, call)], {})


async def _act(
    around: Surroundings, call: Any, actions: list[dict[str, Any]], options: dict[str, Any]
) -> types.CallToolResult:
    session = await around.desk.session(call.session_id)
    return await act(
        session,
        actions,
        options,
        settings=around.settings,
        store=around.store,
        budget=around.budget(call),
        report=around.report,
    )


async def _snapshot(around: Surroundings, call: Any, sent: dict[str, Any]) -> types.CallToolResult:
    return await looking.snapshot(around.desk, around.store, call, around.budget(call))


async def _screenshot(around: Surroundings, call: Any, sent: dict[str, Any]) -> types.CallToolResult:
    return await looking.screenshot(around.desk, call)


async def _sessions(around: Surroundings, call: Any, sent: dict[str, Any]) -> types.CallToolResult:
    return await looking.sessions(around.desk, around.store, call, around.budget(call))


# -- what they are called and take -----------------------------------------------------------------


def table(chosen: ToolSet = "default") -> dict[str, ToolRow]:
    """Return the tools by name: six by default, with `all` one for every other kind of action too."""
    rows = list(_default_rows())
    if chosen == "all":
        rows += [_single_row(kind) for kind in KINDS if kind not in words.TOOLS]
    return {row.tool.name: row for row in rows}


def _default_rows() -> Iterator[ToolRow]:
    yield _row("execute_sequence", arguments.ExecuteSequence, _execute, _whole(), _acts("execute_sequence"))
    yield _single_row("navigate")
    yield _single_row("wait_for")
    yield _row("snapshot", arguments.Snapshot, _snapshot, _told(results.Look), _READS)
    yield _row("screenshot", arguments.Screenshot, _screenshot, _told(results.Picture), _READS)
    yield _row("sessions", arguments.Sessions, _sessions, _told(results.SessionList), _MANAGES)


def _single_row(kind: str) -> ToolRow:
    takes = arguments.single(kind)
    notes = _READS if kind == "wait_for" else _acts(kind)
    return _row(kind, takes, partial(_single, kind), _brief(), notes, KINDS[kind])


def _row(
    name: str,
    takes: type[arguments.Call],
    run: Run,
    output: Schema,
    notes: types.ToolAnnotations,
    kind: type[Action] | None = None,
) -> ToolRow:
    title, description = words.TOOLS.get(name) or _words_of(kind)
    schema = struct_schema(takes, words.FIELDS | {"selector": words.AS_ABOVE})
    if name == "execute_sequence":
        schema["properties"]["actions"]["items"] = action_schema()
    tool = types.Tool(
        name=name,
        title=title,
        description=description,
        input_schema=schema,
        output_schema=output,
        annotations=notes,
    )
    return ToolRow(tool, takes, run)


def _words_of(kind: type[Action] | None) -> tuple[str, str]:
    """Return title and description of the tool for one kind of action: what the action's own docstring says first."""
    assert kind is not None
    first = (kind.__doc__ or "").partition("\n")[0]
    title = str(kind.__struct_config__.tag).replace("_", " ").capitalize()
    return title, f"{first} Answers with what changed."


def action_schema() -> Schema:
    """Return the schema of an action in a list: one flat object, since many clients refuse a choice of schemas."""
    merged: Schema = {}
    for kind in KINDS.values():
        merged |= struct_schema(kind, words.FIELDS)["properties"]
    fields = {"action": {"type": "string", "enum": list(KINDS), "description": _fields_by_kind()}, **_plain(merged)}
    return {"type": "object", "properties": fields, "required": ["action"], "additionalProperties": False}


def _plain(properties: Schema) -> Schema:
    """Leave out defaults, which differ between kinds, and the insides of points, which their words say.

    A value may be any that one of the kinds takes.
    """
    left_out = ("default", "properties", "required", "additionalProperties")
    fields = {
        name: {word: said for word, said in schema.items() if word not in left_out}
        for name, schema in properties.items()
    }
    fields["value"] = {
        "type": ["string", "boolean", "array", "object"],
        "items": {"type": "string"},
        "properties": {
            name: {"type": "string", "description": words.FIELDS[name]} for name in ("secret", "secretName")
        },
        "additionalProperties": False,
        "description": words.FIELDS["value"],
    }
    return fields


def _fields_by_kind() -> str:
    """Say which fields the kinds take, the optional ones with a question mark; `timeoutMs` goes without saying."""
    kinds: dict[str, list[str]] = {}
    for name, kind in KINDS.items():
        kinds.setdefault(", ".join(_field_names(kind)), []).append(name)
    return "; ".join(f"{'/'.join(names)}({fields})" for fields, names in kinds.items())


def _field_names(kind: type[Action]) -> Iterator[str]:
    for field in msgspec.structs.fields(kind):
        if field.name != "timeout_ms":
            yield field.encode_name if field.required else f"{field.encode_name}?"


# -- what they answer ------------------------------------------------------------------------------


def _told(struct: type[msgspec.Struct]) -> Schema:
    return struct_schema(struct, words.RESULT, closed=False, depth=1)


def _whole() -> Schema:
    """Return the result of a sequence with its lists, but the rows of the latter in words."""
    schema = struct_schema(results.Outcome, words.RESULT, closed=False, depth=1)
    deep = struct_schema(results.Outcome, words.RESULT, closed=False, depth=2)["properties"]
    schema["properties"] |= {name: deep[name] for name in ("failed", "stateChange")}
    return schema


def _brief() -> Schema:
    schema = struct_schema(results.Outcome, words.RESULT, closed=False, depth=1)
    schema["properties"] = {name: schema["properties"][name] for name in BRIEF}
    schema["required"] = [name for name in schema["required"] if name in BRIEF]
    return schema


_READS = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, destructive_hint=False, open_world_hint=True)
_MANAGES = types.ToolAnnotations(
    read_only_hint=False, idempotent_hint=False, destructive_hint=True, open_world_hint=False
)


def _acts(kind: str) -> types.ToolAnnotations:
    return types.ToolAnnotations(
        read_only_hint=False,
        idempotent_hint=kind == "navigate",
        destructive_hint=kind not in GENTLE,
        open_world_hint=True,
    )
