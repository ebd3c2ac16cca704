"""The tool for the tabs of a session: list, open, close and switch. `sessions` has those of all sessions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from stillframe.agent.events import count
from stillframe.errors import OptionInvalid, StillframeError
from stillframe.extend.text import page_lines, quote
from stillframe.mcp import arguments
from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.replies import Reply, to_result
from stillframe.mcp.sequence_tool import NEW_PAGE_CHARS
from stillframe.mcp.structured_content import TabsContent
from stillframe.mcp.tool_row import MANAGES, ToolContext, ToolRow
from stillframe.sessions.page_access import shown_url

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe import Page
    from stillframe.sessions import Session

TITLE_MS = 1_000.0
"""Milliseconds for the title of a tab; the list leaves out that of a page which does not answer."""

NEEDS = {"url": ("open",), "tab": ("close", "switch")}
"""The actions that an argument is for."""


async def manage_tabs(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """List, open, close or switch the tabs of a session, and reply with those that there are then."""
    _check(call)
    session = await context.session(call)
    budget = context.budget(call)
    head, lines = await _ACTIONS[call.action](session, call, budget)
    tabs = await asyncio.gather(*(_tab(index, page, session) for index, page in enumerate(_open_tabs(session))))
    structured = {"sessionId": session.id, "tabs": tabs}
    listed = [_line(tab) for tab in tabs]
    reply = Reply(heads=[head], lines=[*listed, *lines], structured=structured, text_in_structured=True)
    return to_result(reply, budget=budget, session=session.id, title="tabs", store=context.store)


def _check(call: Any) -> None:
    for name, actions in NEEDS.items():
        if getattr(call, name) is not None and call.action not in actions:
            raise OptionInvalid(f"argument {name} is for action {' and '.join(actions)} only", option=name)
    if call.action == "switch" and call.tab is None:
        raise OptionInvalid("action switch needs the tab: its number in the list, or its targetId", option="tab")


# -- actions ---------------------------------------------------------------------------------------


async def _list(session: Session, _call: Any, _budget: int) -> tuple[str, list[str]]:
    return count(len(_open_tabs(session)), "tab"), []


async def _open(session: Session, call: Any, budget: int) -> tuple[str, list[str]]:
    if call.url is not None:
        session.context.check_url(call.url)
    page = await session.context.new_page()
    await session.switch(page.target_id)
    if call.url is None:
        return "opened an empty tab; calls act on it now", []
    async with session.lock:
        await page.goto(call.url, settle=True)
        text = await page.aria_snapshot(budget=min(NEW_PAGE_CHARS, budget * 3 // 4))
    return "opened a tab; calls act on it now. Its text follows the tabs:", page_lines(text)


async def _close(session: Session, call: Any, _budget: int) -> tuple[str, list[str]]:
    tabs = _open_tabs(session)
    page = session.page if call.tab is None else _chosen(session, call.tab)
    others = [each for each in tabs if each is not page]
    if not others:
        raise ToolError("last_tab", "this is the only tab of the session")
    at = tabs.index(page) if page in tabs else len(tabs)
    await session.lock.acquire()  # behind the calls that run on it, also if it is dead
    try:
        await page.close()
    finally:
        session.lock.release()
    if page is session.page:
        await session.switch(others[min(at, len(others) - 1)].target_id)
        return "closed the tab; calls act on another one now", []
    return "closed the tab", []


async def _switch(session: Session, call: Any, _budget: int) -> tuple[str, list[str]]:
    await session.switch(_chosen(session, call.tab).target_id)
    return "switched; calls act on this tab now", []


_ACTIONS = {"list": _list, "open": _open, "close": _close, "switch": _switch}


# -- tabs ------------------------------------------------------------------------------------------


def _open_tabs(session: Session) -> list[Page]:
    return [page for page in session.pages if not page.closed]


def _chosen(session: Session, tab: int | str) -> Page:
    """Return the tab of a number or target id; raises ToolError for one that is not open."""
    tabs = _open_tabs(session)
    index = int(tab) if isinstance(tab, int) or tab.isdecimal() else None
    found = tabs[index : index + 1] if index is not None else [page for page in tabs if page.target_id == tab]
    if not found:
        numbers = f"0 to {len(tabs) - 1}" if tabs else "none"
        raise ToolError("tab_unknown", f"no tab {tab!r} is open in session {session.id!r}; open: {numbers}", tab=tab)
    return found[0]


async def _tab(index: int, page: Page, session: Session) -> dict[str, Any]:
    try:
        title = await page.title(timeout_ms=TITLE_MS)
    except StillframeError:
        title = ""
    return {
        "index": index,
        "targetId": page.target_id,
        "title": title,
        "url": shown_url(page),
        "current": page is session.page,
    }


def _line(tab: dict[str, Any]) -> str:
    mark = "*" if tab["current"] else "-"
    return f"{mark} {tab['index']}: {quote(tab['title'])} {quote(tab['url'])} [targetId={tab['targetId']}]"


ROWS = (
    ToolRow(
        name="tabs",
        takes=arguments.TabsArguments,
        run=manage_tabs,
        returns=TabsContent,
        hints=MANAGES,
        capability="tabs",
    ),
)
