"""A server in memory with sessions in the tests' browser, and a client of the SDK that calls it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from mcp import Client
from mcp_answers import Caller
from mcp_serving import capable

from stillframe.api.browser import Browser
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.security.policy import UrlPolicy

Serving = Callable[..., AbstractAsyncContextManager[Caller]]


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[Caller]:
    """Calls of a server with the usual settings, in one session, for tests that begin on a page of their own."""
    async with capable(browser, "core") as caller:
        yield caller


@pytest.fixture
def serving(browser: Browser) -> Serving:
    """Return a context manager that serves; its arguments are fields of `Settings`."""

    @asynccontextmanager
    async def serve(
        *,
        mode: str = "auto",
        own_browser: bool = False,
        message_handler: Any = None,
        elicit: Any = None,
        **settings: Any,
    ) -> AsyncIterator[Caller]:
        settings = {"policy": UrlPolicy(allow_private=True), **settings}
        server = make_server(Settings(**settings), None if own_browser else browser)
        async with Client(server, mode=mode, message_handler=message_handler, elicitation_callback=elicit) as client:
            yield Caller(client)

    return serve
