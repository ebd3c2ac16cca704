"""`stillframe mcp --http` as users start it, in a process of its own."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

COMMAND = [sys.executable, "-m", "stillframe", "mcp", "--allow-private"]

BOUND = 10.0
"""Seconds within which calls and processes must end on a loaded machine."""


class HttpServer(NamedTuple):
    """A server on loopback: its URL, its token and its process."""

    url: str
    token: str
    process: asyncio.subprocess.Process


@asynccontextmanager
async def serving(*options: str, env: Mapping[str, str] | None = None) -> AsyncIterator[HttpServer]:
    """Run a server over HTTP for the block, and read its address from what it prints."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--http", *options, stderr=asyncio.subprocess.PIPE, env={**os.environ, **(env or {})}
    )
    assert process.stderr is not None
    told = ""
    try:
        async with asyncio.timeout(60):
            while (found := re.search(r"serving (\S+)\s+Authorization: Bearer (\S+)", told)) is None:
                line = await process.stderr.readline()
                assert line, told
                told += line.decode()
        drain = asyncio.create_task(process.stderr.read())
        yield HttpServer(found[1], found[2], process)
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(BOUND):
            await process.wait()
        await drain
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
