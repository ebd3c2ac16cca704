"""The command line: `stillframe demo`, `run`, `agent`, `script`, `settle`, `snapshot`, `diff`, `doctor` and others."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

EXTRA = frozenset({"rich", "typer"})
NO_READER = frozenset({errno.EPIPE, errno.EIO})
"""A pipe whose reader has gone, and a terminal that hung up."""


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run one command and exit with its code; `args` defaults to the arguments of the process."""
    try:
        from stillframe.cli.app import run
    except ModuleNotFoundError as error:
        if error.name not in EXTRA:
            raise
        # Typer would format this message, and it is missing.
        sys.stderr.write("stillframe: the command line needs typer and rich: pip install 'stillframe[cli]'\n")
        sys.exit(2)
    code = run(sys.argv[1:] if args is None else list(args))
    _leave_closed_output()
    sys.exit(code)


def _leave_closed_output() -> None:
    """Let the exit code stand although nobody reads the output any more.

    At its end Python flushes what is still buffered, and exits with 120 if that fails.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            if error.errno in NO_READER:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
