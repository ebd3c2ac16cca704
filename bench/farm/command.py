"""The command `python -m bench farm`: the same site by several crawlers, one after the other, in random order.

`python -m bench farm pace` measures what one troubled page costs its neighbours (pace.py).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as Grid

from bench.farm import pace
from bench.farm.contest import HERE, PYTHON, RUNNERS, Lane, Result, run_lane
from bench.measure import Table, machine, record, table
from stillframe.chrome.executable import find_executable

USAGE, FAILED = 2, 1
SECONDS_A_PAGE = 1.5
"""The slowest crawler needs a third of that with four pages at once (measured); one that needs more has hung."""
WIDTH = 120
"""Columns of the table; in a narrower window its lines wrap."""
COLUMNS = (
    ("client CPU ms/page", "cpu_ms"),
    ("Chrome CPU ms/page", "chrome_cpu_ms"),
    ("Chrome MB, peak", "chrome_mb"),
    ("median", "chrome_median_mb"),
)
"""Titles and fields of the columns after those that count pages."""
Results = dict[str, list[Result]]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments after `farm`."""
    found = argparse.ArgumentParser(prog="bench farm", description="Crawl a site beside other crawlers, or: pace …")
    found.add_argument("--pages", type=int, default=300)
    found.add_argument("--concurrency", type=int, default=4, help="pages open at once")
    found.add_argument("--rounds", type=int, default=2)
    found.add_argument("--only", default="", help="only the crawlers whose name starts so")
    found.add_argument("--record", default="latest", help="name of the file under bench/results")
    return found


def main(arguments: Sequence[str]) -> int:
    """Run the crawlers; returns the exit code: 0, 1 if one cannot be installed, 2 for a mistake in what was asked."""
    if arguments[:1] == ["pace"]:
        return pace.main(arguments[1:])
    options = parser().parse_args(arguments)
    lanes = [lane for lane in RUNNERS if lane.name.startswith(options.only)]
    if min(options.pages, options.concurrency, options.rounds) < 1 or not lanes:
        print(f"farm: give numbers from 1 on, and one of: {', '.join(lane.name for lane in RUNNERS)}", file=sys.stderr)
        return USAGE
    try:
        install()
    except subprocess.CalledProcessError as error:
        print(f"farm: the crawlers could not be installed: {error}", file=sys.stderr)
        return FAILED
    results = asyncio.run(_rounds(lanes, options))
    show(results)
    print(f"recorded in {record(tables(results), options.record)}")
    return 0


def install() -> None:
    """Install the crawlers in their own environment, if their list has changed."""
    wanted, stamp = HERE / "requirements.txt", HERE / "installed" / "requirements.txt"
    if stamp.exists() and stamp.read_text() == wanted.read_text():
        return
    print("farm: installing the crawlers, about 1 GB", file=sys.stderr)
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PYTHON.parent.parent)], check=True)
    subprocess.run([str(PYTHON), "-m", "pip", "install", "--quiet", "--requirement", str(wanted)], check=True)
    shutil.copy(wanted, stamp)


async def _rounds(lanes: list[Lane], options: argparse.Namespace) -> Results:
    results: Results = {lane.name: [] for lane in lanes}
    chrome, order = find_executable().path, random.Random(1)
    for _ in range(options.rounds):
        for lane in order.sample(lanes, len(lanes)):
            result = await run_lane(
                lane,
                pages=options.pages,
                concurrency=options.concurrency,
                chrome=chrome,
                limit_s=30 + SECONDS_A_PAGE * options.pages,
            )
            print(f"farm: {lane.name}: {result.complete} complete in {result.seconds:.1f} s", file=sys.stderr)
            if result.missing:
                print(f"farm: {lane.name}: {result.missing} missing; it says: {result.stderr[-500:]}", file=sys.stderr)
            results[lane.name].append(result)
        record(tables(results), options.record)  # a run that is ended has its rounds
    return results


def show(results: Results) -> None:
    """Print one line per crawler, the most complete pages per second first."""
    console = Console()
    console.width = max(console.width, WIDTH)
    console.print(machine())
    grid = Grid("", "complete pages/s", "per core", "incomplete", "missing", *(title for title, _ in COLUMNS))
    cores = machine()["cores"]
    for name, runs in sorted(results.items(), key=lambda item: -_median(item[1], "pages_per_s")):
        rate = _median(runs, "pages_per_s")
        grid.add_row(
            name,
            f"{rate:.1f}",
            f"{rate / cores:.1f}",
            *(
                f"{sum(getattr(run, kind) for run in runs)} of {sum(run.pages for run in runs)}"
                for kind in ("incomplete", "missing")
            ),
            *(f"{_median(runs, field):.0f}" for _, field in COLUMNS),
        )
    console.print(grid)


def tables(results: Results) -> list[Table]:
    """Return the figures as tables with ratios to stillframe's."""
    return [
        table(
            question,
            unit,
            "stillframe",
            {name: [getattr(run, field) for run in runs] for name, runs in results.items()},
        )
        for question, unit, field in (
            ("How many complete pages does a crawl get?", "pages/s", "pages_per_s"),
            ("How many of its pages are not complete?", "pages", "incomplete"),
            ("What does a page cost beside Chrome?", "ms of CPU", "cpu_ms"),
            ("What does a page cost in Chrome?", "ms of CPU", "chrome_cpu_ms"),
            ("What does a page cost in all?", "ms of CPU", "all_cpu_ms"),
            ("How much memory does Chrome need at most?", "MB", "chrome_mb"),
            ("How much memory does Chrome need half of the time?", "MB", "chrome_median_mb"),
        )
    ]


def _median(runs: list[Result], field: str) -> float:
    return statistics.median(getattr(run, field) for run in runs)
