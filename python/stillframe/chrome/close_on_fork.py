"""Descriptors that a forked child must not hold.

A child made by `fork` without `exec` (multiprocessing's way on Linux) inherits every descriptor. If it kept our end of
a DevTools pipe, the browser would live as long as the child; if it kept the owner lock, the profile would look owned.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

# descriptor -> the inode it stood for, since a number may have been closed and used again.
_private: dict[int, int] = {}


def keep_private(fd: int) -> Callable[[], None]:
    """Let forked children find /dev/null in place of `fd`; returns the undo, to be called when `fd` is closed."""
    _private[fd] = os.fstat(fd).st_ino

    def undo() -> None:
        _private.pop(fd, None)

    return undo


def _drop_in_child() -> None:
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for fd, inode in _private.items():
        # Replaced and not closed: objects inherited with it may still close the number.
        with contextlib.suppress(OSError):
            if os.fstat(fd).st_ino == inode:
                os.dup2(null, fd, inheritable=False)
    _private.clear()
    os.close(null)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_in_child)
