"""A web site on loopback for tests: the files of tests/pages, and routes whose timing the test controls."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from aiohttp import WSMsgType, web

PAGES = Path(__file__).parent / "pages"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """A running server; `url` names its pages under two host names, which Chromium takes for two sites."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.requests: list[str] = []
        """The path and query of every request, in order of arrival."""
        self._gates: dict[str, asyncio.Event] = {}
        self._routes: dict[str, Handler] = {}

    def url(self, path: str = "/", *, host: str = "127.0.0.1") -> str:
        """The URL of a page: `host` may also be `localhost`, which is another site."""
        return f"http://{host}:{self.port}{path if path.startswith('/') else '/' + path}"

    def route(self, path: str, handler: Handler) -> None:
        """Let a function answer a path; it goes before the files and the built-in routes."""
        self._routes[path] = handler

    def html(self, path: str, body: str, *, title: str = "") -> str:
        """Serve a body as a page and return its URL."""
        text = f"<!doctype html><meta charset=utf-8><title>{title}</title>{body}"

        async def handler(_: web.Request) -> web.Response:
            return web.Response(text=text, content_type="text/html")

        self.route(path, handler)
        return self.url(path)

    def open(self, gate: str) -> None:
        """Let the requests that wait at `/gate/<name>` through, now and later."""
        self._gate(gate).set()

    def reset(self) -> None:
        """Forget routes, gates and requests; called between tests."""
        for gate in self._gates.values():
            gate.set()
        self._gates.clear()
        self._routes.clear()
        self.requests.clear()

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a request: own routes first, then the built-in ones, then files."""
        self.requests.append(request.path_qs)
        handler = self._routes.get(request.path) or BUILT_IN.get(request.path.split("/")[1])
        if handler is not None:
            return await handler(request)
        return _file(request.path)

    async def gate(self, request: web.Request) -> web.Response:
        """Answer `/gate/<name>` when the test opens that gate."""
        await self._gate(request.path.split("/")[2]).wait()
        return web.Response(text=request.query.get("body", "open"))


def _file(path: str) -> web.StreamResponse:
    file = (PAGES / path.lstrip("/")).resolve()
    if not file.is_relative_to(PAGES) or not file.is_file():
        return web.Response(status=404, text=f"no such page: {path}")
    # Read as a whole: an answer that is cut short must not leave a file open.
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return web.Response(body=file.read_bytes(), content_type=kind, headers={"Cache-Control": "no-store"})


async def _slow(request: web.Request) -> web.Response:
    """`/slow?ms=300&body=text&type=text/html`: an answer that takes its time."""
    await asyncio.sleep(int(request.query.get("ms", "0")) / 1000)
    kind = request.query.get("type", "text/plain")
    return web.Response(text=request.query.get("body", "done"), content_type=kind)


async def _redirect(request: web.Request) -> web.Response:
    """`/redirect?to=/x`: a redirect."""
    raise web.HTTPFound(request.query["to"])


async def _events(request: web.Request) -> web.StreamResponse:
    """`/events?every=100`: server-sent events without end."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    await response.prepare(request)
    number = 0
    try:
        while True:
            await response.write(f"data: {number}\n\n".encode())
            number += 1
            await asyncio.sleep(int(request.query.get("every", "100")) / 1000)
    except (ConnectionError, asyncio.CancelledError):
        return response


async def _hang(request: web.Request) -> web.Response:
    """`/hang`: no answer, ever."""
    await asyncio.Event().wait()
    return web.Response()


async def _echo(request: web.Request) -> web.StreamResponse:
    """`/ws?ms=100`: a WebSocket that echoes each text after a while."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await asyncio.sleep(int(request.query.get("ms", "0")) / 1000)
            await socket.send_str(message.data)
    return socket


async def _download(request: web.Request) -> web.Response:
    """`/download/<name>?body=text`: a file to save."""
    name = request.path.split("/")[-1]
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return web.Response(text=request.query.get("body", "saved"), headers=headers)


BUILT_IN: dict[str, Handler] = {
    "slow": _slow,
    "redirect": _redirect,
    "events": _events,
    "hang": _hang,
    "ws": _echo,
    "download": _download,
}


@asynccontextmanager
async def serve() -> AsyncIterator[Site]:
    """Serve on a free port of the loopback interface until the block ends."""
    app = web.Application()
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    site = Site(0)
    app.router.add_route("*", "/gate/{name}", partial(_gated, site))
    app.router.add_route("*", "/{path:.*}", site.handle)
    await runner.setup()
    try:
        listener = web.TCPSite(runner, "127.0.0.1", 0)
        await listener.start()
        site.port = runner.addresses[0][1]
        yield site
    finally:
        await runner.cleanup()


async def _gated(site: Site, request: web.Request) -> web.Response:
    site.requests.append(request.path_qs)
    return await site.gate(request)
