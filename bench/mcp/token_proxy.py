"""A proxy that adds the token of a server to each request, for testers that cannot send headers of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import aiohttp
from aiohttp import web

HOP_BY_HOP = frozenset({"connection", "transfer-encoding", "content-length", "keep-alive"})


@asynccontextmanager
async def token_proxy(url: str, token: str) -> AsyncIterator[str]:
    """Serve on loopback what the server at `url` serves, and yield the URL.

    It passes on every Host and Origin but its own, which become the server's: testers try foreign ones.
    """
    origin, _, path = url.rpartition("/")
    server = origin.partition("://")[2]
    own = ""

    def headers(request: web.Request) -> dict[str, str]:
        sent = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        sent |= {name: value.replace(own, server) for name, value in sent.items() if name.lower() in ("host", "origin")}
        return {**sent, "Authorization": f"Bearer {token}"}

    async def pass_on(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        to = f"{origin}{request.path_qs}"
        async with client.request(request.method, to, data=body, headers=headers(request)) as answer:
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP}
            response = web.StreamResponse(status=answer.status, headers=kept)
            await response.prepare(request)
            with suppress(ConnectionResetError):  # a tester that has read enough
                async for chunk in answer.content.iter_any():
                    await response.write(chunk)
            return response

    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/{path:.*}", pass_on)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None), auto_decompress=False) as client:
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            host, port = runner.addresses[0][:2]
            own = f"{host}:{port}"
            yield f"http://{own}/{path}"
        finally:
            await runner.cleanup()
