"""The tool that explores an element: what it shows, without lasting effects."""

from __future__ import annotations

from typing import Annotated

import msgspec

from stillframe.agent.exploration import ExploreAction
from stillframe.agent.tools.tool import Arguments, Tool, ToolAnswer, ToolContext


class ExploreElement(Arguments, frozen=True):
    """The arguments of `explore_element`."""

    action: ExploreAction
    selector: Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
    purpose: Annotated[str, msgspec.Meta(max_length=1_000)] = ""


async def explore_element(context: ToolContext, arguments: ExploreElement) -> ToolAnswer:
    """Explore an element and return what it showed, as text."""
    found = await context.explorer.explore(arguments.action, arguments.selector, purpose=arguments.purpose)
    return ToolAnswer(found.text)


TOOLS = (
    Tool(
        "explore_element",
        "see what an element shows when it is hovered, clicked or focused; what changed is then undone, and links, "
        "submit buttons and elements with consequences are refused",
        ExploreElement,
        explore_element,
    ),
)
