"""A site on loopback, for as long as a benchmark needs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from stillframe.testing import app_server

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(routes: dict[str, Handler]) -> AsyncIterator[int]:
    """Answer GET requests by path, and yield the port."""
    app = web.Application()
    for path, handler in routes.items():
        app.router.add_get(path, handler)
    async with app_server.serving(app, handler_cancellation=True) as port:
        yield port


def html(body: str) -> Handler:
    """Return what answers with a page."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(text=body, content_type="text/html")

    return page


async def slow(request: web.Request) -> web.Response:
    """`?ms=300`: an answer that takes its time."""
    await asyncio.sleep(int(request.query["ms"]) / 1000)
    return web.Response(text="fetched")


async def hang(_: web.Request) -> web.Response:
    """No answer, ever."""
    await asyncio.Event().wait()
    return web.Response()
