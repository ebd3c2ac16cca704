"""Profile directories: our own temporary ones with an owner, the sweep of those left behind, and the locks of others.

A profile whose client was killed stays on disk. The next launch removes it, but only when three things hold: it
belongs to this user, its owner is dead, and no browser answers on its lock. The owner is proved twice, by a file lock
that dies with the process (right across containers that share a temporary directory) and by process id and start time
(right where file locks do not work).
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

from stillframe.chrome.close_on_fork import keep_private

try:
    import fcntl
except ImportError:  # Windows has no flock; the process id alone speaks for the owner there
    fcntl = None  # type: ignore[assignment]

PREFIX = "stillframe-profile-"
OWNER_FILE = "stillframe-owner.json"
# A directory without a readable owner may be one that is being made at this moment.
UNOWNED_GRACE_S = 600.0
# Chrome's helpers write late; each round takes what has appeared since the last one.
REMOVE_ROUNDS = 8
REMOVE_PAUSE_S = 0.05


class Owner(msgspec.Struct, frozen=True):
    """The client process that a temporary profile belongs to; `start` is its start time, None where unknown."""

    pid: int
    start: str | None


class Profile:
    """The directories of one launch: the profile itself, and a temporary home that dies with the launch.

    `home` (mode 0700) holds the owner lock until `remove`, the browser's own temporary files in `scratch`, and `path`
    when the profile is ours. A caller's profile lies elsewhere and is never removed.
    """

    def __init__(self, home: Path, path: Path, lock_fd: int) -> None:
        self.home = home
        self.path = path
        self.scratch = home / "tmp"
        self._lock_fd: int | None = lock_fd
        self._share_lock = keep_private(lock_fd)

    @classmethod
    def make(cls, path: str | None = None) -> Profile:
        """Make the directories, all owned by this process; `path` is a profile of the caller's own. Raises OSError."""
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
        """Delete `home` and give up its lock; blocks. True when nothing is left to delete. Idempotent."""
        gone = remove_tree(self.home)
        lock_fd, self._lock_fd = self._lock_fd, None
        if lock_fd is not None:
            self._share_lock()
            os.close(lock_fd)
        return gone


def lock_holder(profile: Path) -> int | None:
    """Return the process id of the browser that holds `profile`, None when no browser does.

    Chrome's lock is a symbolic link to `host-pid`, left behind by a kill; so the socket beside it is asked, as Chrome
    does itself. 0 stands for a browser that answers but whose id is not known.
    """
    if not _answers(profile / "SingletonSocket"):
        return None
    with contextlib.suppress(OSError, ValueError):
        return int(os.readlink(profile / "SingletonLock").rpartition("-")[2])
    return 0


def sweep(directory: Path | None = None) -> list[Path]:
    """Remove temporary profiles whose owner is dead and return them; blocks, never raises for what it cannot remove."""
    return [path for path in _candidates(directory or Path(tempfile.gettempdir())) if _sweep_one(path)]


def remove_tree(path: Path) -> bool:
    """Delete a directory that may still be written to; blocks for at most 0.4 s of pauses. True when it is gone."""
    for attempt in range(REMOVE_ROUNDS):
        _remove_once(path)
        if not path.exists():
            return True
        if attempt + 1 < REMOVE_ROUNDS:
            time.sleep(REMOVE_PAUSE_S)
    return False


def _remove_once(path: Path) -> None:
    # The owner file goes last: a removal that is cut short leaves a profile that can be swept at once.
    with contextlib.suppress(OSError), os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
    shutil.rmtree(path, ignore_errors=True)


def process_start(pid: int) -> str | None:
    """Return a word that differs between two processes that had the same id.

    None when the process is gone (a zombie is), and where the system does not say. On Linux: the boot id and
    field 22 of /proc/PID/stat, clock ticks from boot to start (proc(5)).
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None
    # The name (field 2) may hold spaces and parentheses; what follows its last one is field 3, the state, onwards.
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else f"{boot}:{fields[19]}"


def _claim(file: Path) -> int:
    """Write the owner file and return a descriptor that holds its lock for as long as this process lives."""
    fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        _try_lock(fd)
        os.write(fd, msgspec.json.encode(Owner(os.getpid(), process_start(os.getpid()))))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _try_lock(fd: int) -> bool | None:
    """Lock a file without waiting: True when taken, False when another holds it, None where locks do not work."""
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


def _sweep_one(path: Path) -> bool:
    try:
        fd = os.open(path / OWNER_FILE, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return _is_old(path) and lock_holder(path / "profile") is None and remove_tree(path)
    try:
        # Holding the lock while removing keeps a second sweeper away.
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
            # The link is resolved first: a socket address is at most 107 bytes, a profile path may be longer.
            probe.connect(os.path.realpath(address))
        except OSError:
            return False
    return True
