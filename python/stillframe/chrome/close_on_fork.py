"""Keeps forked children away from what is their parent's: descriptors, as FD_CLOFORK does, and event loops.

A child made by `fork` without `exec` (multiprocessing's default on Linux) inherits every descriptor. If it kept our end
of a DevTools pipe, the browser would live as long as the child; if it kept the owner lock, the profile would look used.
A child that leaves a block by an exception closes its copy of the loop, which would take the descriptors of the parent
out of the epoll instance that both share.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import weakref
from collections.abc import Callable

# Descriptor -> the inode behind it, because a number may have been closed and reused.
_inodes: dict[int, int] = {}

_loops: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()


def close_on_fork(fd: int) -> Callable[[], None]:
    """Replace `fd` by /dev/null in forked children; return the function to call before `fd` is closed."""
    _inodes[fd] = os.fstat(fd).st_ino

    def undo() -> None:
        _inodes.pop(fd, None)

    return undo


def own_loop_on_fork() -> None:
    """Give forked children an epoll instance of their own for the running loop, with nothing in it."""
    _loops.add(asyncio.get_running_loop())


def in_inherited_loop() -> bool:
    """Return whether a coroutine goes on in a forked child: asyncio runs no loop there that was its parent's."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return True
    return False


def _replace_in_child() -> None:
    _replace_descriptors()
    for loop in _loops:
        selector = getattr(loop, "_selector", None)  # uvloop has none, and follows a fork by itself
        if hasattr(select, "epoll") and selector is not None and hasattr(selector, "fileno"):
            with select.epoll() as own:
                os.dup2(own.fileno(), selector.fileno(), inheritable=False)


def _replace_descriptors() -> None:
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
