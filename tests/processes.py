"""Finds the processes that a test looks at, any of which may end at that moment."""

from __future__ import annotations

import psutil


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
