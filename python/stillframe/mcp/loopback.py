"""HTTP servers of this process on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from stillframe.errors import OptionInvalid

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raises OptionInvalid if the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns off the delay of small writes, 40 ms a call, only for sockets that name their protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()  # before the address is printed, so that a reader can connect at once
    except OSError as error:
        listener.close()
        raise OptionInvalid(f"cannot listen on {host}:{port}: {error.strerror}", option="port") from None
    return listener


def quiet_config(app: ASGIApp) -> uvicorn.Config:
    """Return the configuration of a server that logs nothing and leaves the lifespan to its owner."""
    return uvicorn.Config(
        app, lifespan="off", log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=1
    )


class QuietServer(uvicorn.Server):
    """Leaves signals to the command, which ends more than this server."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


class LoopbackServer:
    """Serves in a task until it is stopped; `app` takes the port."""

    def __init__(self, listener: socket.socket, app: Callable[[int], ASGIApp]) -> None:
        self.port: int = listener.getsockname()[1]
        self._listener = listener
        self._server = QuietServer(quiet_config(app(self.port)))
        self._serving = asyncio.create_task(self._server.serve([listener]), name="serve HTTP")

    async def stop(self) -> None:
        """Close all connections."""
        self._server.should_exit = True
        await asyncio.wait([self._serving])
        self._listener.close()

    async def until_cancelled(self) -> None:
        """Serve until the caller is cancelled or the server ends, then stop."""
        try:
            await asyncio.shield(self._serving)
        finally:
            await self.stop()
