"""The tools of the memory: search the history of the run, and keep data of the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import msgspec

from stillframe import Locator
from stillframe.agent.tools.tool import Arguments, Tool, ToolAnswer, ToolContext
from stillframe.errors import ElementUnsuitable
from stillframe.extend.text import quote
from stillframe.model.bounds import short

MAX_VALUES = 200
"""Elements that one extraction reads; each is a call of its own."""
MAX_VALUE_CHARS = 20_000
"""Characters of one extracted text."""
SHOWN_CHARS = 500
"""Characters of an extracted text in the answer; the memory has all of it."""
SHOWN_VALUES = 10
"""Extracted texts in the answer."""


class RecallHistory(Arguments, frozen=True):
    """The arguments of `recall_history`."""

    max_steps: Annotated[int, msgspec.Meta(ge=1, le=1_000, description="turns")] = 10
    query: str = ""


class ExtractData(Arguments, frozen=True):
    """The arguments of `extract_data`."""

    selector: Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
    data_name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    attribute: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None


async def recall_history(context: ToolContext, arguments: RecallHistory) -> ToolAnswer:
    """Return the latest turns that contain the query."""
    turns = context.journey.recall(arguments.query, arguments.max_steps)
    remembered = len(context.journey.turns)
    about = f" with {quote(arguments.query)}" if arguments.query else ""
    lines = [f"{len(turns)} of {remembered} remembered turns{about}", *(f"Turn {turn}" for turn in turns)]
    return ToolAnswer("\n".join(lines))


async def extract_data(context: ToolContext, arguments: ExtractData) -> ToolAnswer:
    """Read a text or an attribute of every element that matches, and keep it under a name.

    One match is kept as a text, several as a list. Raises ElementNotFound if nothing matches in time.
    """
    timeout = context.limits.command_timeout
    locator = context.page.locator(arguments.selector)
    read = _reader(arguments.attribute, timeout)
    total = await locator.count(timeout_ms=timeout)
    if total < 2:
        value: Any = _bounded(await read(locator))
    else:
        value = [_bounded(await read(locator.nth(index))) for index in range(min(total, MAX_VALUES))]
    context.journey.keep({arguments.data_name: value})
    return ToolAnswer("\n".join(_answer(arguments.data_name, value, total)))


def _reader(attribute: str | None, timeout: float) -> Callable[[Locator], Awaitable[str | None]]:
    if attribute is None:
        return lambda locator: _text_or_value(locator, timeout)
    if attribute == "value":
        return lambda locator: locator.value(timeout_ms=timeout)
    return lambda locator: locator.attribute(attribute, timeout_ms=timeout)


async def _text_or_value(locator: Locator, timeout: float) -> str:
    """Return the text of an element, or its value if it is a field, which has no text."""
    text = await locator.text(timeout_ms=timeout)
    if text:
        return text
    try:
        return await locator.value(timeout_ms=timeout)
    except ElementUnsuitable:
        return text


def _bounded(value: str | None) -> str | None:
    return None if value is None else short(value, MAX_VALUE_CHARS)


def _answer(name: str, value: Any, total: int) -> list[str]:
    values = value if isinstance(value, list) else [value]
    lines = [f"kept {len(values)} {'value' if len(values) == 1 else 'values'} as {quote(name)}"]
    lines += [f"- {quote(None if each is None else short(each, SHOWN_CHARS))}" for each in values[:SHOWN_VALUES]]
    lines += [f"… {len(values) - SHOWN_VALUES} more values are kept"] if len(values) > SHOWN_VALUES else []
    lines += [f"… {total - len(values)} more elements match and were not read"] if total > len(values) > 1 else []
    return lines


TOOLS = (
    Tool("recall_history", "search the turns of this run, also those that the prompt omits", RecallHistory,
         recall_history),
    Tool("extract_data", "keep the text, or an attribute, of all elements that match; the data stays in the prompt",
         ExtractData, extract_data),
)  # fmt: skip
