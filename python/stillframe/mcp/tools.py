"""The table of tools: one row for each, with its capability.

A module with tools of a capability has a tuple of rows, which `ROWS` takes in.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.mcp import (
    arguments,
    ask_tool,
    console_tool,
    emulation_tool,
    evaluate_tool,
    files_tools,
    find_tool,
    goal_tool,
    network_tools,
    page_tools,
    state_tool,
    tabs_tool,
    tracing_tool,
    vision_tool,
    webmcp_tools,
)
from stillframe.mcp import structured_content as content
from stillframe.mcp.action_tools import action_row, sequence_row
from stillframe.mcp.capabilities import CORE, EVERY, Capability
from stillframe.mcp.session_tool import manage_sessions
from stillframe.mcp.tool_row import ACTS, MANAGES, READS, ToolContext, ToolRow
from stillframe.model.actions import KINDS

if TYPE_CHECKING:
    import mcp_types as types


class ToolTable(msgspec.Struct, frozen=True):
    """The tools of a server by name: those that it shows, and for those that it hides the option that shows them."""

    shown: dict[str, ToolRow]
    hidden: dict[str, str]


def tool_table(capabilities: AbstractSet[Capability] = CORE, *, options: AbstractSet[str] = frozenset()) -> ToolTable:
    """Return the tools of some capabilities; rows with an `option` are shown only if `options` has it."""
    shown: dict[str, ToolRow] = {}
    hidden: dict[str, str] = {}
    for row in _rows(capabilities):
        if row.option and row.option not in options:
            hidden[row.name] = row.option
        elif row.capability not in capabilities:
            hidden[row.name] = f"--caps {row.capability}"
        else:
            shown[row.name] = row
    return ToolTable(shown, hidden)


def _rows(capabilities: AbstractSet[Capability]) -> Iterator[ToolRow]:
    """Yield all rows, those of the default surface first."""
    yield sequence_row(capabilities)
    yield action_row("navigate")
    yield action_row("wait_for")
    yield from ROWS
    yield from (action_row(kind) for kind in KINDS if kind not in ("navigate", "wait_for"))


async def _aria_snapshot(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    return await page_tools.aria_snapshot(context.provider, context.store, call, context.budget(call))


async def _screenshot(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    return await page_tools.screenshot(context.provider, context.store, call)


async def _sessions(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    return await manage_sessions(context.provider, context.store, call, context.budget(call))


async def _run_goal(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    return await goal_tool.run_goal(
        await context.session(call),
        call,
        settings=context.settings,
        store=context.store,
        budget=context.budget(call),
        report=context.report,
    )


ROWS: tuple[ToolRow, ...] = (
    ToolRow(
        name="aria_snapshot",
        takes=arguments.AriaSnapshotArguments,
        run=_aria_snapshot,
        returns=content.AriaSnapshotContent,
        hints=READS,
    ),
    ToolRow(
        name="screenshot",
        takes=arguments.ScreenshotArguments,
        run=_screenshot,
        returns=content.ScreenshotContent,
        hints=READS,
    ),
    ToolRow(
        name="sessions",
        takes=arguments.SessionsArguments,
        run=_sessions,
        returns=content.SessionsContent,
        hints=MANAGES,
    ),
    ToolRow(
        name="run_goal",
        takes=arguments.GoalArguments,
        run=_run_goal,
        returns=content.GoalContent,
        hints=ACTS,
        option="--agent-model",
        timeout_ms=goal_tool.call_timeout_ms,
    ),
    *console_tool.ROWS,
    *network_tools.ROWS,
    *tabs_tool.ROWS,
    *evaluate_tool.ROWS,
    *find_tool.ROWS,
    *vision_tool.ROWS,
    *files_tools.ROWS,
    *webmcp_tools.ROWS,
    *emulation_tool.ROWS,
    *state_tool.ROWS,
    *tracing_tool.ROWS,
    *ask_tool.ROWS,
)
"""The tools with functions of their own; `_rows` adds those for actions."""


def every_tool() -> dict[str, ToolRow]:
    """Return all tools that there are."""
    return {row.name: row for row in _rows(EVERY)}
