"""One spawned process, a browser or a filter: its file descriptors, its exit and the tail of its stderr.

Independent of CDP.

Three mechanisms keep a browser from outliving this process, each a fallback for the one before: the DevTools pipe
(Chrome exits when it closes, and the kernel closes it however this process ends), the signals of
`stillframe.chrome.owned_process`, and a finalizer at interpreter exit.
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

from stillframe.chrome.close_on_fork import close_on_fork

STDERR_TAIL_BYTES = 64 * 1024
"""Bytes of stderr that are kept: a browser logs some KiB before it exits; older lines are dropped."""
READ_CHUNK_BYTES = 64 * 1024
"""Bytes of one read: what a Linux pipe holds by default (pipe(7))."""

# Chrome expects the pipe at descriptors 3 and 4. They are passed as 0 and 1, and the shell moves them before it becomes
# the browser: so no numbers collide in this process, no code runs between fork and exec, and the process id stays.
_MOVE_PIPE = 'exec 3<&0 4>&1 0</dev/null 1>/dev/null; exec "$@"'


class PipeEnds:
    """Our two ends of the DevTools pipe, non-blocking; who takes `read_fd` and `write_fd` owns them."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self.read_fd = read_fd
        self.write_fd = write_fd

    def close(self) -> None:
        """Close both ends."""
        for fd in (self.read_fd, self.write_fd):
            os.close(fd)


class Process:
    """A running process in a session and process group of its own; made by `spawn` and `spawn_filter`.

    `exited` is set once the process has been reaped. `stderr_closed` is set once no process holds its stderr, which
    proves that no descendant is left, because all of them inherit it.
    """

    def __init__(self, popen: subprocess.Popen[bytes], stderr_fd: int, lifeline_fd: int) -> None:
        self.pid = popen.pid
        self.popen = popen
        self.exited = asyncio.Event()
        self.stderr_closed = asyncio.Event()
        self._stderr_fd: int | None = stderr_fd
        self._exit_fd: int | None = None
        self._tail = bytearray()
        self._on_stderr: list[Callable[[], None]] = []
        self._undo_close_on_fork = close_on_fork(lifeline_fd)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(stderr_fd, self._read_stderr)
        self._watch_exit()

    @property
    def returncode(self) -> int | None:
        """The exit status as in `subprocess.Popen`: negative for a signal, None while the process runs."""
        return self.popen.returncode

    def stderr_tail(self) -> str:
        """Return the last 64 KiB that the browser and its children wrote to stderr."""
        return self._tail.decode("utf-8", "replace")

    def on_stderr(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` whenever stderr grows or ends; return the function that removes it."""
        self._on_stderr.append(callback)
        return lambda: self._on_stderr.remove(callback)

    def signal_group(self, number: signal.Signals) -> None:
        """Signal every process of the group; does nothing if none is left."""
        signal_group(self.pid, number)

    def release(self) -> None:
        """Close the descriptors of an ended process. Idempotent."""
        self._undo_close_on_fork()
        self._close_stderr()
        self._close_exit()

    def _watch_exit(self) -> None:
        try:
            self._exit_fd = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            # macOS, or a Linux kernel before 5.3: use a thread, which ends with the browser.
            threading.Thread(target=self._wait_in_thread, name="stillframe-chrome-wait", daemon=True).start()
        else:
            self._loop.add_reader(self._exit_fd, self._reap)

    def _wait_in_thread(self) -> None:
        self.popen.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed, so nothing waits
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
            self.stderr_closed.set()

    def _close_exit(self) -> None:
        fd, self._exit_fd = self._exit_fd, None
        if fd is not None:
            self._loop.remove_reader(fd)
            os.close(fd)


def spawn(command: Sequence[str], env: Mapping[str, str]) -> tuple[Process, PipeEnds]:
    """Start `command` with the DevTools pipe at descriptors 3 and 4; on OSError, nothing is left open.

    It takes less than a millisecond and never awaits, so a cancellation cannot lose the process. The child's stdin and
    stdout are /dev/null.
    """
    with contextlib.ExitStack() as on_error, contextlib.ExitStack() as child_ends:
        child_in, write_fd = _pipe(on_error, child_ends, child_reads=True)
        child_out, read_fd = _pipe(on_error, child_ends, child_reads=False)
        child_err, stderr_fd = _pipe(on_error, child_ends, child_reads=False)
        popen = _popen(["/bin/sh", "-c", _MOVE_PIPE, "sh", *command], env, child_in, child_out, child_err)
        process = Process(popen, stderr_fd, write_fd)
        on_error.pop_all()
    return process, PipeEnds(read_fd, write_fd)


def spawn_filter(command: Sequence[str], env: Mapping[str, str]) -> tuple[Process, int]:
    """Start `command` with a pipe as its stdin, and return our end of it, non-blocking; on OSError, nothing is open.

    The caller owns the descriptor. The child's stdout is /dev/null.
    """
    with contextlib.ExitStack() as on_error, contextlib.ExitStack() as child_ends:
        child_in, write_fd = _pipe(on_error, child_ends, child_reads=True)
        child_err, stderr_fd = _pipe(on_error, child_ends, child_reads=False)
        popen = _popen(command, env, child_in, subprocess.DEVNULL, child_err)
        process = Process(popen, stderr_fd, write_fd)
        on_error.pop_all()
    return process, write_fd


def _popen(
    command: Sequence[str], env: Mapping[str, str], stdin: int, stdout: int, stderr: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 -- the program that the caller has chosen
        command, stdin=stdin, stdout=stdout, stderr=stderr, env=dict(env), start_new_session=True
    )


def signal_group(pgid: int, number: signal.Signals) -> None:
    """Signal a process group that we made; does nothing if it is gone or belongs to another user."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pgid, number)


def reap_group(pgid: int) -> None:
    """Reap members of the group that became our children, as happens to process 1 of a container."""
    with contextlib.suppress(OSError):
        while os.waitpid(-pgid, os.WNOHANG)[0]:
            pass


def _pipe(on_error: Any, child_ends: Any, *, child_reads: bool) -> tuple[int, int]:
    """Open a pipe and return the child's end and ours; both are close-on-exec, ours is non-blocking."""
    read_end, write_end = os.pipe()
    child, ours = (read_end, write_end) if child_reads else (write_end, read_end)
    child_ends.callback(os.close, child)
    on_error.callback(os.close, ours)
    os.set_blocking(ours, False)
    return child, ours
