"""The command line of the flows."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console

from bench.__main__ import grid
from bench.apps.flows.beside import beside
from bench.apps.flows.flow import Flow
from bench.apps.flows.play import Outcome
from bench.apps.flows.report import HEADING, line, summary, tables, verbose
from bench.apps.flows.run import LeftOut, chosen, played
from bench.measure import record

FAILED = 1
CONSOLE = Console()


def main(arguments: Sequence[str]) -> int:
    """Play the chosen flows; the exit code is 1 if a flow was not acted rightly or an application was left out."""
    parser = argparse.ArgumentParser(prog="bench.apps.flows", description=main.__doc__)
    parser.add_argument("words", nargs="*", help="applications, or parts of the titles of flows (default: all flows)")
    parser.add_argument("-v", "--verbose", action="store_true", help="also show the rows of each delta")
    parser.add_argument("--list", action="store_true", help="name the flows and play none")
    parser.add_argument(
        "--beside", type=int, metavar="ROUNDS", help="also play ten flows with Playwright and its server"
    )
    parser.add_argument("--json", type=Path, help="write all outcomes, with their deltas, to this file")
    parser.add_argument("--record", help="name of the file under bench/results for the tables")
    options = parser.parse_args(arguments)
    flows = chosen(options.words)
    if not flows:
        parser.error(f"no flow is called so; there are {', '.join(dict.fromkeys(flow.app for flow in chosen(())))}")
    if options.list:
        print("\n".join(flow.title for flow in flows))
        return 0
    outcomes, left_out = asyncio.run(shown(flows, verbosely=options.verbose))
    found = tables(outcomes, left_out)
    if options.beside:
        compared, missed = asyncio.run(beside(options.beside))
        found, left_out = [*found, *compared], [*left_out, *missed]
        for each in compared:
            CONSOLE.print(grid(each))
    if options.json:
        options.json.write_text(json.dumps(msgspec.to_builtins(outcomes), ensure_ascii=False, indent=1) + "\n")
    if options.record:
        print(f"recorded in {record(found, options.record)}")
    return FAILED if left_out or not all(each.acted for each in outcomes) else 0


async def shown(flows: Sequence[Flow], *, verbosely: bool = False) -> tuple[list[Outcome], list[LeftOut]]:
    """Play flows, print each as it comes and the figures of all at the end."""
    outcomes: list[Outcome] = []
    left_out: list[LeftOut] = []
    print(HEADING)
    async for each in played(flows):
        if isinstance(each, LeftOut):
            left_out.append(each)
            print(f"LEFT OUT: {each.app}: {each.why}", flush=True)
            continue
        outcomes.append(each)
        print("\n".join([line(each), *(verbose(each) if verbosely else ())]), flush=True)
    print(summary(outcomes, left_out))
    return outcomes, left_out
