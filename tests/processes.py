"""Finds processes, any of which may end at that moment."""

from __future__ import annotations

import contextlib
from pathlib import Path

import psutil


def children() -> set[int]:
    """Return the processes that our threads have started, zombies included; the kernel lists them by thread."""
    pids: set[int] = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        # A thread may end meanwhile; its children are another one's then.
        with contextlib.suppress(OSError):
            pids.update(map(int, listed.read_text().split()))
    return pids


def below(pid: int) -> list[psutil.Process]:
    """Return the children of a process and theirs; none once it has ended."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def command_of(process: psutil.Process) -> str:
    """Return the command line of a process; nothing once it has ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def named(pid: int, text: str) -> list[psutil.Process]:
    """Return the processes below one whose command line contains a text."""
    return [each for each in below(pid) if text in command_of(each)]
