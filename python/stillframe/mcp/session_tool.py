"""The tool that manages sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.extend.text import quote
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.session_provider import DEFAULT_SESSION, SessionProvider
from stillframe.mcp.structured_content import SessionsContent

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe.mcp.arguments import SessionsArguments
    from stillframe.mcp.resource_store import ResourceStore
    from stillframe.model.sessions import SessionInfo


async def manage_sessions(
    provider: SessionProvider, store: ResourceStore, arguments: SessionsArguments, budget: int
) -> types.CallToolResult:
    """List, open, close or switch sessions."""
    _check(arguments)
    head, infos, warning = await _manage(provider, store, arguments)
    content = SessionsContent(sessions=tuple(infos), warning=warning)
    names = ", ".join(info.session_id for info in infos) or "none"
    reply = Reply(
        heads=[f"{head}: {names}", *([warning] if warning else [])],
        lines=[line for info in infos for line in (*_session_lines(info), *_dialog_lines(provider, info))],
        structured=msgspec.to_builtins(content),
        text_in_structured=True,
    )
    return to_result(reply, budget=budget, session=DEFAULT_SESSION, title="all sessions", store=store)


async def _manage(
    provider: SessionProvider, store: ResourceStore, arguments: SessionsArguments
) -> tuple[str, list[SessionInfo], str]:
    """Do it, and return a head line, the sessions to list, and a warning."""
    if arguments.action == "list":
        return "open sessions", provider.sessions.list(), ""
    if arguments.action == "close":
        name = arguments.session_id or DEFAULT_SESSION
        was_open = any(info.session_id == name for info in provider.sessions.list())
        await provider.recordings.discard(name)
        await provider.sessions.close_session(name)
        store.discard(name)
        head = "closed" if was_open else f"{name} was closed before"
        return f"{head}; still open", provider.sessions.list(), ""
    if arguments.action == "switch":
        session = await provider.get(arguments.session_id)
        await session.switch(arguments.target_id or "")
        return "switched", [session.info()], ""
    session = await provider.open(arguments.session_id, url=arguments.url, own_browser=arguments.own_browser)
    return "opened", [session.info()], session.warning.advice if session.warning else ""


def _check(arguments: SessionsArguments) -> None:
    actions = {"url": "open", "own_browser": "open", "target_id": "switch"}
    for name, action in actions.items():
        if getattr(arguments, name) and arguments.action != action:
            raise OptionInvalid(f"argument {name} is for action {action} only", option=name)
    if arguments.action == "switch" and not arguments.target_id:
        raise OptionInvalid("action switch needs the targetId of a tab; see action list", option="targetId")


def _dialog_lines(provider: SessionProvider, info: SessionInfo) -> list[str]:
    dialog = provider.sessions.get(info.session_id).page.dialog if info.state == "open" else None
    return [] if dialog is None else [f"  dialog open: {dialog.type} {quote(dialog.message)}"]


def _session_lines(info: SessionInfo) -> list[str]:
    busy = "busy" if info.running else f"idle for {info.idle_ms / 1000:.0f} s"
    lines = [f"{info.session_id}: {info.state}, {busy}, {quote(info.url)}"]
    if len(info.tabs) > 1 or info.state == "dead":
        lines += [
            f"  tab {'*' if tab.current else '-'} {quote(tab.url)} [targetId={tab.target_id}]" for tab in info.tabs
        ]
    return lines
