"""A context for the tests of tools, and one call of a tool in it."""

from __future__ import annotations

from typing import Any

from stillframe.agent.budget import Budget
from stillframe.agent.decision import ToolCall
from stillframe.agent.exploration import Explorer
from stillframe.agent.journey import Journey
from stillframe.agent.limits import Limits
from stillframe.agent.tools import STANDARD_TOOLS
from stillframe.agent.tools.tool import ToolAnswer, Toolbox, ToolContext
from stillframe.api.page import PageBase
from stillframe.security.policy import UrlPolicy

TOOLBOX = Toolbox(STANDARD_TOOLS)


def tool_context(page: PageBase, limits: Limits | None = None, policy: UrlPolicy | None = None) -> ToolContext:
    limits = limits or Limits()
    budget = Budget(limits, 0.0)
    return ToolContext(page, limits, budget, Journey(limits), policy, Explorer(page, limits, budget))


async def call(context: ToolContext, tool: str, **arguments: Any) -> ToolAnswer:
    return await TOOLBOX.call(context, ToolCall(tool=tool, arguments=arguments))
