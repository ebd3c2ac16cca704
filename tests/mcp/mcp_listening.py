"""A server over HTTP in this process, with the tests' browser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp.server import Server
from sse_starlette.sse import AppStatus, _get_shutdown_state

from patience import HANG_S
from stillframe.api.browser import Browser
from stillframe.mcp.http import HttpOptions, serve_http
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.security.policy import UrlPolicy

TOKEN = "a-token-that-somebody-chose"


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(HANG_S):
        while not true():  # noqa: ASYNC110  nobody announces it
            await asyncio.sleep(0.01)


async def watcher_ended() -> None:
    """Wait for the task by which the library of streams waits for the end of the process: here the loop goes on."""
    AppStatus.should_exit = True
    try:
        await until(lambda: not _get_shutdown_state().watcher_started)
    finally:
        AppStatus.should_exit = False


@asynccontextmanager
async def listening(
    browser: Browser, capsys: pytest.CaptureFixture[str], server: Server[Any] | None = None, **settings: Any
) -> AsyncIterator[str]:
    """Serve over HTTP with the token for the block, and yield the URL; without a server one with these settings."""
    server = server or make_server(Settings(policy=UrlPolicy(allow_private=True), **settings), browser)
    task = asyncio.create_task(serve_http(server, HttpOptions(token=TOKEN)))
    told = ""

    def listens() -> bool:
        nonlocal told
        told += capsys.readouterr().err
        return "serving" in told or task.done()

    try:
        await until(listens)
        assert TOKEN not in told
        yield told.partition("serving ")[2].partition("\n")[0]
    finally:
        task.cancel()
        await asyncio.wait([task])
        await watcher_ended()
