"""Programs that benches start, which must not outlive them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def ending(process: asyncio.subprocess.Process) -> AsyncIterator[asyncio.subprocess.Process]:
    """Kill a program at the end of the block if it still runs."""
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
