"""Run a sequence for a call, and choose what of the page goes into the reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mcp_types as types

from stillframe.api.browser import Page
from stillframe.api.page import parts_of
from stillframe.errors import StillframeError
from stillframe.mcp.faults import ADVICE, CallFault
from stillframe.mcp.progress import Report, reporting
from stillframe.mcp.reply import Part, made
from stillframe.mcp.settings import Settings
from stillframe.mcp.store import Store
from stillframe.mcp.text import (
    change_lines,
    fact_lines,
    failure_lines,
    headline,
    loop_heads,
    loop_lines,
    page_lines,
)
from stillframe.model.result import SequenceResult
from stillframe.model.text import PageText
from stillframe.sessions import NamedSession
from stillframe.tab.aria_snapshot import LEAST

SHARE = 0.7
"""A delta that takes this share of the page's own text is worth less than that text; agent-browser draws it there."""

NEW_PAGE = 4_000
"""Characters of a new document that a reply shows; `snapshot` shows the rest."""


async def act(
    session: NamedSession,
    actions: Sequence[dict[str, Any]],
    options: dict[str, Any],
    *,
    settings: Settings,
    store: Store,
    budget: int,
    report: Report,
) -> types.CallToolResult:
    """Run actions in a session when its turn has come; the reply says what they changed.

    Raises what `NamedSession.execute_sequence` raises, and CallFault for files that may not be uploaded.
    """
    _check_uploads(actions, settings)
    async with session.lock:
        document = parts_of(session.page).tab.frames.main.loader_id
        async with reporting(report, len(actions)) as on_step:
            result = await session.page.execute_sequence(actions, on_step=on_step, **settings.sequence | options)
        is_new = parts_of(session.page).tab.frames.main.loader_id != document
        text = await _text_instead(session.page, result, is_new, budget)
    part = _part(session.id, len(actions), result, text, is_new)
    return made(part, budget=budget, session=session.id, title="the whole result", store=store)


def _check_uploads(actions: Sequence[Any], settings: Settings) -> None:
    for action in actions:
        if not isinstance(action, dict) or action.get("action") != "upload_file":
            continue
        paths = action.get("paths", ())
        for path in [paths] if isinstance(paths, str) else paths if isinstance(paths, list) else ():
            if not settings.may_upload(str(path)):
                raise CallFault("upload_refused", f"{path!r} may not be uploaded", path=str(path))


async def _text_instead(page: Page, result: SequenceResult, is_new: bool, budget: int) -> PageText | None:
    """Return the page's text where it says more than the rows: of a new document, or where the rows are no shorter."""
    if result.state_change is None and not is_new:
        return None
    size = _size(change_lines(result.state_change))
    try:
        if is_new:
            return await page.aria_snapshot(budget=min(NEW_PAGE, budget * 3 // 4))
        text = await page.aria_snapshot(budget=max(LEAST, round(size / SHARE)))
    except StillframeError:
        return None  # a page that cannot be looked at: the rows are what there is
    whole = text.shown == text.total
    return text if whole and size >= SHARE * _size(page_lines(text)) else None


def _size(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _advice(result: SequenceResult) -> list[str]:
    advice = ADVICE.get(result.failed.code) if result.failed else None
    return [advice] if advice else []


def _part(session_id: str, count: int, result: SequenceResult, text: PageText | None, is_new: bool) -> Part:
    heads = [headline(result, count), *_advice(result), *loop_heads(result)]
    lines = failure_lines(result)
    structured = {"sessionId": session_id, **result.to_dict()}
    if text is None:
        lines += [*change_lines(result.state_change), *fact_lines(result), *loop_lines(result)]
    else:
        heads.append("a new page was loaded:" if is_new else "most of the page changed; this is what it says now:")
        lines += [*fact_lines(result), *loop_lines(result), *page_lines(text)]
        structured["pageText"] = {"shown": text.shown, "total": text.total, "cut": text.cut}
    return Part(heads=heads, lines=lines, structured=structured)
