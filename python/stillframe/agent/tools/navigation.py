"""The tools that leave the page: back, again, and to a URL."""

from __future__ import annotations

from typing import Annotated

import msgspec

from stillframe.agent.errors import ToolFailed
from stillframe.agent.tools.tool import Arguments, NoArguments, Tool, ToolAnswer, ToolContext
from stillframe.extend.text import change_lines, fact_lines, headline, quote
from stillframe.model.actions import Action, GoBack, Navigate, Reload

URL_CHARS = 10_000
"""Characters of a URL; servers take some thousands."""


class NavigateToUrl(Arguments, frozen=True):
    """The arguments of `navigate_to_url`."""

    url: Annotated[str, msgspec.Meta(min_length=1, max_length=URL_CHARS)]


async def navigate_back(context: ToolContext, _: NoArguments) -> ToolAnswer:
    """Go one entry back in the history of the page."""
    return await _go(context, GoBack(timeout_ms=context.limits.command_timeout), "navigate_back")


async def refresh_page(context: ToolContext, _: NoArguments) -> ToolAnswer:
    """Load the page again."""
    return await _go(context, Reload(timeout_ms=context.limits.command_timeout), "refresh_page")


async def navigate_to_url(context: ToolContext, arguments: NavigateToUrl) -> ToolAnswer:
    """Load a URL, if the rules of the run and of the browser allow it."""
    if context.policy is not None:
        context.policy.check(arguments.url)
    action = Navigate(arguments.url, timeout_ms=context.limits.command_timeout)
    return await _go(context, action, "navigate_to_url")


async def _go(context: ToolContext, action: Action, tool: str) -> ToolAnswer:
    """Run a navigation and return where it led and what changed; raises ToolFailed if it failed."""
    result = await context.page.execute_sequence([action])
    if result.failed is not None:
        raise ToolFailed(f"{tool}: {result.failed.error}", tool=tool)
    await _leave_if_refused(context, tool)
    lines = [headline(result, 1), f"url: {quote(context.page.url)}"]
    return ToolAnswer("\n".join([*lines, *change_lines(result.state_change), *fact_lines(result)]))


async def _leave_if_refused(context: ToolContext, tool: str) -> None:
    """Go back if a redirect led where the run may not be; raises ToolFailed then."""
    refusal = context.policy and context.policy.judge(context.page.url)
    if not refusal:
        return
    led = quote(context.page.url)
    back = await context.page.execute_sequence([GoBack(timeout_ms=context.limits.command_timeout)])
    now = "the page went back" if back.failed is None else "the page could not go back"
    raise ToolFailed(f"{tool}: it led to {led}, which is refused: {refusal.reason}; {now}", tool=tool)


TOOLS = (
    Tool("navigate_back", "go back to the previous page", NoArguments, navigate_back),
    Tool("refresh_page", "load the page again", NoArguments, refresh_page),
    Tool("navigate_to_url", "load a URL, with its scheme", NavigateToUrl, navigate_to_url),
)
