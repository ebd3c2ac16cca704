"""The tool that records: a trace of the current tab, or a HAR file of the session, which becomes a resource."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.mcp import arguments
from stillframe.mcp.files_tools import file_result, stored_file
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.structured_content import TracingContent
from stillframe.mcp.tool_row import MANAGES, ToolContext, ToolRow

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe.sessions import Session


async def tracing(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Begin a recording, or end it and reply with the URI of its file."""
    session = await context.session(call)
    async with session.lock:
        if call.action == "stop":
            return await _stop(context, session, call.format)
        context.provider.recordings.begin(session, call.format, screenshots=call.screenshots)
    running = context.provider.recordings.of(session.id)
    content = TracingContent(session_id=session.id, recording=tuple(running))
    head = f"recording a {call.format} file; call tracing with action stop to get it"
    reply = Reply(heads=[head], lines=[], structured=msgspec.to_builtins(content), text_in_structured=True)
    return to_result(reply, budget=context.budget(call), session=session.id, title="tracing", store=context.store)


async def _stop(context: ToolContext, session: Session, form: str) -> types.CallToolResult:
    recording = context.provider.recordings.take(session.id, form)
    try:
        await recording.end()
        data = await asyncio.to_thread(recording.path.read_bytes)
    finally:
        recording.remove()
    stored = stored_file(context, session, recording.path.name, data.decode(), recording.mime_type, recording.kind)
    return file_result(context, session, stored)


ROWS = (
    ToolRow(
        name="tracing",
        takes=arguments.TracingArguments,
        run=tracing,
        returns=TracingContent,
        hints=MANAGES,
        capability="tracing",
    ),
)
