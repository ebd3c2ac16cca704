"""Runs the command line for tests: in a process of its own, as a script does, or in this one."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from typing import Any, NamedTuple

import pytest

from forked_commands import ForkedCommands
from stillframe.cli import app

COMMAND = [sys.executable, "-c", "from stillframe.cli import main; main()"]


forked: ForkedCommands | None = None
"""Forks the processes of `stillframe`; without it, or with options for Python itself, they start from scratch."""


class Done(NamedTuple):
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on standard output."""
        assert self.out.endswith("\n")
        assert "\n" not in self.out[:-1]
        return json.loads(self.out)

    @property
    def whole(self) -> str:
        """All of it, as the message of an assertion; of other objects pytest prints the first 240 characters."""
        return f"exit code {self.code}\n{self.out}\n{self.err}"


async def stillframe(*args: str | os.PathLike[str], stdin: bytes = b"", env: dict[str, str] | None = None) -> Done:
    """Run one command in its own process, as a script does; it must leave no temporary file behind."""
    command = [*map(os.fspath, args)]
    with tempfile.TemporaryDirectory() as folder:
        environ = {**os.environ, "TMPDIR": folder, **(env or {})}
        if forked is None or any(name.startswith("PYTHON") for name in env or ()):
            done = await _started(command, environ, stdin)
        else:
            done = Done(*await asyncio.to_thread(forked.run, command, environ, stdin))
        assert os.listdir(folder) == []
    return done


async def _started(args: list[str], environ: dict[str, str], stdin: bytes) -> Done:
    """Run a command in a process that starts from nothing."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ
    )
    try:
        async with asyncio.timeout(60):
            out, err = await process.communicate(stdin)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return Done(process.returncode, out.decode(), err.decode())


def call(capfd: pytest.CaptureFixture[str], *args: str) -> Done:
    """Run one command in this process."""
    code = app.run(list(args))
    out, err = capfd.readouterr()
    return Done(code, out, err)
