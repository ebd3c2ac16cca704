"""A browser process that this client started, and its complete shutdown: no process, zombie, directory or descriptor.

One task per browser waits until the browser exits or somebody asks for its end. Then it escalates step by step:

    request over CDP → SIGTERM to the group → SIGKILL to the group → wait → stderr closed everywhere → directory removed

Each step has a time limit of its own, so the shutdown takes at most about ten seconds, even if the browser is stopped
(SIGSTOP).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import weakref
from collections.abc import Awaitable, Callable

from stillframe.cdp.loop_clock import time_limit
from stillframe.chrome.process import Process, reap_group, signal_group
from stillframe.chrome.profile import Profile

# Time limits in seconds. A healthy Chromium 156 exits 0.12-0.22 s after Browser.close, 0.07 s after SIGTERM and 0.06 s
# after SIGKILL; the limits leave a loaded machine ten times as long and more.
REQUEST_S = 1.0
EXIT_S = 3.0
SIGTERM_S = 2.0
SIGKILL_S = 2.0
STDERR_S = 1.0


class OwnedProcess:
    """Owns a browser process and its directories from the spawn to the last clean-up.

    `request_exit` asks the browser to exit and closes the connection; it gets at most REQUEST_S.
    """

    def __init__(self, process: Process, profile: Profile, request_exit: Callable[[], Awaitable[None]]) -> None:
        self.process = process
        self.profile = profile
        self._request_exit = request_exit
        self._gracefully = True
        self._end_wanted = asyncio.Event()
        self._finalizer = weakref.finalize(process, destroy, process.popen, os.getpid(), profile)
        self._task = asyncio.get_running_loop().create_task(self._own(), name=f"stillframe-process-{process.pid}")

    async def end(self, *, gracefully: bool = True) -> None:
        """End the browser and return when nothing of it is left; idempotent.

        If not `gracefully`, SIGTERM follows the request at once. When the caller is cancelled, the CancelledError is
        raised after the clean-up, which has time limits of its own.
        """
        self._gracefully = self._gracefully and gracefully
        self._end_wanted.set()
        await finish(self._task)

    async def wait_ended(self) -> None:
        """Wait until the browser has ended for any reason and nothing of it is left."""
        await asyncio.wait({self._task})

    async def _own(self) -> None:
        try:
            await _first(self.process.exited, self._end_wanted)
            await self._end_process()
            await within(self.process.stderr_closed, STDERR_S)
            self.process.release()
            reap_group(self.process.pid)
            await asyncio.to_thread(self.profile.remove)
        finally:
            # If this task failed or was cancelled, as at the shutdown of a loop, kill the browser at once.
            self.process.release()
            self._finalizer()

    async def _end_process(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with time_limit(REQUEST_S):
                await self._request_exit()
        if self._gracefully:
            await within(self.process.exited, EXIT_S)
        for number, seconds in ((signal.SIGTERM, SIGTERM_S), (signal.SIGKILL, SIGKILL_S)):
            if not self.process.exited.is_set():
                self.process.signal_group(number)
                await within(self.process.exited, seconds)
        # The browser's children have nothing left to do, and some would outlive it by a second.
        self.process.signal_group(signal.SIGKILL)


def destroy(popen: subprocess.Popen[bytes], owner_pid: int, profile: Profile | None = None) -> None:
    """Kill a program and remove its directories without an event loop, at exit or garbage collection. Idempotent.

    Does nothing in a forked child, which inherits the finalizer but not the program.
    """
    if os.getpid() != owner_pid:
        return
    if popen.poll() is None:
        signal_group(popen.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            popen.wait(SIGKILL_S)
        reap_group(popen.pid)
    if profile is not None:
        profile.remove()


async def finish(task: asyncio.Task[None]) -> None:
    """Await `task` to its end even if the caller is cancelled meanwhile; raise the CancelledError afterwards."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    if not task.cancelled():
        task.result()


async def within(event: asyncio.Event, seconds: float) -> bool:
    """Wait at most `seconds` for `event` and return whether it is set."""
    with contextlib.suppress(TimeoutError):
        async with time_limit(seconds):
            await event.wait()
    return event.is_set()


async def _first(*events: asyncio.Event) -> None:
    """Wait until one of the events is set."""
    tasks = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
