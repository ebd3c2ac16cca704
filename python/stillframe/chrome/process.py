"""One spawned browser process: its file descriptors, its exit and the tail of its stderr. Knows nothing of CDP.

Three things keep a browser from outliving us, each covering for the one before:
the DevTools pipe (Chrome ends when its end closes, and the kernel closes ours whatever kills us), the signals of
`stillframe.chrome.owned_process`, and a finalizer that runs at interpreter exit.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stillframe.chrome.close_on_fork import keep_private

# Enough for the last words of a browser and its children; older lines are dropped.
STDERR_TAIL_BYTES = 64 * 1024
READ_CHUNK_BYTES = 64 * 1024

# Chrome wants the pipe at descriptors 3 and 4. We hand it over as 0 and 1 and let the shell move it before it becomes
# the browser: numbers in this process can never collide, no code runs between fork and exec, the process id stays.
_MOVE_PIPE = 'exec 3<&0 4>&1 0</dev/null 1>/dev/null; exec "$@"'


class PipeEnds:
    """Our two ends of the DevTools pipe, non-blocking; `read_fd` and `write_fd` belong to whoever takes them."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self.read_fd = read_fd
        self.write_fd = write_fd

    def close(self) -> None:
        for fd in (self.read_fd, self.write_fd):
            os.close(fd)


class Process:
    """A running browser in a session and process group of its own.

    Made by `spawn`. `exited` is set once the process has been waited for; `quiet` once nobody holds its stderr any
    more, which proves that no descendant is left (all of them inherit it).
    """

    def __init__(self, popen: subprocess.Popen[bytes], stderr_fd: int, lifeline_fd: int) -> None:
        self.pid = popen.pid
        self.popen = popen
        self.exited = asyncio.Event()
        self.quiet = asyncio.Event()
        self._stderr_fd: int | None = stderr_fd
        self._exit_fd: int | None = None
        self._tail = bytearray()
        self._on_stderr: list[Callable[[], None]] = []
        self._share_lifeline = keep_private(lifeline_fd)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(stderr_fd, self._read_stderr)
        self._watch_exit()

    @property
    def returncode(self) -> int | None:
        """The exit status; minus the signal number when a signal ended it, None while it runs."""
        return self.popen.returncode

    def stderr_tail(self) -> str:
        """Return the last 64 KiB that the browser and its children wrote to stderr."""
        return self._tail.decode("utf-8", "replace")

    def on_stderr(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` whenever stderr has grown or ended; returns the undo."""
        self._on_stderr.append(callback)
        return lambda: self._on_stderr.remove(callback)

    def signal_group(self, number: signal.Signals) -> None:
        """Signal every process of the group; nothing happens when none is left."""
        signal_group(self.pid, number)

    def release(self) -> None:
        """Let go of the descriptors; the process must have ended. Idempotent."""
        self._share_lifeline()
        self._close_stderr()
        self._close_exit()

    def _watch_exit(self) -> None:
        try:
            self._exit_fd = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            # macOS, or a kernel before 5.3: one thread, which ends with the browser.
            threading.Thread(target=self._wait_in_thread, name="stillframe-chrome-wait", daemon=True).start()
        else:
            self._loop.add_reader(self._exit_fd, self._reap)

    def _wait_in_thread(self) -> None:
        self.popen.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._reap)

    def _reap(self) -> None:
        if self.popen.poll() is not None:
            self._close_exit()
            self.exited.set()

    def _read_stderr(self) -> None:
        assert self._stderr_fd is not None
        try:
            chunk = os.read(self._stderr_fd, READ_CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if chunk:
            self._tail += chunk
            del self._tail[:-STDERR_TAIL_BYTES]
        else:
            self._close_stderr()
        for callback in tuple(self._on_stderr):
            callback()

    def _close_stderr(self) -> None:
        fd, self._stderr_fd = self._stderr_fd, None
        if fd is not None:
            self._loop.remove_reader(fd)
            os.close(fd)
            self.quiet.set()

    def _close_exit(self) -> None:
        fd, self._exit_fd = self._exit_fd, None
        if fd is not None:
            self._loop.remove_reader(fd)
            os.close(fd)


def spawn(command: Sequence[str], env: Mapping[str, str]) -> tuple[Process, PipeEnds]:
    """Start `command` with the DevTools pipe at descriptors 3 and 4; raises OSError, leaving nothing open.

    Takes under a millisecond and never awaits, so there is no moment at which a cancellation could lose the process.
    stdin and stdout of the child are /dev/null.
    """
    with contextlib.ExitStack() as on_error, contextlib.ExitStack() as childs:
        child_in, write_fd = _pipe(on_error, childs, child_reads=True)
        child_out, read_fd = _pipe(on_error, childs, child_reads=False)
        child_err, stderr_fd = _pipe(on_error, childs, child_reads=False)
        popen = subprocess.Popen(  # noqa: S603 -- the caller's own browser
            ["/bin/sh", "-c", _MOVE_PIPE, "sh", *command],
            stdin=child_in,
            stdout=child_out,
            stderr=child_err,
            env=dict(env),
            start_new_session=True,
        )
        process = Process(popen, stderr_fd, write_fd)
        on_error.pop_all()
    return process, PipeEnds(read_fd, write_fd)


def signal_group(pgid: int, number: signal.Signals) -> None:
    """Signal a process group that we made; a group that is gone, or is no longer ours, is left alone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pgid, number)


def reap_group(pgid: int) -> None:
    """Wait for members of the group that became our children, as they do when we are a container's process 1."""
    with contextlib.suppress(OSError):
        while os.waitpid(-pgid, os.WNOHANG)[0]:
            pass


def _pipe(on_error: Any, childs: Any, *, child_reads: bool) -> tuple[int, int]:
    """Open a pipe and return (the child's end, our end); both are close-on-exec, ours is non-blocking."""
    read_end, write_end = os.pipe()
    child, ours = (read_end, write_end) if child_reads else (write_end, read_end)
    childs.callback(os.close, child)
    on_error.callback(os.close, ours)
    os.set_blocking(ours, False)
    return child, ours
