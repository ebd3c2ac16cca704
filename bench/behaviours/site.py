"""The pages of all behaviours on one server: `/<number>/` is a behaviour's own, the rest lies beside it.

By path, any of them has besides: `hang` (never answers), `loop` (redirects to itself), `to/<path>` (redirects there),
`status/<code>`, `file` (plain bytes to download) and `slow/<ms>/<path>` (that path, later). `@far/<path>` in a page is
that path on the server's other host, for Chrome another site in a process of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.typedefs import Handler

from bench.behaviours.case import Behaviour

HEAD = "<!doctype html><meta charset=utf-8><script>var log = []</script>"


@asynccontextmanager
async def serving(rows: Sequence[Behaviour]) -> AsyncIterator[str]:
    """Serve the pages of the rows and yield the origin."""
    app = web.Application(middlewares=[_with_far_paths])
    app.router.add_route("*", r"/{number:\d+}/{path:.*}", _Pages(rows).answer)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


class _Pages:
    def __init__(self, rows: Sequence[Behaviour]) -> None:
        self._rows = rows

    async def answer(self, request: web.Request) -> web.StreamResponse:
        row = self._rows[int(request.match_info["number"])]
        return await self._at(request, row, request.match_info["path"])

    async def _at(self, request: web.Request, row: Behaviour, path: str) -> web.StreamResponse:
        if path in row.pages:
            return _html(row.pages[path])
        if not path:
            return _html(row.html)
        kind, _, rest = path.partition("/")
        if kind == "hang":
            await asyncio.Event().wait()
        if kind == "loop":
            raise web.HTTPFound("loop")
        if kind == "to":
            raise web.HTTPFound(f"../{rest}")
        if kind == "status":
            return web.Response(text=HEAD, content_type="text/html", status=int(rest))
        if kind == "file":
            return web.Response(body=b"bytes", content_type="application/octet-stream")
        if kind == "slow":
            ms, _, rest = rest.partition("/")
            await asyncio.sleep(int(ms) / 1000)
            return await self._at(request, row, rest)
        raise web.HTTPNotFound


@web.middleware
async def _with_far_paths(request: web.Request, handler: Handler) -> web.StreamResponse:
    response = await handler(request)
    if isinstance(response, web.Response) and response.content_type == "text/html" and response.text:
        other = "127.0.0.1" if request.url.host == "localhost" else "localhost"
        far = f"http://{other}:{request.url.port}/{request.match_info['number']}/"
        response.text = response.text.replace("@far/", far)
    return response


def _html(body: str) -> web.Response:
    return web.Response(text=HEAD + body, content_type="text/html")
