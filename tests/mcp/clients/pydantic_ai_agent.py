"""An agent of pydantic-ai: a scripted model makes the calls, and what it reads is recorded.

The agent hands its model the structured content of a result that has no pictures, and not its text.
"""

from __future__ import annotations

from typing import Any

import driver
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent, UsageLimits
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel


async def run(server: dict[str, Any], calls: list[dict[str, Any]]) -> list[Any]:
    model = Model(calls)
    patience: Any = {"init_timeout": driver.PATIENCE_S, "read_timeout": driver.PATIENCE_S}
    toolset: MCPToolset[None] = MCPToolset(client(server), max_retries=len(calls), **patience, **headers(server))
    agent = Agent(FunctionModel(model.answer), toolsets=[toolset])
    async with agent:
        while len(model.replies) < len(calls):
            try:
                await agent.run("go", usage_limits=UsageLimits(request_limit=None))
            except Exception as error:
                model.replies.append(driver.raised(error))
    return model.replies


class Model:
    """Makes one call after the other, and keeps what it reads of each."""

    def __init__(self, calls: list[dict[str, Any]]) -> None:
        self.calls = calls
        self.replies: list[Any] = []

    def answer(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        parts = messages[-1].parts
        self.replies += [_reply(part, parts) for part in parts if isinstance(part, ToolReturnPart | RetryPromptPart)]
        if len(self.replies) == len(self.calls):
            return ModelResponse(parts=[TextPart("done")])
        call = self.calls[len(self.replies)]
        return ModelResponse(parts=[ToolCallPart(call["tool"], call["arguments"])])


def _reply(part: ToolReturnPart | RetryPromptPart, beside: Any) -> Any:
    if isinstance(part, RetryPromptPart):
        return driver.reply(part.model_response(), failed=True)
    failed = part.outcome != "success"
    structured = part.content if isinstance(part.content, dict) and not failed else None
    images = _images(part.content, beside)
    return driver.reply(part.model_response_str(), structured=structured, failed=failed, images=images)


def _images(content: Any, beside: Any) -> int:
    shown = [each for part in beside if isinstance(part, UserPromptPart) for each in part.content]
    return sum(isinstance(each, BinaryContent) for each in (*shown, *(content if isinstance(content, list) else ())))


def client(server: dict[str, Any]) -> Any:
    if "url" in server:
        return server["url"]
    program, *args = server["command"]
    return StdioTransport(program, args, env=server["env"])


def headers(server: dict[str, Any]) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {server['token']}"}} if "url" in server else {}


if __name__ == "__main__":
    driver.main(run)
