"""Events for code that awaits: bounded buffers that are filled by the reader and never hold it up."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar

import msgspec

from stillframe import errors
from stillframe.cdp.looptime import time_limit

if TYPE_CHECKING:
    from stillframe.cdp.session import Session

T = TypeVar("T")

Policy = Literal["drop_oldest", "latest", "error"]
"""What a full buffer does: lose its oldest event, hold only the newest one ever, or fail the next `get`."""

DEFAULT_BUFFER = 1024
"""Events held for a slow consumer; a busy page sends some hundred per second."""


class Event(msgspec.Struct, frozen=True, gc=False):
    """An event that was asked for by name; `params` are its undecoded bytes."""

    method: str
    params: msgspec.Raw
    session_id: str

    def decode(self, type: type[T] | Any = Any) -> T:
        """The parameters as `type`; as plain dicts and lists without one."""
        return msgspec.json.decode(self.params, type=type)


class Subscription(Generic[T]):
    """The events of one session from now on, in order; made by `Session.subscribe`.

    Closes with `with` or `async with`. Iterating ends when the session does; what was buffered comes first.
    """

    def __init__(self, session: Session, where: Callable[[T], object] | None, maxsize: int, policy: Policy) -> None:
        self._session = session
        self._where = where
        self._policy = policy
        self._buffer: deque[T] = deque(maxlen=1 if policy == "latest" else maxsize)
        self._waiter: asyncio.Future[None] | None = None
        self._removers: list[Callable[[], None]] = []
        self._closed = False
        self._error: errors.SessionLost | None = None
        self._unreported = 0
        self.dropped = 0
        """Events lost to the bound so far."""

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
        """The next event.

        Raises TimeoutError after `timeout` seconds, SessionLost when the session ended and nothing is left,
        SubscriptionLagged under the policy `error` when events were lost; the next call goes on with what is left.
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
            raise RuntimeError("two tasks wait on one subscription; give each its own")
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _take(self) -> T:
        if self._policy == "error" and self._unreported:
            lost, self._unreported = self._unreported, 0
            raise errors.SubscriptionLagged(
                f"{lost} events were lost because the consumer was too slow; read faster, raise maxsize "
                "or choose another policy",
                dropped=lost,
            )
        return self._buffer.popleft()

    def close(self) -> None:
        """Stop receiving; what is buffered can still be read."""
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
    """Waits at the end of its block for an event that the block causes; made by `Session.expect`."""

    value: T
    """The event; there after the block."""

    def __init__(self, subscription: Subscription[T], what: str, timeout: float | None) -> None:
        self._subscription = subscription
        self._what = what
        self._timeout = timeout

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
            except TimeoutError as late:
                session = self._subscription._session.session_id
                raise errors.CommandTimeout(
                    f"no {self._what} within {self._timeout:g} s",
                    timeout_ms=(self._timeout or 0.0) * 1000,
                    method=self._what,
                    session_id=session,
                ) from late
