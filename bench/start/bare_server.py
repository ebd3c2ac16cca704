"""A server of nothing but the SDK, with one tool, for `python -m bench start`."""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server


async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    """Return the one tool."""
    return types.ListToolsResult(tools=[types.Tool(name="greet", input_schema={"type": "object"})])


async def call_tool(_context: Any, _params: Any) -> types.CallToolResult:
    """Greet."""
    return types.CallToolResult(content=[types.TextContent(text="hello")])


async def main() -> None:
    """Serve on standard input and output."""
    server: Server[Any] = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
