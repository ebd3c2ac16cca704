"""The tools that act: run a sequence, and choose what the reply shows of the page."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from stillframe.errors import StillframeError
from stillframe.extend import page_state
from stillframe.extend.options import MIN_BUDGET as MIN_ARIA_BUDGET
from stillframe.extend.text import (
    change_lines,
    dialog_lines,
    fact_lines,
    failure_lines,
    headline,
    loop_heads,
    loop_lines,
    page_lines,
)
from stillframe.mcp.error_mapping import ADVICE, ToolError
from stillframe.mcp.page_log import lines_of
from stillframe.mcp.progress import Report, reporting
from stillframe.mcp.replies import Reply, to_result, with_reattached
from stillframe.model.action_list import parse_actions
from stillframe.model.actions import DropFiles, UploadFile

if TYPE_CHECKING:
    import mcp_types as types

    from stillframe import Page
    from stillframe.mcp.session_provider import SessionProvider
    from stillframe.mcp.settings import Settings
    from stillframe.model.actions import Action
    from stillframe.model.aria_snapshot import AriaSnapshot
    from stillframe.model.result import SequenceResult
    from stillframe.sessions import Session

TEXT_SHARE = 1.0
"""Show the page's text instead of the changes if they take this share of it: never where that makes the reply longer.
The changes name what can be acted on next."""

NEW_PAGE_CHARS = 4_000
"""Characters of a new document in a reply; `aria_snapshot` shows the rest."""


ASKED = {
    False: "the page waits behind a dialog, and what changed comes with your answer: answer_dialog {accept: true or "
    "false}",
    True: "the page waits behind a prompt, and what changed comes with your answer: answer_dialog {accept: true or "
    "false, promptText: its text}",
}
"""What a model reads of a dialog that waits, by whether it takes a text."""


async def run_sequence(
    session: Session,
    actions: Sequence[dict[str, Any]],
    options: dict[str, Any],
    *,
    provider: SessionProvider,
    budget: int,
    report: Report,
) -> types.CallToolResult:
    """Run actions in a session after the calls before it, and reply with what they changed.

    Raises the errors of `Session.execute_sequence`, and ToolError for files that may not be uploaded.
    """
    parsed = parse_actions(actions)
    _check_uploads(parsed, provider.settings)

    async def run() -> Done:
        async with reporting(report, len(actions)) as on_step:
            sequence = provider.settings.sequence | options
            return Done(await session.page.execute_sequence(parsed, on_step=on_step, **sequence))

    return await reply_to(session, run, len(actions), provider=provider, budget=budget)


class Done(NamedTuple):
    """What a sequence did, and what its reply says besides: first lines of the server's own, and of the page."""

    result: SequenceResult
    heads: Sequence[str] = ()
    lines: Sequence[str] = ()


async def reply_to(
    session: Session, run: Callable[[], Awaitable[Done]], count: int, *, provider: SessionProvider, budget: int
) -> types.CallToolResult:
    """Run `count` actions after the calls before, and reply with what they changed; raises what `run` raises."""
    logs = provider.logs
    async with session.lock:
        page, first = session.page, logs.of(session.page)
        # The answer to a dialog belongs to the call that raised it, which may have loaded another document.
        document = provider.asked.get(page) or document_id(page)
        done = await run()
        reattached = session.reattached
        _remember_asked(provider, page, document, done.result)
        is_new = document_id(session.page) != document or is_unseen(done.result)
        text = await _text_instead(session.page, done.result, is_new, budget)
        logged = list(lines_of(first, logs.of(session.page)))
    reply = with_reattached(_reply(session.id, count, done, text, is_new, logged), reattached)
    return to_result(reply, budget=budget, session=session.id, title="the whole result", store=provider.store)


def _remember_asked(provider: SessionProvider, page: Page, document: str, result: SequenceResult) -> None:
    if result.open_dialog is None:
        provider.asked.pop(page, None)
    else:
        provider.asked[page] = document


def is_unseen(result: SequenceResult) -> bool:
    """Return whether the page before a dialog is unknown, so that only its text shows what the answer led to."""
    return result.reason == "unseen" and bool(result.dialogs)


def document_id(page: Page) -> str:
    """Return the id of the document that the page shows; a reload changes it."""
    return page_state(page).frames.main.loader_id


def _check_uploads(actions: Sequence[Action], settings: Settings) -> None:
    """Raise ToolError for a file that may not be uploaded; the actions are parsed, since a kind has several names."""
    for action in actions:
        if not isinstance(action, UploadFile | DropFiles):
            continue
        for path in [action.paths] if isinstance(action.paths, str | os.PathLike) else action.paths:
            if not settings.may_upload(os.fspath(path)):
                raise ToolError("upload_refused", f"{os.fspath(path)!r} may not be uploaded", path=os.fspath(path))


async def _text_instead(page: Page, result: SequenceResult, is_new: bool, budget: int) -> AriaSnapshot | None:
    """Return the page's text where it says more than the changes: for a new document, or if it is as short."""
    if result.state_change is None and not is_new:
        return None
    size = _size(change_lines(result.state_change))
    try:
        if is_new:
            return await page.aria_snapshot(budget=min(NEW_PAGE_CHARS, budget * 3 // 4))
        text = await page.aria_snapshot(budget=max(MIN_ARIA_BUDGET, round(size / TEXT_SHARE)))
    except StillframeError:
        return None  # the page does not answer: the changes are all there is
    is_whole = text.shown == text.total
    return text if is_whole and size >= TEXT_SHARE * _size(page_lines(text)) else None


def _size(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _advice(result: SequenceResult) -> list[str]:
    advice = ADVICE.get(result.failed.code) if result.failed else None
    return [advice] if advice else []


def _reply(
    session_id: str, count: int, done: Done, text: AriaSnapshot | None, is_new: bool, logged: list[str]
) -> Reply:
    result = done.result
    heads = [headline(result, count), *done.heads, *_advice(result), *loop_heads(result)]
    lines = [*done.lines, *dialog_lines(result), *failure_lines(result)]
    structured = {"sessionId": session_id, **result.to_dict()}
    if result.open_dialog is not None:
        heads += [] if result.failed else [ASKED[result.open_dialog.type == "prompt"]]
        lines += [*fact_lines(result), *logged, *loop_lines(result)]
    elif text is None:
        lines += [*change_lines(result.state_change), *fact_lines(result), *logged, *loop_lines(result)]
    else:
        heads.append(_text_head(result, is_new))
        lines += [*fact_lines(result), *logged, *loop_lines(result), *page_lines(text)]
        structured["pageText"] = {"shown": text.shown, "total": text.total, "cut": text.cut}
    return Reply(heads=heads, lines=lines, structured=structured, text_in_structured=True)


def _text_head(result: SequenceResult, is_new: bool) -> str:
    if is_unseen(result):
        return "what was there before the dialog is not known; the page now:"
    return "a new page was loaded; its text:" if is_new else "most of the page changed; its text now:"
