"""The tool that keeps logins: cookies and storage of a session, saved under names until the server ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.extend.text import quote
from stillframe.mcp import arguments
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.structured_content import StateContent
from stillframe.mcp.tool_row import MANAGES, ToolContext, ToolRow
from stillframe.model.suggest import did_you_mean

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe import BrowserContext
    from stillframe.mcp.arguments import StateArguments
    from stillframe.mcp.session_provider import SessionProvider

MAX_STATES = 20
"""Saved states of one client; each has some kilobytes."""


async def storage_state(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """List, save, restore or clear the state of a session, and reply with what it has now, without values."""
    provider = context.provider
    if call.name is not None and call.action in ("list", "clear"):
        raise OptionInvalid(f"argument name is for save and restore, not for {call.action}", option="name")
    if call.indexed_db and call.action in ("restore", "clear"):
        raise OptionInvalid(
            f"argument indexedDb is for list and save; {call.action} always includes IndexedDB", option="indexedDb"
        )
    if call.action == "restore":
        _saved(provider, call.name)  # refuse a wrong name before a session opens
    session = await context.session(call)
    async with session.lock:
        head, state = await _ACTIONS[call.action](provider, session.context, call)
    cookies = tuple(f"{cookie['name']} ({cookie['domain']})" for cookie in state["cookies"])
    origins = tuple(_shown(origin) for origin in (*state["origins"], *state.get("partitionedOrigins", ())))
    content = StateContent(session_id=session.id, cookies=cookies, origins=origins, saved=tuple(provider.states))
    reply = Reply(
        heads=[head, f"saved states: {', '.join(provider.states) or 'none'}"],
        lines=[
            *(f"cookie {quote(name)}" for name in cookies),
            *(f"storage of {quote(origin)}" for origin in origins),
        ],
        structured=msgspec.to_builtins(content),
        text_in_structured=True,
    )
    return to_result(
        reply, budget=context.budget(call), session=session.id, title="cookies and storage", store=context.store
    )


def _shown(origin: dict[str, Any]) -> str:
    """Return the line for the storage of an origin: how many items and databases it has."""
    place = " in ".join([origin["origin"], *reversed(origin.get("ancestors", []))])
    databases = f", {_count(origin['indexedDB'], 'database')}" if "indexedDB" in origin else ""
    return f"{place}: {_count(origin['localStorage'], 'item')}{databases}"


def _count(rows: list[Any], noun: str) -> str:
    return f"{len(rows)} {noun}{'' if len(rows) == 1 else 's'}"


Done = tuple[str, dict[str, Any]]
"""What was done, in words of our own, and the state that the session has then."""


async def _list(_provider: SessionProvider, context: BrowserContext, call: StateArguments) -> Done:
    state = await context.storage_state(indexed_db=call.indexed_db)
    return f"the session has {len(state['cookies'])} cookies, and storage of {len(state['origins'])} origins", state


async def _save(provider: SessionProvider, context: BrowserContext, call: StateArguments) -> Done:
    name = call.name
    if name is None:
        return await _write(provider, context, call)
    if name not in provider.states and len(provider.states) >= MAX_STATES:
        raise OptionInvalid(f"{MAX_STATES} states are saved, which is the most: use one of their names", option="name")
    state = provider.states[name] = await context.storage_state(indexed_db=call.indexed_db)
    return f"saved as {name}; restore it with this name, in any session", state


async def _write(provider: SessionProvider, context: BrowserContext, call: StateArguments) -> Done:
    path = provider.settings.save_storage_state
    if path is None:
        raise OptionInvalid(
            "save needs a name: this server was started without --save-storage-state, so that there is no file to "
            "write",
            option="name",
        )
    state = await context.storage_state(path, indexed_db=call.indexed_db)
    return "written to the file of --save-storage-state", state


async def _restore(provider: SessionProvider, context: BrowserContext, call: StateArguments) -> Done:
    state = _saved(provider, call.name)
    await context.set_storage_state(state)
    return f"restored {call.name}; reload the page to use it", state


async def _clear(_provider: SessionProvider, context: BrowserContext, _call: StateArguments) -> Done:
    await context.set_storage_state({})
    return "cleared; reload the page to see it without them", {"cookies": [], "origins": []}


def _saved(provider: SessionProvider, name: str | None) -> dict[str, Any]:
    states = provider.states
    if name is None or name not in states:
        hint = did_you_mean(name, states) if name is not None else ""
        raise OptionInvalid(f"no state is saved as {name!r}{hint}; saved: {', '.join(states) or 'none'}", option="name")
    return states[name]


_ACTIONS = {"list": _list, "save": _save, "restore": _restore, "clear": _clear}

ROWS = (
    ToolRow(
        name="storage_state",
        takes=arguments.StateArguments,
        run=storage_state,
        returns=StateContent,
        hints=MANAGES,
        capability="state",
    ),
)
