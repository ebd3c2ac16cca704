"""Names of workers: they say on which machine and in which process a worker is, so that a dead one is recognised."""

from __future__ import annotations

import os
import socket

import psutil

SEPARATOR = ":"
TOLERANCE_MS = 1500
"""How much two readings of one process's start may differ: the kernel gives the time of the boot in whole seconds."""


def worker_name() -> str:
    """Return the name of this process as a worker: host, process id, and its start in milliseconds since the boot."""
    return SEPARATOR.join((socket.gethostname(), str(os.getpid()), str(_started(psutil.Process()))))


def is_dead(worker: str) -> bool:
    """Return whether a worker of this machine has ended; False for workers of others, and for names of another form."""
    host, _, rest = worker.partition(SEPARATOR)
    pid, _, started = rest.partition(SEPARATOR)
    if host != socket.gethostname() or not pid.isdecimal() or not started.isdecimal():
        return False
    try:
        process = psutil.Process(int(pid))
        return process.status() == psutil.STATUS_ZOMBIE or abs(_started(process) - int(started)) > TOLERANCE_MS
    except psutil.NoSuchProcess:
        return True


def _started(process: psutil.Process) -> int:
    # Since the boot, because the start in wall time moves when somebody sets the clock.
    return max(0, round(1000 * float(process.create_time() - psutil.boot_time())))
