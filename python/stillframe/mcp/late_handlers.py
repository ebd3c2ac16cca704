"""The handlers of a running server, imported once it has answered `initialize`.

They import all that drives a browser. Clients wait for the answer to `initialize` before anything else, and most of
them start many servers at once; hence only the SDK is imported before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import anyio

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

    from stillframe.mcp.handlers import Handlers
    from stillframe.mcp.session_provider import SessionProvider

P = TypeVar("P")
R = TypeVar("R")


class Running(NamedTuple):
    """The handlers, and the sessions that they act on."""

    handlers: Handlers
    provider: SessionProvider


class LateHandlers:
    """Runs `make`, which imports the handlers, in a thread when `begin` or `get` is first called.

    One task opens the sessions and closes them, whichever caller asks first.
    """

    def __init__(self, make: Callable[[], Handlers]) -> None:
        self._make = make
        self._begun = asyncio.Event()
        self._ended = asyncio.Event()
        self._opened: asyncio.Future[Running] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(), name="import the handlers")

    def begin(self) -> None:
        """Begin to import, unless that was done."""
        self._begun.set()

    async def get(self) -> Running:
        """Return the handlers as soon as they are there; raises what importing them or opening the sessions raises."""
        self.begin()
        return await asyncio.shield(self._opened)

    async def stop(self) -> None:
        """Close the sessions, or end what has begun; raises what closing raises."""
        self._ended.set()
        if not self._opened.done():
            self._task.cancel()
        with anyio.CancelScope(shield=True):  # the SDK ends a server by cancelling it
            await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.result()

    async def _run(self) -> None:
        try:
            await self._begun.wait()
            handlers = await _in_thread(self._make)
            async with handlers.lifespan() as provider:
                self._opened.set_result(Running(handlers, provider))
                await self._ended.wait()
        except asyncio.CancelledError:
            self._opened.cancel()
            raise
        except BaseException as error:
            if self._opened.done():
                raise
            self._opened.set_exception(error)


async def _in_thread(make: Callable[[], Handlers]) -> Handlers:
    """Run a function in a thread; a cancelled call waits for it, because nothing can end a thread."""
    running = asyncio.create_task(asyncio.to_thread(make))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise


def late(
    method: Callable[[Handlers], Callable[[ServerRequestContext[SessionProvider, Any], P], Awaitable[R]]],
) -> Callable[[ServerRequestContext[LateHandlers, Any], P], Awaitable[R]]:
    """Return a handler for the SDK that waits for the handlers and calls one of their methods."""

    async def handle(context: ServerRequestContext[LateHandlers, Any], params: P) -> R:
        handlers, provider = await context.lifespan_context.get()
        # replace() keeps the type of its argument, and the parameter of that type is what changes.
        its_context: Any = replace(context, lifespan_context=provider)  # type: ignore[arg-type]
        return await method(handlers)(its_context, params)

    return handle
