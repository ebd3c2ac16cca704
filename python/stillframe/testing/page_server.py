"""A web server on loopback for browser tests: static files, pages from strings, and responses the test times."""

from __future__ import annotations

import asyncio
import mimetypes
import os
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import TracebackType
from typing import Self

try:
    from aiohttp import WSMsgType, web
except ModuleNotFoundError as missing:
    if missing.name != "aiohttp":
        raise
    raise ModuleNotFoundError(
        "stillframe.testing.PageServer needs aiohttp: pip install 'stillframe[testing]'", name="aiohttp"
    ) from missing

from stillframe.testing.app_server import serving

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
"""A function that answers one request, as aiohttp defines it."""


class PageServer:
    """A web server on a free port of 127.0.0.1, as an async context manager.

        async with PageServer("tests/pages") as server:
            server.html("/hello", "<h1>Hello</h1>")
            await page.goto(server.url("/hello"))

    A request goes to the first of these that takes its path: a route that the test added (`route`, `html`), a built-in
    route, a file below `root`. Everything else is answered with 404. The built-in routes are:

    * `/gate/<name>?body=text` answers when the test calls `open(name)`
    * `/slow?ms=300&body=text&type=text/html` answers after a delay
    * `/hang` never answers
    * `/redirect?to=/path` redirects
    * `/events?every=100` sends a server-sent event every 100 milliseconds, without end
    * `/ws?ms=100` is a WebSocket that echoes each text after a delay
    * `/download/<name>?body=text` sends a file to save
    """

    def __init__(self, root: str | os.PathLike[str] | None = None) -> None:
        self.root = None if root is None else Path(root).resolve()
        self.port = 0
        """The port, once the server is open."""
        self.requests: list[str] = []
        """The path and query of every request, in order of arrival."""
        self._gates: dict[str, asyncio.Event] = {}
        self._routes: dict[str, Handler] = {}
        self._built_in: dict[str, Handler] = {"gate": self._gated, **BUILT_IN}
        self._serving: AbstractAsyncContextManager[int]

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._serving = serving(app, handler_cancellation=True)
        self.port = await self._serving.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._serving.__aexit__(None, None, None)

    def url(self, path: str = "/", *, host: str = "127.0.0.1") -> str:
        """Return the absolute URL of a path.

        >>> PageServer().url("form.html", host="localhost")
        'http://localhost:0/form.html'

        Args:
            path: The path.
            host: The host; `localhost` belongs to another site of the same server.
        """
        return f"http://{host}:{self.port}{path if path.startswith('/') else '/' + path}"

    def route(self, path: str, handler: Handler) -> None:
        """Answer a path with a function.

        Args:
            path: The path.
            handler: A coroutine function of aiohttp's Request that returns a Response.

        Example:
            async def teapot(request: web.Request) -> web.Response:
                return web.Response(status=418)

            server.route("/tea", teapot)
        """
        self._routes[path] = handler

    def html(self, path: str, body: str, *, title: str = "") -> str:
        """Answer a path with an HTML page, and return its URL.

        Args:
            path: The path.
            body: The content of its body.
            title: Its title.
        """
        text = f"<!doctype html><meta charset=utf-8><title>{title}</title>{body}"

        async def handler(_: web.Request) -> web.Response:
            return web.Response(text=text, content_type="text/html")

        self.route(path, handler)
        return self.url(path)

    def open(self, gate: str) -> None:
        """Answer the requests that wait at `/gate/<gate>`, and later ones at once."""
        self._gate(gate).set()

    def reset(self) -> None:
        """Forget routes, gates and requests, for instance between tests; requests that wait at a gate are answered."""
        for gate in self._gates.values():
            gate.set()
        self._gates.clear()
        self._routes.clear()
        self.requests.clear()

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request.path_qs)
        handler = self._routes.get(request.path) or self._built_in.get(request.path.split("/")[1])
        return self._file(request.path) if handler is None else await handler(request)

    async def _gated(self, request: web.Request) -> web.Response:
        await self._gate(_last(request.path)).wait()
        return web.Response(text=request.query.get("body", "open"))

    def _file(self, path: str) -> web.Response:
        file = self._find(path)
        if file is None:
            return web.Response(status=404, text=f"no such page: {path}")
        # Read as a whole: a response that is cut short must not leave a file open.
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return web.Response(body=file.read_bytes(), content_type=kind, headers={"Cache-Control": "no-store"})

    def _find(self, path: str) -> Path | None:
        """Return the file below `root` that a path names, or None."""
        if self.root is None or "\0" in path:
            return None
        file = (self.root / path.lstrip("/")).resolve()
        return file if file.is_relative_to(self.root) and file.is_file() else None


def _last(path: str) -> str:
    return path.rpartition("/")[2]


async def _slow(request: web.Request) -> web.Response:
    await asyncio.sleep(_seconds(request, "ms", "0"))
    kind = request.query.get("type", "text/plain")
    return web.Response(text=request.query.get("body", "done"), content_type=kind)


async def _hang(_: web.Request) -> web.Response:
    await asyncio.Event().wait()
    return web.Response()


async def _redirect(request: web.Request) -> web.Response:
    target = request.query.get("to")
    if not target:
        raise web.HTTPBadRequest(text="/redirect needs a target: /redirect?to=/path")
    raise web.HTTPFound(target)


async def _events(request: web.Request) -> web.StreamResponse:
    interval_s = _seconds(request, "every", "100")
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    await response.prepare(request)
    number = 0
    try:
        while True:
            await response.write(f"data: {number}\n\n".encode())
            number += 1
            await asyncio.sleep(interval_s)
    except (ConnectionError, asyncio.CancelledError):
        return response


async def _echo(request: web.Request) -> web.StreamResponse:
    delay_s = _seconds(request, "ms", "0")
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await asyncio.sleep(delay_s)
            await socket.send_str(message.data)
    return socket


async def _download(request: web.Request) -> web.Response:
    headers = {"Content-Disposition": f'attachment; filename="{_last(request.path)}"'}
    return web.Response(text=request.query.get("body", "saved"), headers=headers)


def _seconds(request: web.Request, name: str, default: str) -> float:
    """Return the delay that the query gives in milliseconds under this name."""
    given = request.query.get(name, default)
    if not given.isdecimal():
        raise web.HTTPBadRequest(text=f"{name} is a whole number of milliseconds, not {given!r}")
    return int(given) / 1000


BUILT_IN: dict[str, Handler] = {
    "slow": _slow,
    "redirect": _redirect,
    "events": _events,
    "hang": _hang,
    "ws": _echo,
    "download": _download,
}
