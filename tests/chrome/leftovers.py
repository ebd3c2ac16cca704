"""A look at what is left of a browser, and a way to cancel work at each of its awaits."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Generator
from pathlib import Path
from typing import Any

import processes

MakeBrowser = Callable[[str], str]

# What the kernel and Chrome may take to end a browser; the figure of the design (section 7).
GONE_S = 0.3
ATTEMPTS = 3

PF_EXITING = 0x4
"""The flag in /proc/PID/stat of a process that ends (proc(5), include/linux/sched.h)."""


def descriptors() -> dict[str, str]:
    """Return our open descriptors and what they are."""
    found = {}
    for path in Path("/proc/self/fd").iterdir():
        try:
            found[path.name] = str(path.readlink())
        except OSError:
            continue  # the one that lists the directory
    return found


def entries(directory: Path) -> list[Path]:
    """Return what is in a directory."""
    return list(directory.iterdir())


_granted: set[int] = set()


def grant_children() -> None:
    """Take the present child processes for granted: the browser that all tests of a run share may be one."""
    _granted.clear()
    _granted.update(processes.children())


def children() -> list[int]:
    """Return the ids of our child processes that are not taken for granted, zombies included."""
    return sorted(processes.children() - _granted)


def living(pgid: int) -> list[int]:
    """Return the processes of a group that run.

    What process 1 has still to reap does not count, nor what has closed its files and is about to become that.
    """
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == pgid and fields[0] not in "ZX" and not int(fields[6]) & PF_EXITING:
            found.append(int(name))
    return found


async def until(condition: Callable[[], object], timeout: float) -> float:
    """Wait until a condition of the kernel's holds and return the seconds it took."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    while not condition():
        assert loop.time() - start < timeout, f"not so within {timeout} s"
        await asyncio.sleep(0.002)  # /proc sends no events
    return loop.time() - start


async def soon_enough(attempt: Callable[[], Awaitable[float]]) -> None:
    """Require that one of a few attempts ends within GONE_S; more is granted where more runs than there are cores."""
    crowd = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    taken: list[float] = []
    while not taken or (min(taken) > GONE_S * crowd and len(taken) < ATTEMPTS):
        taken.append(await attempt())
    assert min(taken) <= GONE_S * crowd, f"took {taken} s"


class CancelAt:
    """Await `work`, and cancel the task at the `n`-th moment at which it waits; `reached` says whether it came."""

    def __init__(self, work: Coroutine[Any, Any, Any], n: int) -> None:
        self.work = work
        self.left = n
        self.reached = False

    def __await__(self) -> Generator[Any, Any, Any]:
        task = asyncio.current_task()
        assert task is not None
        inner = self.work.__await__()
        throw: BaseException | None = None
        while True:
            try:
                waited = inner.throw(throw) if throw is not None else inner.send(None)
            except StopIteration as stop:
                return stop.value
            if self.left == 0:
                self.reached = True
                asyncio.get_running_loop().call_soon(task.cancel)
            self.left -= 1
            try:
                throw = None
                yield waited
            except BaseException as error:
                throw = error
