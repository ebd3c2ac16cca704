"""Start the background process, once per user, and be it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from stillframe.errors import SessionServerFailed
from stillframe.session_server.address import LOCK, LOG, SOCKET
from stillframe.session_server.client import NotRunning, request
from stillframe.session_server.server import IDLE_S, sessions_for

START_S = 20.0
"""Seconds for the process to listen; it takes half a second."""

READY = b"ready\n"


async def ensure_running(directory: Path, *, idle_s: float = IDLE_S) -> None:
    """Start the background process unless it runs; raises SessionServerFailed."""
    with contextlib.suppress(NotRunning):
        await request(directory, "list")
        return
    await asyncio.to_thread(_start, directory, idle_s)


def _start(directory: Path, idle_s: float) -> None:
    read, write = os.pipe()
    try:
        with open(directory / LOG, "wb", opener=_private) as output, open(read, "rb", closefd=False) as ready:
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
            said = ready.readline()
            process.wait(START_S)
            if said != READY:
                why = (directory / LOG).read_text(errors="replace").strip().rpartition("\n")[2]
                raise SessionServerFailed(f"the background process did not start: {why or 'it said nothing'}")
    finally:
        os.close(read)
        if write >= 0:
            os.close(write)


def run(directory: Path, idle_s: float, ready: int) -> None:
    """Be the background process: listen, say so, and serve until the end.

    A second process does that, so that it is not a child of the command that starts it.
    """
    if os.fork():
        os._exit(0)
    with _alone(directory) as is_alone:
        if is_alone:
            with _listening(directory / SOCKET) as listening:
                _say(ready, READY)
                asyncio.run(_serve(listening, idle_s))
        else:
            # Another command has started one at the same time.
            _say(ready, READY)


async def _serve(listening: socket.socket, idle_s: float) -> None:
    async with sessions_for(idle_s) as server:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, server.stop)
        await server.serve(listening)


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[bool]:
    """Hold the lock of the directory; yields False if another process holds it."""
    with open(directory / LOCK, "w", opener=_private) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextlib.contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    """Listen on a socket that only this user may connect to; a socket that a killed process left is replaced."""
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        mask = os.umask(0o177)
        try:
            listening.bind(str(path))
        finally:
            os.umask(mask)
        listening.listen()
        try:
            yield listening
        finally:
            path.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _say(descriptor: int, word: bytes) -> None:
    os.write(descriptor, word)
    os.close(descriptor)
