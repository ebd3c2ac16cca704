"""Where the background process listens: a socket in a directory that belongs to the user alone."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

from stillframe.session_server.errors import SessionServerFailed

VARIABLE = "STILLFRAME_SESSIONS"
"""The environment variable that names another directory, for tests and for several background processes."""

SOCKET, LOCK, LOG = "sessions.sock", "sessions.lock", "sessions.log"

MAX_PATH = 100
"""Bytes of a path of a socket: Linux takes 107, macOS 103 (sun_path)."""


def directory() -> Path:
    """Return the directory, which exists and is the user's alone; raises SessionServerFailed if it cannot be that.

    It is named by STILLFRAME_SESSIONS, or is `stillframe` in XDG_RUNTIME_DIR, or `stillframe-<uid>` in the directory of
    temporary files.
    """
    if sys.platform == "win32":
        raise SessionServerFailed(
            "sessions between commands are not supported on Windows, since they need Unix sockets; use Sessions in a "
            "program instead"
        )
    path = _wanted()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        raise SessionServerFailed(
            f"cannot use {path} for sessions: {error.strerror}; {VARIABLE} names another one"
        ) from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise SessionServerFailed(
            f"cannot use {path} for sessions: it must be a directory of this user that no other user may read "
            f"(chmod 700); {VARIABLE} names another one"
        )
    if len(os.fsencode(path / SOCKET)) > MAX_PATH:
        raise SessionServerFailed(
            f"cannot use {path} for sessions: its path is too long for a socket, which takes {MAX_PATH} bytes; "
            f"{VARIABLE} names a shorter one"
        )
    return path


def _wanted() -> Path:
    if given := os.environ.get(VARIABLE):
        return Path(given)
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(runtime, "stillframe")
    return Path(tempfile.gettempdir(), f"stillframe-{os.getuid()}")
