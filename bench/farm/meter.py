"""What a crawler costs while it runs: the processor time of its own processes and of Chrome's, and Chrome's memory."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
from dataclasses import dataclass, field

import psutil

INTERVAL_S = 0.5
MB = 1_000_000


@dataclass
class Meter:
    """Reads the tree of a process again and again; a process that has ended counts with its last reading.

    Chrome's processes come and go with its pages: those that ended count as what their parents waited for, so that one
    that lived between two readings counts as well. Processor time counts from `start` on: starting Python and importing
    a crawler are not costs of a page.
    """

    pid: int
    chrome_mb: list[float] = field(default_factory=list)
    _cpu: dict[tuple[int, float], float] = field(default_factory=dict)
    _chrome_cpu: dict[tuple[int, float], float] = field(default_factory=dict)
    """The most that was read of each Chrome, by its first process: what its children used is its own when they end."""
    _before: float = 0.0
    _chrome_before: float = 0.0

    @property
    def client_cpu_s(self) -> float:
        """Processor seconds of all processes that are not Chrome's: Python's, and Node's where there is one."""
        return sum(self._cpu.values()) - self._before

    @property
    def chrome_cpu_s(self) -> float:
        """Processor seconds of all of Chrome's processes."""
        return sum(self._chrome_cpu.values()) - self._chrome_before

    def start(self) -> None:
        """Count from now on."""
        self.read()
        self._before = sum(self._cpu.values())
        self._chrome_before = sum(self._chrome_cpu.values())

    @property
    def peak_chrome_mb(self) -> float:
        """The largest proportional set size of all of Chrome's processes together, in MB."""
        return max(self.chrome_mb, default=0.0)

    @property
    def median_chrome_mb(self) -> float:
        """The median of the same sums, while there is a Chrome."""
        return statistics.median([each for each in self.chrome_mb if each] or [0.0])

    async def run(self) -> None:
        """Read until cancelled."""
        while True:
            self.read()
            await asyncio.sleep(INTERVAL_S)

    def read(self) -> None:
        """Take one reading."""
        pss = 0
        roots: dict[int, tuple[int, float]] = {}
        """The first process of each Chrome, by the id of each of its processes."""
        chrome_cpu: dict[tuple[int, float], float] = {}
        for process in self._tree():
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
                times, key = process.cpu_times(), (process.pid, process.create_time())
                if "chrom" in process.name():
                    root = roots[process.pid] = roots.get(process.ppid(), key)
                    chrome_cpu[root] = chrome_cpu.get(root, 0.0) + sum(times[:4])
                    pss += process.memory_full_info().pss
                else:
                    self._cpu[key] = times.user + times.system
        for root, used in chrome_cpu.items():
            self._chrome_cpu[root] = max(self._chrome_cpu.get(root, 0.0), used)
        self.chrome_mb.append(pss / MB)

    def _tree(self) -> list[psutil.Process]:
        try:
            root = psutil.Process(self.pid)
            return [root, *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []
