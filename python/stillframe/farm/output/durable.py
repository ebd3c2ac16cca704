"""Write files so that what a call has returned from survives a power cut."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stillframe.farm.errors import DiskFull, OutputInvalid

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""The error numbers of a full disk, a used-up quota, and a file that may not grow."""
TEMPORARY = ".part"
"""The end of the name of a file that is not complete."""


@contextmanager
def translated(path: Path, *, needed: int = 0) -> Iterator[None]:
    """Raise DiskFull or OutputInvalid for an OSError inside; `needed` is how many bytes were to be written."""
    try:
        yield
    except OSError as error:
        if isinstance(error, DiskFull):
            raise
        raise _translation(error, path, needed) from error


def _translation(error: OSError, path: Path, needed: int) -> Exception:
    if error.errno in _FULL:
        free = free_bytes(path.parent)
        return DiskFull(
            f"{path} cannot grow by {needed} bytes, {free} bytes are free ({error.strerror}): make room, then resume",
            path=str(path.parent),
            free_bytes=free,
            needed_bytes=needed,
        )
    return OutputInvalid(
        f"{path} cannot be written ({error.strerror or error}): correct that, then resume", path=str(path.parent)
    )


def free_bytes(folder: Path) -> int:
    """Return how many bytes this user may still write to the disk of a folder; 0 if the folder is gone."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0


def write_from(path: Path, offset: int, content: bytes) -> None:
    """Cut a file to `offset` bytes, append the content, and return when the disk has both; make the file if absent.

    A call that fails may leave part of the content, which the next call with the same offset cuts off. Raises DiskFull
    and OutputInvalid.
    """
    with translated(path, needed=len(content)):
        made = not path.exists()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        try:
            os.ftruncate(descriptor, offset)
            os.lseek(descriptor, offset, os.SEEK_SET)
            _write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if made:
            sync_folder(path.parent)


def replace(path: Path, content: bytes) -> None:
    """Give a file this content at once: after a power cut it has the old content or the new one, whole."""
    temporary = path.with_name(path.name + TEMPORARY)
    write_from(temporary, 0, content)
    publish(temporary, path)


def publish(temporary: Path, path: Path) -> None:
    """Rename a file that the disk has already, and return when the disk has the new name."""
    with translated(path):
        temporary.replace(path)
        sync_folder(path.parent)


def sync(path: Path) -> None:
    """Return when the disk has the content of a file."""
    with translated(path):
        descriptor = os.open(path, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove(path: Path) -> None:
    """Remove a file, if it is there."""
    with translated(path):
        path.unlink(missing_ok=True)


def size_of(path: Path) -> int:
    """Return the size of a file in bytes, 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def sync_folder(folder: Path) -> None:
    """Return when the disk has the names in a folder; does nothing on Windows, which opens no folders."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
