"""The handlers that are imported late: one import for all requests, and an end at any time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client, MCPError

from stillframe.mcp.late_handlers import LateHandlers
from stillframe.mcp.server import server_of


class Opening:
    """Handlers that only open and close; `opens` may raise or wait."""

    def __init__(self) -> None:
        self.made = 0
        self.states: list[str] = []

    def make(self) -> Any:
        self.made += 1
        return self

    async def opens(self) -> None:
        """Open the sessions."""

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[str]:
        self.states.append("opening")
        try:
            await self.opens()
            yield "the sessions"
        finally:
            self.states.append("closed")


async def test_all_requests_share_one_import() -> None:
    opening = Opening()
    late = LateHandlers(opening.make)
    first, second = await asyncio.gather(late.get(), late.get())
    assert first is second
    assert first.provider == "the sessions"  # type: ignore[comparison-overlap]
    assert (opening.made, opening.states) == (1, ["opening"])
    await late.stop()
    assert opening.states == ["opening", "closed"]


async def test_a_request_that_is_cancelled_leaves_the_import_to_the_others() -> None:
    goes_on = threading.Event()
    opening = Opening()

    def make() -> Any:
        goes_on.wait()
        return opening.make()

    late = LateHandlers(make)
    cancelled, other = asyncio.create_task(late.get()), asyncio.create_task(late.get())
    await asyncio.sleep(0)
    cancelled.cancel()
    await asyncio.wait([cancelled])
    goes_on.set()
    assert (await other).handlers is opening
    await late.stop()


async def test_nothing_is_imported_for_a_client_that_leaves_at_once() -> None:
    opening = Opening()
    await LateHandlers(opening.make).stop()
    assert opening.made == 0


async def test_a_server_that_ends_during_the_import_waits_for_it_and_opens_nothing() -> None:
    began, goes_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()
    opening = Opening()

    def make() -> Any:
        loop.call_soon_threadsafe(began.set)
        goes_on.wait()
        return opening.make()

    late = LateHandlers(make)
    late.begin()
    await began.wait()
    stopping = asyncio.create_task(late.stop())
    await asyncio.sleep(0)
    goes_on.set()
    await stopping
    assert (opening.made, opening.states) == (1, [])


async def test_a_server_that_ends_while_the_sessions_open_cancels_that() -> None:
    began = asyncio.Event()

    class Waiting(Opening):
        async def opens(self) -> None:
            began.set()
            await asyncio.Event().wait()

    opening = Waiting()
    late = LateHandlers(opening.make)
    late.begin()
    await began.wait()
    await late.stop()
    assert opening.states == ["opening", "closed"]


async def test_what_opening_raises_is_the_error_of_each_request_and_not_of_the_end() -> None:
    class Failing(Opening):
        async def opens(self) -> None:
            raise OSError("no such device")

    late = LateHandlers(Failing().make)
    for _ in range(2):
        with pytest.raises(OSError, match="no such device"):
            await late.get()
    await late.stop()


async def test_what_closing_raises_is_the_error_of_the_end() -> None:
    class Failing(Opening):
        @asynccontextmanager
        async def lifespan(self) -> AsyncIterator[str]:
            yield "the sessions"
            raise OSError("it does not close")

    late = LateHandlers(Failing().make)
    await late.get()
    with pytest.raises(OSError, match="it does not close"):
        await late.stop()


async def test_a_client_learns_that_the_import_failed() -> None:
    def make() -> Any:
        raise ModuleNotFoundError("No module named 'gone'", name="gone")

    async with Client(server_of(make)) as client:
        with pytest.raises(MCPError, match="Internal server error"):
            await client.list_tools()
