"""Several commands, written together and answered together."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from stillframe.cdp_types._base import Command

if TYPE_CHECKING:
    from stillframe.cdp.session import Session

R = TypeVar("R")


class Batch:
    """Sends as it is told, in order and without waiting; the end of the block waits for every answer.

    Commands sent without an await in between leave in one write. The first error, in the order sent, is raised at
    the end, after all have been answered; the futures hold every result.
    """

    def __init__(self, session: Session, timeout: float | None) -> None:
        self._session = session
        self._timeout = timeout
        self.futures: list[asyncio.Future[Any]] = []

    def send(self, command: Command[R]) -> asyncio.Future[R]:
        """Queue one command now."""
        future = self._session.post(command, timeout=self._timeout)
        self.futures.append(future)
        return future

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            for future in self.futures if kind is None else ():
                if not future.done():  # most are, once the first slow one is: this is cheaper than one wait for all
                    await asyncio.wait([future])
        finally:
            for future in self.futures:
                future.cancel()
        if kind is None:
            for future in self.futures:
                if not future.cancelled():
                    future.result()
