"""The clock of SQLite crawls: this machine's, without the steps of its wall clock."""

from __future__ import annotations

import time


def _since_boot() -> float:
    # CLOCK_BOOTTIME goes on while the machine sleeps, so that processes started before and after agree.
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


_BOOT = time.time() - _since_boot()


def machine_time() -> float:
    """Return the seconds since 1970, by the wall clock at the start of this process; its later steps do not count."""
    return _BOOT + _since_boot()
