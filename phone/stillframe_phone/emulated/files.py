"""The files of an emulated device: stored ones, and those that the device computes when they are read, as in `/proc`.

Nothing here touches the disk of this machine.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import posixpath
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping

import msgspec

ALIASES = (
    ("/sdcard", "/storage/emulated/0"),
    ("/storage/self/primary", "/storage/emulated/0"),
    ("/bin", "/system/bin"),
    ("/etc", "/system/etc"),
)
"""Links of a usual device, and where they lead."""
WRITABLE = ("/data/local/tmp", "/storage/emulated/0", "/dev/null", "/dev/tty")
"""Where the user `shell` may write."""
READ_ONLY = ("/system", "/vendor", "/product", "/apex", "/proc", "/sys")
FOLDERS = ("/data/local/tmp", "/data/data", "/storage/emulated/0/Download", "/storage/self", "/proc", "/dev")
"""Folders that exist without a file in them."""


class File(msgspec.Struct, frozen=True):
    """Content, permission bits, and time of the last change in seconds since 1970."""

    content: bytes
    mode: int = 0o644
    mtime: int = 0


class Status(msgspec.Struct, frozen=True):
    """What `stat` says about a path; `mode` includes the type."""

    mode: int
    size: int
    mtime: int


Provider = Callable[[], Mapping[str, bytes]]
"""Returns the content of computed files by their absolute paths."""


class EmulatedFiles:
    """A file system in memory, whose errors are OSErrors with the usual numbers.

    >>> files = EmulatedFiles()
    >>> files.write("/data/local/tmp/note", b"hello")
    >>> files.read("/data/local/tmp/note")
    b'hello'
    """

    def __init__(self, provider: Provider = dict) -> None:
        self._provider = provider
        self._files: dict[str, File] = {}
        self._folders = set[str]()
        for folder in (*FOLDERS, *(target for _, target in ALIASES)):
            self._folders.update(parents(folder), {folder})

    # -- what the owner of the device does

    def put(self, path: str, content: bytes, mode: int = 0o644, mtime: int | None = None) -> None:
        """Store a file anywhere, also where the shell may not write, and in the place of a computed one.

        With mode 0 the shell may not read it.
        """
        path = absolute(path)
        self._folders.update(parents(path))
        self._files[path] = File(content, mode, int(time.time()) if mtime is None else mtime)

    # -- what the user `shell` does

    def read(self, path: str) -> bytes:
        """Return the content of a file. Raises the OSErrors of a failed `open`."""
        path = absolute(path)
        if path in ("/dev/null", "/dev/tty"):
            return b""
        if (file := self._file(path)) is None:
            raise self._missing(path)
        if not file.mode & 0o444:
            raise error(errno.EACCES, path)
        return file.content

    def write(self, path: str, content: bytes, mode: int = 0o644, mtime: int | None = None) -> None:
        """Store a file where the shell may. Raises the OSErrors of a failed `open`."""
        path = self._may_write(path)
        if path in self._folders:
            raise error(errno.EISDIR, path)
        if posixpath.dirname(path) not in self._folders:
            raise error(errno.ENOENT, path)
        if not path.startswith("/dev/"):
            self.put(path, content, mode, mtime)

    def make_folder(self, path: str, *, parents_too: bool = False) -> None:
        """Make a folder. Raises FileExistsError, and as `write`."""
        path = self._may_write(path)
        if path in self._folders:
            if parents_too:
                return
            raise error(errno.EEXIST, path)
        if not parents_too and posixpath.dirname(path) not in self._folders:
            raise error(errno.ENOENT, path)
        self._folders.update(parents(path), {path})

    def remove(self, path: str) -> None:
        """Remove a file. Raises as `write`."""
        path = self._may_write(path)
        if path in self._folders:
            raise error(errno.EISDIR, path)
        if self._files.pop(path, None) is None:
            raise error(errno.ENOENT, path)

    def remove_tree(self, path: str) -> None:
        """Remove a folder and everything in it. Raises as `write`."""
        path = self._may_write(path)
        inner = f"{path}/"
        self._folders = {each for each in self._folders if each != path and not each.startswith(inner)}
        self._files = {name: file for name, file in self._files.items() if name != path and not name.startswith(inner)}

    def _file(self, path: str) -> File | None:
        """Return a stored file, or else a computed one."""
        if (stored := self._files.get(path)) is not None:
            return stored
        computed = self._provider().get(path)
        return None if computed is None else File(computed, 0o444)

    def _may_write(self, path: str) -> str:
        path = absolute(path)
        if is_below(path, WRITABLE):
            return path
        raise error(errno.EROFS if is_below(path, READ_ONLY) else errno.EACCES, path)

    # -- looking around

    def status(self, path: str) -> Status:
        """Return what `stat` says. Raises FileNotFoundError, NotADirectoryError."""
        path = absolute(path)
        if (file := self._file(path)) is not None:
            return Status(stat.S_IFREG | file.mode, len(file.content), file.mtime)
        if path in self._all_folders():
            return Status(stat.S_IFDIR | 0o771, 4096, 0)
        if path.startswith("/dev/") and path in WRITABLE:
            return Status(stat.S_IFCHR | 0o666, 0, 0)
        raise self._missing(path)

    def exists(self, path: str) -> bool:
        """Return whether there is anything at this path."""
        try:
            self.status(path)
        except OSError:
            return False
        return True

    def is_folder(self, path: str) -> bool:
        """Return whether this path is a folder."""
        return absolute(path) in self._all_folders()

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted. Raises FileNotFoundError, NotADirectoryError."""
        folder = absolute(folder)
        if not self.is_folder(folder):
            raise error(errno.ENOTDIR, folder) if self.exists(folder) else self._missing(folder)
        start = len(folder.rstrip("/")) + 1
        inside = (path for path in self._everything() if path != "/" and is_below(path, (folder,)) and path != folder)
        return sorted({path[start:].partition("/")[0] for path in inside})

    def glob(self, pattern: str) -> list[str]:
        """Return the paths that match an absolute pattern of the shell, sorted; `[`, `*` and `?` do not match `/`."""
        found = ["/"] if pattern.startswith("/") else []
        for part in pattern.strip("/").split("/"):
            found = [each for folder in found for each in self._matching(folder, part)]
        return sorted(found)

    def _matching(self, folder: str, part: str) -> Iterator[str]:
        if not re.search(r"[*?[]", part):
            path = posixpath.join(folder, part)
            if self.exists(path):
                yield path
        elif self.is_folder(folder):
            visible = (name for name in self.names(folder) if not name.startswith(".") or part.startswith("."))
            yield from (posixpath.join(folder, name) for name in visible if fnmatch.fnmatchcase(name, part))

    def _everything(self) -> Iterator[str]:
        yield from self._folders
        yield from self._files
        yield from self._provider()
        yield from (alias for alias, _ in ALIASES)

    def _all_folders(self) -> set[str]:
        return self._folders.union(*(parents(path) for path in self._provider()))

    def _missing(self, path: str) -> OSError:
        if path in self._all_folders():
            return error(errno.EISDIR, path)
        if posixpath.dirname(path) in self._files:
            return error(errno.ENOTDIR, path)
        return error(errno.ENOENT, path)


def absolute(path: str) -> str:
    """Return a path without links, `.` and `..`; a relative one starts at the root, where the shell of adb starts."""
    path = posixpath.normpath(posixpath.join("/", path)).replace("//", "/")
    for alias, target in ALIASES:
        if is_below(path, (alias,)):
            return target + path[len(alias) :]
    return path


def is_below(path: str, folders: tuple[str, ...]) -> bool:
    """Return whether a path is one of these folders or in one.

    >>> is_below("/data/local/tmp/x", ("/data/local/tmp",)), is_below("/data/local/tmpx", ("/data/local/tmp",))
    (True, False)
    """
    return any(path == folder or path.startswith(f"{folder.rstrip('/')}/") for folder in folders)


def parents(path: str) -> set[str]:
    """Return all folders above a path."""
    found = set[str]()
    while path != "/":
        path = posixpath.dirname(path)
        found.add(path)
    return found


def error(number: int, path: str) -> OSError:
    """Return the OSError of a number, of the right class."""
    return OSError(number, os.strerror(number), path)
