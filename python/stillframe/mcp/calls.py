"""The calls that run: each with a time limit, and cancelled when its client has left."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Hashable
from typing import Any, Generic, NamedTuple, TypeVar

from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.event_store import RETURN_S, Reader

SHUTDOWN_S = 5.0
"""Seconds that running calls get to end when the server stops."""

T = TypeVar("T")


class Caller(NamedTuple):
    """Whose call it is: `client` made it, over the HTTP request of `reader` if there is one, for `session`."""

    client: Hashable = None
    session: Hashable = None
    reader: Reader | None = None


STDIO = Caller()
"""The client on the other end of stdio: the SDK cancels its calls when it leaves."""


class _Call(Generic[T]):
    """A call that runs, or waits for its session; `wanted` is set while another client waits for the same session."""

    def __init__(self, task: asyncio.Task[T], caller: Caller) -> None:
        self.task = task
        self.caller = caller
        self.wanted = asyncio.Event()

    def competes_with(self, other: _Call[Any]) -> bool:
        return self.caller.session == other.caller.session and self.caller.client != other.caller.client


class RunningCalls:
    """The calls that run now.

    Each is a task, so that it is cancelled once and cleanly, however often clients cancel. `return_s` is the time in
    which a client whose stream broke must take it up again.
    """

    def __init__(self, timeout_ms: float, return_s: float = RETURN_S) -> None:
        self._timeout_ms = timeout_ms
        self._return_s = return_s
        self._calls: set[_Call[Any]] = set()

    async def run(
        self, name: str, work: Coroutine[Any, Any, T], timeout_ms: float | None = None, caller: Caller = STDIO
    ) -> T:
        """Wait for a call until its time limit, by default that of all calls, or until its client has left.

        Raises ToolError then.
        """
        timeout_ms = self._timeout_ms if timeout_ms is None else timeout_ms
        call = self._begin(name, work, caller)
        leaving = asyncio.create_task(self._abandoned(call), name=f"watch the client of {name}")
        try:
            await asyncio.wait([call.task, leaving], timeout=timeout_ms / 1000, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            has_left = leaving.done()
            is_done = call.task.done()
            call.task.cancel()
        if is_done:
            return call.task.result()
        if has_left:
            raise ToolError("client_left", f"the client of {name} left before its result")
        message = f"{name} took more than {timeout_ms:g} ms and was cancelled"
        raise ToolError("deadline", message, timeout_ms=timeout_ms)

    async def stop(self) -> None:
        """Cancel all calls."""
        tasks = [call.task for call in self._calls]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=SHUTDOWN_S)

    def _begin(self, name: str, work: Coroutine[Any, Any, T], caller: Caller) -> _Call[T]:
        call = _Call(asyncio.create_task(work, name=f"call {name}"), caller)
        for other in self._calls:
            if other.competes_with(call):
                other.wanted.set()
                call.wanted.set()
        self._calls.add(call)

        def ended(task: asyncio.Task[Any]) -> None:
            self._calls.discard(call)
            if not task.cancelled():
                task.exception()  # the caller has it, or has left

        call.task.add_done_callback(ended)
        return call

    async def _abandoned(self, call: _Call[Any]) -> None:
        """Return when the client has left: at once if another one wants the session or it cannot come back."""
        reader = call.caller.reader
        if reader is None:
            await asyncio.Event().wait()  # the SDK cancels the calls of such a client
            return
        if reader.stream is None:
            await reader.left.wait()
            return
        await reader.stream.abandoned(call.wanted, self._return_s)
