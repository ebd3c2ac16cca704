"""Closes file descriptors in forked children, as FD_CLOFORK does where a system has it.

A child made by `fork` without `exec` (multiprocessing's default on Linux) inherits every descriptor. If it kept our end
of a DevTools pipe, the browser would live as long as the child; if it kept the owner lock, the profile would look used.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

# Descriptor -> the inode behind it, because a number may have been closed and reused.
_inodes: dict[int, int] = {}


def close_on_fork(fd: int) -> Callable[[], None]:
    """Replace `fd` by /dev/null in forked children; return the function to call before `fd` is closed."""
    _inodes[fd] = os.fstat(fd).st_ino

    def undo() -> None:
        _inodes.pop(fd, None)

    return undo


def _replace_in_child() -> None:
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for fd, inode in _inodes.items():
        # Replace it instead of closing it: inherited objects may still close the number.
        with contextlib.suppress(OSError):
            if os.fstat(fd).st_ino == inode:
                os.dup2(null, fd, inheritable=False)
    _inodes.clear()
    os.close(null)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_replace_in_child)
