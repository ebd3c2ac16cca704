"""The tools that langchain-mcp-adapters makes of ours, in one session."""

from __future__ import annotations

from typing import Any

import driver
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools


async def run(server: dict[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    async with MultiServerMCPClient({"stillframe": connection(server)}).session("stillframe") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}

        async def call(tool: str, arguments: dict[str, Any]) -> Any:
            message = await tools[tool].ainvoke({"type": "tool_call", "id": "1", "name": tool, "args": arguments})
            blocks = [message.content] if isinstance(message.content, str) else message.content
            texts = [block if isinstance(block, str) else block.get("text", "") for block in blocks]
            return driver.reply(
                "\n".join(texts),
                structured=(message.artifact or {}).get("structured_content"),
                failed=message.status == "error",
                images=sum(not isinstance(block, str) and block["type"] == "image" for block in blocks),
            )

        return await driver.each(calls, call)


def connection(server: dict[str, Any]) -> Any:
    if "url" in server:
        headers = {"Authorization": f"Bearer {server['token']}"}
        return {"transport": "streamable_http", "url": server["url"], "headers": headers}
    program, *args = server["command"]
    return {"transport": "stdio", "command": program, "args": args, "env": server["env"]}


if __name__ == "__main__":
    driver.main(run)
