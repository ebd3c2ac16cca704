"""The errors of trace files; `stillframe.errors` has them all."""

from __future__ import annotations

from stillframe.errors import StillframeError


class TraceError(StillframeError):
    """The base class of the errors of trace files; `path` is the file."""

    code = "trace_error"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class TraceFailed(TraceError, OSError):
    """A trace file cannot be written; `path` is the file. What was written before stays readable.

    Remedy: Make room or choose another directory; the trace is complete up to this moment.
    """

    code = "trace_failed"


class TraceInvalid(TraceError, ValueError):
    """A file is not a trace that this version reads; `path` is the file.

    Remedy: Check the path. A trace of a newer stillframe needs that version.
    """

    code = "trace_invalid"
