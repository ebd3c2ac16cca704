"""Names of workers: they say on which machine and in which process a worker is, so that a dead one is recognised."""

from __future__ import annotations

import os
import re
import socket
from functools import cache
from pathlib import Path

import psutil

SEPARATOR = ":"
TOLERANCE_MS = 1500
"""How much two readings of one process's start may differ: the kernel gives the time of the boot in whole seconds."""


NAME = re.compile(r"(?P<host>[^:]*):(?P<pid>\d+):(?P<started>\d+)(?::(?P<place>[0-9a-f-]+\.\d+))?")


def worker_name() -> str:
    """Return the name of this process as a worker: `HOST:PID:START:BOOT.NAMESPACE`.

    START is in milliseconds since the boot. BOOT and NAMESPACE tell containers and machines of one host name apart;
    they are absent where the system has no such names.
    """
    parts = (socket.gethostname(), str(os.getpid()), str(_started(psutil.Process())), place())
    return SEPARATOR.join(part for part in parts if part)


def is_dead(worker: str) -> bool:
    """Return whether a worker of this machine has ended; False for workers of others, and for names of another form.

    A process id means something only under one boot and in one PID namespace. A name without them, of an older
    stillframe, is taken for one of this host by its host name alone.
    """
    name = NAME.fullmatch(worker)
    if name is None or name["host"] != socket.gethostname():
        return False
    if name["place"] not in (None, place()):
        return False  # also after a new boot: a clone of this machine has its host name, too
    try:
        process = psutil.Process(int(name["pid"]))
        return process.status() == psutil.STATUS_ZOMBIE or abs(_started(process) - int(name["started"])) > TOLERANCE_MS
    except psutil.NoSuchProcess:
        return True


@cache
def place() -> str:
    """Return the boot of this machine and the PID namespace of this process, empty where there are none."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}.{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def _started(process: psutil.Process) -> int:
    # Since the boot, because the start in wall time moves when somebody sets the clock.
    return max(0, round(1000 * float(process.create_time() - psutil.boot_time())))
