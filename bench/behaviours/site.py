"""The pages of all behaviours on one server: `/<number>/` is a behaviour's own, the rest lies beside it.

By path, any of them has besides: `hang` (never answers), `loop` (redirects to itself), `to/<path>` (redirects there),
`status/<code>` and `file` (plain bytes to download).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from bench.behaviours.case import Behaviour

HEAD = "<!doctype html><meta charset=utf-8><script>var log = []</script>"


@asynccontextmanager
async def serving(rows: Sequence[Behaviour]) -> AsyncIterator[str]:
    """Serve the pages of the rows and yield the origin."""
    app = web.Application()
    app.router.add_get(r"/{number:\d+}/{path:.*}", _Pages(rows).answer)
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
        row, path = self._rows[int(request.match_info["number"])], request.match_info["path"]
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
        raise web.HTTPNotFound


def _html(body: str) -> web.Response:
    return web.Response(text=HEAD + body, content_type="text/html")
