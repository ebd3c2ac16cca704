"""fastmcp's client, which raises an error whose text a program hands to the model."""

from __future__ import annotations

from typing import Any

import driver
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import ToolError


async def run(server: dict[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    patience = driver.PATIENCE_S
    async with Client(transport(server), init_timeout=patience, timeout=patience) as client:
        await client.list_tools()

        async def call(tool: str, arguments: dict[str, Any]) -> Any:
            try:
                result = await client.call_tool(tool, arguments)
            except ToolError as error:
                return driver.reply(str(error), failed=True)
            assert (result.data is None) == (result.structured_content is None), "it did not read its own types"
            return driver.of_content(result.content, structured=result.structured_content)

        return await driver.each(calls, call)


def transport(server: dict[str, Any]) -> Any:
    if "url" in server:
        return StreamableHttpTransport(server["url"], headers={"Authorization": f"Bearer {server['token']}"})
    program, *args = server["command"]
    return StdioTransport(program, args, env=server["env"])


if __name__ == "__main__":
    driver.main(run)
