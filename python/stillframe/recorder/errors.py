"""The errors of recordings; `stillframe.errors` has them all."""

from __future__ import annotations

from stillframe.errors import StillframeError


class RecorderError(StillframeError):
    """The base class of the errors of recordings."""

    code = "recorder_error"


class RecorderFailed(RecorderError):
    """A page cannot be recorded, for example because another recorder is on it.

    Remedy: Stop the other recorder, or record in another page.
    """

    code = "recorder_failed"


class RecordingInvalid(RecorderError, ValueError):
    """A recording's file does not parse; `line` is the number of the wrong line, None if the fault is not in one line.

    Remedy: Correct the line that the message names, or record again.
    """

    code = "recording_invalid"

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class FlowInvalid(RecorderError, ValueError):
    """A user flow of Chrome DevTools does not parse or cannot be played; `step` is the index of the wrong step.

    Remedy: Remove or correct the step, or export the flow again.
    """

    code = "flow_invalid"

    def __init__(self, message: str, *, step: int | None = None) -> None:
        super().__init__(message)
        self.step = step
