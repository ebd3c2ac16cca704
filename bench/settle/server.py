"""The loopback server of settlebench: the pages, and answers with exact delays that the query names.

Every path takes `?ms=`, the delay before its first byte. `/slow` answers with `text`, and with `status`; `/redirect`
sends on to `to`; `/stream` sends `chunks` (separated by commas), one per `every` milliseconds; `/ws` answers each
message `{"ms": …, "texts": […]}` with its texts, each after `ms` more, and talks by itself every `noise` ms;
`/sse` is an event stream of a `channel`, which talks by itself every `noise` ms; `/push` has a text sent on a channel;
`/download` is an attachment; `/image` a picture; `/script` a script that calls `chunk(text)`; `/status` says `wait`
until it has been asked `times` under one `key`, then `text`.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import sys
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
from aiohttp import WSMsgType, web

from stillframe.testing import app_server

HARNESS = Path(__file__).parent / "settlebench.js"
ROOT = Path(__file__).resolve().parents[2]
HEADERS = {"Cache-Control": "no-store"}
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="teal"/></svg>'
)

Handler = Callable[["Server", web.Request], Awaitable[web.StreamResponse]]


class Wanted(msgspec.Struct):
    """What a page asks of the other end of a WebSocket."""

    ms: float = 0
    texts: list[str] = []


class Server:
    """The running server; `url` makes absolute what a case gives as a path."""

    def __init__(self, directories: dict[str, Path]) -> None:
        self.port = 0
        self._directories = directories
        self._channels: dict[str, set[asyncio.Queue[str]]] = defaultdict(set)
        self._asked: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()

    def url(self, path: str) -> str:
        """Return the URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer any request, after the delay it asks for."""
        await asyncio.sleep(_ms(request) / 1000)
        first = request.path.split("/")[1]
        if first in self._directories:
            return self._file(self._directories[first], request.path.removeprefix(f"/{first}/"))
        handler = ROUTES.get(request.path)
        if handler is None:
            return web.Response(status=404, text=f"nothing at {request.path}", headers=HEADERS)
        return await handler(self, request)

    def _file(self, directory: Path, name: str) -> web.StreamResponse:
        file = (directory / name).resolve()
        if not file.is_relative_to(directory.resolve()) or not file.is_file():
            return web.Response(status=404, text=f"no such page: {name}", headers=HEADERS)
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return web.Response(body=file.read_bytes(), content_type=kind, headers=HEADERS)

    # -- answers -----------------------------------------------------------------------------------

    async def harness(self, _: web.Request) -> web.StreamResponse:
        return web.Response(body=HARNESS.read_bytes(), content_type="text/javascript", headers=HEADERS)

    async def slow(self, request: web.Request) -> web.StreamResponse:
        status = int(request.query.get("status", "200"))
        return web.Response(text=request.query.get("text", "done"), status=status, headers=HEADERS)

    async def favicon(self, _: web.Request) -> web.StreamResponse:
        return web.Response(status=204)

    async def redirect(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers=HEADERS | {"Location": request.query["to"]})

    async def stream(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers=HEADERS | {"Content-Type": "text/plain"})
        await response.prepare(request)
        for chunk in request.query["chunks"].split(","):
            await asyncio.sleep(float(request.query.get("every", "100")) / 1000)
            await response.write(f"{chunk}\n".encode())
        return response

    async def download(self, request: web.Request) -> web.StreamResponse:
        name = request.query.get("name", "report.txt")
        return web.Response(text="report", headers=HEADERS | {"Content-Disposition": f"attachment; filename={name}"})

    async def image(self, _: web.Request) -> web.StreamResponse:
        return web.Response(text=PICTURE, content_type="image/svg+xml", headers=HEADERS)

    async def script(self, request: web.Request) -> web.StreamResponse:
        text = msgspec.json.encode(request.query.get("text", "")).decode()
        body = f"export const text = {text};" if "module" in request.query else f"chunk({text});"
        return web.Response(text=body, content_type="text/javascript", headers=HEADERS)

    async def status(self, request: web.Request) -> web.StreamResponse:
        key = request.query["key"]
        self._asked[key] += 1
        done = self._asked[key] >= int(request.query["times"])
        return web.Response(text=request.query["text"] if done else "wait", headers=HEADERS)

    async def websocket(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        if "noise" in request.query:
            self._spawn(_chatter(socket.send_str, float(request.query["noise"])))
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                self._spawn(_reply(socket, msgspec.json.decode(message.data, type=Wanted)))
        return socket

    async def sse(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers=HEADERS | {"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(b": open\n\n")
        queue: asyncio.Queue[str] = asyncio.Queue()
        listeners = self._channels[request.query["channel"]]
        listeners.add(queue)
        if "noise" in request.query:
            self._spawn(_chatter(queue.put, float(request.query["noise"])))
        try:
            while True:
                await response.write(f"data: {await queue.get()}\n\n".encode())
        finally:
            listeners.discard(queue)

    async def push(self, request: web.Request) -> web.StreamResponse:
        self._spawn(self._push(request.query["channel"], float(request.query["after"]) / 1000, request.query["text"]))
        return web.Response(status=202, headers=HEADERS)

    async def _push(self, channel: str, delay: float, text: str) -> None:
        await asyncio.sleep(delay)
        for queue in self._channels[channel]:
            queue.put_nowait(text)

    def _spawn(self, work: Awaitable[None]) -> None:
        async def run() -> None:
            with suppress(ConnectionError):
                await work

        task = asyncio.get_running_loop().create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """End what still talks by itself."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


ROUTES: dict[str, Handler] = {
    "/settlebench.js": Server.harness,
    "/favicon.ico": Server.favicon,
    "/slow": Server.slow,
    "/redirect": Server.redirect,
    "/stream": Server.stream,
    "/download": Server.download,
    "/image": Server.image,
    "/script": Server.script,
    "/status": Server.status,
    "/ws": Server.websocket,
    "/sse": Server.sse,
    "/push": Server.push,
}


def _ms(request: web.Request) -> float:
    return float(request.query.get("ms", "0"))


async def _reply(socket: web.WebSocketResponse, wanted: Wanted) -> None:
    for text in wanted.texts:
        await asyncio.sleep(wanted.ms / 1000)
        await socket.send_str(text)


async def _chatter(say: Callable[[str], Awaitable[None]], every: float) -> None:
    count = 0
    while True:
        await asyncio.sleep(every / 1000)
        count += 1
        await say(f"noise {count}")


@asynccontextmanager
async def serve(directories: dict[str, Path]) -> AsyncIterator[Server]:
    """Serve on a free port of 127.0.0.1 for the block."""
    server = Server(directories)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.handle)
    # Long polls and streams end with their client, not with the server.
    async with app_server.serving(app, handler_cancellation=True) as server.port:
        try:
            yield server
        finally:
            await server.stop()


@asynccontextmanager
async def served(directories: dict[str, Path]) -> AsyncIterator[str]:
    """Serve in a process of its own for the block, so that its work is nobody's CPU; gives the URL without a path."""
    names = json.dumps({name: str(path.resolve()) for name, path in directories.items()})
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.settle.server", names,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        port = (await process.stdout.readline()).decode().strip()
        if not port:
            raise RuntimeError("the server of settlebench did not start; its message is above")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.stdin.close()
        await process.wait()


async def _main(directories: dict[str, Path]) -> None:
    async with serve(directories) as server:
        print(server.port, flush=True)
        # Our input ends with the program that started us.
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main({name: Path(path) for name, path in json.loads(sys.argv[1]).items()}))
