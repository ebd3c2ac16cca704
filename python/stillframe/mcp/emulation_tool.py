"""The tool that changes how the pages of a session appear, and what their requests say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.extend import dialog_error
from stillframe.extend.options import EMULATED
from stillframe.extend.text import quote
from stillframe.mcp import arguments
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.structured_content import EmulationContent
from stillframe.mcp.tool_row import KEEPS, ToolContext, ToolRow

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe import BrowserContext
    from stillframe.mcp.settings import Settings

NETWORK = ("headers", "offline")
"""The arguments that are about requests, not about what a page sees."""

AGAIN = ("device", "user_agent", "locale", "headers")
"""The arguments that a document was requested with, or has read, when it loaded."""


async def emulate(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Change what is given, and reply with all that is emulated now."""
    given = {name: value for name in (*EMULATED, *NETWORK) if (value := getattr(call, name)) is not None}
    if not given and not call.reset:
        known = ", ".join(name for name in call.__struct_encode_fields__ if name != "sessionId")
        raise OptionInvalid(f"emulate needs something to change; known: {known}", option="device")
    session = await context.session(call)
    async with session.lock:
        if (dialog := session.page.dialog) is not None:
            raise dialog_error(dialog)
        await _apply(session.context, given, context.settings if call.reset else None)
    now = _emulated(session.context)
    words = ", ".join(f"{name} {quote(_text(value))}" for name, value in now.items()) or "nothing"
    reload = any(name in given for name in AGAIN) or call.reset
    heads = [f"emulated now: {words}", *(["reload the page for what it has read already"] if reload else [])]
    content = EmulationContent(session_id=session.id, emulated=now)
    reply = Reply(heads=heads, lines=[], structured=msgspec.to_builtins(content))
    return to_result(
        reply, budget=context.settings.budget, session=session.id, title="what is emulated", store=context.store
    )


async def _apply(context: BrowserContext, given: dict[str, Any], reset: Settings | None) -> None:
    """Apply the arguments; with the settings of the server, everything else becomes as it was at the start."""
    started = {} if reset is None else {name: reset.context.get(name) for name in EMULATED}
    seen = {
        name: msgspec.structs.asdict(value) if isinstance(value, msgspec.Struct) else value
        for name, value in given.items()
        if name in EMULATED
    }
    if started | seen:
        await context.emulate(**(started | seen))
    if "headers" in given or reset is not None:
        await context.set_extra_http_headers(given.get("headers", {}))
    if "offline" in given or reset is not None:
        await context.set_offline(bool(given.get("offline", reset is not None and reset.context.get("offline"))))


def _emulated(context: BrowserContext) -> dict[str, Any]:
    """Return what is emulated, by the names of the arguments; of headers the names alone: one may be a credential."""
    options = context.options
    values = {arguments.camel(name): getattr(options, name) for name in EMULATED}
    values |= {"headers": list(context.extra_http_headers), "offline": context.offline}
    return {name: msgspec.to_builtins(value) for name, value in values.items() if value}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    if not isinstance(value, dict):
        return "on" if value is True else str(value)
    return ", ".join(f"{name}={each}" for name, each in value.items() if each not in (False, None))


ROWS = (
    ToolRow(
        name="emulate",
        takes=arguments.EmulateArguments,
        run=emulate,
        returns=EmulationContent,
        hints=KEEPS,
        capability="emulation",
    ),
)
