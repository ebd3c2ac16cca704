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
from bench.apps.flows.lanes import DESKTOP, lane_names
from bench.apps.flows.play import Outcome
from bench.apps.flows.report import differences, heading, line, summary, tables, verbose
from bench.apps.flows.run import LeftOut, chosen, played
from bench.measure import Table, record

FAILED = 1
CONSOLE = Console()


def main(arguments: Sequence[str]) -> int:
    """Play the chosen flows; the exit code is 1 if a flow was not acted rightly or an application was left out."""
    parser = _parser()
    options = parser.parse_args(arguments)
    flows = chosen(options.words)
    if not flows:
        parser.error(f"no flow is called so; there are {', '.join(dict.fromkeys(flow.app for flow in chosen(())))}")
    if options.list:
        print("\n".join(flow.title for flow in flows))
        return 0
    outcomes, left_out, found = _all_lanes(flows, options.over, verbosely=options.verbose)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench.apps.flows", description=main.__doc__)
    parser.add_argument("words", nargs="*", help="applications, or parts of the titles of flows (default: all flows)")
    parser.add_argument("-v", "--verbose", action="store_true", help="also show the rows of each delta")
    parser.add_argument("--list", action="store_true", help="name the flows and play none")
    parser.add_argument(
        "--over",
        type=lane_names,
        default=[DESKTOP],
        metavar="LANES",
        help="desktop (the default), adb for a WebView on an emulated phone, adb-74 for one of Chromium 74; several "
        "with commas, whose outcomes are compared",
    )
    parser.add_argument(
        "--beside", type=int, metavar="ROUNDS", help="also play ten flows with Playwright and its server"
    )
    parser.add_argument("--json", type=Path, help="write all outcomes, with their deltas, to this file")
    parser.add_argument("--record", help="name of the file under bench/results for the tables")
    return parser


def _all_lanes(
    flows: Sequence[Flow], lanes: Sequence[str], *, verbosely: bool
) -> tuple[list[Outcome], list[LeftOut], list[Table]]:
    """Play the flows in each lane; the last answer is what is recorded."""
    outcomes: list[Outcome] = []
    left_out: list[LeftOut] = []
    found: list[Table] = []
    for lane in lanes:
        played, missed = asyncio.run(shown(flows, verbosely=verbosely, over=lane))
        found += tables(played, missed, over=lane)
        outcomes, left_out = [*outcomes, *played], [*left_out, *missed]
    if len(lanes) > 1:
        print("\n".join(differences(outcomes)))
    return outcomes, left_out, found


async def shown(
    flows: Sequence[Flow], *, verbosely: bool = False, over: str = DESKTOP
) -> tuple[list[Outcome], list[LeftOut]]:
    """Play flows, print each as it comes and the figures of all at the end."""
    outcomes: list[Outcome] = []
    left_out: list[LeftOut] = []
    print(heading(over))
    async for each in played(flows, over=over):
        if isinstance(each, LeftOut):
            left_out.append(each)
            print(f"LEFT OUT: {each.app}: {each.why}", flush=True)
            continue
        outcomes.append(each)
        print("\n".join([line(each), *(verbose(each) if verbosely else ())]), flush=True)
    print(summary(outcomes, left_out))
    return outcomes, left_out
