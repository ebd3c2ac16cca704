"""Progress of a call: one notification per action or turn.

A task of its own sends them, so that a slow client delays nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stillframe.model.result import Step

Report = Callable[[float, float, str], Awaitable[None]]
"""Sends a notification: the number of actions done, their total, and a message."""


Notify = Callable[[float, float, str], None]
"""Takes what `Report` takes and returns at once."""


@asynccontextmanager
async def notifying(report: Report) -> AsyncIterator[Notify]:
    """Give the block a function that sends a notification; after the block all are sent or cancelled."""
    waiting: asyncio.Queue[tuple[float, float, str] | None] = asyncio.Queue()

    async def send() -> None:
        while (notification := await waiting.get()) is not None:
            await report(*notification)

    sender = asyncio.create_task(send(), name="report progress")
    try:
        yield lambda done, total, message: waiting.put_nowait((done, total, message))
        waiting.put_nowait(None)
        await sender
    finally:
        sender.cancel()
        await asyncio.wait([sender])


@asynccontextmanager
async def reporting(report: Report, total: int) -> AsyncIterator[Callable[[int, Step], None]]:
    """Give the block a function for `on_step`, which notifies the client of each action."""
    async with notifying(report) as notify:
        yield lambda index, step: notify(index + 1, total, f"{step.action}: {step.result}, {step.duration_ms:.0f} ms")
