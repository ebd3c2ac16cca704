"""A server with some capabilities, served in memory for the tests of their tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client
from mcp_answers import Caller

from stillframe.api.browser import Browser
from stillframe.mcp.capabilities import parse_capabilities
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.security.policy import UrlPolicy


@asynccontextmanager
async def capable(browser: Browser, caps: str, **settings: Any) -> AsyncIterator[Caller]:
    """Serve with the capabilities in a task of its own: a client ends in the task that it began in."""
    ready: asyncio.Future[Caller] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()
    usual = {"policy": UrlPolicy(allow_private=True), "caps": parse_capabilities(caps)}
    chosen = Settings(**(usual | settings))

    async def serve() -> None:
        async with Client(make_server(chosen, browser)) as client:
            caller = Caller(client)
            await caller("aria_snapshot")  # the session belongs to no test
            ready.set_result(caller)
            await over.wait()

    serving = asyncio.ensure_future(serve())
    await asyncio.wait([serving, ready], return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        await serving
    try:
        yield ready.result()
    finally:
        over.set()
        await serving
