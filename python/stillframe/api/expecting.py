"""Waiting for what a block of code causes: the one form of all `expect_…` methods."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, TypeVar

from stillframe.cdp import CDPSession
from stillframe.cdp.loop_clock import time_limit
from stillframe.errors import SessionLost, StillframeError, WaitTimeout
from stillframe.model.bounds import short
from stillframe.tab.deadline import in_seconds

T = TypeVar("T")
Remove = Callable[[], None]
Predicate = Callable[[Any], object]
"""A function of the value of an event; what it returns is true for the one that is awaited."""

SHOWN = 3
"""Values that a time-out shows of those that came and were not the awaited ones, the last ones."""
SHOWN_LENGTH = 120
"""Characters of each."""


class Expectation(asyncio.Future[T]):
    """What a block is expected to cause: `async with page.expect_popup() as popup: …`, then `await popup.value`.

    It may be awaited itself as well, also within the block, without the time limit of the block.
    """

    @property
    def value(self) -> Self:
        """The value to await: `await popup.value`."""
        return self

    def is_done(self) -> bool:
        """Return whether it has come."""
        return self.done()


class Others:
    """What came and was not what is awaited."""

    def __init__(self) -> None:
        self._count = 0
        self._last: deque[Any] = deque(maxlen=SHOWN)

    def add(self, value: Any) -> None:
        """Note one more."""
        self._count += 1
        self._last.append(value)

    def texts(self) -> tuple[str, ...]:
        """Return the last few as texts."""
        return tuple(described(value) for value in self._last)

    def __str__(self) -> str:
        if not self._count:
            return ""
        last = "it was" if self._count == 1 else "the last were" if self._count > SHOWN else "they were"
        return f"; {self._count} came that did not match, {last}: {', '.join(self.texts())}"


def described(value: Any) -> str:
    """Return one line about the value of an event."""
    request = getattr(value, "request", value)
    method, url = getattr(request, "method", None), getattr(value, "url", None) or getattr(request, "url", None)
    if isinstance(url, str):
        status = getattr(value, "status", None)
        parts = [*([method] if isinstance(method, str) else ()), url, *([str(status)] if status is not None else ())]
        return short(" ".join(parts), SHOWN_LENGTH)
    text = getattr(value, "text", None) or getattr(value, "message", None)
    return short(repr(text if isinstance(text, str) else value), SHOWN_LENGTH)


@asynccontextmanager
async def expecting(
    listen: Callable[[Callable[[Any], None]], Remove],
    *,
    attach: Callable[[], Awaitable[CDPSession]],
    timeout_ms: float | None,
    missing: Callable[[], str],
    matches: Predicate | None = None,
    finish: Callable[[Any], Awaitable[T]] | None = None,
) -> AsyncIterator[Expectation[T]]:
    """Yield what will be the first value that `listen` brings and that `matches`, and wait for it after the block.

    `finish` makes the awaited value of the one that came. Raises WaitTimeout that begins with what is `missing` and
    says what came instead, SessionLost when the session ends before, and what `matches` and `finish` raise.
    """
    timeout = in_seconds(timeout_ms)
    expected: Expectation[Any] = Expectation(loop=asyncio.get_running_loop())
    expected.add_done_callback(lambda done: done.cancelled() or done.exception())
    finishing: list[asyncio.Task[None]] = []
    others = Others()

    def came(value: Any) -> None:
        if expected.done() or finishing:
            return
        try:
            if matches is not None and not matches(value):
                others.add(value)
                return
        except Exception as error:
            expected.set_exception(error)
            return
        if finish is None:
            expected.set_result(value)
        else:
            work = _finish(finish, value, expected)
            finishing.append(asyncio.get_running_loop().create_task(work, name="stillframe-expected"))

    def lost(error: SessionLost) -> None:
        if not expected.done():
            expected.set_exception(error)

    session = await attach()
    removers = [listen(came), session.on_closed(lost)]
    try:
        yield expected
        try:
            async with time_limit(timeout):
                # Shielded: the time limit must not cancel it for others who await it.
                await asyncio.shield(expected)
        except StillframeError:
            raise
        except TimeoutError:
            raise WaitTimeout(
                f"{missing()} within {timeout_ms:g} ms{others}", awaited=missing(), came=others.texts()
            ) from None
    finally:
        for remove in removers:
            remove()
        expected.cancel()
        for task in finishing:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _finish(finish: Callable[[Any], Awaitable[T]], value: Any, expected: Expectation[T]) -> None:
    try:
        made = await finish(value)
    except Exception as error:
        if not expected.done():
            expected.set_exception(error)
    else:
        if not expected.done():
            expected.set_result(made)
