"""What the pages of the rows are served from: the page of a row, and some answers that rows ask for."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

OTHER = "<!doctype html><title>other</title><h1>other</h1>"
LOGIN = "Basic " + base64.b64encode(b"u:p").decode()


class Site:
    """A server whose page /page is that of the row that runs."""

    def __init__(self) -> None:
        self.html = ""
        self.url = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer by path."""
        match request.path:
            case "/page":
                text = f"<!doctype html><title>page</title>{self.html}"
                return web.Response(text=text, content_type="text/html")
            case "/other":
                return web.Response(text=OTHER, content_type="text/html")
            case "/data":
                return web.json_response({"n": [1, 2]})
            case "/echo":
                return web.json_response(await _echo(request))
            case "/file":
                return web.Response(text="a file", content_type="application/octet-stream")
            case "/moved":
                return web.Response(status=302, headers={"Location": "/other"})
            case "/cookie":
                return web.Response(text="", headers={"Set-Cookie": "seen=1"})
            case "/private":
                allowed = request.headers.get("Authorization") == LOGIN
                headers = {} if allowed else {"WWW-Authenticate": 'Basic realm="private"'}
                return web.Response(status=200 if allowed else 401, text="", headers=headers)
        return web.Response(status=404, text="nothing")


async def _echo(request: web.Request) -> dict[str, Any]:
    return {
        "method": request.method,
        "path": request.path,
        "query": dict(request.query),
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "body": (await request.read()).decode(),
    }


@asynccontextmanager
async def serving() -> AsyncIterator[Site]:
    """Run the server on a free port."""
    site, app = Site(), web.Application()
    app.router.add_route("*", "/{path:.*}", site.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        tcp = web.TCPSite(runner, "127.0.0.1", 0)
        await tcp.start()
        site.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield site
    finally:
        await runner.cleanup()
