"""The Python SDK 2.x, with the newest protocol that the server speaks."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import driver
import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


async def run(server: dict[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(await transport(server, stack)))
        await client.list_tools()

        async def call(tool: str, arguments: dict[str, Any]) -> Any:
            result = await client.call_tool(tool, arguments)
            return driver.of_content(result.content, structured=result.structured_content, failed=bool(result.is_error))

        return await driver.each(calls, call)


async def transport(server: dict[str, Any], stack: AsyncExitStack) -> Any:
    if "url" in server:
        headers = {"Authorization": f"Bearer {server['token']}"}
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=driver.PATIENCE_S))
        return streamable_http_client(server["url"], http_client=http)
    program, *args = server["command"]
    return stdio_client(StdioServerParameters(command=program, args=args, env=server["env"]))


if __name__ == "__main__":
    driver.main(run)
