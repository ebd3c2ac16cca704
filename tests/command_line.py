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
"""Forks the processes of `stillframe`; without it, and if Python itself is told something, they start from nothing."""


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


async def stillframe(*args: str | os.PathLike[str], stdin: bytes = b"", env: dict[str, str] | None = None) -> Done:
    """Run one command in its own process, as a script does; it must leave no temporary file behind."""
    if forked is not None and not any(name.startswith("PYTHON") for name in env or ()):
        return await _forked(forked, [*map(os.fspath, args)], env or {}, stdin)
    with tempfile.TemporaryDirectory() as folder:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *map(os.fspath, args),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": folder, **(env or {})},
        )
        try:
            async with asyncio.timeout(60):
                out, err = await process.communicate(stdin)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert os.listdir(folder) == []
    assert process.returncode is not None
    return Done(process.returncode, out.decode(), err.decode())


async def _forked(commands: ForkedCommands, args: list[str], env: dict[str, str], stdin: bytes) -> Done:
    with tempfile.TemporaryDirectory() as folder:
        told = await asyncio.to_thread(commands.run, args, {**os.environ, "TMPDIR": folder, **env}, stdin)
        assert os.listdir(folder) == []
    return Done(*told)


def call(capfd: pytest.CaptureFixture[str], *args: str) -> Done:
    """Run one command in this process."""
    code = app.run(list(args))
    out, err = capfd.readouterr()
    return Done(code, out, err)
