"""The Python SDK 1.x, in the handshake era of the protocol."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import driver
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


async def run(server: dict[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    async with AsyncExitStack() as stack:
        read, write, *_ = await stack.enter_async_context(transport(server))
        session = await stack.enter_async_context(ClientSession(read, write))
        await session.initialize()
        await session.list_tools()

        async def call(tool: str, arguments: dict[str, Any]) -> Any:
            result = await session.call_tool(tool, arguments)
            return driver.of_content(result.content, structured=result.structuredContent, failed=result.isError)

        return await driver.each(calls, call)


def transport(server: dict[str, Any]) -> Any:
    if "url" in server:
        return streamablehttp_client(server["url"], headers={"Authorization": f"Bearer {server['token']}"})
    program, *args = server["command"]
    return stdio_client(StdioServerParameters(command=program, args=args, env=server["env"]))


if __name__ == "__main__":
    driver.main(run)
