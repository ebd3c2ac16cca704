"""Only one recorder on a page, of all processes of a user: two would each see half of what happens, and the other."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from stillframe.recorder.errors import RecorderFailed
from stillframe.security.private_files import open_private

if sys.platform != "win32":
    import fcntl


class PageLock:
    """A lock on a page, held by a file that the system releases when the process ends.

    Making one raises RecorderFailed on Windows, where it does not work.
    """

    def __init__(self, target_id: str) -> None:
        if sys.platform == "win32":
            raise RecorderFailed("recording is not supported on Windows yet; record on Linux or macOS")
        name = re.sub(r"\W", "", target_id)
        self._path = Path(tempfile.gettempdir(), f"stillframe-recorder-{os.getuid()}-{name}.lock")
        self._file: int | None = None

    def take(self) -> None:
        """Take the lock; raises RecorderFailed if a recorder has it, or if its file cannot be made."""
        try:
            self._file = open_private(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._close()
            raise RecorderFailed("another recorder is on this page: stop it first, or record another page") from None
        except OSError as error:
            self._close()
            raise RecorderFailed(f"cannot lock {self._path}: {error.strerror}") from None

    def release(self) -> None:
        """Release the lock and remove its file; does nothing without it."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
