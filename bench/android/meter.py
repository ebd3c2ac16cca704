"""Measures pieces of work in turn: how long each took, and the CPU time of each process that took part."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

import psutil

from bench.measure import Table, interleaved, table

CpuSeconds = Callable[[], float]
"""Returns the CPU seconds that a process has used so far."""
Work = Callable[[], Awaitable[object]]
"""Does something and checks the answer."""

CLIENT = "client"
ADB_SERVER, EMULATION, CHROMIUM = "adb server", "emulation", "Chromium"


class Spent(NamedTuple):
    """What one piece of work took, in seconds: on the clock, and of the CPU by process."""

    wall: float
    cpu: dict[str, float]


def process_cpu(pid: int) -> float:
    """Return the CPU seconds of a process, all its threads together. Raises OSError or psutil.Error if it has ended."""
    if sys.platform == "linux":
        # What clock_getcpuclockid(3) returns: its steps are nanoseconds, those of psutil 10 ms.
        return time.clock_gettime((~pid << 3) | 2)
    return sum(psutil.Process(pid).cpu_times()[:2])


def tree_cpu(pid: int) -> float:
    """Return the CPU seconds of a process and of all below it."""
    root = psutil.Process(pid)
    total = 0.0
    for process in (root, *root.children(recursive=True)):
        with suppress(OSError, psutil.Error):  # it has ended meanwhile
            total += process_cpu(process.pid)
    return total


def client_cpu() -> float:
    """Return the CPU seconds of this process and of the programs that it ran and that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


async def measured(
    works: Mapping[str, Work], rounds: int, others: Mapping[str, CpuSeconds] | None = None
) -> dict[str, list[Spent]]:
    """Do each work once to warm up, then once a round in random order; `others` are processes besides the client."""
    spent: dict[str, list[Spent]] = {name: [] for name in works}

    def sampler(name: str) -> Callable[[], Awaitable[float]]:
        async def sample() -> float:
            spent[name].append(await _spent(works[name], others or {}))
            return 0.0

        return sample

    for work in works.values():
        await work()
    await interleaved({name: sampler(name) for name in works}, rounds)
    return spent


async def _spent(work: Work, others: Mapping[str, CpuSeconds]) -> Spent:
    # Asking for other processes costs CPU time of this one, so it is first and last.
    before = {name: cpu() for name, cpu in others.items()}
    own, began = client_cpu(), time.perf_counter()
    await work()
    wall, used = time.perf_counter() - began, client_cpu() - own
    return Spent(wall, {CLIENT: used, **{name: cpu() - before[name] for name, cpu in others.items()}})


def wall(spent: Mapping[str, list[Spent]], scale: float) -> dict[str, list[float]]:
    """Return the times on the clock, by work, multiplied by `scale`."""
    return {name: [each.wall * scale for each in samples] for name, samples in spent.items()}


def cpu(spent: Mapping[str, list[Spent]], scale: float) -> dict[str, list[float]]:
    """Return the CPU times of the client, by work, multiplied by `scale`."""
    return {name: [each.cpu[CLIENT] * scale for each in samples] for name, samples in spent.items()}


def by_process(
    question: str,
    unit: str,
    baseline: str,
    spent: Mapping[str, list[Spent]],
    scales: Mapping[str, float],
    idle: Mapping[str, frozenset[str]],
) -> Table:
    """Compare the CPU times of all processes, but those idle in a work, with that of the client in one, the baseline.

    `scales` are the factors by work, `idle` the works by process.
    """
    samples = {
        f"{process}: {name}": [each.cpu[process] * scales[name] for each in taken]
        for name, taken in spent.items()
        for process in taken[0].cpu
        if name not in idle.get(process, frozenset())
    }
    return table(question, unit, f"{CLIENT}: {baseline}", samples)
