"""A server in memory with sessions in the tests' browser, and a client of the SDK that calls it."""

from __future__ import annotations

import asyncio
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


Serving = Callable[..., AbstractAsyncContextManager[Caller]]


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[Caller]:
    """Calls of a server with the usual settings, in one session, for tests that begin on a page of their own."""
    ready: asyncio.Future[Caller] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def serve() -> None:  # a client ends in the task that it began in
        async with Client(make_server(Settings(policy=UrlPolicy(allow_private=True)), browser)) as client:
            caller = Caller(client)
            await caller("aria_snapshot")  # the session belongs to no test
            ready.set_result(caller)
            await over.wait()

    serving = asyncio.ensure_future(serve())
    await asyncio.wait([serving, ready], return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        await serving
    yield ready.result()
    over.set()
    await serving


@pytest.fixture
def serving(browser: Browser) -> Serving:
    """Return a context manager that serves; its arguments are fields of `Settings`."""

    @asynccontextmanager
    async def serve(*, mode: str = "auto", own_browser: bool = False, **settings: Any) -> AsyncIterator[Caller]:
        settings = {"policy": UrlPolicy(allow_private=True), **settings}
        server = make_server(Settings(**settings), None if own_browser else browser)
        async with Client(server, mode=mode) as client:
            yield Caller(client)

    return serve
