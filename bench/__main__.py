"""Run the benchmarks: `python -m bench [names] [--rounds N] [--record NAME]`, or `python -m bench settle …`."""

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
    "commands",
    "snapshots",
    "core",
    "cbor",
    "batch",
    "duplicates",
    "sequence",
    "captures",
    "quiet",
    "tabs",
    "hooks",
    "virtual",
    "mirror",
    "selectors",
    "relocate",
)


def main() -> None:
    """Run the chosen benchmarks one after the other, print their tables, and record them."""
    if sys.argv[1:2] == ["settle"]:
        sys.exit(import_module("bench.settle.command").main(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="bench", description="stillframe beside its rivals, in one run")
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(NAMES)} (default: all), or settle …")
    parser.add_argument("--rounds", type=int, help="samples per contestant")
    parser.add_argument("--record", default="latest", help="name of the file under bench/results")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(NAMES)
    if unknown:
        parser.error(f"unknown benchmark {', '.join(sorted(unknown))}; known: {', '.join(NAMES)}")
    console = Console()
    console.print(machine())
    more = {} if arguments.rounds is None else {"rounds": arguments.rounds}
    tables: list[Table] = []
    for name in arguments.names or NAMES:
        answer = import_module(f"bench.{name}").run(**more)
        for table in asyncio.run(answer) if inspect.isawaitable(answer) else answer:
            tables.append(table)
            console.print(_grid(table))
    console.print(f"recorded in {record(tables, arguments.record)}")


def _grid(table: Table) -> Grid:
    grid = Grid(title=f"{table.question} ({table.unit})", title_justify="left")
    for heading in ("", "median", "low", "high", "n", "ratio", "note"):
        grid.add_column(heading, justify="left" if heading in ("", "note") else "right")
    for row in table.rows:
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
        figures = (f"{value:.4g}" for value in (row.median, row.low, row.high))
        grid.add_row(row.name, *figures, str(row.samples), ratio, row.note)
    for name, how in table.missing.items():
        grid.add_row(name, "–", "", "", "", "", f"not installed: {how}")
    return grid


if __name__ == "__main__":
    main()
