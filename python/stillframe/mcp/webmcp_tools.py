"""The tools for the tools of a page (WebMCP): list them, and call one. All that the page says of them is untrusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.errors import WebMCPInputInvalid
from stillframe.mcp import arguments
from stillframe.mcp.action_tools import brief_result
from stillframe.mcp.replies import Reply, to_result, with_reattached
from stillframe.mcp.sequence_tool import Done, reply_to
from stillframe.mcp.structured_content import PageToolsContent
from stillframe.mcp.tool_row import ACTS, READS, ToolContext, ToolRow
from stillframe.model.webmcp import WebMCPTool

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe.model.webmcp import WebMCPResult

LINE_CHARS = 500
"""Characters of one line of a reply; a budget would show nothing of a longer one."""

HINTS = {
    "read_only": "read-only",
    "untrusted_content": "text of third parties",
    "consequential": "consequential",
    "debugging": "for developers",
}
"""What a page may claim about a tool."""


async def list_page_tools(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Reply with the tools that the page offers now."""
    session = await context.session(call)
    async with session.lock:
        tools = await session.page.webmcp.tools()
        main, reattached = session.page.target_id, session.reattached
    many = "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    reply = Reply(
        heads=[f"the page offers {many}"],
        lines=[line for tool in tools for line in _tool_lines(tool, main)],
        structured={"sessionId": session.id, "count": len(tools)},
        text_in_structured=True,
    )
    return to_result(
        with_reattached(reply, reattached),
        budget=context.budget(call),
        session=session.id,
        title="the tools of the page",
        store=context.store,
    )


async def call_page_tool(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Call a tool of the page, and reply with its output and with what changed."""
    session = await context.session(call)
    given, tool = _input(call.name, call.input), _named(call.name, call.frame_id)
    sequence = {**context.settings.sequence, "action_timeout_ms": call.timeout_ms}

    async def run() -> Done:
        answer = await session.page.webmcp.call_tool(tool, given, **sequence)
        return Done(answer.sequence, [_said(answer)], list(_lines(answer.text)))

    return await reply_to(session, run, 1, provider=context.provider, budget=context.budget(call))


def _tool_lines(tool: WebMCPTool, main_frame: str) -> Iterator[str]:
    claims = [text for name, text in HINTS.items() if getattr(tool.annotations, name)]
    if tool.is_form:
        claims.append("form, submitted at once" if tool.annotations.autosubmit else "form, filled in only")
    claimed = f" [{', '.join(claims)}]" if claims else ""
    yield from _lines(f"{tool.name}: {tool.description}{claimed}")
    if tool.frame_id != main_frame:
        yield f"  frameId: {tool.frame_id} ({tool.frame_url})"
    if tool.input_schema:
        yield from _lines(f"  input: {msgspec.json.encode(tool.input_schema).decode()}")


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for at in range(0, len(line), LINE_CHARS):
            yield line[at : at + LINE_CHARS]


def _said(answer: WebMCPResult) -> str:
    if answer.awaits_submit:
        return "the form is filled in and not submitted: check it, then click its submit button"
    if answer.is_error:
        return "the tool says that it failed; its words come first"
    return "its output comes first" if answer.text else "the tool returned nothing"


def _named(name: str, frame_id: str | None) -> str | WebMCPTool:
    """Return what names a tool: its name alone in the main frame."""
    return name if frame_id is None else WebMCPTool(name=name, description="", frame_id=frame_id, frame_url="")


def _input(name: str, given: dict[str, Any] | str) -> dict[str, Any]:
    """Return the input as an object; raises WebMCPInputInvalid for a text that is not JSON of one."""
    if not isinstance(given, str):
        return given
    try:
        return msgspec.json.decode(given or "{}", type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise WebMCPInputInvalid(
            f"the input of {name!r} is a text that is not a JSON object ({error}); send an object", tool=name
        ) from None


ROWS = (
    ToolRow(
        name="list_webmcp_tools",
        takes=arguments.ListPageToolsArguments,
        run=list_page_tools,
        returns=PageToolsContent,
        hints=READS,
        capability="webmcp",
    ),
    ToolRow(
        name="execute_webmcp_tool",
        takes=arguments.CallPageToolArguments,
        run=call_page_tool,
        returns=brief_result,
        hints=ACTS,
        capability="webmcp",
    ),
)
