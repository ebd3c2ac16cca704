"""A thread with an event loop, shared by all synchronous objects of the process.

`acquire` starts the thread for the first owner (a browser or a `Sessions`), `release` stops it after the last one. One
loop serves all owners, so that a page of one browser can be passed to a call of another owner.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from stillframe.errors import ConnectionLost, InputError

T = TypeVar("T")

INTERRUPT_S = 0.5
"""Seconds after which a wait begins again. A signal that arrives just before Python blocks does not wake it: the
interrupt comes when the wait ends."""
CANCEL_S = 10.0
"""Seconds that an interrupted call has to clean up; the limits of closing a browser are below."""


class LoopThread:
    """An event loop that runs in a daemon thread until `stop`."""

    def __init__(self) -> None:
        self.owners: dict[int, object] = {}
        """What keeps the thread running, by identity; `acquire` and `release` change it."""
        self._lock = threading.Lock()
        self._running = True
        started: concurrent.futures.Future[asyncio.AbstractEventLoop] = concurrent.futures.Future()
        # A daemon: a script that forgets to close its browser must not hang at its end.
        self._thread = threading.Thread(target=self._run, args=(started,), name="stillframe-sync", daemon=True)
        self._thread.start()
        self._loop = started.result()

    @property
    def running(self) -> bool:
        """Whether calls can be made."""
        return self._running

    @property
    def is_current(self) -> bool:
        """Whether the caller runs on this thread, where waiting would be a deadlock."""
        return threading.current_thread() is self._thread

    def wait(self, work: Coroutine[Any, Any, T], *, interruptible: bool = True) -> T:
        """Run a coroutine on the loop and return its result; any thread but this one may call it.

        An interrupt (Ctrl-C) cancels the coroutine, waits until it has cleaned up, and goes on to the caller. Work that
        is not `interruptible` ends first. Raises ConnectionLost if the loop has stopped, InputError on this thread.
        """
        if self.is_current:
            work.close()
            raise InputError(
                "a synchronous call would wait for itself: a pattern function or on_step runs between two steps of "
                "the event loop; read properties there, and make calls afterwards"
            )
        call = _Call(work)
        if not self._schedule(call.start):
            work.close()
            raise ConnectionLost("the browser is closed, and so is the thread that served it; launch another browser")
        try:
            while not concurrent.futures.wait([call.outcome], INTERRUPT_S).done:
                pass
            result: T = call.outcome.result()
        except concurrent.futures.CancelledError:
            raise ConnectionLost("the browser was closed while this call waited") from None
        except BaseException:
            if not call.outcome.done():  # an interrupt, not the call's own error
                if interruptible:
                    self._schedule(call.cancel)
                concurrent.futures.wait([call.outcome], CANCEL_S)
            raise
        else:
            return result

    def call(self, function: Callable[[], T]) -> T:
        """Call a function on the loop and return its result; raises as `wait` does, but runs at once on this thread."""
        return function() if self.is_current else self.wait(_called(function))

    def read(self, function: Callable[[], T]) -> T:
        """Call a function that only reads; it works after the loop has stopped as well."""
        return self.call(function) if self._running else function()

    def start_task(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Start a task; only code on the loop may call it."""
        return self._loop.create_task(work, name=name)

    def stop(self) -> None:
        """Cancel what still runs, end the thread and wait for its end."""
        with self._lock:
            if not self._running:
                return
            self._running = False
            self._loop.call_soon_threadsafe(self._stopping.set)
        if not self.is_current:
            self._thread.join()

    def _schedule(self, callback: Callable[[], object]) -> bool:
        """Run a callback on the loop before it stops; return False if it has stopped."""
        with self._lock:
            if self._running:
                self._loop.call_soon_threadsafe(callback)
            return self._running

    def _run(self, started: concurrent.futures.Future[asyncio.AbstractEventLoop]) -> None:
        asyncio.run(self._until_stopped(started))

    async def _until_stopped(self, started: concurrent.futures.Future[asyncio.AbstractEventLoop]) -> None:
        self._stopping = asyncio.Event()
        started.set_result(asyncio.get_running_loop())
        await self._stopping.wait()


class _Call:
    """A coroutine that runs on the loop, and its outcome for the thread that waits."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self.outcome: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._work = work
        self._task: asyncio.Task[Any] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._work, name="stillframe-sync-call")
        self._task.add_done_callback(self._done)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _done(self, task: asyncio.Task[Any]) -> None:
        if task.cancelled():
            self.outcome.cancel()
            self.outcome.set_running_or_notify_cancel()
        elif (error := task.exception()) is not None:
            self.outcome.set_exception(error)
        else:
            self.outcome.set_result(task.result())


async def _called(function: Callable[[], T]) -> T:
    return function()


async def awaited(awaitable: Awaitable[T]) -> T:
    """Await anything, where a coroutine is needed."""
    return await awaitable


# -- the shared thread ---------------------------------------------------------------------------

_lock = threading.Lock()
_shared: LoopThread | None = None


def acquire(owner: object) -> LoopThread:
    """Return the shared thread, and keep it running until this owner is released."""
    global _shared
    with _lock:
        if _shared is None:
            _shared = LoopThread()
        _shared.owners[id(owner)] = owner
        return _shared


def release(thread: LoopThread, owner: object) -> None:
    """Let go of the thread, and stop it if no other owner is left; does nothing for what owns nothing."""
    global _shared
    with _lock:
        if thread.owners.pop(id(owner), None) is None or thread.owners:
            return
        _shared = None
    thread.stop()
