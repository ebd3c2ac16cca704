"""The command line: `stillframe demo`, `run`, `agent`, `script`, `settle`, `snapshot`, `diff`, `doctor` and others."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

EXTRA = frozenset({"rich", "typer"})


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
    sys.exit(run(sys.argv[1:] if args is None else list(args)))
