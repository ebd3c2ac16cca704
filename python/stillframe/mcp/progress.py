"""Progress of a sequence: one notification per action, sent in a task of its own so that a slow client delays
nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from stillframe.model.result import Step

Report = Callable[[float, float, str], Awaitable[None]]
"""Sends a notification: the number of actions done, their total, and a message."""


@asynccontextmanager
async def reporting(report: Report, total: int) -> AsyncIterator[Callable[[int, Step], None]]:
    """Give the block a function for `on_step`; after the block all notifications are sent or cancelled."""
    steps: asyncio.Queue[tuple[int, Step] | None] = asyncio.Queue()

    async def send() -> None:
        while (step := await steps.get()) is not None:
            index, done = step
            await report(index + 1, total, f"{done.action}: {done.result}, {done.duration_ms:.0f} ms")

    sender = asyncio.create_task(send(), name="report progress")
    try:
        yield lambda index, step: steps.put_nowait((index, step))
        steps.put_nowait(None)
        await sender
    finally:
        sender.cancel()
        await asyncio.wait([sender])
