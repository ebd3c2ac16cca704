"""Serve until the client leaves or a signal arrives."""

from __future__ import annotations

from stillframe.mcp.http import HttpOptions, serve_http
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.mcp.stdio import stdio


async def run_stdio(settings: Settings) -> None:
    """Serve one client on standard input and output."""
    server = make_server(settings)
    async with stdio() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def run_http(settings: Settings, options: HttpOptions) -> None:
    """Serve all clients that have the token, on loopback."""
    await serve_http(make_server(settings), options)
