"""Run the benchmarks: `python -m bench [names] [--rounds N] [--record NAME]`, or one with a command of its own."""

from __future__ import annotations

import argparse
import asyncio
import inspect
import sys
from importlib import import_module

from rich.console import Console
from rich.table import Table as Grid

from bench.measure import Table, machine, record

NAMES = (
    "actions",
    "commands",
    "snapshots",
    "core",
    "cbor",
    "batch",
    "duplicates",
    "sequence",
    "tracing",
    "captures",
    "quiet",
    "tabs",
    "hooks",
    "virtual",
    "mirror",
    "selectors",
    "relocate",
    "mcp",
    "start",
    "screenshots",
    "next",
    "loops",
    "policy",
    "text",
    "android",
)
SOAKS = ("sessions",)
"""Those that go on for some seconds; they run only when they are named."""
LONG = (
    "apps",
    "behaviours",
    "bounds",
    "flows",
    "lines",
    "mutations",
    "next_apps",
    "ported",
    "prompts",
    "reading",
    "todomvc",
)
"""Those that take many minutes or install applications; they run only when they are named."""
OWN = ("settle", "miniwob", "farm")
"""Those with a command line of their own."""
WHICH = f"which of {', '.join(NAMES)} (default: all of these), {', '.join((*SOAKS, *LONG))}"


def main() -> None:
    """Run the chosen benchmarks one after the other, print their tables, and record them."""
    if sys.argv[1:] and sys.argv[1] in OWN:
        sys.exit(import_module(f"bench.{sys.argv[1]}.command").main(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="bench", description="stillframe beside its rivals, in one run")
    parser.add_argument("names", nargs="*", help=f"{WHICH}, or settle …, miniwob …, or farm …")
    parser.add_argument("--rounds", type=int, help="samples per contestant")
    parser.add_argument("--seconds", type=float, help=f"how long {', '.join(SOAKS)} go on")
    parser.add_argument("--record", default="latest", help="name of the file under bench/results")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - {*NAMES, *SOAKS, *LONG}
    if unknown:
        parser.error(f"unknown benchmark {', '.join(sorted(unknown))}; known: {', '.join((*NAMES, *SOAKS, *LONG))}")
    console = Console()
    console.print(machine())
    tables: list[Table] = []
    for name in arguments.names or NAMES:
        answer = import_module(f"bench.{name}").run(**_amount(name, arguments))
        for table in asyncio.run(answer) if inspect.isawaitable(answer) else answer:
            tables.append(table)
            console.print(grid(table))
    console.print(f"recorded in {record(tables, arguments.record)}")


def _amount(name: str, arguments: argparse.Namespace) -> dict[str, float]:
    """Return the amount to measure, if one was given: seconds for a soak, rounds for everything else."""
    option = "seconds" if name in SOAKS else "rounds"
    said = getattr(arguments, option)
    return {} if said is None else {option: said}


def grid(table: Table) -> Grid:
    """Return a table as it is printed."""
    grid = Grid(title=f"{table.question} ({table.unit})", title_justify="left")
    for heading in ("", "median", "low", "high", "n", "ratio", "note"):
        grid.add_column(heading, justify="left" if heading in ("", "note") else "right")
    for row in table.rows:
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
        figures = (f"{value:.4g}" for value in (row.median, row.low, row.high))
        grid.add_row(row.name, *figures, str(row.samples), ratio, row.note)
    for name, how in table.missing.items():
        grid.add_row(name, "–", "", "", "", "", f"missing: {how}")
    return grid


if __name__ == "__main__":
    main()
