"""How much of the machine's memory is in use, and how much a browser uses."""

from __future__ import annotations

import contextlib
from pathlib import Path

import psutil

ROOT = Path("/")
UNLIMITED = 1 << 60
"""A cgroup v1 limit above this means no limit; the kernel then reports a number near 2^63."""


def memory_share(root: Path = ROOT) -> float:
    """Return the share of memory in use, 0 to 1: the fullest of the machine and its control group, v2 or v1.

    Caches of files count as free, since the kernel gives them up. `root` is where /proc and /sys are.
    """
    shares = [_of_machine(root), *(_of_group(root) or ())]
    share: float = max(shares)
    return share


def _of_machine(root: Path) -> float:
    fields = dict(_pairs((root / "proc/meminfo").read_text(), ":"))
    total = fields.get("MemTotal", 0)
    return 1 - fields.get("MemAvailable", total) / total if total else 0.0


def _of_group(root: Path) -> list[float]:
    """Return the shares of the process's control group and its parents, as far as they have limits."""
    found = []
    for folder, names in _groups(root):
        used, limit = _number(folder / names[0]), _number(folder / names[1])
        if used is None or limit is None or not 0 < limit < UNLIMITED:
            continue
        found.append(max(0, used - _file_cache(folder)) / limit)
    return found


def _groups(root: Path) -> list[tuple[Path, tuple[str, str]]]:
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    v2, v1 = ("memory.current", "memory.max"), ("memory.usage_in_bytes", "memory.limit_in_bytes")
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return _with_parents(root / "sys/fs/cgroup/memory", path, v1)
    for line in lines:
        if line.startswith("0::"):
            return _with_parents(root / "sys/fs/cgroup", line.split(":", 2)[2], v2)
    return []


def _with_parents(base: Path, path: str, names: tuple[str, str]) -> list[tuple[Path, tuple[str, str]]]:
    parts = [part for part in path.split("/") if part not in ("", "..")]
    return [(base.joinpath(*parts[:depth]), names) for depth in range(len(parts), -1, -1)]


def _file_cache(folder: Path) -> int:
    with contextlib.suppress(OSError):
        fields = dict(_pairs((folder / "memory.stat").read_text(), " "))
        return fields.get("inactive_file", fields.get("total_inactive_file", 0))
    return 0


def _pairs(text: str, separator: str) -> list[tuple[str, int]]:
    found = []
    for line in text.splitlines():
        name, _, rest = line.partition(separator)
        value = rest.split()
        if value and value[0].isdecimal():
            found.append((name, int(value[0])))
    return found


def _number(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def pss_of_tree(pid: int) -> int:
    """Return the proportional set size of a process and its descendants, in bytes; 0 if it is gone."""
    total = 0
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                total += process.memory_full_info().pss
    return total
