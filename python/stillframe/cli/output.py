"""What leaves the process: exit codes, one JSON object, one sentence about an error."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import Any

import msgspec

from stillframe.errors import (
    BrowserError,
    CommandError,
    InputError,
    NavigationFailed,
    ProtocolError,
    SnapshotError,
    StillframeError,
)
from stillframe.model.result import SequenceResult


class ExitCode(IntEnum):
    """The exit codes of the command line; `--help` and the README show this table."""

    OK = 0
    NO = 1
    USAGE = 2
    BROWSER = 3
    NOT_STILL = 4
    INTERNAL = 70
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """What the code tells a script."""
        return MEANINGS[self]


MEANINGS = {
    ExitCode.OK: "done, and the page is still",
    ExitCode.NO: "an action failed; the snapshots differ; the doctor misses something",
    ExitCode.USAGE: "the command line, the file, a selector or a URL is wrong; nothing was run",
    ExitCode.BROWSER: "no browser, or it did not start, load the page or stay",
    ExitCode.NOT_STILL: "all actions done, but the page was not still at the timeout",
    ExitCode.INTERNAL: "a fault of stillframe itself",
    ExitCode.INTERRUPTED: "interrupted",
}


def of_error(error: StillframeError) -> ExitCode:
    """Return the exit code for an error that ended a command."""
    match error:
        case InputError() | SnapshotError():
            return ExitCode.USAGE
        case BrowserError() | CommandError() | ProtocolError() | NavigationFailed():
            return ExitCode.BROWSER
    return ExitCode.NO


def of_result(result: SequenceResult) -> ExitCode:
    """Return the exit code for what a sequence answered."""
    if result.failed:
        return ExitCode.NO
    return ExitCode.OK if result.stable else ExitCode.NOT_STILL


def print_json(value: Any) -> None:
    """Write one JSON object and a line feed to standard output."""
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.flush()


def print_error(code: str, message: str, *, as_json: bool) -> None:
    """Say what went wrong: as the one JSON object of the command, or as a sentence on standard error."""
    if as_json:
        print_json({"error": {"code": code, "message": message}})
    else:
        sys.stderr.write(f"stillframe: {message}\n")
