"""Waiting for what a block of code causes: the one form of all `expect_…` methods."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from stillframe.cdp import CDPSession
from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import SessionLost, StillframeError, WaitTimeout
from stillframe.tab.deadline import in_seconds

T = TypeVar("T")
Remove = Callable[[], None]


@asynccontextmanager
async def expecting(
    listen: Callable[[Callable[[T], None]], Remove],
    *,
    attach: Callable[[], Awaitable[CDPSession]],
    timeout_ms: float | None,
    missing: Callable[[], str],
    finish: Callable[[T], Awaitable[object]] | None = None,
) -> AsyncIterator[asyncio.Future[T]]:
    """Yield a future of the first value that `listen` brings, and wait for it, and for `finish`, after the block.

    Raises WaitTimeout that begins with what is `missing`, and SessionLost when the session ends before.
    """
    timeout = in_seconds(timeout_ms)
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda done: done.cancelled() or done.exception())

    def came(value: T) -> None:
        if not future.done():
            future.set_result(value)

    def lost(error: SessionLost) -> None:
        if not future.done():
            future.set_exception(error)

    session = await attach()
    removers = [listen(came), session.on_closed(lost)]
    try:
        yield future
        try:
            async with time_limit(timeout):
                # Shielded: the time limit must not cancel it for others who await it.
                value = await asyncio.shield(future)
                if finish is not None:
                    await finish(value)
        except StillframeError:
            raise
        except TimeoutError:
            raise WaitTimeout(f"{missing()} within {timeout_ms:g} ms") from None
    finally:
        for remove in removers:
            remove()
        future.cancel()
