"""Run coroutines in the background: beside a block, or for a caller, whose exceptions are logged."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from stillframe.security.redaction import logger

log = logger("stillframe.tab")


class Background:
    """The running background functions of one context."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Run a coroutine as a task and log its exceptions."""
        task = asyncio.get_running_loop().create_task(_logged(work, name), name=f"stillframe-{name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def call(self, function: Callable[..., object], *values: object, name: str) -> asyncio.Task[None] | None:
        """Call a function now, and run the rest of an async one as a task, which is returned. Logs exceptions."""
        try:
            result = function(*values)
        except Exception:
            log.exception("the %s failed", name)
            return None
        return self.start(_awaited(result), name) if inspect.isawaitable(result) else None

    @property
    def is_running(self) -> bool:
        """Return whether a function of the caller is running."""
        return bool(self._tasks)

    def cancel(self) -> None:
        """Cancel all running functions."""
        for task in tuple(self._tasks):
            task.cancel()


async def _awaited(result: Awaitable[Any]) -> None:
    await result


async def _logged(work: Coroutine[Any, Any, None], name: str) -> None:
    try:
        await work
    except Exception:
        log.exception("the %s failed", name)


def parameters_of(function: Callable[..., object]) -> list[inspect.Parameter] | None:
    """Return the parameters of a function of the caller; None for one of C that does not say."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


# Run a coroutine beside a block.


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine as a task inside the block, and cancel it at the end; its exceptions are dropped."""
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
