"""What a crawler costs while it runs: the processor time of its own processes, and the memory of its Chrome."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field

import psutil

INTERVAL_S = 0.5
MB = 1_000_000


@dataclass
class Meter:
    """Reads the tree of a process again and again; a process that has ended counts with its last reading.

    Processor time counts from `start` on: starting Python and importing a crawler are not costs of a page.
    """

    pid: int
    chrome_mb: list[float] = field(default_factory=list)
    _cpu: dict[tuple[int, float], float] = field(default_factory=dict)
    _before: float = 0.0

    @property
    def client_cpu_s(self) -> float:
        """Processor seconds of all processes that are not Chrome's: Python's, and Node's where there is one."""
        return sum(self._cpu.values()) - self._before

    def start(self) -> None:
        """Count from now on."""
        self.read()
        self._before = sum(self._cpu.values())

    @property
    def peak_chrome_mb(self) -> float:
        """The largest proportional set size of all of Chrome's processes together, in MB."""
        return max(self.chrome_mb, default=0.0)

    async def run(self) -> None:
        """Read until cancelled."""
        while True:
            self.read()
            await asyncio.sleep(INTERVAL_S)

    def read(self) -> None:
        """Take one reading."""
        pss = 0
        for process in self._tree():
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
                if "chrom" in process.name():
                    pss += process.memory_full_info().pss
                else:
                    times = process.cpu_times()
                    self._cpu[process.pid, process.create_time()] = times.user + times.system
        self.chrome_mb.append(pss / MB)

    def _tree(self) -> list[psutil.Process]:
        try:
            root = psutil.Process(self.pid)
            return [root, *root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []
