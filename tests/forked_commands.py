"""Runs command lines in forks of a process that has imported what they need: that takes most of a command's time.

A command is still a process of its own, with its own environment, standard streams and exit code; it only does not
start from nothing. As a program, this module is the process that forks: it reads requests from the socket whose file
descriptor it is given, and ends when that is closed.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

IMPORTED = (
    *("agent", "app", "choice", "commands", "devices", "doctor", "files", "playing", "record", "report", "script"),
    *("session_command", "settle", "trace_command"),
)
"""Modules of stillframe.cli; with what they import, no thread starts, which a fork would not have."""
OF_OTHERS = (
    *("stillframe.agent.orchestrator", "stillframe.agent.tools", "stillframe.agent.bill", "stillframe.agent.recording"),
    *("pydantic_ai.models.openai", "pydantic_ai.providers.openai", "openai.resources.chat", "genai_prices.data"),
)
LIMIT_S = 300.0
"""Seconds for a command, so that none hangs for ever; what takes one at rest may take a minute on a busy machine."""
MOST_BYTES = 200_000
"""Of a request: its arguments and the environment."""


class ForkedCommands:
    """A process that forks for each command; it ends with this one, whatever ends it."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                cwd=Path(__file__).parent,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )

    def close(self) -> None:
        self._socket.close()
        self._process.wait()

    def run(self, args: Sequence[str], env: Mapping[str, str], stdin: bytes) -> tuple[int, str, str]:
        """Run a command to its end; return its exit code and what it wrote to both streams."""
        request = json.dumps({"args": [*args], "env": {**env}, "cwd": str(Path.cwd())}).encode()
        ours, theirs = socket.socketpair()
        with contextlib.ExitStack() as stack:
            stack.enter_context(ours)
            files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            files[0].write(stdin)
            files[0].seek(0)
            with theirs:
                fds = [*(file.fileno() for file in files), theirs.fileno()]
                socket.send_fds(self._socket, [request], fds)
            told = ours.recv(100)
            assert told, "the process that forks has ended"
            texts = []
            for file in files[1:]:
                file.seek(0)
                texts.append(file.read().decode())
        return int(told), texts[0], texts[1]


def serve(requests: socket.socket) -> None:
    for name in (*(f"stillframe.cli.{name}" for name in IMPORTED), *OF_OTHERS):
        importlib.import_module(name)
    assert len(os.listdir("/proc/self/task")) == 1, "a fork would not have the threads of what was imported"
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that what has ended needs no wait
    gc.collect()
    gc.freeze()  # a command that ends would go through all that was imported, which takes most of its time
    while True:
        request, fds, *_ = socket.recv_fds(requests, MOST_BYTES, 4)
        if not request:
            return
        if os.fork() == 0:
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            if command := os.fork():
                report(command, socket.socket(fileno=fds[3]))
            run(json.loads(request), fds)
        for fd in fds:
            os.close(fd)


def report(command: int, answer: socket.socket) -> NoReturn:
    """Tell how a command has ended, which is killed if it takes too long."""
    watched = os.pidfd_open(command)
    if not select.select([watched], [], [], LIMIT_S)[0]:
        os.kill(command, signal.SIGKILL)
    _, status = os.waitpid(command, 0)
    answer.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def run(request: dict[str, object], fds: list[int]) -> NoReturn:
    from stillframe.cli import main

    for target, fd in enumerate(fds[:3]):
        os.dup2(fd, target)
    for fd in fds:
        os.close(fd)
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[call-overload]
    os.chdir(str(request["cwd"]))
    tempfile.tempdir = None  # the environment may name another one
    random.seed()
    main(request["args"])  # type: ignore[arg-type]


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
