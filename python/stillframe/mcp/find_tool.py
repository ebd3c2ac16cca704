"""The tool that searches the text of a page, so that a model need not read all of it."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import regex

from stillframe.agent.events import count
from stillframe.errors import OptionInvalid
from stillframe.extend.options import MAX_BUDGET
from stillframe.mcp import arguments
from stillframe.mcp.replies import Reply, to_result, with_reattached
from stillframe.mcp.structured_content import FindContent
from stillframe.mcp.tool_row import READS, ToolContext, ToolRow

if TYPE_CHECKING:
    import mcp_types as types

GAP = "…"
"""Stands between lines that do not follow one another."""

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
"""Text of the page in a line, quoted as in JSON."""

SEARCH_S = 1.0
"""Seconds that a regular expression may take on a page: some take forever on a text that nearly matches."""


async def find(context: ToolContext, call: Any, _sent: dict[str, Any]) -> types.CallToolResult:
    """Reply with the lines of the page's text that match, with those around them and the elements that contain them."""
    matches = _test(call)
    session = await context.session(call)
    async with session.lock:
        text = await session.page.aria_snapshot(scope=call.scope, budget=MAX_BUDGET)
        reattached = session.reattached
    lines = text.text.splitlines()
    found = await asyncio.to_thread(_found, lines, matches)
    structured = {"sessionId": session.id, "matches": len(found), "total": len(lines)}
    reply = Reply(
        heads=[f"{len(found)} of {count(len(lines), 'line')} found"],
        lines=list(_shown(lines, found, call.context)),
        structured=structured,
        text_in_structured=True,
    )
    return to_result(
        with_reattached(reply, reattached),
        budget=context.budget(call),
        session=session.id,
        title="what was found",
        store=context.store,
    )


def _test(call: Any) -> Callable[[str], bool]:
    """Return the test of a call; raises OptionInvalid unless there is a text or a regular expression."""
    if (call.text is None) == (call.regex is None):
        raise OptionInvalid("give exactly one of text and regex", option="text")
    if call.text is not None:
        wanted = call.text.casefold()
        return lambda line: wanted in _words(line).casefold()
    try:
        pattern = regex.compile(call.regex, regex.IGNORECASE)
    except regex.error as error:
        raise OptionInvalid(
            f"argument regex: {call.regex!r} is not a regular expression: {error}; use text for plain words",
            option="regex",
        ) from None
    return _Within(call.regex, pattern, SEARCH_S).matches


def _words(line: str) -> str:
    """Return what a line quotes of the page: its names, texts and values, without roles and refs."""
    return "\n".join(json.loads(quoted) for quoted in _QUOTED.findall(line))


class _Within:
    """A regular expression that may take at most `seconds` for all lines together."""

    def __init__(self, written: str, pattern: regex.Pattern[str], seconds: float) -> None:
        self._written = written
        self._pattern = pattern
        self._left = seconds

    def matches(self, line: str) -> bool:
        """Return whether it occurs in a line; raises OptionInvalid once the time is up."""
        began = time.perf_counter()
        try:
            return self._pattern.search(line, timeout=max(self._left, 0.001), concurrent=True) is not None
        except TimeoutError:
            message = f"argument regex: {self._written!r} takes too long on this page; use text, or a simpler one"
            raise OptionInvalid(message, option="regex") from None
        finally:
            self._left -= time.perf_counter() - began


def _found(lines: Sequence[str], matches: Callable[[str], bool]) -> list[int]:
    return [at for at, line in enumerate(lines) if matches(line)]


def _shown(lines: Sequence[str], found: Sequence[int], around: int) -> Iterator[str]:
    """Yield each match with its neighbours and the lines that contain it, with a gap where others are left out."""
    kept = sorted({near for at in found for near in (*_containing(lines, at), *_near(at, around, len(lines)))})
    before = -1
    for at in kept:
        if at > before + 1:
            yield GAP
        yield lines[at]
        before = at


def _near(at: int, around: int, count: int) -> range:
    return range(max(0, at - around), min(count, at + around + 1))


def _containing(lines: Sequence[str], at: int) -> Iterator[int]:
    """Yield the lines of the elements that contain a line: those before it that are indented less."""
    depth = _depth(lines[at])
    while at > 0 and depth > 0:
        at -= 1
        if lines[at].strip() and _depth(lines[at]) < depth:
            depth = _depth(lines[at])
            yield at


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


ROWS = (
    ToolRow(
        name="find",
        takes=arguments.FindArguments,
        run=find,
        returns=FindContent,
        hints=READS,
        capability="find",
    ),
)
