"""Call a tool that a page offers as a sequence of one action, so that the call settles and says what it changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stillframe.engine import sequence
from stillframe.engine.actions import unanswered
from stillframe.errors import CommandTimeout, WebMCPToolFailed
from stillframe.model.webmcp import CallTool, WebMCPResult
from stillframe.tab import webmcp
from stillframe.tab.deadline import CALL_MS

if TYPE_CHECKING:
    from stillframe.engine.history import History
    from stillframe.settling.settler import Settler
    from stillframe.tab.deadline import Deadline
    from stillframe.tab.input.attempt import Attempt


async def call_tool(
    settler: Settler,
    history: History,
    order: CallTool,
    options: Mapping[str, Any],
    *,
    validate: bool,
    max_output_bytes: int,
) -> WebMCPResult:
    """Call a tool and wait until the page is still; see `WebMCP.call_tool`."""
    answer = webmcp.Answer()

    async def perform(attempt: Attempt, action: CallTool, deadline: Deadline) -> None:
        nonlocal answer
        if attempt.before_input.armed is not None:
            await attempt.before_input.armed(deadline)
        try:
            answer = await webmcp.call(
                attempt.tab, action, validate=validate, max_output_bytes=max_output_bytes, deadline=deadline
            )
        except CommandTimeout as error:
            raise unanswered(attempt.tab, action, deadline, error) from error

    limits = {"action_timeout_ms": float(CALL_MS), **options}
    result = await sequence.execute(settler, history, [order], limits, perform=perform)
    result.raise_for_failure()
    try:
        output = settler.tab.context.redaction.redact(answer.output)
    except RecursionError:
        raise WebMCPToolFailed(
            f"{order.name!r} ran, and its output is nested too deeply to be read; look at the page instead",
            tool=order.name,
        ) from None
    return WebMCPResult(tool=order.name, output=output, awaits_submit=answer.awaits_submit, sequence=result)
