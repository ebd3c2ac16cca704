"""Replies of tools, and a caller of tools by name, for the tests."""

from __future__ import annotations

from typing import Any

from mcp import Client


class Answer:
    """A reply as models and as programs read it."""

    def __init__(self, result: Any) -> None:
        self.raw = result
        self.text = "\n".join(part.text for part in result.content if part.type == "text")
        self.links = [str(part.uri) for part in result.content if part.type == "resource_link"]
        self.structured: dict[str, Any] = result.structured_content or {}
        self.error: dict[str, Any] = (result.meta or {}).get("stillframe/error", {})
        self.is_error = bool(result.is_error)

    @property
    def head(self) -> str:
        """The first line, which the server wrote."""
        return self.text.partition("\n")[0]

    def ref(self, start: str) -> str:
        """Return the ref on the first line of the page that starts with these words."""
        line = next(line.strip() for line in self.text.splitlines() if line.strip().startswith(start))
        return line.rpartition("[ref=")[2].partition("]")[0]


class Caller:
    """Calls tools by name."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: Any) -> Answer:
        return Answer(await self.client.call_tool(tool, arguments))

    async def run(self, *actions: dict[str, Any], **options: Any) -> Answer:
        """Call `execute_sequence`."""
        return await self("execute_sequence", actions=list(actions), **options)
