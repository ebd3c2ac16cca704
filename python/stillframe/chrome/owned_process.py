"""Ending a browser so that nothing is left: no process, no zombie, no directory, no descriptor.

One task per browser, the keeper, lives as long as it does. It wakes when the browser has ended by itself or when
somebody asks for the end, and then walks down one ladder:

    asked politely → SIGTERM to the group → SIGKILL to the group → waited for → stderr closed by all → directory removed

Each rung has its own deadline, so ending takes at most about ten seconds even when the browser is stopped (SIGSTOP).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import weakref
from collections.abc import Awaitable, Callable

from stillframe.chrome.process import Process, reap_group, signal_group
from stillframe.chrome.profile import Profile

# Seconds. A healthy Chromium 156 ends 0.12-0.22 s after Browser.close and 0.07 s after SIGTERM; a SIGKILL takes 0.06 s.
ASK_S = 3.0
TERM_S = 2.0
KILL_S = 2.0
QUIET_S = 1.0
FAREWELL_S = 1.0


class Keeper:
    """Owns a browser process and its directories from the moment of the spawn to the last clean-up.

    `farewell` closes the connection and thereby asks the browser to end; it is awaited for at most FAREWELL_S.
    """

    def __init__(self, process: Process, profile: Profile) -> None:
        self.process = process
        self.profile = profile
        self.farewell: Callable[[], Awaitable[None]] | None = None
        self._politely = True
        self._wanted = asyncio.Event()
        self._last_resort = weakref.finalize(process, destroy, process.popen, profile, os.getpid())
        self._task = asyncio.get_running_loop().create_task(self._keep(), name=f"stillframe-keeper-{process.pid}")

    async def end(self, *, politely: bool = True) -> None:
        """End the browser and return when nothing is left; idempotent. Not politely: SIGTERM without asking first.

        A cancellation of the caller is passed on only after the clean-up, which has its own deadlines.
        """
        self._politely = self._politely and politely
        self._wanted.set()
        await finish(self._task)

    async def wait_ended(self) -> None:
        """Wait until the browser has ended, for whatever reason, and nothing is left of it."""
        await asyncio.wait({self._task})

    async def _keep(self) -> None:
        try:
            await _first(self.process.exited, self._wanted)
            await self._end_process()
            await within(self.process.quiet, QUIET_S)
            self.process.release()
            reap_group(self.process.pid)
            await asyncio.to_thread(self.profile.remove)
        finally:
            # Cancelled, as when a loop shuts down, or failed: the same end at once, without waiting politely.
            self.process.release()
            self._last_resort()

    async def _end_process(self) -> None:
        if self.farewell is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.farewell(), FAREWELL_S)
            if self._politely:
                await within(self.process.exited, ASK_S)
        for number, seconds in ((signal.SIGTERM, TERM_S), (signal.SIGKILL, KILL_S)):
            if not self.process.exited.is_set():
                self.process.signal_group(number)
                await within(self.process.exited, seconds)
        # Its children have nothing left to do, and some would outlive it by a second.
        self.process.signal_group(signal.SIGKILL)


def destroy(popen: subprocess.Popen[bytes], profile: Profile, owner_pid: int) -> None:
    """End a browser and remove its directories without a loop: the last resort, at exit or collection. Idempotent.

    Does nothing in a forked child, which inherits the finalizer but not the browser.
    """
    if os.getpid() != owner_pid:
        return
    if popen.poll() is None:
        signal_group(popen.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            popen.wait(KILL_S)
        reap_group(popen.pid)
    profile.remove()


async def finish(task: asyncio.Task[None]) -> None:
    """Await `task` to its end even when the caller is cancelled meanwhile; the cancellation is raised afterwards."""
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
    """Wait until `event` is set, or for `seconds`; says whether it is set."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


async def _first(*events: asyncio.Event) -> None:
    """Wait until one of the events is set."""
    tasks = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
