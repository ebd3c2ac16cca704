"""The errors of scripts; `stillframe.errors` has them all."""

from __future__ import annotations

from stillframe.errors import StillframeError


class ScriptInvalid(StillframeError, ValueError):
    """A script file does not parse; `line` is the number of the wrong line, None if the fault is not in one line.

    Remedy: Correct the line that the message names, or generate the script again.
    """

    code = "script_invalid"

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line
