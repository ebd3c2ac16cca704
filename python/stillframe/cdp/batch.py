"""Several commands in one write, and one wait for all their results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

from stillframe.cdp_types._base import Command

R = TypeVar("R")


class Batch:
    """Sends commands in order without waiting; the end of the block waits for all results.

    Commands sent without an `await` between them leave in one write. When all have been answered, the end of the
    block raises the first error in the order of sending; `futures` holds every result. Made by `CDPSession.batch`.
    """

    def __init__(self, post: Callable[[Command[Any]], asyncio.Future[Any]]) -> None:
        self._post = post
        self.futures: list[asyncio.Future[Any]] = []

    def send(self, command: Command[R]) -> asyncio.Future[R]:
        """Queue one command and return the future of its result."""
        future = self._post(command)
        self.futures.append(future)
        return future

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            for future in self.futures if kind is None else ():
                # Once the first slow answer is there, most others are too: cheaper than one wait for all.
                if not future.done():
                    await asyncio.wait([future])
        finally:
            for future in self.futures:
                future.cancel()
        if kind is None:
            for future in self.futures:
                if not future.cancelled():
                    future.result()
