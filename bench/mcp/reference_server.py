"""`stillframe mcp` with the tools that the official suite wants of a reference server beside its own.

The suite calls tools such as `test_simple_text` and `slow_compute`, which no server has that is made for a purpose.
Served by the same handlers and transport, they show that these carry every kind of result, error, notice and task.

    python -m bench.mcp.reference_server        # prints its address like `stillframe mcp --http`
"""

from __future__ import annotations

import asyncio
import base64
import os
import wave
from collections.abc import Awaitable, Callable, Iterator
from io import BytesIO
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from PIL import Image

from stillframe import UrlPolicy
from stillframe.mcp.arguments import ToolArguments
from stillframe.mcp.handlers import Handlers
from stillframe.mcp.http import HttpOptions, serve_http
from stillframe.mcp.server import server_of
from stillframe.mcp.settings import Settings
from stillframe.mcp.tasks import Tasks
from stillframe.mcp.tool_row import READS, Run, ToolContext, ToolRow

TASKS = frozenset({"slow_compute", "failing_job", "protocol_error_job"})
Content = list[types.ContentBlock]


class Named(ToolArguments, frozen=True, kw_only=True):
    """The arguments of all tools here."""

    name: str = "World"
    seconds: float = 0
    label: str = ""


Answer = Callable[[ToolContext, Named], Awaitable[types.CallToolResult]]


def _text(text: str) -> types.TextContent:
    return types.TextContent(text=text)


def _picture() -> types.ImageContent:
    buffer = BytesIO()
    Image.new("RGB", (1, 1), "red").save(buffer, "PNG")
    return types.ImageContent(data=base64.b64encode(buffer.getvalue()).decode(), mime_type="image/png")


def _sound() -> types.AudioContent:
    buffer = BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8_000)
        sound.writeframes(bytes(16))
    return types.AudioContent(data=base64.b64encode(buffer.getvalue()).decode(), mime_type="audio/wav")


def _embedded(uri: str, mime_type: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text))


CONTENTS: dict[str, Content] = {
    "test_simple_text": [_text("This is a simple text response for testing.")],
    "test_image_content": [_picture()],
    "test_audio_content": [_sound()],
    "test_embedded_resource": [
        _embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        _text("Multiple content types test:"),
        _picture(),
        _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
}
"""What tools return that only return something."""


async def _greet(_: ToolContext, call: Named) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(f"Hello, {call.name}!")])


async def _error(_: ToolContext, __: Named) -> types.CallToolResult:
    return types.CallToolResult(content=[_text("This tool intentionally returns an error for testing")], is_error=True)


async def _progress(context: ToolContext, _: Named) -> types.CallToolResult:
    for done in (0, 50, 100):
        await context.report(done, 100, f"{done} of 100")
        await asyncio.sleep(0.05)
    return types.CallToolResult(content=[_text("done")])


async def _slow(_: ToolContext, call: Named) -> types.CallToolResult:
    await asyncio.sleep(call.seconds)
    return types.CallToolResult(content=[_text(f"{call.label} took {call.seconds:g} s")])


async def _failing(_: ToolContext, __: Named) -> types.CallToolResult:
    await asyncio.sleep(1)
    return types.CallToolResult(content=[_text("the job failed")], is_error=True)


async def _protocol_error(_: ToolContext, __: Named) -> types.CallToolResult:
    await asyncio.sleep(0.5)
    raise MCPError(code=types.INTERNAL_ERROR, message="the job broke")


def _constant(content: Content) -> Answer:
    async def answer(_: ToolContext, __: Named) -> types.CallToolResult:
        return types.CallToolResult(content=content)

    return answer


ANSWERS: dict[str, Answer] = {
    **{name: _constant(content) for name, content in CONTENTS.items()},
    "test_error_handling": _error,
    "test_tool_with_progress": _progress,
    "greet": _greet,
    "slow_compute": _slow,
    "failing_job": _failing,
    "protocol_error_job": _protocol_error,
}


def _runner(answer: Answer) -> Run:
    async def run(context: ToolContext, call: Any, _: dict[str, Any]) -> types.CallToolResult:
        result = await answer(context, call)
        return result if result.is_error else result.model_copy(update={"structured_content": {}})

    return run


def rows() -> Iterator[ToolRow]:
    """Yield the tools."""
    for name, answer in ANSWERS.items():
        texts = (name, f"{name} of the suite")
        yield ToolRow(
            name=name, takes=Named, run=_runner(answer), returns=lambda: {"type": "object"}, hints=READS, texts=texts
        )


async def main() -> None:
    """Serve over HTTP until the process ends, for clients with the token of the environment."""
    handlers = Handlers(Settings(policy=UrlPolicy(allow_private=True), shared=True))
    handlers.tools.shown.update({row.tool.name: row for row in rows()})
    handlers.tasks = Tasks(at_once=TASKS)
    await serve_http(server_of(lambda: handlers), HttpOptions(token=os.environ["STILLFRAME_MCP_TOKEN"]))


if __name__ == "__main__":
    asyncio.run(main())
