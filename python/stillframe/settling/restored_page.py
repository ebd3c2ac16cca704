"""Ask a document that came back from the back-forward cache what it has loaded.

Chrome detaches DevTools from a document in the cache, and never announces the responses that arrive in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from stillframe.cdp_types import runtime
from stillframe.errors import StillframeError
from stillframe.settling.hooks import UNAWAITED_SECONDS
from stillframe.settling.signals import ResourcesLoaded
from stillframe.tab.frames import World

LOADED = (
    "performance.getEntriesByType('resource').map((entry) => [entry.name, performance.timeOrigin + entry.startTime])"
)
"""Resource Timing lists a resource when it has been loaded."""


def ask_what_loaded(world: World, emit: Callable[[ResourcesLoaded], None]) -> None:
    """Emit what a document has loaded, as soon as it answers; nothing if it is gone by then."""

    def ask(context: asyncio.Future[int]) -> None:
        if _failed(context):
            return
        command = runtime.Evaluate(expression=LOADED, context_id=context.result(), return_by_value=True, silent=True)
        world.session.post(command, timeout=UNAWAITED_SECONDS).add_done_callback(answered)

    def answered(reply: asyncio.Future[Any]) -> None:
        if not _failed(reply):
            emit(ResourcesLoaded(msgspec.convert(reply.result().result.value, tuple[tuple[str, float], ...])))

    world.start().add_done_callback(ask)


def _failed(future: asyncio.Future[Any]) -> bool:
    return future.cancelled() or isinstance(future.exception(), StillframeError)
