"""A server in memory, whose sessions live in the tests' own browser, and a client of the SDK to call it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client

from stillframe.api.browser import Browser
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.security.policy import UrlPolicy


class Answer:
    """A reply as both its readers see it."""

    def __init__(self, result: Any) -> None:
        self.raw = result
        self.text = "\n".join(part.text for part in result.content if part.type == "text")
        self.links = [str(part.uri) for part in result.content if part.type == "resource_link"]
        self.structured: dict[str, Any] = result.structured_content or {}
        self.is_error = bool(result.is_error)

    @property
    def head(self) -> str:
        """What stands outside of the frame, the first line alone."""
        return self.text.partition("\n")[0]

    def ref(self, start: str) -> str:
        """The ref on the first line of the page that begins with some words."""
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


Serving = Callable[..., AbstractAsyncContextManager[Caller]]


@pytest.fixture
def serving(browser: Browser) -> Serving:
    """Return a function that serves for a block; its arguments are fields of `Settings`."""

    @asynccontextmanager
    async def serve(*, mode: str = "auto", own_browser: bool = False, **settings: Any) -> AsyncIterator[Caller]:
        settings = {"policy": UrlPolicy(allow_private=True), **settings}
        server = make_server(Settings(**settings), None if own_browser else browser)
        async with Client(server, mode=mode) as client:
            yield Caller(client)

    return serve
