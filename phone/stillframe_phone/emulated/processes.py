"""The table of processes and sockets of an emulated device, and the files of `/proc` that show it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stillframe_phone.emulated.sockets import BACKLOG, Backend, EmulatedSocket, unix_table

FOREGROUND_ADJ = 0
"""`oom_score_adj` of the app in front (AOSP, ProcessList)."""
BACKGROUND_ADJ = 700
"""`oom_score_adj` of the app that was in front before (AOSP, PREVIOUS_APP_ADJ)."""
FROZEN_ADJ = 905
"""`oom_score_adj` of an app that may be frozen: from 900 on it is cached (AOSP, CACHED_APP_MIN_ADJ)."""


class EmulatedProcess(msgspec.Struct, eq=False):
    """One process; `name` is what its `cmdline` says, for an app the package and perhaps `:service`."""

    pid: int
    name: str
    user: str = "root"
    ppid: int = 1
    oom_score_adj: int = -1000
    frozen: bool = False


SYSTEM = (
    EmulatedProcess(1, "/system/bin/init", ppid=0),
    EmulatedProcess(2, "[kthreadd]", ppid=0),
    EmulatedProcess(312, "/system/bin/surfaceflinger", user="system"),
    EmulatedProcess(340, "zygote64"),
    EmulatedProcess(402, "/apex/com.android.adbd/bin/adbd", user="shell"),
    EmulatedProcess(611, "system_server", user="system", ppid=340, oom_score_adj=-900),
    EmulatedProcess(904, "com.android.systemui", user="u0_a27", ppid=340, oom_score_adj=-800),
)
"""Processes of every device; only the last two belong to packages."""
ZYGOTE = 340
FIRST_PID = 4321
PID_STEP = 17
FIRST_INODE = 40001
INODE_STEP = 10000
"""Distance of the inodes of two sockets; those between belong to the connections of the first."""


class Processes:
    """Runs processes, holds their sockets, and knows which package is in front."""

    def __init__(self) -> None:
        self.sockets: dict[str, EmulatedSocket] = {}
        """The listening sockets by name, in the order in which they were opened."""
        self.front: str | None = None
        """The package whose activity is resumed, None at first."""
        self._by_pid = {each.pid: each for each in SYSTEM}
        self._next_pid = FIRST_PID
        self._next_inode = FIRST_INODE

    def __iter__(self) -> Iterator[EmulatedProcess]:
        return iter(list(self._by_pid.values()))

    def get(self, pid: int) -> EmulatedProcess | None:
        """Return the process with this pid, None if there is none."""
        return self._by_pid.get(pid)

    def spawn(self, name: str, *, user: str) -> EmulatedProcess:
        """Start a process of an app with a pid that was never used."""
        process = EmulatedProcess(self._next_pid, name, user, ZYGOTE, FOREGROUND_ADJ)
        self._by_pid[process.pid] = process
        self._next_pid += PID_STEP
        return process

    def end(self, pid: int) -> None:
        """End a process and close its sockets."""
        process = self._by_pid.pop(pid)
        for each in [each for each in self.sockets.values() if each.pid == pid]:
            self.close(each.name)
        if self.front == process.name:
            self.front = None

    def bring_to_front(self, package: str) -> None:
        """Resume the activity of a package: its processes run in front, and those that were there go behind."""
        self.front = package
        for each in self:
            own = each.name.partition(":")[0]
            if own == package:
                self.set_frozen(each, False, FOREGROUND_ADJ)
            elif each.oom_score_adj == FOREGROUND_ADJ:
                each.oom_score_adj = BACKGROUND_ADJ

    def set_frozen(self, process: EmulatedProcess, frozen: bool, adj: int) -> None:
        """Freeze or thaw a process and its sockets, and set its `oom_score_adj`."""
        process.frozen, process.oom_score_adj = frozen, adj
        for each in self.sockets.values():
            if each.pid == process.pid:
                (each.freeze if frozen else each.thaw)()
        if frozen and self.front == process.name:
            self.front = None

    def listen(self, name: str, backend: Backend, *, pid: int | None = None, backlog: int = BACKLOG) -> EmulatedSocket:
        """Open a socket; one of the same name is closed first."""
        self.close(name)
        opened = EmulatedSocket(name, backend, inode=self._next_inode, pid=pid, backlog=backlog)
        self._next_inode += INODE_STEP
        if pid is not None and self._by_pid[pid].frozen:
            opened.freeze()
        self.sockets[name] = opened
        return opened

    def close(self, name: str) -> None:
        """Close a socket and its connections; nothing happens if there is none."""
        if (found := self.sockets.pop(name, None)) is not None:
            found.close()

    def proc_files(self) -> dict[str, bytes]:
        """Return the files of `/proc` by path."""
        files = {"/proc/net/unix": unix_table(list(self.sockets.values()))}
        for each in self:
            for name, content in files_of(each).items():
                files[f"/proc/{each.pid}/{name}"] = content
        return files


def files_of(process: EmulatedProcess) -> dict[str, bytes]:
    """Return the files in the folder of a process; a kernel thread has an empty `cmdline`."""
    thread = process.name.startswith("[")
    short = process.name.strip("[]").rpartition("/")[2][-15:]
    return {
        "cmdline": b"" if thread else process.name.encode() + b"\0",
        "comm": f"{short}\n".encode(),
        "oom_score_adj": f"{process.oom_score_adj}\n".encode(),
        "status": f"Name:\t{short}\nState:\tS (sleeping)\nPid:\t{process.pid}\nPPid:\t{process.ppid}\n".encode(),
        "stat": f"{process.pid} ({short}) S {process.ppid} 0 0\n".encode(),
        "cgroup": f"0::/uid_0/pid_{process.pid}\n".encode(),
    }
