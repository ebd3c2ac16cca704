"""The output of commands: exit codes, one JSON object, one sentence about an error."""

from __future__ import annotations

import sys
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.adb.errors import AndroidError
from stillframe.agent.errors import ModelRefused
from stillframe.errors import (
    BrowserError,
    CommandError,
    InputError,
    NavigationFailed,
    ProtocolError,
    SnapshotError,
    StillframeError,
)
from stillframe.recorder.errors import FlowInvalid, RecorderFailed, RecordingInvalid
from stillframe.scripts.errors import ScriptInvalid
from stillframe.session_server.errors import SessionServerFailed
from stillframe.trace.errors import TraceInvalid

if TYPE_CHECKING:
    from stillframe.model.result import SequenceResult


class ExitCode(IntEnum):
    """The exit codes of the command line, as `--help` and the reference list them."""

    OK = 0
    NO = 1
    USAGE = 2
    BROWSER = 3
    NOT_STILL = 4
    INTERNAL = 70
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        """The meaning of the code for a script."""
        return MEANINGS[self]


MEANINGS = {
    ExitCode.OK: "done, and the page is still",
    ExitCode.NO: "an action, a goal or a script failed; the snapshots differ; the doctor found something missing",
    ExitCode.USAGE: "the command line, the file, a selector, a URL or the model is wrong; nothing ran",
    ExitCode.BROWSER: "no browser, or it did not start, did not load the page, or ended",
    ExitCode.NOT_STILL: "all actions done, but the page was not still in time",
    ExitCode.INTERNAL: "a bug in stillframe",
    ExitCode.INTERRUPTED: "interrupted",
}


def exit_code_for_error(error: StillframeError) -> ExitCode:
    """Return the exit code of an error that ended a command."""
    match error:
        case InputError() | SnapshotError() | ScriptInvalid() | TraceInvalid() | ModelRefused():
            return ExitCode.USAGE
        case RecordingInvalid() | FlowInvalid():
            return ExitCode.USAGE
        case RecorderFailed():
            return ExitCode.BROWSER
        case AndroidError() | BrowserError() | CommandError() | ProtocolError() | NavigationFailed():
            return ExitCode.BROWSER
        case SessionServerFailed():  # it keeps the browsers
            return ExitCode.BROWSER
    return ExitCode.NO


def exit_code_for_result(result: SequenceResult) -> ExitCode:
    """Return the exit code of a sequence's result."""
    if result.failed:
        return ExitCode.NO
    return ExitCode.OK if result.stable else ExitCode.NOT_STILL


def print_json(value: Any) -> None:
    """Print one JSON object and a line feed to standard output."""
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.flush()


def print_error(code: str, message: str, *, as_json: bool) -> None:
    """Print an error as the JSON object of the command, or as a sentence on standard error."""
    if as_json:
        print_json({"error": {"code": code, "message": message}})
    else:
        sys.stderr.write(f"stillframe: {message}\n")
