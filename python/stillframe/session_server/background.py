"""Start the background process, once per user, and run it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING

from stillframe.security.private_files import open_private
from stillframe.session_server.address import LOCK, LOG, SOCKET
from stillframe.session_server.client import Ended, NotRunning, request
from stillframe.session_server.errors import SessionServerFailed
from stillframe.session_server.server import IDLE_S, sessions_for

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from pathlib import Path

START_S = 20.0
"""Seconds for the process to listen; it takes half a second."""
END_S = 60.0
"""Seconds for the process to end after `stop`; it takes less than one, and its sessions have limits of their own."""
POLL_S = 0.02
"""Seconds between looks at the lock."""

READY = b"ready\n"


async def ensure_running(directory: Path, *, idle_s: float = IDLE_S) -> None:
    """Start the background process unless it runs; raises SessionServerFailed."""
    with contextlib.suppress(NotRunning):
        await request(directory, "list")
        return
    await asyncio.to_thread(_start, directory, idle_s)


async def stop(directory: Path) -> None:
    """Close all sessions and wait until the background process has ended; raises SessionServerFailed."""
    with contextlib.suppress(Ended):
        await request(directory, "stop")
    await asyncio.to_thread(_wait_for_end, directory)


def _wait_for_end(directory: Path) -> None:
    # The process holds the lock until all is closed.
    with _lock_file(directory) as lock:
        if not _repeatedly(lambda: _take(lock), END_S):
            raise SessionServerFailed(f"the background process has not ended within {END_S:g} s")


def _start(directory: Path, idle_s: float) -> None:
    read, write = os.pipe()
    try:
        with open(directory / LOG, "ab", opener=open_private) as output:
            process = subprocess.Popen(  # noqa: S603  our own module
                [sys.executable, "-m", "stillframe.session_server", str(directory), str(idle_s), str(write)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[write],
                start_new_session=True,
                cwd="/",
            )
        os.close(write)
        write = -1
        _check_ready(process, read, directory)
    except OSError as error:
        raise SessionServerFailed(f"cannot start the background process in {directory}: {error.strerror}") from None
    finally:
        os.close(read)
        if write >= 0:
            os.close(write)


def _check_ready(process: subprocess.Popen[bytes], read: int, directory: Path) -> None:
    """Wait until the process says that sessions can be opened; end it if it does not."""
    readable, _, _ = select.select([read], [], [], START_S)
    if readable and os.read(read, len(READY)) == READY:
        process.wait()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    why = (directory / LOG).read_text(errors="replace").strip().rpartition("\n")[2] if readable else "it hangs"
    raise SessionServerFailed(f"the background process did not start: {why or 'it said nothing'}")


def run(directory: Path, idle_s: float, ready: int) -> None:
    """Be the background process: listen, say so, and serve until the end.

    A second process does that, so that it is not a child of the command that starts it.
    """
    if os.fork():
        os._exit(0)
    with _lock_file(directory) as lock:
        if not _is_the_one(lock, directory):
            _say(ready, READY)  # another command has started one at the same time
            return
        os.truncate(directory / LOG, 0)
        with _listening(directory / SOCKET) as (listening, is_reachable):
            _say(ready, READY)
            asyncio.run(_serve(listening, is_reachable, idle_s))


async def _serve(listening: socket.socket, is_reachable: Callable[[], bool], idle_s: float) -> None:
    async with sessions_for(idle_s) as server:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, server.stop)
        await server.serve(listening, is_reachable)


# -- the lock: one process per directory -----------------------------------------------------------


def _lock_file(directory: Path) -> IO[str]:
    return open(directory / LOCK, "w", opener=open_private)


def _take(lock: IO[str]) -> bool:
    """Take the lock, which lasts until the file is closed, or return False."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_the_one(lock: IO[str], directory: Path) -> bool:
    """Take the lock, or return False once another process listens.

    One that has just begun does not listen yet, and one that ends listens no more but holds the lock.
    """
    taken = False

    def settled() -> bool:
        nonlocal taken
        taken = _take(lock)
        return taken or _is_listening(directory / SOCKET)

    if not _repeatedly(settled, START_S):
        raise SessionServerFailed("another background process neither listens nor ends")
    return taken


def _repeatedly(done: Callable[[], bool], limit_s: float) -> bool:
    """Ask again until something is done; returns False if it is not in time."""
    end = time.monotonic() + limit_s
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(POLL_S)
    return True


def _is_listening(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


@contextlib.contextmanager
def _listening(path: Path) -> Iterator[tuple[socket.socket, Callable[[], bool]]]:
    """Listen on a socket that only this user may connect to; a socket that a killed process left is replaced.

    Also yields a function that tells whether the path still leads to the socket.
    """
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        mask = os.umask(0o177)
        try:
            listening.bind(str(path))
        finally:
            os.umask(mask)
        listening.listen()
        bound = _file_at(path)

        def is_reachable() -> bool:
            return _file_at(path) == bound

        try:
            yield listening, is_reachable
        finally:
            if is_reachable():
                path.unlink(missing_ok=True)


def _file_at(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _say(descriptor: int, word: bytes) -> None:
    os.write(descriptor, word)
    os.close(descriptor)
