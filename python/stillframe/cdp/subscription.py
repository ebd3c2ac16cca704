"""Events for code that awaits: bounded buffers that the reader fills without ever waiting."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

import msgspec

from stillframe import errors
from stillframe.cdp.loop_clock import time_limit

T = TypeVar("T")

Policy = Literal["drop_oldest", "latest", "error"]
"""What a full buffer does: drop its oldest event, keep only the latest event at any time, or fail the next `get`."""

DEFAULT_BUFFER = 1024
"""Events buffered for a slow consumer: several seconds of a busy page, which sends some hundred per second."""


class Event(msgspec.Struct, frozen=True, gc=False):
    """An event requested by its method name; `params` are its undecoded bytes."""

    method: str
    params: msgspec.Raw
    session_id: str

    def decode(self, type: type[T] | Any = Any) -> T:
        """Return the parameters as `type`, or as plain dicts and lists."""
        return msgspec.json.decode(self.params, type=type)


class Subscription(Generic[T]):
    """The events of one session in order, from its creation on; made by `CDPSession.subscribe`.

    Close it with `with` or `async with`. When the session ends, iteration yields the buffered events and stops.
    """

    def __init__(self, where: Callable[[T], object] | None, maxsize: int, policy: Policy) -> None:
        self._where = where
        self._policy = policy
        self._buffer: deque[T] = deque(maxlen=1 if policy == "latest" else maxsize)
        self._waiter: asyncio.Future[None] | None = None
        self._removers: list[Callable[[], None]] = []
        self._closed = False
        self._error: errors.SessionLost | None = None
        self._unreported = 0
        self.dropped = 0
        """How many events the full buffer has dropped so far."""

    # -- the reader's side

    def _put(self, event: T) -> None:
        if self._where is not None and not self._where(event):
            return
        if len(self._buffer) == self._buffer.maxlen:
            self.dropped += 1
            self._unreported += 1
        self._buffer.append(event)
        self._wake()

    def _end(self, error: errors.SessionLost) -> None:
        self._error = error
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # -- the consumer's side

    async def get(self, timeout: float | None = None) -> T:
        """Return the next event.

        Args:
            timeout: The limit of the wait, in seconds; None for no limit.

        Raises:
            TimeoutError: No event comes within `timeout`.
            SessionLost: The session has ended and the buffer is empty.
            SubscriptionLagged: With the policy `error`, once after events were dropped; the next call continues with
                the buffered events.
        """
        if self._buffer:
            return self._take()
        async with time_limit(timeout):
            while not self._buffer:
                if self._error is not None:
                    raise self._error
                if self._closed:
                    raise RuntimeError("the subscription is closed")
                await self._wait()
        return self._take()

    async def _wait(self) -> None:
        if self._waiter is not None:
            raise RuntimeError("two tasks wait on one subscription; create one subscription per task")
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _take(self) -> T:
        if self._policy == "error" and self._unreported:
            lost, self._unreported = self._unreported, 0
            raise errors.SubscriptionLagged(
                f"the consumer was too slow and {lost} events were dropped; read faster, raise maxsize or choose "
                "another policy",
                dropped=lost,
            )
        return self._buffer.popleft()

    def close(self) -> None:
        """Stop receiving events; buffered events can still be read."""
        self._closed = True
        for remove in self._removers:
            remove()
        self._removers.clear()
        self._wake()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        while not self._buffer:
            if self._error is not None or self._closed:
                raise StopAsyncIteration
            await self._wait()
        return self._take()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


class Expectation(Generic[T]):
    """Waits at the end of its block for an event that the block causes; made by `CDPSession.expect`."""

    value: T
    """The event, set when the block ends."""

    def __init__(self, subscription: Subscription[T], method: str, timeout: float | None, session_id: str) -> None:
        self._subscription = subscription
        self._method = method
        self._timeout = timeout
        self._session_id = session_id

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._subscription:
            if kind is not None:
                return
            try:
                self.value = await self._subscription.get(self._timeout)
            except errors.StillframeError:
                raise
            except TimeoutError as error:
                raise errors.CommandTimeout(
                    f"no {self._method} within {self._timeout:g} s",
                    timeout_ms=(self._timeout or 0.0) * 1000,
                    method=self._method,
                    session_id=self._session_id,
                ) from error
