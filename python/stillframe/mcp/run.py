"""Serve until the client goes, or a signal comes."""

from __future__ import annotations

from stillframe.mcp.http import Door, serve_http
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.mcp.stdio import stdio


async def run_stdio(settings: Settings) -> None:
    """Serve one client on standard input and output."""
    server = make_server(settings)
    async with stdio() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def run_http(settings: Settings, door: Door) -> None:
    """Serve any number of clients that know the token, on loopback."""
    await serve_http(make_server(settings), door)
