"""Run the tests on a busy machine: `STILLFRAME_LOAD=3` keeps three busy loops running beside them.

A pytest plugin. The loops are processes of ordinary priority, started once for the whole run, also with pytest-xdist.
Each has a session of its own: Linux shares the processor among sessions first, and every browser has its own, too.
They end with the process that started them, whatever ends it: each one watches its standard input, which is a pipe.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

VARIABLE = "STILLFRAME_LOAD"

LOOP = """
import os, sys, threading

def end_with_parent():
    sys.stdin.read()
    os._exit(0)

threading.Thread(target=end_with_parent, daemon=True).start()
try:
    os.setpriority(os.PRIO_PROCESS, 0, 0)
except OSError:
    pass  # only root may raise the priority that a `nice` before pytest has lowered
while True:
    pass
"""


def wanted(text: str) -> int:
    """Return the number of loops that a value of the variable asks for; raises UsageError for another text."""
    if not text:
        return 0
    if not text.isdecimal():
        raise pytest.UsageError(f"{VARIABLE}={text!r} is not a number of busy loops, such as {VARIABLE}=3")
    return int(text)


@contextmanager
def busy_loops(number: int) -> Iterator[list[int]]:
    """Keep busy loops running during the block; gives their process ids."""
    loops = [
        subprocess.Popen([sys.executable, "-c", LOOP], stdin=subprocess.PIPE, start_new_session=True)
        for _ in range(number)
    ]
    try:
        yield [loop.pid for loop in loops]
    finally:
        for loop in loops:
            loop.kill()
            loop.communicate()


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return  # the controller of pytest-xdist has started them
    loops = busy_loops(wanted(os.environ.get(VARIABLE, "")))
    loops.__enter__()
    config.add_cleanup(lambda: loops.__exit__(None, None, None))


def pytest_report_header() -> str | None:
    number = wanted(os.environ.get(VARIABLE, ""))
    return f"load: the machine is loaded by {number} busy loops ({VARIABLE})" if number else None
