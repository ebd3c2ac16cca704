"""The tool that reads what a page wrote to its console, and the errors that no script caught."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stillframe.agent.events import count
from stillframe.extend.text import quote
from stillframe.mcp import arguments
from stillframe.mcp.page_record import LEVELS
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.structured_content import ConsoleContent
from stillframe.mcp.tool_row import READS, ToolContext, ToolRow

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe.mcp.page_record import Message


async def read_console(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Reply with the messages of the current tab, the newest first."""
    session = await context.session(call)
    async with session.lock:
        record = context.provider.logs.record(session.page)
        found = [each for each in record.newest_messages() if each.number > call.since and _passes(each, call)]
        last = record.messages[-1].number if record.messages else 0
    structured: dict[str, Any] = {
        "sessionId": session.id,
        "messages": [_fields(each) for each in found],
        "last": last,
    }
    head = f"{count(len(found), 'message')} of {len(record.messages)} kept, the newest first; since={last} skips all"
    reply = Reply(
        heads=[head],
        lines=[line for each in found for line in _lines(each)],
        structured=structured,
        text_in_structured=True,
    )
    return to_result(
        reply, budget=context.budget(call), session=session.id, title="console messages", store=context.store
    )


def _passes(message: Message, call: Any) -> bool:
    return message.rank <= LEVELS[call.level] and (call.contains or "").casefold() in message.text.casefold()


def _fields(message: Message) -> dict[str, Any]:
    fields = {"number": message.number, "type": message.type, "text": message.text, "place": message.place}
    return fields | ({"stack": message.stack} if message.stack else {})


def _lines(message: Message) -> list[str]:
    place = f" at {quote(message.place)}" if message.place else ""
    stack = [f"   {line.strip()}" for line in message.stack.splitlines()[1:]]
    return [f"#{message.number} {message.type}: {quote(message.text)}{place}", *stack]


ROWS = (
    ToolRow(
        name="console_messages",
        takes=arguments.ConsoleArguments,
        run=read_console,
        returns=ConsoleContent,
        hints=READS,
        capability="console",
    ),
)
