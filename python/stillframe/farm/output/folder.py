"""The output folder of a crawl: check it, claim it for one crawl, and keep other processes out of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from stillframe.farm.errors import DiskFull, OutputInvalid
from stillframe.farm.output import durable

if sys.platform != "win32":
    import fcntl

OWNER_FILE = "stillframe-crawl.json"
"""The file that says to which crawl a folder belongs."""
MIN_FREE_BYTES = 16 * 1024 * 1024
"""How much room a crawl needs to begin: some hundred pages; our choice."""


class Owner(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The crawl that a folder belongs to; `crawl_id` is unique, the name need not be."""

    name: str
    crawl_id: str
    version: int = 1


class OutputFolder:
    """A folder that belongs to one crawl, and that one process writes to until `close`."""

    def __init__(self, path: Path, owner: Owner, lock: int | None) -> None:
        self.path = path
        """The folder."""
        self.owner = owner
        """The crawl it belongs to."""
        self._lock = lock

    @classmethod
    def claim(
        cls, path: str | os.PathLike[str], *, name: str, crawl_id: str, min_free_bytes: int = MIN_FREE_BYTES
    ) -> OutputFolder:
        """Make the folder if absent and claim it; a folder that this crawl has claimed before is fine as it is.

        Raises OutputInvalid for a folder that is not empty, not writable, of another crawl, or in use by another
        process, and DiskFull if fewer than `min_free_bytes` are free.
        """
        folder = Path(path).absolute()
        _make(folder)
        lock = _locked(folder)
        try:
            _check_room(folder, min_free_bytes)
            owner = _owned(folder, Owner(name=name, crawl_id=crawl_id))
        except BaseException:
            _unlock(lock)
            raise
        return cls(folder, owner, lock)

    def abandon(self) -> None:
        """Give the folder back, of a crawl that did not begin; one with more than the claim in it stays claimed."""
        with durable.translated(self.path):
            if [path.name for path in self.path.iterdir()] == [OWNER_FILE]:
                durable.remove(self.path / OWNER_FILE)

    def close(self) -> None:
        """Let other processes use the folder; may be called twice."""
        lock, self._lock = self._lock, None
        _unlock(lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def read_owner(path: str | os.PathLike[str]) -> Owner | None:
    """Return the crawl that a folder belongs to, None if it belongs to none; raises OutputInvalid for a broken file."""
    file = Path(path) / OWNER_FILE
    try:
        with durable.translated(file):
            return msgspec.json.decode(file.read_bytes(), type=Owner)
    except OutputInvalid as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return None
        raise
    except msgspec.DecodeError as error:
        raise OutputInvalid(
            f"{file} is not what stillframe wrote ({error}): restore it, or use an empty folder", path=str(path)
        ) from error


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise OutputInvalid(f"{folder} is not a folder: name a folder for the output", path=str(folder)) from error
    except OSError as error:
        raise OutputInvalid(
            f"the folder {folder} cannot be made ({error.strerror}): name another one", path=str(folder)
        ) from error


def _owned(folder: Path, wanted: Owner) -> Owner:
    owner = read_owner(folder)
    if owner is None:
        _check_empty(folder)
        durable.replace(folder / OWNER_FILE, msgspec.json.encode(wanted))
        return wanted
    if owner.crawl_id != wanted.crawl_id:
        raise OutputInvalid(
            f'{folder} has the crawl "{owner.name}" already: resume it, or use another folder',
            path=str(folder),
        )
    # A power cut cannot show it, but a user can: the folder of a resumed crawl may have become read-only since.
    probe = folder / (OWNER_FILE + durable.TEMPORARY)
    durable.write_from(probe, 0, b"")
    durable.remove(probe)
    return owner


def _check_empty(folder: Path) -> None:
    ours = {OWNER_FILE + durable.TEMPORARY}
    with durable.translated(folder):
        names = sorted({path.name for path in folder.iterdir()} - ours)
    if names:
        raise OutputInvalid(
            f"{folder} is not empty and belongs to no crawl: it has {_some(names)}; use an empty folder",
            path=str(folder),
        )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _check_room(folder: Path, needed: int) -> None:
    free = durable.free_bytes(folder)
    if free < needed:
        raise DiskFull(
            f"the disk of {folder} has {free} bytes left, {needed} are needed: make room, or use another folder",
            path=str(folder),
            free_bytes=free,
            needed_bytes=needed,
        )


def _locked(folder: Path) -> int | None:
    if sys.platform == "win32":
        return None
    with durable.translated(folder):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise OutputInvalid(
            f"another process writes to {folder}: wait for its end, or use another folder", path=str(folder)
        ) from error
    except OSError:
        # Some network file systems have no locks; the crawl's database still has one exporter by its own rules.
        os.close(descriptor)
        return None
    return descriptor


def _unlock(lock: int | None) -> None:
    if lock is not None:
        with suppress(OSError):
            os.close(lock)
