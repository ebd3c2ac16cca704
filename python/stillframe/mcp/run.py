"""Serve until the client leaves or a signal arrives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from stillframe.errors import StillframeError
from stillframe.mcp.server import make_server
from stillframe.mcp.stdio import stdio

if TYPE_CHECKING:
    from stillframe.mcp.http import HttpOptions
    from stillframe.mcp.settings import Settings


async def run_stdio(settings: Settings) -> None:
    """Serve one client on standard input and output."""
    server = make_server(settings)
    with unwrapped():
        async with stdio() as (read, write):
            await server.run(read, write, server.create_initialization_options())


async def run_http(settings: Settings, options: HttpOptions) -> None:
    """Serve all clients that have the token, on loopback."""
    from stillframe.mcp.http import serve_http

    with unwrapped():
        await serve_http(make_server(settings), options)


@contextmanager
def unwrapped() -> Iterator[None]:
    """Raise an error of stillframe as it is: the task groups of the SDK wrap what starting a server raises."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        if isinstance(error, StillframeError):
            raise error from None
        raise
