"""The pages of all behaviours on one server: `/<number>/` is a behaviour's own, the rest lies beside it.

By path, any of them has besides: `hang` (never answers), `loop` (redirects to itself), `to/<path>` (redirects there),
`status/<code>`, `file` (plain bytes to download), `slow/<ms>/<path>` (that path, later), `echo` (the request as JSON),
`cookies/<name>/<name>` (sets them), `stream/<ms>/<n>` (as many lines) and `events/<ms>/<n>` (as many events, then
silence). `@far/<path>` in a page is that path on the server's other host, for Chrome another site in a process of its
own.
"""

from __future__ import annotations

import asyncio
import re
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
    app.router.add_get("/favicon.ico", _no_icon)
    app.router.add_route("*", r"/{number:\d+}/{path:.*}", _Pages(rows).answer)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def _no_icon(_: web.Request) -> web.Response:
    return web.Response(status=204)  # Chrome would log a missing one


class _Pages:
    def __init__(self, rows: Sequence[Behaviour]) -> None:
        self._rows = rows

    async def answer(self, request: web.Request) -> web.StreamResponse:
        row = self._rows[int(request.match_info["number"])]
        return await self._at(request, row, request.match_info["path"])

    async def _at(self, request: web.Request, row: Behaviour, path: str) -> web.StreamResponse:
        if path in row.sockets:
            return await _talk(request, row.sockets[path])
        if path in row.pages:
            return _page(path, row.pages[path])
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
            return web.Response(status=204) if rest == "204" else _html("", status=int(rest))
        if kind == "file":
            return web.Response(body=b"bytes", content_type="application/octet-stream")
        if kind == "slow":
            ms, _, rest = rest.partition("/")
            await asyncio.sleep(int(ms) / 1000)
            return await self._at(request, row, rest)
        if kind in ANSWERS:
            return await ANSWERS[kind](request, rest)
        raise web.HTTPNotFound


@web.middleware
async def _with_far_paths(request: web.Request, handler: Handler) -> web.StreamResponse:
    response = await handler(request)
    if isinstance(response, web.Response) and response.content_type == "text/html" and response.text:
        other = "127.0.0.1" if request.url.host == "localhost" else "localhost"
        far = f"http://{other}:{request.url.port}/{request.match_info['number']}/"
        response.text = response.text.replace("@far/", far)
    return response


async def _echo(request: web.Request, _: str) -> web.StreamResponse:
    body = (await request.read()).decode("utf-8", "replace")
    headers = {name.lower(): value for name, value in request.headers.items()}
    return web.json_response({"method": request.method, "headers": headers, "body": body})


async def _set_cookies(_: web.Request, names: str) -> web.StreamResponse:
    response = web.Response(text="set")
    for name in names.split("/"):
        response.set_cookie(name, "yes")
    return response


async def _stream(request: web.Request, rest: str) -> web.StreamResponse:
    ms, count = map(int, rest.split("/"))
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    await response.prepare(request)
    for number in range(count):
        await asyncio.sleep(ms / 1000)
        await response.write(f"line {number + 1}\n".encode())
    return response


async def _events(request: web.Request, rest: str) -> web.StreamResponse:
    ms, count = map(int, rest.split("/"))
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for number in range(count):
        await asyncio.sleep(ms / 1000)
        await response.write(f"data: event {number + 1}\n\n".encode())
    await asyncio.Event().wait()
    return response


ANSWERS = {"echo": _echo, "cookies": _set_cookies, "stream": _stream, "events": _events}


async def _talk(request: web.Request, says: tuple[tuple[str, int, str], ...]) -> web.WebSocketResponse:
    socket = web.WebSocketResponse(protocols=request.headers.get("Sec-WebSocket-Protocol", "").split(", "))
    await socket.prepare(request)
    tasks = {asyncio.create_task(_say(socket, ms, said)) for words, ms, said in says if words == "open"}
    async for message in socket:
        heard = str(message.data)
        for words, ms, said in says:
            if words in heard and words != "open":
                tasks.add(asyncio.create_task(_say(socket, ms, _filled(said, heard))))
    for task in tasks:
        task.cancel()
    return socket


async def _say(socket: web.WebSocketResponse, ms: int, said: str) -> None:
    await asyncio.sleep(ms / 1000)
    await socket.send_str(said)


def _filled(said: str, heard: str) -> str:
    def found(place: re.Match[str]) -> str:
        match = re.search(place[1], heard)
        return match[1] if match else ""

    return re.sub("<<(.*?)>>", found, said)


KINDS = {"js": "text/javascript", "css": "text/css", "json": "application/json", "txt": "text/plain"}


def _page(path: str, body: str) -> web.Response:
    kind = KINDS.get(path.rpartition(".")[2])
    return _html(body) if kind is None else web.Response(text=body, content_type=kind)


def _html(body: str, status: int = 200) -> web.Response:
    return web.Response(text=HEAD + body, content_type="text/html", status=status)
