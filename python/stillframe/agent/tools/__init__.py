"""The tools that a model may call to look, to remember and to find its way; each group has a module."""

from __future__ import annotations

from stillframe.agent.tools import exploring, memory, navigation, page, pictures
from stillframe.agent.tools.tool import Tool

STANDARD_TOOLS: tuple[Tool, ...] = (
    *pictures.TOOLS,
    *memory.TOOLS,
    *page.TOOLS,
    *navigation.TOOLS,
    *exploring.TOOLS,
)
"""The tools of every run."""
