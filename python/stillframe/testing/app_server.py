"""Serve an aiohttp application on a free port, of 127.0.0.1 by default.

`PageServer` and the sites of tests and benches use it.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

SHUTDOWN_S = 0.1
"""Seconds that open responses have to end when the server closes; afterwards they are cancelled."""
ACCEPTED_TURNS = 3
"""Turns of the event loop until aiohttp knows a connection that asyncio has accepted; it closes those that it knows.
asyncio 3.11 leaves a connection open if its server is closed in between."""


@asynccontextmanager
async def serving(
    app: web.Application, *, host: str = "127.0.0.1", handler_cancellation: bool = False
) -> AsyncIterator[int]:
    """Serve the application for the block, and yield the port.

    The host 0.0.0.0 is every address of the machine, for sites of several hosts: 127.0.0.1, 127.0.0.2, and so on. With
    `handler_cancellation`, the handler of a request is cancelled when its client disconnects.
    """
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=SHUTDOWN_S, handler_cancellation=handler_cancellation)
    with socket.create_server((host, 0)) as listening:
        await runner.setup()
        try:
            await web.SockSite(runner, listening).start()
            yield listening.getsockname()[1]
        finally:
            asyncio.get_running_loop().remove_reader(listening)
            for _ in range(ACCEPTED_TURNS):
                await asyncio.sleep(0)
            await runner.cleanup()
