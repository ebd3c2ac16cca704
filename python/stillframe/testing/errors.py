"""The errors of cassettes; `stillframe.errors` has them all."""

from __future__ import annotations

from typing import Any

from stillframe.errors import ConnectionLost, StillframeError


class CassetteError(StillframeError):
    """The base class of the errors of cassette files; `path` is the file."""

    code = "cassette_error"

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class CassetteFailed(CassetteError, OSError):
    """A cassette cannot be written; `path` is the file. What was written before stays readable.

    Remedy: Make room or choose another directory, and record again.
    """

    code = "cassette_failed"


class CassetteInvalid(CassetteError, ValueError):
    """A file is not a cassette that this version plays; `path` is the file.

    Remedy: Check the path, or record the cassette again with this version.
    """

    code = "cassette_invalid"


class CassetteMismatch(ConnectionLost):
    """A replay differs from its cassette, so it ended; every pending and later call gets this error.

    `path` is the cassette, `number` the recorded command that was due (from 1; None after the last one), `expected`
    and `got` the two commands as `{"method": …, "sessionId": …, "params": …}`, None where there is none.

    Remedy: Make the code send what it sent when it was recorded, or record the cassette again.
    """

    code = "cassette_mismatch"

    def __init__(
        self,
        message: str,
        *,
        method: str = "",
        session_id: str = "",
        path: str = "",
        number: int | None = None,
        expected: dict[str, Any] | None = None,
        got: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message, method=method, session_id=session_id)
        self.path = path
        self.number = number
        self.expected = expected
        self.got = got
