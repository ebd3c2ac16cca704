"""Profile directories: temporary profiles with an owner, the removal of stale ones, and Chrome's profile lock.

A profile whose client was killed stays on disk. The next launch removes it if three things hold: it belongs to this
user, its owner process is dead, and no browser answers on its lock. Two facts identify the owner: a file lock that ends
with the process (works across containers that share a temporary directory), and the process id with its start time
(works where file locks do not).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from stillframe.chrome.close_on_fork import close_on_fork
from stillframe.security.private_files import open_private

try:
    import fcntl
except ImportError:  # Windows has no flock; there the process id alone identifies the owner
    fcntl = None  # type: ignore[assignment]

PREFIX = "stillframe-profile-"
OWNER_FILE = "stillframe-owner.json"
UNOWNED_GRACE_S = 600.0
"""Seconds before a directory without a readable owner is stale: another client may be creating it, which takes
milliseconds; the rest is margin."""
REMOVE_ROUNDS = 8
"""Attempts at removing a directory: Chrome's helper processes may still write into it shortly after its exit."""
REMOVE_PAUSE_S = 0.05
"""Seconds between two attempts."""


class Owner(msgspec.Struct, frozen=True):
    """The client process that owns a temporary profile; `start` is its start time, None if unknown."""

    pid: int
    start: str | None


class Profile:
    """The directories of one launch: the profile itself, and a temporary home that is removed with the launch.

    `home` (mode 0700) holds the owner lock until `remove`, the browser's temporary files in `scratch`, and the profile
    `path` if it is temporary. A caller's own profile is elsewhere and is never removed.
    """

    def __init__(self, home: Path, path: Path, lock_fd: int) -> None:
        self.home = home
        self.path = path
        self.scratch = home / "tmp"
        self._lock_fd: int | None = lock_fd
        self._undo_close_on_fork = close_on_fork(lock_fd)

    @classmethod
    def make(cls, path: str | None = None) -> Profile:
        """Create the directories; `path` is the caller's own profile, if any. Raises OSError."""
        home = Path(tempfile.mkdtemp(prefix=PREFIX))
        own = home / "profile" if path is None else Path(path).expanduser().absolute()
        with contextlib.ExitStack() as on_error:
            on_error.callback(shutil.rmtree, home, ignore_errors=True)
            lock_fd = _claim(home / OWNER_FILE)
            on_error.callback(os.close, lock_fd)
            profile = cls(home, own, lock_fd)
            own.mkdir(mode=0o700, parents=True, exist_ok=True)
            profile.scratch.mkdir(mode=0o700)
            on_error.pop_all()
        return profile

    def remove(self) -> bool:
        """Delete `home`, release its lock and return whether it is gone. Blocks; idempotent."""
        gone = remove_tree(self.home)
        lock_fd, self._lock_fd = self._lock_fd, None
        if lock_fd is not None:
            self._undo_close_on_fork()
            os.close(lock_fd)
        return gone


def lock_holder(profile: Path) -> int | None:
    """Return the process id of the browser that uses `profile`, 0 if its id is unknown, None if no browser does.

    Chrome's lock is a symbolic link to `host-pid` that survives a kill, so the socket beside it decides, as in Chrome.
    """
    if not _answers(profile / "SingletonSocket"):
        return None
    with contextlib.suppress(OSError, ValueError):
        return int(str((profile / "SingletonLock").readlink()).rpartition("-")[2])
    return 0


def remove_stale_profiles(directory: Path | None = None) -> list[Path]:
    """Remove and return the temporary profiles whose owner is dead. Blocks; skips what it cannot remove."""
    return [path for path in _candidates(directory or Path(tempfile.gettempdir())) if _remove_if_stale(path)]


def remove_tree(path: Path) -> bool:
    """Delete a directory that processes may still write to and return whether it is gone; pauses for 0.4 s at most."""
    for attempt in range(REMOVE_ROUNDS):
        _remove_once(path)
        if not path.exists():
            return True
        if attempt + 1 < REMOVE_ROUNDS:
            time.sleep(REMOVE_PAUSE_S)
    return False


def _remove_once(path: Path) -> None:
    # Remove the owner file last: after an interrupted removal, the profile is still recognised as stale.
    with contextlib.suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
    shutil.rmtree(path, ignore_errors=True)


def process_start(pid: int) -> str | None:
    """Return a text that differs between two processes with the same id.

    Returns None if the process has ended (or is a zombie), and where the system does not say. On Linux the text is the
    boot id and field 22 of /proc/PID/stat, the clock ticks from boot to the start (proc(5)).
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    # The name (field 2) may contain spaces and parentheses; field 3, the state, follows the last parenthesis.
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else f"{boot}:{fields[19]}"


def _claim(file: Path) -> int:
    """Write the owner file and return a descriptor that holds its lock while this process lives."""
    fd = open_private(file, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    try:
        _try_lock(fd)
        os.write(fd, msgspec.json.encode(Owner(os.getpid(), process_start(os.getpid()))))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _try_lock(fd: int) -> bool | None:
    """Try to lock a file: True if locked, False if another process holds the lock, None where locks do not work."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _candidates(directory: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False) and _is_ours(entry):
                yield Path(entry.path)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    if sys.platform == "win32":
        return True
    with contextlib.suppress(OSError):
        return entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    return False


def _remove_if_stale(path: Path) -> bool:
    try:
        fd = os.open(path / OWNER_FILE, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return _is_old(path) and lock_holder(path / "profile") is None and remove_tree(path)
    try:
        # Hold the lock while removing, so that no other client removes the same profile.
        if _try_lock(fd) is False or _owner_lives(fd, path) or lock_holder(path / "profile") is not None:
            return False
        return remove_tree(path)
    finally:
        os.close(fd)


def _owner_lives(fd: int, path: Path) -> bool:
    try:
        owner = msgspec.json.decode(os.read(fd, 4096), type=Owner)
    except msgspec.MsgspecError:
        return not _is_old(path)
    return _exists(owner.pid) if owner.start is None else process_start(owner.pid) == owner.start


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _is_old(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return time.time() - path.stat().st_mtime > UNOWNED_GRACE_S
    return False


def _answers(address: Path) -> bool:
    if not hasattr(socket, "AF_UNIX"):
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.2)
        try:
            # Resolve the link first: a socket address has at most 107 bytes, and a profile path may be longer.
            probe.connect(os.path.realpath(address))
        except OSError:
            return False
    return True
