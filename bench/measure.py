"""Timing and reporting that all benchmarks share."""

from __future__ import annotations

import json
import os
import platform
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import psutil

RESULTS = Path(__file__).parent / "results"


class Row(msgspec.Struct, kw_only=True):
    """One contestant in one case: the median and the spread of its samples, and how it compares with the baseline."""

    name: str
    median: float
    low: float
    high: float
    samples: int
    ratio: float | None = None
    note: str = ""


class Table(msgspec.Struct, kw_only=True):
    """The answer to one question; `unit` is that of all figures."""

    question: str
    unit: str
    baseline: str
    rows: list[Row]
    missing: dict[str, str] = {}

    def row(self, name: str) -> Row | None:
        """Return a contestant's row, if it took part."""
        return next((row for row in self.rows if row.name == name), None)


def table(question: str, unit: str, baseline: str, samples: dict[str, list[float]], **more: Any) -> Table:
    """Make a table of samples; ratios are the medians over the baseline's median."""
    notes = more.pop("notes", {})
    rows = [
        Row(
            name=name,
            median=statistics.median(values),
            low=min(values),
            high=max(values),
            samples=len(values),
            note=notes.get(name, ""),
        )
        for name, values in samples.items()
        if values
    ]
    base = next((row.median for row in rows if row.name == baseline), None)
    for row in rows:
        row.ratio = row.median / base if base else None
    return Table(question=question, unit=unit, baseline=baseline, rows=sorted(rows, key=lambda r: r.median), **more)


async def interleaved(
    contestants: dict[str, Callable[[], Awaitable[float]]], rounds: int, *, seed: int = 1
) -> dict[str, list[float]]:
    """Run every contestant once a round, in random order, so that a drifting machine treats all alike."""
    order = random.Random(seed)
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        names = list(contestants)
        order.shuffle(names)
        for name in names:
            samples[name].append(await contestants[name]())
    return samples


class ClientCpu:
    """CPU seconds of this process and of helper processes a client runs (a driver in Node), but not of the browser."""

    def __init__(self, helpers: list[psutil.Process] | None = None) -> None:
        self._helpers = helpers or []
        self._start = self._now()

    def _now(self) -> float:
        total = time.process_time()
        for helper in self._helpers:
            times = helper.cpu_times()
            total += times.user + times.system
        return total

    def seconds(self) -> float:
        """Return what was used since the start."""
        return self._now() - self._start


def tree_cpu(pid: int | None) -> dict[int, float]:
    """Return the CPU seconds of a process and of all below it, by pid."""
    found: dict[int, float] = {}
    with suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                found[process.pid] = times.user + times.system
    return found


def cpu_between(before: dict[int, float], after: dict[int, float]) -> float:
    """Return the milliseconds used in between; what a process that ended used last is not known."""
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in after.items()) * 1000


def machine() -> dict[str, Any]:
    """Describe the machine, so that recorded figures can be told apart."""
    return {
        "platform": platform.platform(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "date": time.strftime("%Y-%m-%d"),
    }


def record(tables: list[Table], name: str = "latest") -> Path:
    """Write the tables with the machine they were measured on, and return the file."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine(), "tables": msgspec.to_builtins(tables)}, indent=1) + "\n")
    return path
