"""The errors of HAR files; `stillframe.errors` has them all."""

from __future__ import annotations

from stillframe.errors import StillframeError


class HarError(StillframeError):
    """The base class of the errors of HAR files; `path` is the file."""

    code = "har_error"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class HarFailed(HarError, OSError):
    """A HAR file cannot be written; `path` is the file. What was there before is unchanged.

    Remedy: Make room or choose another directory, and record again.
    """

    code = "har_failed"


class HarInvalid(HarError, ValueError):
    """A file is not a HAR file, or a body that it names is missing; `path` is the file.

    Remedy: Check the path. Bodies that were attached have to lie beside the HAR file, or in the same zip.
    """

    code = "har_invalid"
