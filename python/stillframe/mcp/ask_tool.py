"""The tool that asks the person in front of the client: to choose, or to answer in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.extend.text import quote
from stillframe.mcp import arguments
from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.session_provider import DEFAULT_SESSION
from stillframe.mcp.structured_content import AnswerContent
from stillframe.mcp.tool_row import ASKS, ToolContext, ToolRow
from stillframe.security.untrusted_text import escape_invisible

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe.mcp.settings import Settings

ASK_MS = 600_000.0
"""Milliseconds that a person may take: to notice the question, to look at the page, to answer."""

TITLE = "Answer"


async def ask_user(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Reply with the person's answer; raises ToolError if they declined or cannot be asked."""
    if not context.asker.can_show_form:
        raise ToolError("asking_impossible", "this client cannot ask its user (it offers no elicitation)")
    choices = [escape_invisible(choice) for choice in call.choices]
    if len(set(choices)) < len(choices):
        raise OptionInvalid("argument choices: some of them are the same", option="choices")
    field = {"type": "string", "title": TITLE, **({"enum": choices} if choices else {"minLength": 1})}
    answered = await context.asker.form("ask", f"The agent asks: {escape_invisible(call.question)}", {"answer": field})
    answer = answered.get("answer")
    if not isinstance(answer, str) or (choices and answer not in choices):
        raise ToolError("ask_failed", f"the client answered {answer!r}, which the person could not choose")
    chosen = call.choices[choices.index(answer)] if choices else answer
    structured = msgspec.to_builtins(AnswerContent(answer=chosen))
    reply = Reply(heads=[f"the person answered: {quote(chosen)}"], lines=[], structured=structured)
    name = call.session_id or DEFAULT_SESSION
    return to_result(reply, budget=context.settings.budget, session=name, title="the answer", store=context.store)


def time_limit_ms(_settings: Settings, _call: Any) -> float:
    """Return how long a call may take."""
    return ASK_MS


ROWS = (
    ToolRow(
        name="ask_user",
        takes=arguments.AskArguments,
        run=ask_user,
        returns=AnswerContent,
        hints=ASKS,
        capability="ask",
        timeout_ms=time_limit_ms,
    ),
)
