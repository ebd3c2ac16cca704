"""The supervisor of one node: keeps one worker process running, and has no state that could be lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from stillframe.farm.exits import CrawlExit

QUEUE_VARIABLE = "STILLFRAME_QUEUE"
"""The environment variable with the URL of the queue: other users of the machine can read command lines."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
"""Pauses before a worker that ended by itself starts again: they double from the first to the longest; our choice."""
OVER = frozenset({CrawlExit.OK, CrawlExit.NOTHING, CrawlExit.INTERRUPTED, CrawlExit.USAGE})
"""How a worker ends that is not to be started again: the crawl is finished, was stopped, or does not exist."""


class WorkOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker is to do; `program` is its command line."""

    queue: str
    crawl: str
    concurrency: str = "auto"
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"
    program: Sequence[str] = ()

    def command(self) -> list[str]:
        """Return the command line of the worker."""
        own = [sys.executable, "-m", "stillframe", "farm", "worker", "--name", self.crawl]
        served = ["--metrics-port", str(self.metrics_port), "--metrics-host", self.metrics_host]
        more = [] if self.metrics_port is None else served
        return list(self.program) or [*own, "--concurrency", self.concurrency, "--lifeline", *more]


class Supervisor:
    """Runs the worker of a node, and again when it ends before the crawl does.

    The worker is in the process group of the supervisor, which Ray ends as a whole, and reads a pipe that closes with
    the supervisor: so neither it nor its browsers outlive it.
    """

    def __init__(self, order: Mapping[str, Any]) -> None:
        self._order = msgspec.convert(dict(order), WorkOrder)
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self._exit: int | None = None
        self._over = threading.Event()
        self._started = time.monotonic()
        self._thread = threading.Thread(target=self._supervise, name="supervise worker", daemon=True)
        self._thread.start()

    def status(self) -> dict[str, Any]:
        """Return what the worker is doing."""
        process = self._process
        return {
            "pid": os.getpid(),
            "worker": process.pid if process is not None and process.poll() is None else None,
            "restarts": max(0, self._starts - 1),
            "exit": self._exit,
            "over": self._over.is_set(),
            "seconds": time.monotonic() - self._started,
        }

    def stop(self) -> None:
        """End the worker; what it had leased is taken by others when the leases run out."""
        self._over.set()
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _supervise(self) -> None:
        pause = FIRST_PAUSE_S
        while not self._over.is_set():
            began = time.monotonic()
            self._exit = self._run()
            if self._exit in OVER:
                self._over.set()
            pause = FIRST_PAUSE_S if time.monotonic() - began > LONGEST_PAUSE_S else min(2 * pause, LONGEST_PAUSE_S)
            self._over.wait(pause)

    def _run(self) -> int:
        environment = {**os.environ, QUEUE_VARIABLE: self._order.queue}
        # Not in a session of its own: Ray ends the group of its own process, and only that.
        self._process = subprocess.Popen(self._order.command(), stdin=subprocess.PIPE, env=environment)  # noqa: S603
        self._starts += 1
        return self._process.wait()
