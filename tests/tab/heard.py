"""Wait in a test for what the journal of a page will hear."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from patience import HANG_S
from stillframe.api.browser import Page
from stillframe.cdp_types import runtime
from stillframe.tab.frames import Frame


@asynccontextmanager
async def heard(page: Page, wanted: Callable[[Any], bool]) -> AsyncIterator[asyncio.Future[Any]]:
    """Listen during the block, and at its end wait for an event of the journal; the future holds it."""
    event: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def listener(happened: Any, *_: Any) -> None:
        if not event.done() and wanted(happened):
            event.set_result(happened)

    remove = page._tab.recorder.listen(listener)
    try:
        yield event
        async with asyncio.timeout(HANG_S):
            await event
    finally:
        remove()


async def by_user(where: Page | Frame, expression: str) -> Any:
    """Evaluate as if the user had clicked, which opening a window and asking before leaving need."""
    command = runtime.Evaluate(expression=expression, user_gesture=True, await_promise=True, return_by_value=True)
    reply = await (where.session if isinstance(where, Frame) else where.cdp_session).send(command)
    assert reply.exception_details is None, reply.exception_details
    return reply.result.value
