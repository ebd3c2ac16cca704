"""A TCP server on loopback whose end closes every connection, also one that has just arrived."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class StreamServer:
    """Runs `serve` in a task for each connection, and closes the connection after it."""

    def __init__(self, serve: Serve, *, name: str) -> None:
        self.port = 0
        """The port; 0 until `start`."""
        self._serve = serve
        self._name = name
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        """The number of connected clients."""
        return len(self._connections)

    async def start(self, port: int = 0, **options: Any) -> None:
        """Listen on a port, 0 for a free one; `options` go to `asyncio.start_server`. Raises OSError."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", port, **options)
        self.port = self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        """Stop listening and cancel all connections. Idempotent."""
        if self._server is not None:
            self._server.close()
        for connection in tuple(self._connections):
            connection.cancel()

    async def aclose(self) -> None:
        """Stop, and wait until no connection is left."""
        self.stop()
        await asyncio.gather(*self._connections, return_exceptions=True)

    # A plain function that creates the task: a task of start_server would report its cancellation.
    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is None or not self._server.is_serving():
            writer.transport.abort()  # it was accepted just before `stop`
            return
        connection = asyncio.get_running_loop().create_task(self._run(reader, writer), name=self._name)
        self._connections.add(connection)
        # A task that is cancelled before its first step runs nothing, not even its `finally`.
        connection.add_done_callback(lambda _: writer.close())
        connection.add_done_callback(self._connections.discard)

    async def _run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._serve(reader, writer)
