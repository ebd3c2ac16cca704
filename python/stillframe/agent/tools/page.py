"""The tools that read the page: its whole text, and whether it is still."""

from __future__ import annotations

from typing import Annotated

import msgspec

from stillframe.agent.tools.tool import Arguments, NoArguments, Tool, ToolAnswer, ToolContext
from stillframe.extend.text import page_lines, quote
from stillframe.model.verdict import Verdict


class CheckPageReady(Arguments, frozen=True):
    """The arguments of `check_page_ready`."""

    timeout: Annotated[float, msgspec.Meta(ge=1, le=600_000, description="milliseconds")] = 5_000


async def inspect_page(context: ToolContext, _: NoArguments) -> ToolAnswer:
    """Return the text of the whole page, of at most `limits.max_prompt_chars` characters."""
    limits = context.limits
    text = await context.page.aria_snapshot(budget=limits.max_prompt_chars, timeout_ms=limits.command_timeout)
    return ToolAnswer("\n".join([f"{text.shown} of {text.total} lines of the page", *page_lines(text)]))


async def check_page_ready(context: ToolContext, arguments: CheckPageReady) -> ToolAnswer:
    """Wait until the page is still, at most `timeout` milliseconds, and say whether it is and what it waits for."""
    timeout = min(arguments.timeout, context.limits.command_timeout)
    return ToolAnswer("\n".join(verdict_lines(await context.page.settle(timeout_ms=timeout))))


def verdict_lines(verdict: Verdict) -> list[str]:
    """Return a verdict in words: whether the page is still, why the wait ended, and what was under way."""
    still = "ready: the page is still" if verdict.stable else "NOT ready: the page is not still"
    lines = [f"{still}, after {verdict.waited_ms:.0f} ms ({verdict.outcome})"]
    return lines + [
        f"pending: {each.kind} {quote(each.url or each.what)}, for {each.age_ms:.0f} ms" for each in verdict.pending
    ]


TOOLS = (
    Tool("inspect_page", "read the text of the whole page, with the refs of its elements", NoArguments, inspect_page),
    Tool("check_page_ready", "wait until the page is still and say what it waits for", CheckPageReady,
         check_page_ready),
)  # fmt: skip
