"""The tool that runs a script in the page; a server has it only with `--allow-evaluate`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import TYPE_CHECKING, Any

from stillframe.extend import page_state
from stillframe.mcp import arguments
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.structured_content import ReadContent
from stillframe.mcp.tool_row import ACTS, ToolContext, ToolRow

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe import Page

LINE_CHARS = 500
"""Characters of one line of a result; a budget would show nothing of a longer one."""

MAX_VALUES = 20_000
"""Values of a result: objects that share others may have far more of them than the page has."""

_FUNCTION = re.compile(r"\s*(?:async\b\s*)?(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>|\(\s*[{\[][^()]*\)\s*=>)")
"""How a function begins, which is then called; anything else is an expression or statements."""


async def evaluate(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Run a script in the page or with an element, and reply with its value as JSON."""
    session = await context.session(call)
    async with session.lock:
        value = await _value(session.page, call)
        state = page_state(session.page)
    plain = _Plain(state.redact).of(value)
    text = json.dumps(plain, ensure_ascii=False, indent=1)
    lines = [line[at : at + LINE_CHARS] for line in text.splitlines() for at in range(0, len(line), LINE_CHARS)]
    reply = Reply(
        heads=["the value of the script:"],
        lines=lines,
        structured={"sessionId": session.id},
        text_in_structured=True,
    )
    return to_result(
        reply, budget=context.budget(call), session=session.id, title="the value of the script", store=context.store
    )


async def _value(page: Page, call: Any) -> Any:
    is_function = _FUNCTION.match(call.script) is not None
    if call.selector is not None:
        function = call.script if is_function else f"() => ({call.script}\n)"
        return await page.locator(call.selector).evaluate(function, timeout_ms=call.timeout_ms)
    script = f"(\n{call.script}\n)()" if is_function else call.script
    return await page.evaluate(script, timeout_ms=call.timeout_ms)


class _Plain:
    """Turns what `Page.evaluate` returns into JSON; what contains itself is cut there."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._around: set[int] = set()
        self._left = MAX_VALUES

    def of(self, value: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            return "…"
        if isinstance(value, str):
            return self._redact(value)
        if value is None or isinstance(value, bool | int | float):
            return str(value) if isinstance(value, float) and value - value != 0 else value
        if isinstance(value, Mapping | list | tuple | AbstractSet):
            return self._within(value)
        if isinstance(value, bytes):
            return f"{len(value)} bytes"
        text = value.isoformat() if isinstance(value, datetime) else getattr(value, "pattern", None) or str(value)
        return self._redact(text)

    def _within(self, value: Any) -> Any:
        if id(value) in self._around:
            return "[circular]"
        self._around.add(id(value))
        try:
            if isinstance(value, Mapping):
                return {self._redact(str(key)): self.of(each) for key, each in value.items()}
            return [self.of(each) for each in value]
        finally:
            self._around.discard(id(value))


ROWS = (
    ToolRow(
        name="evaluate",
        takes=arguments.EvaluateArguments,
        run=evaluate,
        returns=ReadContent,
        hints=ACTS,
        capability="evaluate",
        option="--allow-evaluate",
    ),
)
